// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/onnx/external_data.h"
#include "core/onnx/tensor_reader.h"
#include "core/support/diagnostic.h"
#include "core/support/job.h"

namespace crease {

/// The graph of a parsed model, with functions inlined and Constant nodes as constants; every node in the form of the
/// file. Tensor data is moved out of `model`.
Result<Graph> readGraph(onnx::ModelProto& model, ExternalData& external, const TensorLimits& limits, const Job& job,
                        Diagnostics& diagnostics);

/// Gives every node of the graph and its subgraphs a name of its own.
void nameNodes(Graph& graph);

/// What to call a node in a message.
std::string nodeLabel(const Graph& graph, const Node& node);

} // namespace crease
