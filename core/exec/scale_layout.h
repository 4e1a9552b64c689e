// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/kernel.h"

#include <algorithm>

namespace crease {

/// Which scale belongs to which element: one for all, one per index of an axis, or one per block of it.
struct ScaleLayout {
    std::int64_t outer = 1;
    std::int64_t length = 1; // of the axis
    std::int64_t inner = 1;
    std::int64_t block = 0; // 0: not blocked
    bool single = true;

    /// Calls f(start, count, scale) for each run of elements that share a scale, in order.
    template <class F>
    void forEachRun(F&& f) const
    {
        if (single) {
            f(std::int64_t{0}, outer * length * inner, std::int64_t{0});
            return;
        }
        const std::int64_t blocks = block > 0 ? (length + block - 1) / block : 0;
        for (std::int64_t row = 0; row < outer * length; ++row) {
            const std::int64_t at = row % length;
            if (block == 0) {
                f(row * inner, inner, at);
                continue;
            }
            const std::int64_t first = (row / length * blocks + at / block) * inner;
            for (std::int64_t i = 0; i < inner; ++i) {
                f(row * inner + i, std::int64_t{1}, first + i);
            }
        }
    }
};

/// The layout of a grid with this axis (nothing: per tensor) on a tensor of these dimensions.
Result<ScaleLayout> gridLayout(const KernelContext& context, const Dims& dims, std::optional<int> axis,
                               std::size_t scaleCount);

/// The layout that the scale input (slot 1) of a QuantizeLinear or DequantizeLinear has on its data, by the attributes
/// axis and block_size.
Result<ScaleLayout> quantizerLayout(const KernelContext& context);

} // namespace crease
