// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/result.h"

namespace crease {

std::string describe(const Error& error)
{
    std::string text;
    if (!error.file.empty()) {
        text += error.file + ": ";
    }
    if (!error.node.empty()) {
        text += "node '" + error.node + "': ";
    }
    if (!error.value.empty()) {
        text += "value '" + error.value + "': ";
    }
    return text + error.message;
}

} // namespace crease
