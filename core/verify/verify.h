// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/trace.h"
#include "core/support/job.h"
#include "core/tensor/sample_set.h"
#include "core/verify/certificate.h"
#include "core/verify/engine.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace crease {

struct VerifyOptions {
    bool stages = true;            // certify each pass, not just the whole
    std::size_t stageSamples = 16; // at most so many of the samples for a pass; the whole is certified on all of them
    double stageWork = 1e9;        // and of those so many that their products in one graph stay below it, but one
    bool tensors = true;           // keep metrics of every compared tensor
    double floatTolerance = 1e-5;  // of the range of a float output
};

struct TensorReport {
    std::string name;                      // in the final graph
    std::string source;                    // in the original graph
    std::string stage;                     // pass that made it
    ValueId value;                         // in the final graph
    Metrics local;                         // fed with the exact codes of the source
    Metrics accumulated;                   // the fold alone, from the inputs on
    Verdict verdict = Verdict::NotChecked; // of `local`, by the rules of the whole certificate
};

struct Accuracy {
    std::int64_t correctBefore = 0, correctAfter = 0, flips = 0, count = 0;
    std::int64_t noClass = 0; // labels that are no class of the output: never right
    std::string note{};       // which the first of those is
};

struct Verification {
    std::vector<Certificate> stages;             // one a stage of the trace
    std::vector<std::vector<Certificate>> sites; // per stage, per rewrite: what the tensors it made showed
    Certificate whole;
    std::vector<TensorReport> tensors;
    std::optional<Accuracy> accuracy;
    std::string accuracyNote{}; // why there is none, although there are labels
};

/// Two graphs with the same inputs, output by output and by place; on the grid of an output where both dequantize to
/// the same one, else as real numbers. Differences are not attributed: at most one step is within-steps.
struct GraphsVerification {
    Certificate certificate;
    std::vector<TensorReport> outputs; // only `accumulated` is filled
    std::optional<Accuracy> accuracy;  // before: `a`, after: `b`
    std::string accuracyNote{};        // why there is none, although there are labels
};
Result<GraphsVerification> verifyGraphs(const Graph& a, const Graph& b, const SampleSet& samples,
                                        const VerifyOptions& options, const Job& job);

/// What another runtime makes of a file, against our own evaluation of the same file (its imported graph).
struct EngineVerification {
    std::string name;
    std::string version;
    Certificate certificate;           // per layer, where the engine gives its codes; cause: runtime
    std::vector<TensorReport> tensors; // local: fed with the engine's codes; of outputs also accumulated
    std::optional<Accuracy> accuracy;  // before: ours, after: the engine's
    std::string accuracyNote{};        // why there is none, although there are labels
};

/// Outputs are compared on all samples; codes layer by layer on all as well, or on the first options.stageSamples where
/// they are many megabytes; each layer of ours is fed with the codes that the engine had: one step apart is the
/// engine's own arithmetic (runtime), more is unexplained. An engine that gives no codes is certified by its outputs
/// alone.
Result<EngineVerification> verifyEngine(const Engine& engine, const std::string& modelFile, const Graph& graph,
                                        const SampleSet& samples, const VerifyOptions& options, const Job& job);

/// Right answers of two graphs (argmax of the first output along axis 1, the sign where that has one channel and the
/// labels are 0 and 1), both in the file's own types. Error "labels-misfit" (kind Unsupported) where there are no
/// labels or the outputs do not fit them.
Result<Accuracy> measureAccuracy(const Graph& before, const Graph& after, const SampleSet& samples, const Job& job);
/// The same for scores that are there: of each sample, the first output and its dimensions.
struct Scores {
    std::vector<double> values;
    Dims dims;
};
Result<Accuracy> accuracyOf(const std::vector<Scores>& before, const std::vector<Scores>& after,
                            const SampleSet& samples);
/// Puts an accuracy into its place, or what kept it from being measured into `note`; other errors are returned.
Result<void> storeAccuracy(Result<Accuracy> measured, std::optional<Accuracy>& accuracy, std::string& note);

/// Runs the original and every stage on the samples and certifies (architecture.md decision 9, folding.md §0 and §2.4).
Result<Verification> verifyTrace(const Trace& trace, const SampleSet& samples, const VerifyOptions& options,
                                 const Job& job,
                                 const std::function<void(std::size_t stage, const Certificate&)>& onStage = {});

} // namespace crease
