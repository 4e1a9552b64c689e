// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/resize_plan.h"

#include "core/exec/kernel_support.h"
#include "core/ops/resized_length.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace crease {

namespace {

enum class Mode { Nearest, Linear, Cubic };

struct Options {
    Mode mode = Mode::Nearest;
    std::string coordinates;
    std::string nearest;
    double cubic = -0.75;
    bool excludesOutside = false;
    bool antialias = false;
};

struct AxisScale {
    double scale = 1.0;
    std::int64_t in = 1;
    std::int64_t out = 1;
    double start = 0.0; // the region of tf_crop_and_resize
    double end = 1.0;
};

std::size_t unsign(std::int64_t value)
{
    return static_cast<std::size_t>(value);
}

/// The position in the input of output position i.
double coordinate(const Options& options, const AxisScale& axis, std::int64_t i)
{
    const auto x = static_cast<double>(i);
    const auto in = static_cast<double>(axis.in);
    const auto out = static_cast<double>(axis.out);
    const std::string& kind = options.coordinates;
    if (kind == "align_corners") {
        return axis.out == 1 ? 0.0 : x * (in - 1.0) / (out - 1.0);
    }
    if (kind == "asymmetric") {
        return x / axis.scale;
    }
    if (kind == "tf_crop_and_resize") {
        return axis.out == 1 ? (axis.end + axis.start) * (in - 1.0) / 2.0
                             : axis.start * (in - 1.0) + x * (axis.end - axis.start) * (in - 1.0) / (out - 1.0);
    }
    if (kind == "tf_half_pixel_for_nn") {
        return (x + 0.5) / axis.scale;
    }
    if (kind == "pytorch_half_pixel" && axis.out == 1) {
        return 0.0;
    }
    const double centred = (x + 0.5) / axis.scale - 0.5;
    if (kind == "half_pixel_symmetric") {
        return centred + in / 2.0 * (1.0 - out / (axis.scale * in));
    }
    return centred;
}

std::int64_t nearestIndex(const std::string& mode, double x)
{
    double rounded = std::ceil(x - 0.5); // round_prefer_floor
    if (mode == "round_prefer_ceil") {
        rounded = std::floor(x + 0.5);
    } else if (mode == "floor") {
        rounded = std::floor(x);
    } else if (mode == "ceil") {
        rounded = std::ceil(x);
    }
    return static_cast<std::int64_t>(rounded);
}

double linearWeight(double distance)
{
    return std::max(0.0, 1.0 - std::fabs(distance));
}

double cubicWeight(double distance, double a)
{
    const double x = std::fabs(distance);
    if (x <= 1.0) {
        return (a + 2.0) * x * x * x - (a + 3.0) * x * x + 1.0;
    }
    return x < 2.0 ? a * x * x * x - 5.0 * a * x * x + 8.0 * a * x - 4.0 * a : 0.0;
}

std::vector<ResizeTap> interpolationTaps(const Options& options, const AxisScale& axis, double x)
{
    const double support = options.mode == Mode::Linear ? 1.0 : 2.0;
    const double squeeze = options.antialias ? std::min(axis.scale, 1.0) : 1.0;
    // The pixel on the left, also where x is whole.
    const double left = std::ceil(x) - 1.0;
    const double first = std::floor(-support / squeeze) + 1.0;
    std::vector<ResizeTap> taps;
    double total = 0.0;
    for (double offset = first; offset <= 1.0 - first; offset += 1.0) {
        const double distance = (left + offset - x) * squeeze;
        ResizeTap tap{static_cast<std::int64_t>(left + offset),
                      options.mode == Mode::Linear ? linearWeight(distance) : cubicWeight(distance, options.cubic)};
        if (options.excludesOutside && (tap.index < 0 || tap.index >= axis.in)) {
            tap.weight = 0.0;
        }
        tap.index = std::clamp<std::int64_t>(tap.index, 0, axis.in - 1);
        total += tap.weight;
        if (tap.weight != 0.0) {
            taps.push_back(tap);
        }
    }
    if (options.excludesOutside || squeeze < 1.0) {
        for (ResizeTap& tap : taps) {
            tap.weight /= total;
        }
    }
    return taps;
}

ResizeAxis axisOf(const Options& options, const AxisScale& axis)
{
    ResizeAxis result;
    const bool crops = options.coordinates == "tf_crop_and_resize";
    for (std::int64_t i = 0; i < axis.out; ++i) {
        const double x = coordinate(options, axis, i);
        if (crops && (x < 0.0 || x > static_cast<double>(axis.in - 1))) {
            result.positions.emplace_back();
        } else if (options.mode == Mode::Nearest) {
            const std::int64_t index = std::clamp<std::int64_t>(nearestIndex(options.nearest, x), 0, axis.in - 1);
            result.positions.push_back({{index, 1.0}});
        } else {
            result.positions.push_back(interpolationTaps(options, axis, x));
        }
        const auto& taps = result.positions.back();
        result.changes = result.changes || taps.size() != 1 || taps[0].index != i || taps[0].weight != 1.0;
    }
    result.changes = result.changes || axis.in != axis.out;
    return result;
}

/// Before opset 11 Resize had no coordinate modes: what it did is asymmetric and floor.
Result<Options> optionsOf(const KernelContext& context)
{
    const Node& node = context.node;
    const bool early = node.version < 11;
    Options options;
    const std::string mode = node.stringAttribute("mode", "nearest");
    if (mode == "linear" || mode == "bilinear") {
        options.mode = Mode::Linear;
    } else if (mode == "cubic") {
        options.mode = Mode::Cubic;
    } else if (mode != "nearest") {
        return notClaimed(context, fmt::format("mode {}", mode));
    }
    options.coordinates = node.stringAttribute("coordinate_transformation_mode", early ? "asymmetric" : "half_pixel");
    options.nearest = node.stringAttribute("nearest_mode", early ? "floor" : "round_prefer_floor");
    options.cubic = node.floatAttribute("cubic_coeff_a", -0.75);
    options.excludesOutside = node.intAttribute("exclude_outside", 0) != 0;
    options.antialias = node.intAttribute("antialias", 0) != 0;
    return options;
}

Result<std::vector<std::size_t>> axesOf(const KernelContext& context, std::size_t rank)
{
    std::vector<std::size_t> axes;
    for (const std::int64_t axis : context.node.intsAttribute("axes")) {
        axes.push_back(unsign(TRY(crease::axisOf(context, axis, rank))));
    }
    if (axes.empty()) {
        axes.resize(rank);
        std::iota(axes.begin(), axes.end(), std::size_t{0});
    }
    return axes;
}

void keepAspectRatio(const KernelContext& context, std::vector<AxisScale*>& axes)
{
    const std::string policy = context.node.stringAttribute("keep_aspect_ratio_policy", "stretch");
    if (policy == "stretch" || axes.empty()) {
        return;
    }
    const auto smaller = [](const AxisScale* a, const AxisScale* b) { return a->scale < b->scale; };
    const double scale = policy == "not_larger" ? (*std::ranges::min_element(axes, smaller))->scale
                                                : (*std::ranges::max_element(axes, smaller))->scale;
    for (AxisScale* axis : axes) {
        axis->scale = scale;
        axis->out = static_cast<std::int64_t>(std::floor(scale * static_cast<double>(axis->in) + 0.5));
    }
}

Result<std::vector<AxisScale>> scalesOf(const KernelContext& context, const Dims& dims)
{
    const std::vector<std::size_t> axes = TRY(axesOf(context, dims.size()));
    std::vector<AxisScale> all(dims.size());
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        all[axis].in = dims[axis];
        all[axis].out = dims[axis];
    }
    const std::size_t scaleSlot = context.inputs.size() == 2 ? 1 : 2;
    const bool bySize = context.has(3) && context.input(3).size() > 0;
    const bool byScale = context.has(scaleSlot) && context.input(scaleSlot).size() > 0;
    const std::size_t given = bySize ? context.input(3).size() : byScale ? context.input(scaleSlot).size() : 0;
    if (given != axes.size()) {
        return badNode(context, fmt::format("{} sizes or scales for {} axes", given, axes.size()));
    }
    std::vector<AxisScale*> chosen;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        AxisScale& axis = all[axes[i]];
        chosen.push_back(&axis);
        if (bySize) {
            axis.out = context.input(3).asInt(i);
            axis.scale = axis.in == 0 ? 1.0 : static_cast<double>(axis.out) / static_cast<double>(axis.in);
        } else {
            axis.scale = context.input(scaleSlot).asDouble(i);
            axis.out = resizedLength(axis.in, axis.scale);
        }
        if (!(axis.scale > 0.0) || axis.out < 0) {
            return badNode(context, fmt::format("a scale of {}", axis.scale));
        }
    }
    if (bySize) {
        keepAspectRatio(context, chosen);
    }
    const bool hasRoi = context.inputs.size() > 2 && context.has(1) && context.input(1).size() == 2 * axes.size();
    for (std::size_t i = 0; hasRoi && i < axes.size(); ++i) {
        all[axes[i]].start = context.input(1).asDouble(i);
        all[axes[i]].end = context.input(1).asDouble(axes.size() + i);
    }
    return all;
}

} // namespace

bool ResizePlan::moves() const
{
    return std::ranges::all_of(axes, [](const ResizeAxis& axis) {
        return std::ranges::all_of(axis.positions,
                                   [](const auto& taps) { return taps.size() == 1 && taps[0].weight == 1.0; });
    });
}

Result<ResizePlan> resizePlan(const KernelContext& context)
{
    const Dims& dims = context.input(0).dims();
    const Options options = TRY(optionsOf(context));
    ResizePlan plan;
    plan.nearest = options.mode == Mode::Nearest;
    plan.outside = context.node.floatAttribute("extrapolation_value", 0.0);
    constexpr std::int64_t longestAxis = std::int64_t{1} << 24; // every position has a list of its own
    std::vector<AxisScale> axes;
    for (const AxisScale& axis : TRY(scalesOf(context, dims))) {
        if (axis.in == 0 && axis.out > 0) {
            return badNode(context, fmt::format("an input of {}", toText(dims)));
        }
        if (axis.out > longestAxis) {
            return notClaimed(context, fmt::format("an axis of {} elements", axis.out));
        }
        plan.dims.push_back(axis.out);
        axes.push_back(axis);
    }
    if (!elementCount(plan.dims)) {
        return badNode(context, fmt::format("an output of {}", toText(plan.dims)));
    }
    for (const AxisScale& axis : axes) {
        plan.axes.push_back(axisOf(options, axis));
    }
    return plan;
}

} // namespace crease
