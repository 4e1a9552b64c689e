// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/value.h"

#include <cstdint>
#include <span>
#include <vector>

namespace crease {

/// Which channel of a grid with an axis an element belongs to.
class ChannelMap {
public:
    ChannelMap(const Dims& dims, std::optional<int> axis);
    std::size_t of(std::size_t index) const { return m_channels <= 1 ? 0 : (index / m_inner) % m_channels; }

private:
    std::size_t m_inner = 1;
    std::size_t m_channels = 1;
};

/// A tensor as codes of a grid. offGrid: elements that are no point of it, to 1e-6 of a step (their codes are the
/// nearest ones); NaN counts.
struct Codes {
    Tensor codes; // an integer type
    std::int64_t offGrid = 0;
};

/// The codes of `grid` that the tensor of `value` stands for: its own codes, the codes of its real numbers, or, where
/// it is an integer tensor without a grid, its elements as they are.
Codes codesOf(const Value& value, const Tensor& tensor, const Grid& grid);

/// The tensor that `value` would hold for these codes of `grid`: codes in its storage type, or float64 reals.
Tensor tensorForValue(const Value& value, const Tensor& codes, const Grid& grid, const Dims& dims);

/// The real numbers of a value: dequantized where it carries codes, else its elements.
std::vector<double> realsOf(const Value& value, const Tensor& tensor);

std::vector<std::int32_t> toInt32(const Tensor& tensor);

} // namespace crease
