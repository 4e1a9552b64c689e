// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/pass.h"

namespace crease {

/// What depends on constants of the file alone is evaluated in the file's types, up to a quantized constant and never
/// through it.
Result<Stage> runFoldConstants(const Graph& before, const PassContext& context, const Job& job);

} // namespace crease
