// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/support/diagnostic.h"
#include "core/support/job.h"
#include "core/tensor/sample_set.h"

#include <map>
#include <string>
#include <string_view>

namespace crease {

struct SampleOptions {
    std::map<std::string, Dims> shapes{}; // --shape NAME=1x3x224x224
    std::size_t limit = 0;                // 0: all
    std::string rawType{};                // element type of raw files
    double maxNpzExpansion = 64.0;
    Diagnostics* notes = nullptr; // guesses are announced here
};

/// Reads samples for the graph's inputs from a folder with input_K.pb (or test_data_set_N below it), an .npz, .npy, .pb
/// or raw file.
Result<SampleSet> readSamples(const std::string& path, const Graph& graph, const SampleOptions& options,
                              const Job& job);

/// `count` random samples, reproducible from the seed on every machine (interface.md, Samples).
Result<SampleSet> randomSamples(const Graph& graph, std::size_t count, std::uint64_t seed,
                                const SampleOptions& options);

/// The last bytes of an archive that writeNpz wrote (its comment).
inline constexpr std::string_view npzMark = "written by Crease";

/// Writes tensors as an .npz (stored), names as given; written to a temporary name and renamed.
Result<void> writeNpz(const std::string& path, const std::vector<std::pair<std::string, Tensor>>& arrays);

} // namespace crease
