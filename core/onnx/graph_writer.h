// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/onnx/proto.h"
#include "core/support/result.h"

#include <functional>

namespace crease {

/// Takes a tensor's data out of the file; false leaves it in.
using TensorSink = std::function<Result<bool>(const Tensor& tensor, onnx::TensorProto& proto)>;

/// The model of a graph whose nodes are in the forms of its opset and have unique names.
Result<void> writeGraph(const Graph& graph, onnx::ModelProto& model, const TensorSink& sink);

} // namespace crease
