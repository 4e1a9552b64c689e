// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

namespace crease {

/// The files of resources/engines, compiled in.
std::vector<std::string_view> shippedEngineFiles();
std::string_view shippedScript(std::string_view name); // empty where there is none

} // namespace crease
