// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor/tensor.h"

#include <string>
#include <vector>

namespace crease {

/// Samples as values: the inputs of each sample in the order of the graph's inputs, and where they came from.
struct SampleSet {
    std::vector<std::vector<Tensor>> samples;
    std::vector<std::vector<std::int64_t>> labels{}; // per sample: one, or one a pixel; empty where there are none
    std::string source;                              // said to the user: "digits_test.npz" or "random, seed 1"
    std::uint64_t seed = 0;
};

} // namespace crease
