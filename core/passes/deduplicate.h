// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/pass.h"

namespace crease {

/// Equal constants and equal nodes become one.
Result<Stage> runDeduplicate(const Graph& before, const PassContext& context, const Job& job);

} // namespace crease
