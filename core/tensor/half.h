// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace crease {

/// IEEE binary16, stored as its bits; arithmetic is done in float.
struct Half {
    std::uint16_t bits = 0;
    static Half fromFloat(float value); // round half to even
    float toFloat() const;
    bool operator==(const Half&) const = default;
};

/// bfloat16, stored as its bits.
struct BFloat16 {
    std::uint16_t bits = 0;
    static BFloat16 fromFloat(float value); // round half to even
    float toFloat() const;
    bool operator==(const BFloat16&) const = default;
};

} // namespace crease
