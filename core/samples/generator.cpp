// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/samples/generator.h"

#include <cmath>

namespace crease {

namespace {

constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ULL;

std::uint64_t mixed(std::uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

/// The natural logarithm from exactly rounded operations only, to about 1e-15.
double portableLog(double x)
{
    int exponent = 0;
    double mantissa = std::frexp(x, &exponent);
    if (mantissa < 0.70710678118654752) {
        mantissa *= 2.0;
        --exponent;
    }
    const double t = (mantissa - 1.0) / (mantissa + 1.0);
    const double square = t * t;
    double sum = 0.0;
    for (int k = 25; k >= 1; k -= 2) {
        sum = sum * square + 1.0 / k;
    }
    return exponent * 0.69314718055994530942 + 2.0 * t * sum;
}

} // namespace

Generator::Generator(std::uint64_t seed, std::uint64_t sample, std::uint64_t input)
    : m_state(mixed(mixed(mixed(seed + golden) + sample + golden) + input + golden))
{
}

std::uint64_t Generator::bits()
{
    m_state += golden;
    return mixed(m_state);
}

double Generator::uniform()
{
    return static_cast<double>(bits() >> 11) * 0x1p-53;
}

double Generator::normal()
{
    while (true) { // Marsaglia's polar method
        const double u = 2.0 * uniform() - 1.0;
        const double v = 2.0 * uniform() - 1.0;
        const double s = u * u + v * v;
        if (s > 0.0 && s < 1.0) {
            return u * std::sqrt(-2.0 * portableLog(s) / s);
        }
    }
}

std::int64_t Generator::integer(std::int64_t lowest, std::int64_t highest)
{
    const std::uint64_t span = static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(lowest) + 1;
    const std::uint64_t offset = span == 0 ? bits() : bits() % span;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(lowest) + offset);
}

} // namespace crease
