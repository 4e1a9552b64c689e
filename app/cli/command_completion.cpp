// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"

namespace crease::cli {

namespace {

// The words are asked of the program itself (--help), so that a script never lags behind it.
constexpr const char* bash = R"sh(_crease_cli() {
    local cur=${COMP_WORDS[COMP_CWORD]}
    local commands="info passes fold verify explain diff run completion"
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "$commands --help --version" -- "$cur"))
    elif [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$(crease-cli "${COMP_WORDS[1]}" --help 2>/dev/null | grep -oE -- '--[a-z-]+' | sort -u)" -- "$cur"))
    else
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}
complete -o filenames -F _crease_cli crease-cli
)sh";

constexpr const char* zsh = R"sh(#compdef crease-cli
_crease_cli() {
    if (( CURRENT == 2 )); then
        compadd info passes fold verify explain diff run completion --help --version
    elif [[ $words[CURRENT] == -* ]]; then
        compadd -- $(crease-cli $words[2] --help 2>/dev/null | grep -oE -- '--[a-z-]+' | sort -u)
    else
        _files
    fi
}
compdef _crease_cli crease-cli
)sh";

constexpr const char* fish =
    R"sh(complete -c crease-cli -n __fish_use_subcommand -xa 'info passes fold verify explain diff run completion'
complete -c crease-cli -n 'not __fish_use_subcommand' -a '(crease-cli (commandline -opc)[2] --help 2>/dev/null | string match -ra -- "--[a-z-]+" | sort -u)'
)sh";

} // namespace

int runCompletion(const Options& options, const Console& console)
{
    console.print(options.shell == "bash" ? bash : options.shell == "zsh" ? zsh : fish);
    return Done;
}

} // namespace crease::cli
