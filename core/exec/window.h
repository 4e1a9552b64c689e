// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/kernel.h"

#include <array>

namespace crease {

/// A window that slides over up to three spatial axes (Conv, ConvTranspose, pools); missing leading axes have size 1.
struct Window {
    using Axes = std::array<std::int64_t, 3>;

    std::int64_t batch = 1;
    std::int64_t channels = 1; // of the input
    Axes in{1, 1, 1};
    Axes out{1, 1, 1};
    Axes kernel{1, 1, 1};
    Axes stride{1, 1, 1};
    Axes dilation{1, 1, 1};
    Axes begin{0, 0, 0}; // padding
    Axes end{0, 0, 0};
    int spatial = 0; // how many axes there are

    std::int64_t inSize() const { return in[0] * in[1] * in[2]; }
    std::int64_t outSize() const { return out[0] * out[1] * out[2]; }
    std::int64_t kernelSize() const { return kernel[0] * kernel[1] * kernel[2]; }
    Dims outDims(std::int64_t outChannels) const;
};

/// From the node's kernel_shape (or `kernelDims` where it is absent), strides, dilations, pads, auto_pad and ceil_mode.
/// `transposed`: the window of a ConvTranspose, with output_padding and output_shape.
Result<Window> windowOf(const KernelContext& context, const Dims& input, const Dims& kernelDims,
                        bool transposed = false);

} // namespace crease
