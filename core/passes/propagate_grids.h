// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/pass.h"

#include <vector>

namespace crease {

/// Grids pass through data movement and monotone ops (L2, L3); a quantizer behind such an op moves before it where that
/// makes more of the graph integer; a quantizer whose input already lies on its grid goes (L4). No grid is chosen here.
std::vector<Rule> propagateGridsRules();
Result<Stage> runPropagateGrids(const Graph& before, const PassContext& context, const Job& job);

} // namespace crease
