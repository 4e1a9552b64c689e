// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/pass.h"

#include <vector>

namespace crease {

/// Element-wise subgraphs between one 8-bit per-tensor value and a quantizer become one table (L10).
std::vector<Rule> tabulateRules();
Result<Stage> runTabulate(const Graph& before, const PassContext& context, const Job& job);

} // namespace crease
