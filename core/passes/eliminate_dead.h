// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/pass.h"

namespace crease {

/// Removes what no output needs.
Result<Stage> runEliminateDead(const Graph& before, const PassContext& context, const Job& job);

} // namespace crease
