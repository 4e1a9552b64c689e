// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/half.h"

#include <bit>
#include <cmath>

namespace crease {

Half Half::fromFloat(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U) {
        return {static_cast<std::uint16_t>(sign | 0x7E00U)};
    }
    if (magnitude >= 0x477FF000U) { // 65520 and above round to infinity
        return {static_cast<std::uint16_t>(sign | 0x7C00U)};
    }
    if (magnitude < 0x38800000U) { // below 2^-14: a subnormal of steps of 2^-24
        const float steps = std::abs(value) * 16777216.0F;
        return {static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(steps)))};
    }
    const std::uint32_t rounded = magnitude + 0xFFFU + ((magnitude >> 13) & 1U);
    return {static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13))};
}

float Half::toFloat() const
{
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1FU;
    const std::uint32_t mantissa = bits & 0x3FFU;
    if (exponent == 0) {
        const float value = static_cast<float>(mantissa) / 16777216.0F;
        return sign != 0 ? -value : value;
    }
    if (exponent == 31) {
        return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13));
    }
    return std::bit_cast<float>(sign | ((exponent + 112U) << 23) | (mantissa << 13));
}

BFloat16 BFloat16::fromFloat(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) {
        return {static_cast<std::uint16_t>((bits >> 16) | 0x40U)};
    }
    return {static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16)};
}

float BFloat16::toFloat() const
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

} // namespace crease
