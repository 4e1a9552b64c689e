// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/arithmetic.h"

#include <optional>
#include <string>

namespace crease {

/// The rounding that an attribute rounding_mode of QONNX names, in any case; HALF_UP and HALF_DOWN are away from and
/// toward zero. Nothing for an unknown name.
std::optional<Rounding> qonnxRounding(std::string mode);

} // namespace crease
