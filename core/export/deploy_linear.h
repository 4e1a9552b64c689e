// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/deployment.h"

/// Linear ops of the QOperator format.
namespace crease {

/// QLinearConv, QGemm, QLinearMatMul for a fused op; ConvInteger, MatMulInteger for an accumulator; else an island.
void emitLinearOperator(Deployment& out, NodeId id);

} // namespace crease
