// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/deployment.h"

/// Ops on codes that are not linear: two-input and pooling ops with a rounding of their own, and data movement.
namespace crease {

/// False where the op is none of those: the caller falls back to the float form.
bool emitArithmeticOperator(Deployment& out, NodeId id);

/// Concat of different grids whose tables float32 would decide otherwise: exact tables, then a Concat of codes.
bool needsExactTables(const Deployment& out, const Node& node);
void emitConcatOfTables(Deployment& out, NodeId id);

/// Data movement, MaxPool ... on the codes as they are.
bool emitOnCodes(Deployment& out, NodeId id);

} // namespace crease
