// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace crease {

/// The version of the project, as CMakeLists.txt states it.
std::string_view creaseVersion();

} // namespace crease
