// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/pass.h"

namespace crease {

/// Biases to integers on the accumulator's grid, where they fit; each accumulator proven to fit.
Result<Stage> runQuantizeBias(const Graph& before, const PassContext& context, const Job& job);

} // namespace crease
