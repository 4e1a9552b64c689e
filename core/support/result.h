// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace crease {

enum class ErrorKind {
    Usage,       // bad option or value: exit 2
    Input,       // the input cannot be read: exit 3
    Internal,    // an internal check failed: exit 4
    Output,      // the output cannot be written: exit 5
    Refused,     // a model refused by name, or a certificate that fails: exit 1
    Unsupported, // nothing here can run or fold this: exit 1
    Cancelled,   // exit 130
};

/// An expected failure. `id` is stable (kebab-case); the message starts lower-case and gives the values.
struct Error {
    ErrorKind kind = ErrorKind::Internal;
    std::string id;
    std::string message;
    std::string file{};
    std::string node{};
    std::string value{};
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> failure(ErrorKind kind, std::string id, std::string message)
{
    return std::unexpected(Error{kind, std::move(id), std::move(message)});
}

/// One line: the message, then file, node and value where they are known.
std::string describe(const Error& error);

namespace detail {
template <class T>
T take(Result<T>&& result)
{
    return std::move(*result);
}
inline void take(Result<void>&&) {}
} // namespace detail

} // namespace crease

/// Unwraps a Result or returns its error from the enclosing function (a GCC and Clang statement expression).
#define TRY(expression) CREASE_TRY_NAMED(expression, __COUNTER__)
#define CREASE_TRY_NAMED(expression, number) CREASE_TRY_JOINED(expression, number)
#define CREASE_TRY_JOINED(expression, number) CREASE_TRY_AS(expression, tryResult##number)
#define CREASE_TRY_AS(expression, name)                                                                                \
    __extension__({                                                                                                    \
        auto name = (expression);                                                                                      \
        if (!name) {                                                                                                   \
            return std::unexpected(std::move(name).error());                                                           \
        }                                                                                                              \
        ::crease::detail::take(std::move(name));                                                                       \
    })
