// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace crease {

/// Checks what can be seen on a node or value itself: ids live, one producer, names unique, codes have their storage
/// type and scales > 0 and as many as the axis needs, crease nodes have their attributes, order is topological. The
/// error (kind Internal) names the node or value.
Result<void> verify(const Graph& graph);

} // namespace crease
