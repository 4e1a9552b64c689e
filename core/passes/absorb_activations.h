// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/pass.h"

#include <vector>

namespace crease {

/// Relu, Clip, and Max or Min with a constant before a quantizer become its clamp bounds, whatever the zero point (L1).
std::vector<Rule> absorbActivationsRules();
Result<Stage> runAbsorbActivations(const Graph& before, const PassContext& context, const Job& job);

} // namespace crease
