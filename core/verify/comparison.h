// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/verify/epilogue.h"
#include "core/verify/metrics.h"
#include "core/verify/pairing.h"
#include "core/verify/pre_rounding.h"

#include <vector>

namespace crease {

/// One element whose codes differ.
struct Difference {
    std::size_t index = 0;
    std::int32_t before = 0;
    std::int32_t after = 0;
};

/// What explains an off-by-one of a value (folding.md §0, class R).
struct Causes {
    bool noise = false;   // scales were rounded to float32 between the two graphs
    bool islands = false; // and float nodes stand between
    std::optional<Epilogues> epilogues{};
};

/// Attributes the differences of one tensor. `steps`: PreRounding's numbers for the tensor before; empty: not known, so
/// nothing is explained. `epilogues`: what causes.epilogues gives; empty where there is none. Returns how many of the
/// ties are exact: the others are only nearer to a half than the reference can tell.
std::int64_t attribute(const std::vector<Difference>& differences, const Pair& pair, const Dims& dims,
                       const std::vector<double>& steps, const Causes& causes, const EpilogueError& epilogues,
                       Counts& counts);

} // namespace crease
