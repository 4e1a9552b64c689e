// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor/element_type.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace crease {

/// The quantization grid of a tensor: real = scale * (code - zero point), qmin <= code <= qmax.
/// One scale and one zero point (no axis), or one of each per index of `axis`. Compared by value.
struct Grid {
    std::vector<double> scales{1.0};
    std::vector<std::int64_t> zeroPoints{0};
    std::optional<int> axis{};
    ElementType storage = ElementType::Int8;
    std::int64_t qmin = -128;
    std::int64_t qmax = 127;

    static Grid perTensor(double scale, std::int64_t zeroPoint, ElementType storage);
    static Grid perTensor(double scale, std::int64_t zeroPoint, ElementType storage, std::int64_t qmin,
                          std::int64_t qmax);
    static Grid perChannel(std::vector<double> scales, std::vector<std::int64_t> zeroPoints, int axis,
                           ElementType storage);
    /// The grid of an accumulator: zero point 0, int32 or int64.
    static Grid accumulator(std::vector<double> scales, std::optional<int> axis,
                            ElementType storage = ElementType::Int32);

    bool isPerTensor() const { return !axis.has_value(); }
    double scale(std::size_t channel = 0) const { return scales[scales.size() == 1 ? 0 : channel]; }
    std::int64_t zeroPoint(std::size_t channel = 0) const { return zeroPoints[zeroPoints.size() == 1 ? 0 : channel]; }
    /// qmin and qmax are those of the storage type.
    bool isFullRange() const { return qmin == lowest(storage) && qmax == highest(storage); }
    /// An int32 or int64 grid, as that of an accumulator.
    bool isWide() const { return storage == ElementType::Int32 || storage == ElementType::Int64; }

    bool operator==(const Grid&) const = default;
};

/// s8 · 0.0235 · z −128, or s8 · 64 scales · axis 0.
std::string toText(const Grid& grid);

} // namespace crease
