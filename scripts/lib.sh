# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by the other scripts.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc)
export CREASE_MODELS=${CREASE_MODELS:-$repository/../shared/models}

say() { printf '%s\n' "$*"; }

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

# The first cmake of PATH or /usr/bin that is new enough.
cmake_program() {
    local candidate version
    for candidate in cmake /usr/bin/cmake; do
        version=$("$candidate" --version 2>/dev/null | sed -n '1s/cmake version //p')
        if [ -n "$version" ] && [ "$(printf '3.25\n%s\n' "$version" | sort -V | head -1)" = 3.25 ]; then
            command -v "$candidate"
            return
        fi
    done
    fail "no CMake 3.25 or newer here: run scripts/setup"
}

# build PRESET [TARGET...]
build() {
    local preset=$1 cmake target arguments=()
    shift
    cmake=$(cmake_program)
    for target in "$@"; do
        arguments+=(--target "$target")
    done
    if [ ! -f "$repository/build/$preset/build.ninja" ]; then
        (cd "$repository" && "$cmake" --preset "$preset")
    fi
    "$cmake" --build "$repository/build/$preset" --parallel "$jobs" "${arguments[@]}"
}

# run_ctest PRESET [CTEST-OPTION...]: every test of a build; ends with the line "N passed, N failed, N skipped".
run_ctest() {
    local preset=$1 folder=$repository/build/$1 status=0
    shift
    rm -f "$folder/tests.xml"
    "$(dirname "$(cmake_program)")/ctest" --test-dir "$folder" --parallel "$jobs" --no-tests=error --output-on-failure \
        --test-output-size-passed 10000000 --test-output-size-failed 10000000 --output-junit "$folder/tests.xml" "$@" || status=$?
    python3 "$repository/scripts/count_tests.py" "$folder/tests.xml" || status=1
    return "$status"
}
