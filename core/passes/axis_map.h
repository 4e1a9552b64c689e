// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/node.h"
#include "core/tensor/shape.h"

#include <optional>

namespace crease {

/// Where an axis of more than one element is after a Transpose, Reshape, Flatten, Squeeze, Unsqueeze or Identity;
/// nothing where it is split, merged or cut, or where too many dimensions are unknown to tell.
std::optional<int> movedAxis(const Node& node, const Shape& before, const Shape& after, int axis);

} // namespace crease
