// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/deployment.h"

namespace crease {

/// AveragePool, GlobalAveragePool, ReduceMean and ReduceSum over the spatial axes as a depthwise Conv of ones, which
/// rounds exactly where the pooling kernels do not; in QOperator or QDQ form. False where the count or the channels are
/// unknown.
bool emitPoolAsConv(Deployment& out, NodeId id);

/// Whether ONNX Runtime's integer kernel, unlike its float one, also counts the taps of the last windows that stand
/// beyond the padding (ceil_mode with count_include_pad): up to 6 steps off.
bool countsBeyondPadding(const Node& node);

/// The same, or the target's pooling kernel (QOperator). False for other ops.
bool emitPool(Deployment& out, NodeId id);

} // namespace crease
