// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/kernel.h"

#include <algorithm>
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

/// The taps of the window at output position `position` (in the flat order of the output's spatial axes).
struct Taps {
    Window::Axes first{};     // in the input's coordinates; may lie in the padding
    std::int64_t covered = 0; // taps inside the input and its padding: what count_include_pad counts
};
Taps tapsAt(const Window& window, std::int64_t position);

/// Calls f with the flat spatial index of each tap that lies inside the input, in order; returns how many there are.
template <class F>
std::int64_t forEachInWindow(const Window& window, std::int64_t position, F&& f)
{
    // Only the taps inside are walked: a kernel may be far larger than its input.
    Window::Axes from = tapsAt(window, position).first;
    Window::Axes to{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t step = window.dilation[axis];
        to[axis] = std::min(window.in[axis], from[axis] + window.kernel[axis] * step);
        from[axis] += from[axis] < 0 ? (step - 1 - from[axis]) / step * step : 0;
    }
    std::int64_t count = 0;
    for (std::int64_t z = from[0]; z < to[0]; z += window.dilation[0]) {
        for (std::int64_t y = from[1]; y < to[1]; y += window.dilation[1]) {
            for (std::int64_t x = from[2]; x < to[2]; x += window.dilation[2]) {
                f((z * window.in[1] + y) * window.in[2] + x);
                ++count;
            }
        }
    }
    return count;
}

} // namespace crease
