// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace crease {

/// Raises every node of ai.onnx below `opset` to it. A node whose op means something else there is replaced by nodes
/// that say the same; errors (kind Unsupported) name a node for which there are none.
Result<void> raiseVersions(Graph& graph, int opset);

} // namespace crease
