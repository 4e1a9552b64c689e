// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/pass.h"
#include "core/passes/recipe.h"

#include <functional>

namespace crease {

/// Runs the recipe's passes in its order on an imported graph. `onStage` (may be empty) hears of each finished stage,
/// so that a window can show partial results. Passes that are switched off are absent from the trace. An order that
/// destroys a pattern gives a diagnostic on the stage.
Result<Trace> runPipeline(const Graph& original, const Recipe& recipe, const Target& target, const Job& job,
                          const std::function<void(const Stage&, std::size_t index)>& onStage = {});

/// Runs again from pass `from` of a trace, sharing the stages before it.
Result<Trace> rerunPipeline(const Trace& trace, std::size_t from, const Recipe& recipe, const Target& target,
                            const Job& job, const std::function<void(const Stage&, std::size_t index)>& onStage = {});

} // namespace crease
