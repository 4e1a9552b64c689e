// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/pass.h"

namespace crease {

/// Nodes that do nothing go, and ops take the one form that later passes look for: no Gemm with transA or a bias that
/// is none, one quantizer where two equal ones read a value.
Result<Stage> runCanonicalise(const Graph& before, const PassContext& context, const Job& job);

} // namespace crease
