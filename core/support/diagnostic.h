// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace crease {

enum class Severity { Info, Warning, Error };

/// A finding about the user's model; it never stops the work.
struct Diagnostic {
    Severity severity = Severity::Warning;
    std::string id;
    std::string text;
    std::string node{};
    std::string value{};

    bool operator==(const Diagnostic&) const = default;
};

using Diagnostics = std::vector<Diagnostic>;

constexpr const char* severityName(Severity severity)
{
    switch (severity) {
    case Severity::Info:
        return "info";
    case Severity::Warning:
        return "warning";
    case Severity::Error:
        break;
    }
    return "error";
}

} // namespace crease
