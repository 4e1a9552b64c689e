# SPDX-License-Identifier: GPL-3.0-or-later
# The one place for compiler flags: every target of ours links crease_flags PRIVATE.
add_library(crease_flags INTERFACE)
target_compile_options(crease_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Wnull-dereference
    -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 reports these falsely in std::vector and std::variant code that it inlines.
    target_compile_options(crease_flags INTERFACE -Wno-maybe-uninitialized -Wno-null-dereference -Wno-stringop-overflow
        -Wno-array-bounds -Wno-restrict -Wno-dangling-reference -Wno-free-nonheap-object)
    # GCC 14 as well, of copies of a std::vector of one element.
    if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 14)
        target_compile_options(crease_flags INTERFACE -Wno-stringop-overread)
    endif()
endif()
if(CREASE_WARNINGS_AS_ERRORS)
    target_compile_options(crease_flags INTERFACE -Werror)
endif()
if(CREASE_SANITIZE)
    target_compile_options(crease_flags INTERFACE -fsanitize=${CREASE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(crease_flags INTERFACE -fsanitize=${CREASE_SANITIZE})
endif()
target_include_directories(crease_flags INTERFACE ${PROJECT_SOURCE_DIR})
