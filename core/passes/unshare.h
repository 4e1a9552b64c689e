// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/pass.h"

namespace crease {

/// Each reader of a quantized constant gets a quantizer of its own, so that a scale folded for one is not seen by
/// another.
Result<Stage> runUnshare(const Graph& before, const PassContext& context, const Job& job);

} // namespace crease
