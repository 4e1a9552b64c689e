// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/rule.h"

namespace crease {

/// Gemm with transA: a Transpose before it.
Outcome gemmTranspose(const Graph& graph, NodeId id);

/// Gemm whose C is no constant row of its output: an Add behind it.
Outcome gemmAddend(const Graph& graph, NodeId id);

/// Gemm with alpha on a weight that is no constant: a Mul behind it.
Outcome gemmAlpha(const Graph& graph, NodeId id);

/// Conv or ConvTranspose whose bias is no constant: an Add behind it.
Outcome convBias(const Graph& graph, NodeId id);

/// Whether a value is a constant, also one behind a quantizer or dequantizer.
bool isConstantOrQuantized(const Graph& graph, ValueId value);

} // namespace crease
