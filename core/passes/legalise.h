// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/pass.h"

namespace crease {

/// Codes and scales as the target's kernels take them: activations of one signedness, scales of float32, weights of 8
/// bits.
Result<Stage> runLegalise(const Graph& before, const PassContext& context, const Job& job);

} // namespace crease
