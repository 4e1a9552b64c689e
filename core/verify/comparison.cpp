// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/comparison.h"

#include "core/verify/grid_codes.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace crease {

namespace {

constexpr double tieWidth = 0x1p-30; // relative; the reference is double with sums of some thousand terms
constexpr double exactTieWidth = 0x1p-45;
constexpr double floatNoise = 0x1p-22; // four roundings to float32

double at(const std::vector<double>& values, std::size_t index)
{
    return index < values.size() ? values[index] : 0.0;
}

/// The largest magnitude of the tensor, which bounds what cancels inside of a float island; far beyond the grid it says
/// nothing.
double islandMagnitude(const std::vector<double>& steps, const Grid& grid)
{
    const double most = 4.0 * static_cast<double>(grid.qmax - grid.qmin + 1);
    double magnitude = 0.0;
    for (const double step : steps) {
        magnitude = std::max(magnitude, std::isfinite(step) ? std::abs(step) : 0.0);
    }
    return std::min(magnitude, most);
}

} // namespace

std::int64_t attribute(const std::vector<Difference>& differences, const Pair& pair, const Dims& dims,
                       const std::vector<double>& steps, const Causes& causes, const EpilogueError& epilogues,
                       Counts& counts)
{
    std::int64_t exactTies = 0;
    if (differences.empty()) {
        return exactTies;
    }
    const ChannelMap gridChannels(dims, pair.grid.axis);
    const double island = causes.noise && causes.islands ? islandMagnitude(steps, pair.grid) * 2.0 * floatNoise : 0.0;
    for (const Difference& difference : differences) {
        const std::size_t c = gridChannels.of(difference.index);
        const std::int64_t apart = std::abs(std::int64_t{difference.after} - std::int64_t{difference.before});
        const double v = difference.index < steps.size() ? steps[difference.index] : std::nan("");
        if (apart != 1 || !std::isfinite(v)) {
            ++counts.unexplained;
            continue;
        }
        const double boundary =
            std::min(difference.after, difference.before) + 0.5 - static_cast<double>(pair.grid.zeroPoint(c));
        const double distance = std::abs(v - boundary);
        const double tie = tieWidth * std::max(1.0, std::abs(v));
        const double biasSteps = at(epilogues.magnitude, difference.index);
        const double noise = causes.noise ? tie + island + floatNoise * (std::abs(v) + 2.0 * biasSteps) : tie;
        const double rounding = at(epilogues.rounding, difference.index);
        const double upward = difference.after > difference.before ? rounding : -rounding;
        const double bias = epilogues.signKnown ? std::max(upward, 0.0) : std::abs(rounding);
        if (distance <= tie) {
            ++counts.ties;
            exactTies += distance <= exactTieWidth * std::max(1.0, std::abs(v)) ? 1 : 0;
        } else if (distance <= bias) {
            ++counts.bias;
        } else if (distance <= noise) {
            ++counts.noise;
        } else if (bias > 0.0 && distance <= bias + noise) {
            ++counts.bias;
        } else {
            ++counts.unexplained;
        }
    }
    return exactTies;
}

} // namespace crease
