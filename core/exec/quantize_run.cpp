// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/quantize_run.h"

#include "core/exec/arithmetic.h"

#include <cassert>

namespace crease {

void quantizeRun(std::span<const double> x, double scale, double lo, double hi, double* out)
{
    assert(x.size() <= quantizeBlock && -0x1p22 < lo && hi < 0x1p22);
    constexpr double shifter = 0x1.8p52;
    // Within the bounds a quotient is below 2^22, so that this is wider than what snapped() takes for a tie.
    constexpr double margin = 0x1p-14;
    double widest = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        double v = x[i] / scale;
        v = v > lo ? v : lo;
        v = v < hi ? v : hi;
        const double rounded = (v + shifter) - shifter;
        const double apart = std::fabs(v - rounded);
        widest = widest > apart ? widest : apart;
        out[i] = rounded;
    }
    if (widest < 0.5 - margin) {
        return;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double v = x[i] / scale;
        const double clamped = v > lo ? (v < hi ? v : hi) : lo;
        if (std::fabs(clamped - out[i]) >= 0.5 - margin) {
            out[i] = std::clamp(roundHalfEven(snapped(v)), lo, hi);
        }
    }
}

void quantizeRun(std::span<const float> x, float scale, float lo, float hi, float* out)
{
    assert(x.size() <= quantizeBlock && -0x1p22F < lo && hi < 0x1p22F);
    constexpr float shifter = 0x1.8p23F;
    for (std::size_t i = 0; i < x.size(); ++i) {
        float v = x[i] / scale;
        v = v > lo ? v : lo;
        v = v < hi ? v : hi;
        out[i] = (v + shifter) - shifter;
    }
}

} // namespace crease
