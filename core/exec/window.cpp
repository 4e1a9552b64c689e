// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/window.h"

#include "core/exec/kernel_support.h"

#include <fmt/format.h>

#include <algorithm>

namespace crease {

namespace {

struct Lists {
    Dims kernel, strides, dilations, pads, outputPadding, outputShape;
};

std::int64_t ceilDivide(std::int64_t a, std::int64_t b)
{
    return (a + b - 1) / b;
}

void slidingAxis(Window& window, std::size_t i, const std::string& autoPad, bool ceilMode)
{
    const std::int64_t extent = (window.kernel[i] - 1) * window.dilation[i] + 1;
    const std::int64_t stride = window.stride[i];
    if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER") {
        window.out[i] = ceilDivide(window.in[i], stride);
        const std::int64_t total = std::max<std::int64_t>(0, (window.out[i] - 1) * stride + extent - window.in[i]);
        const std::int64_t less = total / 2;
        window.begin[i] = autoPad == "SAME_UPPER" ? less : total - less;
        window.end[i] = total - window.begin[i];
        return;
    }
    if (autoPad == "VALID") {
        window.begin[i] = 0;
        window.end[i] = 0;
    }
    const std::int64_t room = window.in[i] + window.begin[i] + window.end[i] - extent;
    if (room < 0) {
        window.out[i] = 0;
        return;
    }
    window.out[i] = (ceilMode ? ceilDivide(room, stride) : room / stride) + 1;
    // A window may not start in the padding behind the input.
    if (ceilMode && (window.out[i] - 1) * stride >= window.in[i] + window.begin[i]) {
        --window.out[i];
    }
}

void transposedAxis(Window& window, std::size_t i, std::size_t axis, const std::string& autoPad, const Lists& lists)
{
    const std::int64_t extent = (window.kernel[i] - 1) * window.dilation[i] + 1;
    const std::int64_t extra = lists.outputPadding[axis];
    const std::int64_t full = window.stride[i] * (window.in[i] - 1) + extra + extent;
    const bool same = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
    if (!lists.outputShape.empty() || same) {
        window.out[i] = lists.outputShape.empty() ? window.in[i] * window.stride[i] : lists.outputShape[axis];
        const std::int64_t total = std::max<std::int64_t>(0, full - window.out[i]);
        window.begin[i] = autoPad == "SAME_UPPER" ? total / 2 : total - total / 2;
        window.end[i] = total - window.begin[i];
        return;
    }
    if (autoPad == "VALID") {
        window.begin[i] = 0;
        window.end[i] = 0;
    }
    window.out[i] = full - window.begin[i] - window.end[i];
}

} // namespace

Dims Window::outDims(std::int64_t outChannels) const
{
    Dims dims = {batch, outChannels};
    for (std::size_t i = 3 - static_cast<std::size_t>(spatial); i < 3; ++i) {
        dims.push_back(out[i]);
    }
    return dims;
}

Result<Window> windowOf(const KernelContext& context, const Dims& input, const Dims& kernelDims, bool transposed)
{
    const Node& node = context.node;
    if (input.size() < 3 || input.size() > 5) {
        return notClaimed(context, fmt::format("{} spatial axes", static_cast<int>(input.size()) - 2));
    }
    const std::size_t count = input.size() - 2;
    Lists lists;
    lists.kernel = node.intsAttribute("kernel_shape", kernelDims);
    lists.strides = node.intsAttribute("strides", Dims(count, 1));
    lists.dilations = node.intsAttribute("dilations", Dims(count, 1));
    lists.pads = node.intsAttribute("pads", Dims(2 * count, 0));
    lists.outputPadding = node.intsAttribute("output_padding", Dims(count, 0));
    lists.outputShape = transposed ? node.intsAttribute("output_shape") : Dims{};
    if (lists.outputShape.size() > count) {
        lists.outputShape.erase(lists.outputShape.begin(),
                                lists.outputShape.end() - static_cast<std::ptrdiff_t>(count));
    }
    const bool fits = lists.kernel.size() == count && lists.strides.size() == count &&
                      lists.dilations.size() == count && lists.pads.size() == 2 * count &&
                      lists.outputPadding.size() == count &&
                      (lists.outputShape.empty() || lists.outputShape.size() == count);
    const auto positive = [](std::int64_t v) { return v > 0; };
    if (!fits || !std::ranges::all_of(lists.kernel, positive) || !std::ranges::all_of(lists.strides, positive) ||
        !std::ranges::all_of(lists.dilations, positive)) {
        return badNode(
            context, fmt::format("kernel_shape, strides, dilations or pads do not fit an input of {}", toText(input)));
    }
    const auto sane = [](const Dims& list) {
        constexpr auto limit = std::int64_t{1} << 30;
        return std::ranges::all_of(list, [](std::int64_t v) { return v > -limit && v < limit; });
    };
    if (!sane(lists.kernel) || !sane(lists.strides) || !sane(lists.dilations) || !sane(lists.pads) ||
        !sane(lists.outputPadding) || !sane(lists.outputShape)) {
        return badNode(context, "kernel_shape, strides, dilations or pads are beyond all measure");
    }
    Window window;
    window.batch = input[0];
    window.channels = input[1];
    window.spatial = static_cast<int>(count);
    const std::string autoPad = node.stringAttribute("auto_pad", "NOTSET");
    const bool ceilMode = node.intAttribute("ceil_mode", 0) != 0;
    for (std::size_t axis = 0; axis < count; ++axis) {
        const std::size_t i = axis + 3 - count;
        window.in[i] = input[axis + 2];
        window.kernel[i] = lists.kernel[axis];
        window.stride[i] = lists.strides[axis];
        window.dilation[i] = lists.dilations[axis];
        window.begin[i] = lists.pads[axis];
        window.end[i] = lists.pads[axis + count];
        if (transposed) {
            transposedAxis(window, i, axis, autoPad, lists);
        } else {
            slidingAxis(window, i, autoPad, ceilMode);
        }
        if (window.out[i] < 0) {
            return badNode(context, fmt::format("padding is larger than the output of an input of {}", toText(input)));
        }
    }
    if (!elementCount(window.outDims(window.channels))) {
        return badNode(context, fmt::format("an output of {}", toText(window.outDims(window.channels))));
    }
    return window;
}

Taps tapsAt(const Window& window, std::int64_t position)
{
    Taps taps;
    taps.covered = 1;
    for (std::size_t axis = 3; axis-- > 0;) {
        const std::int64_t at = position % window.out[axis];
        position /= window.out[axis];
        taps.first[axis] = at * window.stride[axis] - window.begin[axis];
        const std::int64_t room = window.in[axis] + window.end[axis] - taps.first[axis];
        taps.covered *= std::min(window.kernel[axis], (room + window.dilation[axis] - 1) / window.dilation[axis]);
    }
    return taps;
}

} // namespace crease
