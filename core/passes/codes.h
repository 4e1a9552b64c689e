// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/grid.h"
#include "core/ir/node.h"
#include "core/tensor/tensor.h"

#include <optional>
#include <span>
#include <vector>

namespace crease {

/// The elements of one index of an axis lie in `outer` runs of `inner` elements each. Without an axis there is one
/// channel.
struct ChannelLayout {
    std::size_t outer = 1;
    std::size_t channels = 1;
    std::size_t inner = 1;

    std::size_t channel(std::size_t index) const { return index / inner % channels; }
};
ChannelLayout channelLayout(const Dims& dims, std::optional<int> axis);

/// scale * (code - zero point), in double.
std::vector<double> dequantized(const Tensor& codes, const Grid& grid);

/// The codes of a float constant under a FakeQuant node, decided with a division in float32 as the file's
/// QuantizeLinear does, in the grid's storage type.
Tensor quantizedCodes(const Tensor& reals, const Node& fakeQuant);

/// The codes of real numbers that are themselves points of a grid: x / s decided in double.
Tensor quantizedCodes(std::span<const double> reals, const Dims& dims, const Node& fakeQuant);

struct CodesAndGrid {
    Tensor codes;
    Grid grid;
};
/// Codes and grid of the numbers where those at which `flip` is true are negated. Exact: unsigned codes are mirrored,
/// signed ones negated, in a wider type where a code has no negative in its own (-128). Nothing where the zero points
/// of one channel would have to differ or no wider type is left.
std::optional<CodesAndGrid> negated(const Tensor& codes, const Grid& grid, const std::vector<bool>& flip);

/// The same tensor under another element type of the same width in memory (int4 as int8).
Tensor retyped(const Tensor& tensor, ElementType type);

} // namespace crease
