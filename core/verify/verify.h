// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/trace.h"
#include "core/support/job.h"
#include "core/tensor/sample_set.h"
#include "core/verify/certificate.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace crease {

struct VerifyOptions {
    bool stages = true;           // certify each pass, not just the whole
    bool tensors = true;          // keep metrics of every compared tensor
    double floatTolerance = 1e-5; // of the range of a float output
};

struct TensorReport {
    std::string name;    // in the final graph
    std::string source;  // in the original graph
    std::string stage;   // pass that made it
    ValueId value;       // in the final graph
    Metrics local;       // fed with the exact codes of the source
    Metrics accumulated; // the fold alone, from the inputs on
};

struct Accuracy {
    std::int64_t correctBefore = 0, correctAfter = 0, flips = 0, count = 0;
};

struct Verification {
    std::vector<Certificate> stages;             // one a stage of the trace
    std::vector<std::vector<Certificate>> sites; // per stage, per rewrite: what the tensors it made showed
    Certificate whole;
    std::vector<TensorReport> tensors;
    std::optional<Accuracy> accuracy;
};

/// Runs the original and every stage on the samples and certifies (architecture.md decision 9, folding.md §0 and §2.4).
Result<Verification> verifyTrace(const Trace& trace, const SampleSet& samples, const VerifyOptions& options,
                                 const Job& job,
                                 const std::function<void(std::size_t stage, const Certificate&)>& onStage = {});

} // namespace crease
