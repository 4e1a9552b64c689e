// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/pass.h"

namespace crease {

/// A linear op and its requantizer become one node, clamps go into their producers.
Result<Stage> runFuse(const Graph& before, const PassContext& context, const Job& job);

} // namespace crease
