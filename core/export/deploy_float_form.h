// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/deployment.h"

/// DequantizeLinear -> standard op -> QuantizeLinear: every node of the QDQ format, and in QOperator what the target
/// has no kernel for.
namespace crease {

/// A linear op: weights as integers behind DequantizeLinear, a fused bias as int32 behind DequantizeLinear.
void emitLinearFloatForm(Deployment& out, NodeId id);

/// Any other op on codes.
void emitFloatForm(Deployment& out, NodeId id);

/// Add, Mul ... in a form that ONNX Runtime does not merge into its integer kernel: scales of rank 1.
void emitUnmergedFloatForm(Deployment& out, NodeId id);

/// A float linear op that carries its bias as an attribute (fold-batch-norm): the bias becomes an input, or an Add.
void emitFloatLinear(Deployment& out, NodeId id);

/// A linear op without kernel on codes held in float32: DequantizeLinear of scale 1 keeps the sums exact below 2^24.
void emitLinearOnFloatCodes(Deployment& out, NodeId id);

} // namespace crease
