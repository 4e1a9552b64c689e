// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/support/diagnostic.h"
#include "core/support/result.h"

namespace crease {

/// Brings every node of ai.onnx from the form of its version to the newest form of its op: attributes that became
/// inputs are constants, renamed ops have their new name. The meaning stays that of node.version.
Result<void> toNewestForms(Graph& graph);

/// The reverse: every node in the form of that opset. Errors: kind Unsupported, naming the node.
Result<void> toFormsOf(Graph& graph, int opset);

/// The oldest opset that has a form for this node; `scratch` gets constants on the way.
int oldestFormOf(Graph& scratch, Node node);

} // namespace crease
