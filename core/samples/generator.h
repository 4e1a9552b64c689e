// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace crease {

/// A counter-based random generator (splitmix64 over a hashed stream id): the same numbers on every machine, whatever
/// its math library, as only exactly rounded operations are used.
class Generator {
public:
    Generator(std::uint64_t seed, std::uint64_t sample, std::uint64_t input);

    std::uint64_t bits();
    double uniform();                                                // in [0, 1)
    double normal();                                                 // mean 0, variance 1
    std::int64_t integer(std::int64_t lowest, std::int64_t highest); // both included

private:
    std::uint64_t m_state;
};

} // namespace crease
