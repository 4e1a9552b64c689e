// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/kernel_families.h"
#include "core/exec/kernel_support.h"
#include "core/exec/layout_support.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace crease {

namespace {

std::size_t unsign(std::int64_t value)
{
    return static_cast<std::size_t>(value);
}

std::size_t product(const Dims& dims, std::size_t from, std::size_t to)
{
    std::size_t count = 1;
    for (std::size_t i = from; i < to; ++i) {
        count *= unsign(dims[i]);
    }
    return count;
}

/// Runs f with the input's float type, or says that the op is not claimed for it.
template <class F>
Result<std::vector<Tensor>> onFloats(const KernelContext& context, F&& f)
{
    const ElementType type = context.input(0).type();
    Result<std::vector<Tensor>> result = notClaimed(context, fmt::format("on {}", longName(type)));
    dispatchFloat(type, [&](auto typed) { result = f(typed); });
    return result;
}

Result<void> checkCount(const KernelContext& context, std::size_t slot, std::size_t count)
{
    if (context.has(slot) && context.input(slot).size() != count) {
        return badNode(context,
                       fmt::format("input {} has {} elements, not {}", slot, context.input(slot).size(), count));
    }
    return {};
}

/// Mean and variance, summed in double.
struct Moments {
    double mean = 0.0;
    double variance = 0.0;
};

template <class T>
Moments momentsOf(std::span<const T> x)
{
    Moments moments;
    for (const T value : x) {
        moments.mean += static_cast<double>(value);
    }
    const auto count = static_cast<double>(x.size());
    moments.mean /= count;
    for (const T value : x) {
        const double distance = static_cast<double>(value) - moments.mean;
        moments.variance += distance * distance;
    }
    moments.variance /= count;
    return moments;
}

double epsilonOf(const KernelContext& context)
{
    return context.node.floatAttribute("epsilon", 1e-5F);
}

Result<std::vector<Tensor>> batchNormalization(const KernelContext& context)
{
    if (context.node.intAttribute("training_mode", 0) != 0 || context.node.intAttribute("spatial", 1) == 0) {
        return notClaimed(context, "training_mode or spatial = 0");
    }
    const Dims& dims = context.input(0).dims();
    const std::size_t channels = dims.size() > 1 ? unsign(dims[1]) : 1;
    for (std::size_t slot = 1; slot < 5; ++slot) {
        TRY(checkCount(context, slot, channels));
    }
    return onFloats(context, [&]<class T>(std::type_identity<T>) -> Result<std::vector<Tensor>> {
        const std::span<const T> x = context.input(0).data<T>();
        TensorWriter<T> y(dims);
        const std::size_t inner = dims.size() > 2 ? product(dims, 2, dims.size()) : 1;
        for (std::size_t start = 0, i = 0; start < x.size(); start += inner, ++i) {
            const std::size_t c = i % channels;
            const double factor =
                context.input(1).asDouble(c) / std::sqrt(context.input(4).asDouble(c) + epsilonOf(context));
            const auto a = static_cast<T>(factor);
            const auto d = static_cast<T>(context.input(2).asDouble(c) - context.input(3).asDouble(c) * factor);
            for (std::size_t k = start; k < start + inner; ++k) {
                y[k] = x[k] * a + d;
            }
        }
        return one(std::move(y).finish());
    });
}

/// y = (x - mean) / sqrt(variance + epsilon) * scale + bias for each run of `length`; `channel` gives for a run and an
/// index in it the element of scale and bias.
template <class T, class Channel>
void normalizeRuns(const KernelContext& context, std::size_t length, std::span<T> y, Channel&& channel)
{
    const std::span<const T> x = context.input(0).data<T>();
    const Tensor& scale = context.input(1);
    const Tensor bias = context.has(2) ? context.input(2) : Tensor{};
    for (std::size_t start = 0, run = 0; start < x.size(); start += length, ++run) {
        const Moments moments = momentsOf(x.subspan(start, length));
        const double inverse = 1.0 / std::sqrt(moments.variance + epsilonOf(context));
        for (std::size_t i = 0; i < length; ++i) {
            const std::size_t c = channel(run, i);
            const auto normal = (static_cast<double>(x[start + i]) - moments.mean) * inverse;
            y[start + i] = static_cast<T>(normal * scale.asDouble(c) + (bias.valid() ? bias.asDouble(c) : 0.0));
        }
    }
}

Result<std::vector<Tensor>> instanceNormalization(const KernelContext& context)
{
    const Dims& dims = context.input(0).dims();
    if (dims.size() < 2) {
        return badNode(context, fmt::format("an input of {}", toText(dims)));
    }
    const std::size_t channels = unsign(dims[1]);
    TRY(checkCount(context, 1, channels));
    TRY(checkCount(context, 2, channels));
    return onFloats(context, [&]<class T>(std::type_identity<T>) -> Result<std::vector<Tensor>> {
        TensorWriter<T> y(dims);
        normalizeRuns<T>(context, product(dims, 2, dims.size()), y.data(),
                         [&](std::size_t run, std::size_t) { return run % channels; });
        return one(std::move(y).finish());
    });
}

Result<std::vector<Tensor>> groupNormalization(const KernelContext& context)
{
    const Dims& dims = context.input(0).dims();
    const std::int64_t groups = context.node.intAttribute("num_groups", 1);
    if (dims.size() < 2 || groups < 1 || dims[1] % groups != 0) {
        return badNode(context, fmt::format("{} groups of an input of {}", groups, toText(dims)));
    }
    const std::size_t each = unsign(dims[1] / groups);
    const std::size_t plane = product(dims, 2, dims.size());
    // Until opset 21 scale and bias were one a group.
    const bool byGroup = context.node.version < 21 && context.input(1).size() == unsign(groups);
    TRY(checkCount(context, 1, byGroup ? unsign(groups) : unsign(dims[1])));
    TRY(checkCount(context, 2, byGroup ? unsign(groups) : unsign(dims[1])));
    return onFloats(context, [&]<class T>(std::type_identity<T>) -> Result<std::vector<Tensor>> {
        TensorWriter<T> y(dims);
        normalizeRuns<T>(context, each * plane, y.data(), [&](std::size_t run, std::size_t i) {
            const std::size_t group = run % unsign(groups);
            return byGroup ? group : group * each + i / plane;
        });
        return one(std::move(y).finish());
    });
}

/// The axis that normalization begins at, and the elements from it on.
struct TrailingAxes {
    std::size_t axis = 0;
    std::size_t length = 1;
};

Result<TrailingAxes> trailingAxes(const KernelContext& context)
{
    const Dims& dims = context.input(0).dims();
    TrailingAxes trailing;
    trailing.axis = unsign(TRY(axisOf(context, context.node.intAttribute("axis", -1), dims.size())));
    trailing.length = product(dims, trailing.axis, dims.size());
    return trailing;
}

/// scale or bias read as if broadcast to the whole input.
template <class T>
std::vector<T> spread(const KernelContext& context, std::size_t slot, const Dims& dims)
{
    const Tensor& tensor = context.input(slot);
    std::vector<T> values;
    for (const std::size_t index : broadcastIndices(tensor.dims(), dims)) {
        values.push_back(static_cast<T>(tensor.asDouble(index)));
    }
    return values;
}

Result<std::vector<Tensor>> layerNormalization(const KernelContext& context)
{
    const Dims& dims = context.input(0).dims();
    const TrailingAxes trailing = TRY(trailingAxes(context));
    for (std::size_t slot = 1; slot < 3 && context.has(slot); ++slot) {
        if (TRY(broadcastDims(context, context.input(slot).dims(), dims)) != dims) {
            return badNode(context, fmt::format("input {} of {}", slot, toText(context.input(slot).dims())));
        }
    }
    Dims statistics = dims;
    std::fill(statistics.begin() + static_cast<std::ptrdiff_t>(trailing.axis), statistics.end(), 1);
    return onFloats(context, [&]<class T>(std::type_identity<T>) -> Result<std::vector<Tensor>> {
        const std::span<const T> x = context.input(0).data<T>();
        const std::vector<T> scale = spread<T>(context, 1, dims);
        const std::vector<T> bias = context.has(2) ? spread<T>(context, 2, dims) : std::vector<T>{};
        TensorWriter<T> y(dims);
        TensorWriter<T> means(statistics);
        TensorWriter<T> inverses(statistics);
        for (std::size_t start = 0, run = 0; start < x.size(); start += trailing.length, ++run) {
            const Moments moments = momentsOf(x.subspan(start, trailing.length));
            const double inverse = 1.0 / std::sqrt(moments.variance + epsilonOf(context));
            means[run] = static_cast<T>(moments.mean);
            inverses[run] = static_cast<T>(inverse);
            for (std::size_t i = start; i < start + trailing.length; ++i) {
                const double normal = (static_cast<double>(x[i]) - moments.mean) * inverse;
                y[i] = static_cast<T>(normal * static_cast<double>(scale[i]) +
                                      (bias.empty() ? 0.0 : static_cast<double>(bias[i])));
            }
        }
        std::vector<Tensor> outputs;
        outputs.push_back(std::move(y).finish());
        outputs.push_back(std::move(means).finish());
        outputs.push_back(std::move(inverses).finish());
        outputs.resize(std::clamp<std::size_t>(context.node.outputs.size(), 1, 3));
        return outputs;
    });
}

Result<std::vector<Tensor>> rmsNormalization(const KernelContext& context)
{
    const Dims& dims = context.input(0).dims();
    const TrailingAxes trailing = TRY(trailingAxes(context));
    if (TRY(broadcastDims(context, context.input(1).dims(), dims)) != dims) {
        return badNode(context, fmt::format("a scale of {}", toText(context.input(1).dims())));
    }
    return onFloats(context, [&]<class T>(std::type_identity<T>) -> Result<std::vector<Tensor>> {
        const std::span<const T> x = context.input(0).data<T>();
        const std::vector<T> scale = spread<T>(context, 1, dims);
        TensorWriter<T> y(dims);
        for (std::size_t start = 0; start < x.size(); start += trailing.length) {
            double squares = 0.0;
            for (const T value : x.subspan(start, trailing.length)) {
                squares += static_cast<double>(value) * static_cast<double>(value);
            }
            const double inverse = 1.0 / std::sqrt(squares / static_cast<double>(trailing.length) + epsilonOf(context));
            for (std::size_t i = start; i < start + trailing.length; ++i) {
                y[i] = static_cast<T>(static_cast<double>(x[i]) * inverse * static_cast<double>(scale[i]));
            }
        }
        return one(std::move(y).finish());
    });
}

Result<std::vector<Tensor>> lrn(const KernelContext& context)
{
    const Dims& dims = context.input(0).dims();
    const std::int64_t size = context.node.intAttribute("size", 1);
    if (dims.size() < 2 || size < 1) {
        return badNode(context, fmt::format("size {} on an input of {}", size, toText(dims)));
    }
    const double alpha = context.node.floatAttribute("alpha", 1e-4F) / static_cast<double>(size);
    const double beta = context.node.floatAttribute("beta", 0.75);
    const double bias = context.node.floatAttribute("bias", 1.0);
    return onFloats(context, [&]<class T>(std::type_identity<T>) -> Result<std::vector<Tensor>> {
        const std::span<const T> x = context.input(0).data<T>();
        TensorWriter<T> y(dims);
        const std::int64_t channels = dims[1];
        const std::size_t plane = product(dims, 2, dims.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            const auto channel = static_cast<std::int64_t>(i / plane) % channels;
            const std::int64_t first = std::max<std::int64_t>(0, channel - (size - 1) / 2);
            const std::int64_t last = std::min(channels - 1, channel + size / 2);
            double squares = 0.0;
            for (std::int64_t c = first; c <= last; ++c) {
                const auto value = static_cast<double>(x[i + unsign(c) * plane - unsign(channel) * plane]);
                squares += value * value;
            }
            y[i] = static_cast<T>(static_cast<double>(x[i]) / std::pow(bias + alpha * squares, beta));
        }
        return one(std::move(y).finish());
    });
}

/// For each element the number of its group: the elements that differ along `axes` only.
Result<std::vector<std::size_t>> groupsAcross(const KernelContext& context, const std::vector<std::int64_t>& axes,
                                              std::size_t& count)
{
    const Dims& dims = context.input(0).dims();
    Dims kept = dims;
    for (const std::int64_t axis : axes) {
        kept[unsign(TRY(axisOf(context, axis, dims.size())))] = 1;
    }
    count = unsign(elementCount(kept).value_or(0));
    return broadcastIndices(kept, dims);
}

Result<std::vector<Tensor>> meanVarianceNormalization(const KernelContext& context)
{
    std::size_t count = 0;
    const auto groups = TRY(groupsAcross(context, context.node.intsAttribute("axes", {0, 2, 3}), count));
    return onFloats(context, [&]<class T>(std::type_identity<T>) -> Result<std::vector<Tensor>> {
        const std::span<const T> x = context.input(0).data<T>();
        std::vector<Moments> moments(count);
        const double each = static_cast<double>(x.size()) / static_cast<double>(std::max<std::size_t>(count, 1));
        for (std::size_t i = 0; i < x.size(); ++i) {
            moments[groups[i]].mean += static_cast<double>(x[i]) / each;
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double distance = static_cast<double>(x[i]) - moments[groups[i]].mean;
            moments[groups[i]].variance += distance * distance / each;
        }
        TensorWriter<T> y(context.input(0).dims());
        for (std::size_t i = 0; i < x.size(); ++i) {
            const Moments& own = moments[groups[i]];
            y[i] = static_cast<T>((static_cast<double>(x[i]) - own.mean) / (std::sqrt(own.variance) + 1e-9));
        }
        return one(std::move(y).finish());
    });
}

Result<std::vector<Tensor>> lpNormalization(const KernelContext& context)
{
    const std::int64_t p = context.node.intAttribute("p", 2);
    if (p != 1 && p != 2) {
        return badNode(context, fmt::format("p = {}", p));
    }
    std::size_t count = 0;
    const auto groups = TRY(groupsAcross(context, {context.node.intAttribute("axis", -1)}, count));
    return onFloats(context, [&]<class T>(std::type_identity<T>) -> Result<std::vector<Tensor>> {
        const std::span<const T> x = context.input(0).data<T>();
        std::vector<double> norms(count, 0.0);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const auto value = static_cast<double>(x[i]);
            norms[groups[i]] += p == 1 ? std::fabs(value) : value * value;
        }
        TensorWriter<T> y(context.input(0).dims());
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double norm = p == 1 ? norms[groups[i]] : std::sqrt(norms[groups[i]]);
            y[i] = norm == 0.0 ? T{0} : static_cast<T>(static_cast<double>(x[i]) / norm);
        }
        return one(std::move(y).finish());
    });
}

constexpr std::array rows = {
    KernelRow{"BatchNormalization", "", batchNormalization},
    KernelRow{"InstanceNormalization", "", instanceNormalization},
    KernelRow{"GroupNormalization", "", groupNormalization},
    KernelRow{"LayerNormalization", "", layerNormalization},
    KernelRow{"RMSNormalization", "", rmsNormalization},
    KernelRow{"LRN", "", lrn},
    KernelRow{"MeanVarianceNormalization", "", meanVarianceNormalization},
    KernelRow{"LpNormalization", "", lpNormalization},
};

} // namespace

std::span<const KernelRow> normKernels()
{
    return rows;
}

} // namespace crease
