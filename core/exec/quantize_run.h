// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace crease {

/// The most elements that one call takes.
inline constexpr std::size_t quantizeBlock = 256;

/// out[i] = clamp(rne(x[i] / scale), lo, hi), for whole bounds of magnitude below 2^22; NaN gives lo. In double the
/// quotient is snapped to ties as quantizeValue does it, in float32 it is rounded to float32.
void quantizeRun(std::span<const double> x, double scale, double lo, double hi, double* out);
void quantizeRun(std::span<const float> x, float scale, float lo, float hi, float* out);

/// Calls store(start, values) for each block of x; values are codes less the zero point.
template <class T, class Store>
void quantizeBlocks(std::span<const T> x, T scale, T lo, T hi, Store&& store)
{
    T values[quantizeBlock];
    for (std::size_t start = 0; start < x.size(); start += quantizeBlock) {
        const std::span<const T> block = x.subspan(start, std::min(quantizeBlock, x.size() - start));
        quantizeRun(block, scale, lo, hi, values);
        store(start, std::span<const T>(values, block.size()));
    }
}

} // namespace crease
