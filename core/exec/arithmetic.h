// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/grid.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

namespace crease {

enum class Rounding { HalfEven, HalfAway, HalfUp, Floor, Ceil, Trunc, Away, HalfDown };

Rounding roundingFromName(std::string_view name); // HalfEven for an unknown or empty name
std::string_view roundingName(Rounding rounding);

double roundTo(double value, Rounding rounding);

/// Round half to even without a call into libm (a value of 2^51 or more is its own result where it is an integer).
inline double roundHalfEven(double value)
{
    constexpr double shifter = 0x1.8p52;
    return std::fabs(value) < 0x1p51 ? std::copysign((value + shifter) - shifter, value) : std::nearbyint(value);
}

/// The value itself, or the tie (for floor, ceil, trunc and away: the integer) that it is within 2^-36 * max(1, |v|)
/// of.
double snapped(double value, Rounding rounding = Rounding::HalfEven);

/// How near a tie the quotient of a sum, computed in double, may lie before it must be decided exactly. `magnitude`:
/// the sum of |term| / scale.
inline double quotientMargin(double quotient, double magnitude)
{
    return 0x1p-30 * std::max(1.0, std::fabs(quotient)) + 0x1p-48 * magnitude;
}

/// One product a*b*... of up to three doubles; a sum of them is decided exactly (no rounding, no overflow) by
/// signOfSum.
struct ExactTerm {
    double a = 0.0;
    double b = 1.0;
    double c = 1.0;
};

/// The sign (-1, 0, 1) of the exact real sum of the terms, for all finite doubles: their mantissas are multiplied and
/// added as integers.
int signOfSum(std::span<const ExactTerm> terms);

/// A positive divisor as a product of finite doubles; `count` is a whole number below 2^21.
struct Divisor {
    double scale = 1.0;
    double other = 1.0;
    double count = 1.0;
};

/// rne(sum of terms / divisor), decided exactly: by the given approximation (any order of double arithmetic), and where
/// that lies within quotientMargin of a tie by signOfSum. Saturates at +-2^62. Terms finite. architecture.md
/// decision 3.
std::int64_t roundedQuotient(std::span<const ExactTerm> terms, const Divisor& divisor, double approximateQuotient);

inline std::int64_t roundedQuotient(std::span<const ExactTerm> terms, double scale, double approximateQuotient)
{
    return roundedQuotient(terms, Divisor{scale}, approximateQuotient);
}

/// clamp(rne(sum of terms / divisor) + zero point, lo, hi), decided exactly. `quotient` is the sum over the divisor in
/// double and `magnitude` the sum of the terms' magnitudes over the divisor; `terms()` is asked only near a tie.
template <class Terms>
std::int64_t roundedCode(double quotient, double magnitude, const Divisor& divisor, std::int64_t zeroPoint,
                         std::int64_t lo, std::int64_t hi, Terms&& terms)
{
    const double margin = quotientMargin(quotient, magnitude);
    const double below = static_cast<double>(lo - zeroPoint);
    const double above = static_cast<double>(hi - zeroPoint);
    if (quotient < below - 1.0 - margin) {
        return lo;
    }
    if (quotient > above + 1.0 + margin) {
        return hi;
    }
    const double rounded = roundHalfEven(quotient);
    if (0.5 - std::fabs(quotient - rounded) > margin) {
        return static_cast<std::int64_t>(std::clamp(rounded, below, above)) + zeroPoint;
    }
    return std::clamp(roundedQuotient(terms(), divisor, quotient), lo - zeroPoint, hi - zeroPoint) + zeroPoint;
}

/// sat(rne(x / s) + z) into [lo, hi] in the arithmetic of the reference: x/s in double, snapped. NaN gives lo. Infinite
/// x saturates.
std::int64_t quantizeValue(double x, double scale, std::int64_t zeroPoint, std::int64_t lo, std::int64_t hi,
                           Rounding rounding = Rounding::HalfEven);

/// The same as ONNX's float32 QuantizeLinear: x/s rounded to float32 first.
std::int64_t quantizeValueFloat32(float x, float scale, std::int64_t zeroPoint, std::int64_t lo, std::int64_t hi);

} // namespace crease
