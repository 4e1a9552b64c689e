// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/pass.h"

namespace crease {

/// A quantized constant becomes its codes and a grid; data movement behind it moves the codes and the grid's axis.
Result<Stage> runFoldWeights(const Graph& before, const PassContext& context, const Job& job);

} // namespace crease
