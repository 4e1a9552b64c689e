// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/grid.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace crease {

enum class Rounding { HalfEven, HalfAway, HalfUp, Floor, Ceil, Trunc, Away, HalfDown };

Rounding roundingFromName(std::string_view name); // HalfEven for an unknown or empty name
std::string_view roundingName(Rounding rounding);

double roundTo(double value, Rounding rounding);

/// One product a*b*... of up to three doubles; a sum of them is decided exactly (no rounding, no overflow) by
/// signOfSum.
struct ExactTerm {
    double a = 0.0;
    double b = 1.0;
    double c = 1.0;
};

/// The sign (-1, 0, 1) of the exact real sum of the terms. Source: Shewchuk 1997, expansions.
int signOfSum(std::span<const ExactTerm> terms);

/// rne(sum of terms / scale), decided exactly: in double, and within 2^-30 (relative) of a tie by signOfSum.
/// Saturates at +-2^62. scale > 0 and finite, terms finite. architecture.md decision 3.
std::int64_t roundedQuotient(std::span<const ExactTerm> terms, double scale, double approximateQuotient);

/// sat(rne(x / s) + z) into [lo, hi] in the arithmetic of the reference: x/s in double. NaN gives lo. Infinite x
/// saturates.
std::int64_t quantizeValue(double x, double scale, std::int64_t zeroPoint, std::int64_t lo, std::int64_t hi,
                           Rounding rounding = Rounding::HalfEven);

/// The same as ONNX's float32 QuantizeLinear: x/s rounded to float32 first.
std::int64_t quantizeValueFloat32(float x, float scale, std::int64_t zeroPoint, std::int64_t lo, std::int64_t hi);

} // namespace crease
