// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/arithmetic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace crease {

namespace {

__extension__ typedef unsigned __int128 UInt128;

constexpr double snapTolerance = 0x1p-36;
constexpr double quotientLimit = 0x1p62;

/// A finite double as integer * 2^exponent.
struct Split {
    std::uint64_t mantissa = 0;
    int exponent = 0;
    bool negative = false;
};

Split split(double value)
{
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const int biased = static_cast<int>((bits >> 52) & 0x7FFU);
    assert(biased != 0x7FF);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    Split out;
    out.negative = (bits >> 63) != 0;
    out.mantissa = biased == 0 ? fraction : fraction | (std::uint64_t{1} << 52);
    out.exponent = (biased == 0 ? 1 : biased) - 1075;
    return out;
}

/// A product of three doubles: a 159-bit integer times 2^exponent.
struct Product {
    std::array<std::uint64_t, 3> limbs{};
    int exponent = 0;
    bool negative = false;
};

Product multiply(const ExactTerm& term)
{
    const Split a = split(term.a);
    const Split b = split(term.b);
    const Split c = split(term.c);
    const UInt128 ab = static_cast<UInt128>(a.mantissa) * b.mantissa;
    const UInt128 low = static_cast<UInt128>(static_cast<std::uint64_t>(ab)) * c.mantissa;
    const UInt128 high = (ab >> 64) * c.mantissa + (low >> 64);
    Product out;
    out.limbs = {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high),
                 static_cast<std::uint64_t>(high >> 64)};
    out.exponent = a.exponent + b.exponent + c.exponent;
    out.negative = (a.negative != b.negative) != c.negative;
    return out;
}

/// A two's complement integer wide enough for any sum of products of doubles (exponents span 3 * 2098 bits).
class WideSum {
public:
    explicit WideSum(int limbs) : m_count(limbs) { assert(limbs <= static_cast<int>(m_limbs.size())); }

    void add(const Product& product, int shift)
    {
        const int whole = shift / 64;
        const int part = shift % 64;
        std::array<std::uint64_t, 4> shifted{};
        for (std::size_t i = 0; i < 3; ++i) {
            shifted[i] |= product.limbs[i] << part;
            shifted[i + 1] = part == 0 ? 0 : product.limbs[i] >> (64 - part);
        }
        UInt128 carry = product.negative ? 1 : 0;
        for (int i = whole; i < m_count; ++i) {
            const std::uint64_t limb = i - whole < 4 ? shifted[static_cast<std::size_t>(i - whole)] : 0U;
            std::uint64_t& sum = m_limbs[static_cast<std::size_t>(i)];
            carry += static_cast<UInt128>(sum) + (product.negative ? ~limb : limb);
            sum = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
    }

    int sign() const
    {
        if (m_limbs[static_cast<std::size_t>(m_count - 1)] >> 63 != 0) {
            return -1;
        }
        const auto end = m_limbs.begin() + m_count;
        return std::any_of(m_limbs.begin(), end, [](std::uint64_t limb) { return limb != 0; }) ? 1 : 0;
    }

private:
    std::array<std::uint64_t, 112> m_limbs{};
    int m_count;
};

/// The sign of sum(terms) - (n + 1/2) * divisor.
int compareWithHalf(std::span<const ExactTerm> terms, const Divisor& divisor, std::int64_t n)
{
    constexpr std::size_t inlineTerms = 16;
    const std::int64_t high = n / (std::int64_t{1} << 31);
    const std::int64_t low = n - high * (std::int64_t{1} << 31);
    const double highPart = static_cast<double>(high) * divisor.count * 0x1p31;
    const double lowPart = (static_cast<double>(low) + 0.5) * divisor.count;
    const std::array<ExactTerm, 2> half = {ExactTerm{-highPart, divisor.scale, divisor.other},
                                           ExactTerm{-lowPart, divisor.scale, divisor.other}};
    if (terms.size() + 2 <= inlineTerms) {
        std::array<ExactTerm, inlineTerms> all;
        std::copy(terms.begin(), terms.end(), all.begin());
        std::copy(half.begin(), half.end(), all.begin() + static_cast<std::ptrdiff_t>(terms.size()));
        return signOfSum(std::span(all).first(terms.size() + 2));
    }
    std::vector<ExactTerm> all(terms.begin(), terms.end());
    all.insert(all.end(), half.begin(), half.end());
    return signOfSum(all);
}

std::int64_t saturatedSum(double rounded, std::int64_t zeroPoint, std::int64_t lo, std::int64_t hi)
{
    if (rounded <= static_cast<double>(lo) - static_cast<double>(zeroPoint)) {
        return lo;
    }
    if (rounded >= static_cast<double>(hi) - static_cast<double>(zeroPoint)) {
        return hi;
    }
    return static_cast<std::int64_t>(rounded) + zeroPoint;
}

bool roundsAtHalves(Rounding rounding)
{
    return rounding == Rounding::HalfEven || rounding == Rounding::HalfAway || rounding == Rounding::HalfUp ||
           rounding == Rounding::HalfDown;
}

constexpr std::array<std::pair<std::string_view, Rounding>, 8> roundingNames = {{
    {"half_even", Rounding::HalfEven},
    {"half_away", Rounding::HalfAway},
    {"half_up", Rounding::HalfUp},
    {"floor", Rounding::Floor},
    {"ceil", Rounding::Ceil},
    {"trunc", Rounding::Trunc},
    {"away", Rounding::Away},
    {"half_down", Rounding::HalfDown},
}};

} // namespace

Rounding roundingFromName(std::string_view name)
{
    for (const auto& [text, rounding] : roundingNames) {
        if (text == name) {
            return rounding;
        }
    }
    return Rounding::HalfEven;
}

std::string_view roundingName(Rounding rounding)
{
    for (const auto& [text, value] : roundingNames) {
        if (value == rounding) {
            return text;
        }
    }
    return roundingNames.front().first;
}

double roundTo(double value, Rounding rounding)
{
    const double below = std::floor(value);
    const double fraction = value - below;
    switch (rounding) {
    case Rounding::HalfEven:
        return roundHalfEven(value);
    case Rounding::HalfAway:
        return std::round(value);
    case Rounding::HalfUp:
        return fraction >= 0.5 ? below + 1.0 : below;
    case Rounding::Floor:
        return below;
    case Rounding::Ceil:
        return std::ceil(value);
    case Rounding::Trunc:
        return std::trunc(value);
    case Rounding::Away:
        return value >= 0.0 ? std::ceil(value) : below;
    case Rounding::HalfDown:
        if (fraction == 0.5) {
            return std::trunc(value);
        }
        return roundHalfEven(value);
    }
    return value;
}

double snapped(double value, Rounding rounding)
{
    if (!std::isfinite(value)) {
        return value;
    }
    const double tolerance = snapTolerance * std::max(1.0, std::fabs(value));
    const double near = roundsAtHalves(rounding) ? std::floor(value) + 0.5 : roundHalfEven(value);
    return std::fabs(value - near) <= tolerance ? near : value;
}

int signOfSum(std::span<const ExactTerm> terms)
{
    int lowest = std::numeric_limits<int>::max();
    int highest = std::numeric_limits<int>::min();
    std::size_t count = 0;
    for (const ExactTerm& term : terms) {
        if (term.a == 0.0 || term.b == 0.0 || term.c == 0.0) {
            continue;
        }
        const int exponent = split(term.a).exponent + split(term.b).exponent + split(term.c).exponent;
        lowest = std::min(lowest, exponent);
        highest = std::max(highest, exponent);
        ++count;
    }
    if (count == 0) {
        return 0;
    }
    const int bits = highest - lowest + 159 + std::bit_width(count) + 1;
    WideSum sum(bits / 64 + 1);
    for (const ExactTerm& term : terms) {
        if (term.a == 0.0 || term.b == 0.0 || term.c == 0.0) {
            continue;
        }
        const Product product = multiply(term);
        sum.add(product, product.exponent - lowest);
    }
    return sum.sign();
}

std::int64_t roundedQuotient(std::span<const ExactTerm> terms, const Divisor& divisor, double approximateQuotient)
{
    const double scale = divisor.scale * divisor.other * divisor.count;
    assert(scale >= 0.0 && !std::isnan(approximateQuotient));
    constexpr auto limit = std::int64_t{1} << 62;
    double magnitude = 0.0;
    for (const ExactTerm& term : terms) {
        magnitude += std::fabs(term.a * term.b * term.c);
    }
    const double margin = quotientMargin(approximateQuotient, scale > 0.0 ? magnitude / scale : 0.0);
    if (std::fabs(approximateQuotient) - margin >= quotientLimit || std::isinf(approximateQuotient)) {
        return approximateQuotient > 0.0 ? limit : -limit;
    }
    const double below = std::floor(std::clamp(approximateQuotient, -quotientLimit, quotientLimit));
    if (std::fabs(approximateQuotient - below - 0.5) > margin) {
        return static_cast<std::int64_t>(roundHalfEven(approximateQuotient));
    }
    // The smallest n with sum <= (n + 1/2) * scale: gallop from the approximation, then bisect.
    const auto beyond = [&](std::int64_t n) { return compareWithHalf(terms, divisor, n) > 0; };
    std::int64_t low = static_cast<std::int64_t>(below);
    if (compareWithHalf(terms, divisor, low) == 0) {
        return low % 2 == 0 ? low : low + 1;
    }
    const auto longer = [](std::int64_t step) { return std::min(step * 2, limit / 2); };
    std::int64_t high = low;
    for (std::int64_t step = 1; beyond(high); step = longer(step)) {
        low = high;
        high += step;
        if (high > limit) {
            return limit;
        }
    }
    for (std::int64_t step = 1; !beyond(low); step = longer(step)) {
        high = low;
        low -= step;
        if (low < -limit) {
            return -limit;
        }
    }
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (beyond(middle) ? low : high) = middle;
    }
    const bool tie = compareWithHalf(terms, divisor, high) == 0;
    return tie && high % 2 != 0 ? high + 1 : high;
}

std::int64_t quantizeValue(double x, double scale, std::int64_t zeroPoint, std::int64_t lo, std::int64_t hi,
                           Rounding rounding)
{
    const double quotient = x / scale;
    if (std::isnan(quotient)) {
        return lo;
    }
    return saturatedSum(roundTo(snapped(quotient, rounding), rounding), zeroPoint, lo, hi);
}

std::int64_t quantizeValueFloat32(float x, float scale, std::int64_t zeroPoint, std::int64_t lo, std::int64_t hi)
{
    const float quotient = x / scale;
    if (std::isnan(quotient)) {
        return lo;
    }
    return saturatedSum(roundHalfEven(static_cast<double>(quotient)), zeroPoint, lo, hi);
}

} // namespace crease
