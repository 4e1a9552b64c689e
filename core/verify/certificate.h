// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crease {

enum class Verdict { Exact, WithinSteps, WithinTolerance, Failed, NotChecked };

std::string_view verdictName(Verdict verdict); // exact, within-steps ...: the names of --json
Verdict worst(Verdict a, Verdict b);           // Exact < WithinTolerance < WithinSteps < NotChecked < Failed

/// Counts of compared elements; the causes of class R (folding.md §0).
struct Counts {
    std::array<std::int64_t, 4> offBy{}; // 0, 1, 2, more steps
    std::int64_t ties = 0;               // exact ties, or nearer to one than the reference can tell
    std::int64_t noise = 0;              // float32 rounding of a scale or of the reference decides otherwise
    std::int64_t bias = 0;               // the int32 rounding of a bias decides otherwise
    std::int64_t runtime = 0;            // an engine's own arithmetic (with an engine only)
    std::int64_t unexplained = 0;
    std::int64_t maxSteps = 0;
    std::int64_t compared() const { return offBy[0] + offBy[1] + offBy[2] + offBy[3]; }
    void add(const Counts& other);
};

struct Certificate {
    Verdict verdict = Verdict::NotChecked;
    std::int64_t samples = 0;
    std::int64_t tensors = 0; // compared
    Counts counts{};
    std::string note{}; // why not checked, or what failed first
};

/// Error of one tensor (M in interface.md). Float tensors: counts are empty and maxAbs, sqnr, cosine speak.
struct Metrics {
    Counts counts;
    double rmseOverScale = 0.0; // RMSE in steps; NaN for a float tensor without a grid
    double sqnrDb = 0.0;        // +inf where equal
    double cosine = 1.0;        // 1 for two zero tensors, 0 for zero against non-zero
    double maxAbs = 0.0;        // real units
    double relative = 0.0;      // maxAbs over the range of the reference
    std::int64_t saturated = 0; // codes at qmin or qmax
    std::int64_t elements = 0;
};

} // namespace crease
