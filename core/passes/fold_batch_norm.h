// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/pass.h"

namespace crease {

/// What follows a linear op channel by channel (BatchNormalization, Mul, Div, Add, Sub) goes into the scales, signs and
/// bias of its quantized weight; the codes keep their magnitudes.
Result<Stage> runFoldBatchNorm(const Graph& before, const PassContext& context, const Job& job);

} // namespace crease
