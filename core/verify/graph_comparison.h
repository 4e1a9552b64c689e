// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/program.h"
#include "core/tensor/sample_set.h"
#include "core/verify/comparison.h"

#include <functional>
#include <string>
#include <vector>

namespace crease {

/// Two graphs made ready to be compared sample by sample: the graph before runs free, the graph after is fed at every
/// compared value with the codes of the graph before, so that each comparison is about what lies between.
struct GraphComparison {
    Program before;
    Program after;
    Pairing pairing;
    std::vector<Causes> causes; // one a pair
    bool accumulated = false;   // run the graph after a second time without feeding it
};

struct ComparisonResult {
    std::vector<MetricSums> local;       // one a pair
    std::vector<MetricSums> accumulated; // empty unless asked for
    std::string trouble;                 // the first pair that could not be compared by codes, in words
    std::size_t samples = 0;
};

/// Compares on the first `count` samples, on job.threads threads (fewer where the job's memory limit asks for it). The
/// result does not depend on the number of threads. `onSample` hears of finished samples.
Result<ComparisonResult> compareGraphs(const GraphComparison& comparison, const SampleSet& samples, std::size_t count,
                                       const Job& job, const std::function<void(std::size_t done)>& onSample);

} // namespace crease
