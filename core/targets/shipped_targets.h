// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

namespace crease {

/// The JSON of each target that ships with the program.
std::span<const char* const> shippedTargetTexts();

} // namespace crease
