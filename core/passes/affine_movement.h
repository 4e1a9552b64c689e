// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/rule.h"

namespace crease {

/// Anchored at an Add, Sub, Mul or Div with a constant, or a BatchNormalization, behind data movement behind a linear
/// op with a quantized weight: it changes places with the movement, so that it stands at the linear op.
Outcome affineBeforeMovement(const Graph& graph, NodeId id);

} // namespace crease
