// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/kernel_families.h"
#include "core/exec/kernel_support.h"
#include "core/exec/strided_copy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace crease {

namespace {

using Outputs = Result<std::vector<Tensor>>;

enum class Sampling { Nearest, Linear, Cubic };
enum class Outside { Zeros, Border, Reflection };

struct Sampler {
    Sampling sampling;
    Outside outside;
    bool alignCorners;
    Dims dims; // of the sampled axes

    double lower() const { return alignCorners ? 0.0 : -0.5; }
    double upper(std::size_t axis) const { return static_cast<double>(dims[axis]) - (alignCorners ? 1.0 : 0.5); }

    /// From [-1, 1] to element indices.
    double position(double normal, std::size_t axis) const
    {
        const auto length = static_cast<double>(dims[axis]);
        return alignCorners ? (normal + 1.0) / 2.0 * (length - 1.0) : ((normal + 1.0) * length - 1.0) / 2.0;
    }

    double reflected(double x, std::size_t axis) const
    {
        const double low = lower();
        const double high = upper(axis);
        const double range = high - low;
        if (range <= 0.0 || (x >= low && x <= high)) {
            return range <= 0.0 ? 0.0 : x;
        }
        const bool below = x < low;
        const double over = below ? low - x : x - high;
        const double turns = std::floor(over / range);
        const double rest = over - turns * range;
        const bool fromNear = std::fmod(turns, 2.0) == 0.0;
        return below == fromNear ? low + rest : high - rest;
    }

    /// The index of the element read at i, or -1 for zero.
    std::int64_t index(std::int64_t i, std::size_t axis) const
    {
        if (i >= 0 && i < dims[axis]) {
            return i;
        }
        if (outside == Outside::Zeros) {
            return -1;
        }
        if (outside == Outside::Reflection) {
            i = static_cast<std::int64_t>(reflected(static_cast<double>(i), axis));
        }
        return std::clamp<std::int64_t>(i, 0, dims[axis] - 1);
    }
};

/// The elements that one axis takes part with, and their weights.
struct Taps {
    std::array<std::int64_t, 4> index{};
    std::array<double, 4> weight{};
    std::size_t count = 0;
};

std::array<double, 4> cubicWeights(double r)
{
    constexpr double a = -0.75;
    const auto outer = [](double x) { return ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a; };
    const auto inner = [](double x) { return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0; };
    return {outer(r + 1.0), inner(r), inner(1.0 - r), outer(2.0 - r)};
}

Taps tapsAt(const Sampler& sampler, double normal, std::size_t axis)
{
    double x = sampler.position(normal, axis);
    if (sampler.sampling == Sampling::Nearest) {
        x = std::nearbyint(x);
    }
    if (x < sampler.lower() || x > sampler.upper(axis)) {
        if (sampler.outside == Outside::Border) {
            x = std::clamp(x, 0.0, static_cast<double>(sampler.dims[axis] - 1));
        } else if (sampler.outside == Outside::Reflection) {
            x = sampler.reflected(x, axis);
        }
    }
    Taps taps;
    if (!(std::fabs(x) < 1e15)) {
        return taps; // NaN and infinity read nothing
    }
    const double base = std::floor(x);
    const auto at = static_cast<std::int64_t>(base);
    if (sampler.sampling == Sampling::Nearest) {
        taps = {{sampler.index(static_cast<std::int64_t>(x), axis)}, {1.0}, 1};
    } else if (sampler.sampling == Sampling::Linear) {
        taps = {{sampler.index(at, axis), sampler.index(at + 1, axis)}, {1.0 - (x - base), x - base}, 2};
    } else {
        taps.weight = cubicWeights(x - base);
        taps.count = 4;
        for (std::int64_t i = 0; i < 4; ++i) {
            taps.index[static_cast<std::size_t>(i)] = sampler.index(at - 1 + i, axis);
        }
    }
    return taps;
}

template <class T>
double sampled(const T* plane, std::span<const Taps> taps, const std::vector<std::int64_t>& strides, std::size_t axis)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < taps[axis].count; ++i) {
        if (taps[axis].index[i] < 0) {
            continue;
        }
        const T* at = plane + taps[axis].index[i] * strides[axis];
        const double value = axis + 1 == taps.size() ? static_cast<double>(*at) : sampled(at, taps, strides, axis + 1);
        sum += taps[axis].weight[i] * value;
    }
    return sum;
}

Result<Sampler> samplerOf(const KernelContext& context)
{
    const std::string mode = context.node.stringAttribute("mode", "linear");
    const std::string padding = context.node.stringAttribute("padding_mode", "zeros");
    const Dims& dims = context.input(0).dims();
    Sampler sampler{Sampling::Linear, Outside::Zeros, context.node.intAttribute("align_corners", 0) != 0,
                    Dims(dims.begin() + 2, dims.end())};
    if (mode == "nearest") {
        sampler.sampling = Sampling::Nearest;
    } else if (mode == "cubic" || mode == "bicubic") {
        sampler.sampling = Sampling::Cubic;
    } else if (mode != "linear" && mode != "bilinear") {
        return notClaimed(context, fmt::format("mode {}", mode));
    }
    if (padding == "border" || padding == "reflection") {
        sampler.outside = padding == "border" ? Outside::Border : Outside::Reflection;
    } else if (padding != "zeros") {
        return notClaimed(context, fmt::format("padding mode {}", padding));
    }
    return sampler;
}

Outputs gridSample(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const Tensor& grid = context.input(1);
    const std::size_t spatial = x.rank() >= 3 ? x.rank() - 2 : 0;
    if (spatial == 0 || grid.rank() != x.rank() || grid.dims()[0] != x.dims()[0] ||
        std::cmp_not_equal(grid.dims().back(), spatial)) {
        return badNode(context, fmt::format("a grid {} for {}", toText(grid.dims()), toText(x.dims())));
    }
    const Sampler sampler = TRY(samplerOf(context));
    Dims dims{x.dims()[0], x.dims()[1]};
    dims.insert(dims.end(), grid.dims().begin() + 1, grid.dims().end() - 1);
    const std::vector<std::int64_t> strides = stridesOf(sampler.dims);
    const std::int64_t plane = productOf(sampler.dims, 0, spatial);
    const std::int64_t points = productOf(dims, 2, dims.size());
    const std::vector<double> positions = grid.toDoubles();
    Tensor y;
    dispatchFloat(x.type(), [&]<class T>(std::type_identity<T>) {
        TensorWriter<T> writer(dims);
        std::vector<Taps> taps(spatial);
        for (std::int64_t n = 0; n < dims[0]; ++n) {
            for (std::int64_t p = 0; p < points; ++p) {
                const std::size_t from = static_cast<std::size_t>(n * points + p) * spatial;
                for (std::size_t axis = 0; axis < spatial; ++axis) { // a grid point is (x, y ...): the last axis first
                    taps[axis] = tapsAt(sampler, positions[from + spatial - 1 - axis], axis);
                }
                for (std::int64_t c = 0; c < dims[1]; ++c) {
                    const std::int64_t channel = n * dims[1] + c;
                    const double value =
                        plane > 0 ? sampled(x.data<T>().data() + channel * plane, std::span(taps), strides, 0) : 0.0;
                    writer[static_cast<std::size_t>(channel * points + p)] = static_cast<T>(value);
                }
            }
        }
        y = std::move(writer).finish(x.type());
    });
    return y.valid() ? one(std::move(y)) : notClaimed(context, fmt::format("elements of {}", longName(x.type())));
}

struct Box {
    double y1, x1, y2, x2;
};

Box boxOf(const double* values, bool centred)
{
    if (centred) { // x, y, width, height
        return {values[1] - values[3] / 2.0, values[0] - values[2] / 2.0, values[1] + values[3] / 2.0,
                values[0] + values[2] / 2.0};
    }
    return {std::min(values[0], values[2]), std::min(values[1], values[3]), std::max(values[0], values[2]),
            std::max(values[1], values[3])};
}

double overlap(const Box& a, const Box& b)
{
    const double height = std::max(0.0, std::min(a.y2, b.y2) - std::max(a.y1, b.y1));
    const double width = std::max(0.0, std::min(a.x2, b.x2) - std::max(a.x1, b.x1));
    const double both = height * width;
    const double all = (a.y2 - a.y1) * (a.x2 - a.x1) + (b.y2 - b.y1) * (b.x2 - b.x1) - both;
    return both > 0.0 && all > 0.0 ? both / all : 0.0;
}

Outputs nonMaxSuppression(const KernelContext& context)
{
    const Tensor& boxes = context.input(0);
    const Tensor& scores = context.input(1);
    if (boxes.rank() != 3 || scores.rank() != 3 || boxes.dims()[2] != 4 || boxes.dims()[0] != scores.dims()[0] ||
        boxes.dims()[1] != scores.dims()[2]) {
        return badNode(context, fmt::format("boxes {} and scores {}", toText(boxes.dims()), toText(scores.dims())));
    }
    for (std::size_t slot = 2; slot < 5; ++slot) {
        if (context.has(slot) && context.input(slot).size() != 1) {
            return badNode(context, fmt::format("input {} is no single element", slot));
        }
    }
    const std::int64_t most = context.has(2) ? context.input(2).asInt(0) : 0;
    const double iouThreshold = context.has(3) ? context.input(3).asDouble(0) : 0.0;
    const bool hasLeast = context.has(4);
    const double least = hasLeast ? context.input(4).asDouble(0) : 0.0;
    const bool centred = context.node.intAttribute("center_point_box", 0) != 0;
    const std::vector<double> corners = boxes.toDoubles();
    const std::vector<double> values = scores.toDoubles();
    const auto count = static_cast<std::size_t>(boxes.dims()[1]);
    std::vector<std::int64_t> selected;
    for (std::int64_t line = 0; line < scores.dims()[0] * scores.dims()[1]; ++line) {
        const std::int64_t batch = line / scores.dims()[1];
        const double* score = values.data() + static_cast<std::size_t>(line) * count;
        std::vector<std::size_t> order(count);
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return score[a] > score[b]; });
        std::vector<Box> kept;
        for (const std::size_t index : order) {
            if (std::cmp_greater_equal(kept.size(), most) || (hasLeast && score[index] <= least)) {
                break;
            }
            const Box box = boxOf(corners.data() + (static_cast<std::size_t>(batch) * count + index) * 4, centred);
            if (std::ranges::none_of(kept, [&](const Box& other) { return overlap(box, other) > iouThreshold; })) {
                kept.push_back(box);
                selected.insert(selected.end(), {batch, line % scores.dims()[1], static_cast<std::int64_t>(index)});
            }
        }
    }
    return one(Tensor::of({static_cast<std::int64_t>(selected.size() / 3), 3}, selected));
}

constexpr auto rows = std::to_array<KernelRow>({
    {"GridSample", "", gridSample},
    {"NonMaxSuppression", "", nonMaxSuppression},
});

} // namespace

std::span<const KernelRow> visionKernels()
{
    return rows;
}

} // namespace crease
