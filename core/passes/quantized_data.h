// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"

namespace crease {

/// Conv, ConvTranspose, Gemm or MatMul of ai.onnx.
bool isLinearOp(const Node& node);

/// Whether a value comes from quantizers, through ops that only pick among their inputs or clamp them: a linear op can
/// take its codes. Serves graphs before and after recognise.
bool comesFromQuantizer(const Graph& graph, ValueId value);

} // namespace crease
