// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/window.h"

#include <algorithm>
#include <fmt/format.h>

namespace crease {

namespace {

std::int64_t samePadding(const Window& window, std::size_t axis, std::int64_t input)
{
    const std::int64_t outputs = (input + window.strides[axis] - 1) / window.strides[axis];
    return std::max<std::int64_t>((outputs - 1) * window.strides[axis] + window.extent(axis) - input, 0);
}

} // namespace

std::int64_t Window::padBegin(std::size_t axis, std::int64_t input) const
{
    if (same()) {
        const std::int64_t total = samePadding(*this, axis, input);
        return autoPad == "SAME_UPPER" ? total / 2 : total - total / 2;
    }
    return pads[axis];
}

std::int64_t Window::padEnd(std::size_t axis, std::int64_t input) const
{
    return same() ? samePadding(*this, axis, input) - padBegin(axis, input) : pads[axis + rank()];
}

std::int64_t Window::output(std::size_t axis, std::int64_t input) const
{
    const std::int64_t begin = padBegin(axis, input);
    const std::int64_t span = input + begin + padEnd(axis, input) - extent(axis);
    if (span < 0) {
        return 0;
    }
    if (!ceilMode) {
        return span / strides[axis] + 1;
    }
    const std::int64_t rounded = (span + strides[axis] - 1) / strides[axis] + 1;
    // A window that would start in the padding at the end is dropped.
    return (rounded - 1) * strides[axis] >= input + begin ? rounded - 1 : rounded;
}

Window windowOf(const Node& node, std::vector<std::int64_t> weightKernel)
{
    Window window;
    window.kernel = node.intsAttribute("kernel_shape", std::move(weightKernel));
    const std::size_t rank = window.kernel.size();
    window.strides = node.intsAttribute("strides", std::vector<std::int64_t>(rank, 1));
    window.dilations = node.intsAttribute("dilations", std::vector<std::int64_t>(rank, 1));
    window.autoPad = node.stringAttribute("auto_pad", "NOTSET");
    window.ceilMode = node.intAttribute("ceil_mode", 0) != 0;
    window.pads = std::vector<std::int64_t>(2 * rank, 0);
    if (window.autoPad != "VALID") {
        window.pads = node.intsAttribute("pads", window.pads);
    }
    return window;
}

std::string windowFault(const Window& window, std::size_t spatialRank)
{
    const auto positive = [](const std::vector<std::int64_t>& values) {
        return std::ranges::all_of(values, [](std::int64_t value) { return value > 0; });
    };
    if (window.kernel.size() != spatialRank) {
        return fmt::format("a kernel of {} axes for {} spatial axes", window.kernel.size(), spatialRank);
    }
    if (window.strides.size() != spatialRank || window.dilations.size() != spatialRank ||
        window.pads.size() != 2 * spatialRank) {
        return "strides, dilations or pads of another rank than the kernel";
    }
    if (!positive(window.kernel) || !positive(window.strides) || !positive(window.dilations)) {
        return "a kernel, stride or dilation below 1";
    }
    for (const auto* list : {&window.kernel, &window.strides, &window.dilations, &window.pads}) {
        if (std::ranges::any_of(*list,
                                [](std::int64_t value) { return value > largestWindow || value < -largestWindow; })) {
            return fmt::format("a kernel, stride, dilation or pad over {}", largestWindow);
        }
    }
    return {};
}

} // namespace crease
