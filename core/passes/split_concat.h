// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/rule.h"

namespace crease {

/// A linear op over a Concat of values on different grids along its input channels is a sum of linear ops, one for each
/// grid: Conv([a, b], [U, V]) = Conv(a, U) + Conv(b, V). Each then has codes of one scale.
Outcome splitLinearOverConcat(const Graph& graph, NodeId id);

} // namespace crease
