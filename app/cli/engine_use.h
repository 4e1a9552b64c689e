// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/folding.h"

namespace crease::cli {

/// Runs a model file in the engine that --engine names.
Result<std::vector<std::vector<Tensor>>> runEngine(const Options& options, const std::string& file,
                                                   const SampleSet& samples, const Job& job);

/// Runs the written file (without one, a temporary one) in the engine and compares its outputs with those of the folded
/// graph. A missing, crashing or hanging engine is noted in folding.engineError and costs nothing else.
Result<void> compareWithEngine(const Options& options, Folding& folding, const Job& job);

} // namespace crease::cli
