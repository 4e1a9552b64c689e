// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/rule.h"

namespace crease {

/// A weight that a sign flip left in int16 (128 does not fit int8): int8 where it fits, else uint8 with a zero point.
Outcome fitWeight(const Graph& graph, NodeId id);

/// The scales of a node's codes, rounded to float32.
Outcome roundScales(const Graph& graph, NodeId id);

/// The scales of a linear op's constant weight, rounded to float32. A channel below float32's normal range is all zero.
Outcome roundWeightScales(const Graph& graph, NodeId id);

/// The accumulator's grid from the grids of the op as they are now.
Outcome deriveAccumulator(const Graph& graph, NodeId id);

} // namespace crease
