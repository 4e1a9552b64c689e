// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"

namespace crease {

/// The grid that an output carries, or lies on because a dequantization by constants makes it.
std::optional<Grid> outputGrid(const Graph& graph, ValueId id);

} // namespace crease
