// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/node.h"

#include <cstdint>
#include <string>
#include <vector>

namespace crease {

/// The sliding window of a convolution or pooling, from the node's attributes with their defaults filled in.
struct Window {
    std::vector<std::int64_t> kernel;
    std::vector<std::int64_t> strides;
    std::vector<std::int64_t> dilations;
    std::vector<std::int64_t> pads; // begins, then ends; of no meaning where autoPad is SAME_*
    std::string autoPad;            // NOTSET, VALID, SAME_UPPER, SAME_LOWER
    bool ceilMode = false;

    std::size_t rank() const { return kernel.size(); }
    std::int64_t extent(std::size_t axis) const { return dilations[axis] * (kernel[axis] - 1) + 1; }
    bool same() const { return autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER"; }

    /// The padding of one axis for an input of this length.
    std::int64_t padBegin(std::size_t axis, std::int64_t input) const;
    std::int64_t padEnd(std::size_t axis, std::int64_t input) const;
    /// The output's length; 0 where the window does not fit.
    std::int64_t output(std::size_t axis, std::int64_t input) const;
};

/// `weightKernel`: the kernel of the weights, used where the attribute is absent.
Window windowOf(const Node& node, std::vector<std::int64_t> weightKernel = {});

inline constexpr std::int64_t largestWindow = std::int64_t{1} << 30; // of each number of a window

/// Whether the attributes have one entry (pads two) an axis and are positive; else what is wrong.
std::string windowFault(const Window& window, std::size_t spatialRank);

} // namespace crease
