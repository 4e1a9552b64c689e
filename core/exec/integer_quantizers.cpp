// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/integer_kernels.h"
#include "core/exec/integer_support.h"
#include "core/exec/quantize_run.h"
#include "core/ir/integer_nodes.h"

#include <fmt/format.h>

namespace crease {

namespace {

/// Orders of formats.md §0: A adds the zero point after rounding, B and C before it, D counts steps from the bottom of
/// the range.
enum class Order { A, C, D };

struct QuantizerRule {
    Rounding rounding = Rounding::HalfEven;
    Order order = Order::A;
    bool reciprocal = false;
};

Result<QuantizerRule> ruleOf(const KernelContext& context)
{
    const Node& node = context.node;
    QuantizerRule rule;
    rule.rounding = roundingFromName(node.stringAttribute(nodes::rounding));
    rule.reciprocal = node.stringAttribute(nodes::divide) == "reciprocal";
    const std::string order = node.stringAttribute(nodes::order, "A");
    if (order == "B" || order == "C") { // the same: their bounds are whole numbers
        rule.order = Order::C;
    } else if (order == "D") {
        rule.order = Order::D;
    } else if (order != "A") {
        return notClaimed(context, fmt::format("the order {}", order));
    }
    return rule;
}

/// What one channel of a quantizer needs.
struct Channel {
    double scale = 1.0;
    std::int64_t zeroPoint = 0;
    std::int64_t qmin = 0;
    std::int64_t qmax = 0;
    std::int64_t lo = 0;
    std::int64_t hi = 0;
};

/// x over the scale, in float32 for a float32 x and else in double.
template <class T>
double quotient(T x, const Channel& channel, const QuantizerRule& rule)
{
    if constexpr (std::is_same_v<T, float>) {
        const auto scale = static_cast<float>(channel.scale);
        return static_cast<double>(rule.reciprocal ? x * (1.0F / scale) : x / scale);
    } else {
        return rule.reciprocal ? x * static_cast<double>(1.0F / static_cast<float>(channel.scale)) : x / channel.scale;
    }
}

template <class T>
double settled(double v, Rounding rounding)
{
    return std::is_same_v<T, float> ? v : snapped(v, rounding);
}

template <class T>
std::int64_t codeOf(T x, const Channel& channel, const QuantizerRule& rule)
{
    const double v = quotient(x, channel, rule);
    if (std::isnan(v)) {
        return channel.lo;
    }
    const auto zero = static_cast<double>(channel.zeroPoint);
    const double bottom = static_cast<double>(channel.qmin) - zero;
    const double top = static_cast<double>(channel.qmax) - zero;
    double code = 0.0;
    switch (rule.order) {
    case Order::A:
        code = std::clamp(roundTo(settled<T>(v, rule.rounding), rule.rounding), bottom, top) + zero;
        break;
    case Order::C:
        code = roundTo(settled<T>(std::clamp(v, bottom, top) + zero, rule.rounding), rule.rounding);
        break;
    case Order::D:
        code = roundTo(settled<T>(std::clamp(v, bottom, top) - bottom, rule.rounding), rule.rounding) +
               static_cast<double>(channel.qmin);
        break;
    }
    return std::clamp(static_cast<std::int64_t>(code), channel.lo, channel.hi);
}

/// Calls f(start, count, channel) for each run of one channel.
template <class F>
Result<void> forEachChannel(const KernelContext& context, const Dims& dims, const CodeTarget& target, F&& f)
{
    const Grid& grid = target.grid;
    const ScaleLayout layout = TRY(gridLayout(context, dims, grid.axis, grid.scales.size()));
    layout.forEachRun([&](std::int64_t start, std::int64_t count, std::int64_t index) {
        const auto at = static_cast<std::size_t>(index);
        f(static_cast<std::size_t>(start), static_cast<std::size_t>(count),
          Channel{grid.scale(at), grid.zeroPoint(at), grid.qmin, grid.qmax, target.lo, target.hi});
    });
    return {};
}

Result<void> checkFloat(const KernelContext& context)
{
    const ElementType type = context.input(0).type();
    if (type != ElementType::Float32 && type != ElementType::Float64) {
        return notClaimed(context, fmt::format("on {}", longName(type)));
    }
    return {};
}

/// The usual rule on up to 16 bits: quantizeRun knows it.
bool isPlain(const CodeTarget& target, const QuantizerRule& rule)
{
    return rule.rounding == Rounding::HalfEven && rule.order == Order::A && !rule.reciprocal &&
           byteWidth(target.grid.storage) <= 2;
}

/// Calls store(start, values) with codes less the zero point, `start` counted from the first element of x.
template <class T, class Store>
void plainCodes(std::span<const T> x, const Channel& channel, Store&& store)
{
    quantizeBlocks(x, static_cast<T>(channel.scale), static_cast<T>(channel.lo - channel.zeroPoint),
                   static_cast<T>(channel.hi - channel.zeroPoint), store);
}

template <class T, class Out>
Result<Tensor> fakeQuantized(const KernelContext& context, const CodeTarget& target, const QuantizerRule& rule)
{
    const std::span<const T> x = context.input(0).data<T>();
    TensorWriter<Out> y(context.input(0).dims());
    const bool plain = isPlain(target, rule);
    TRY(forEachChannel(context, y.dims(), target, [&](std::size_t start, std::size_t count, const Channel& channel) {
        const auto scale = static_cast<Out>(channel.scale);
        if (plain) {
            plainCodes(x.subspan(start, count), channel, [&](std::size_t at, std::span<const T> values) {
                for (std::size_t i = 0; i < values.size(); ++i) {
                    y[start + at + i] = static_cast<Out>(values[i]) * scale;
                }
            });
            return;
        }
        for (std::size_t i = start; i < start + count; ++i) {
            y[i] = static_cast<Out>(codeOf(x[i], channel, rule) - channel.zeroPoint) * scale;
        }
    }));
    return std::move(y).finish();
}

template <class T>
Result<Tensor> quantizedTo(const KernelContext& context, const CodeTarget& target, const QuantizerRule& rule)
{
    const std::span<const T> x = context.input(0).data<T>();
    Result<Tensor> result = notClaimed(context, fmt::format("quantizing to {}", longName(target.grid.storage)));
    dispatchNumeric(target.grid.storage, [&]<class Out>(std::type_identity<Out>) {
        if constexpr (std::is_integral_v<Out> && !std::is_same_v<Out, bool>) {
            TensorWriter<Out> y(context.input(0).dims());
            const bool plain = isPlain(target, rule);
            const auto quantizeChannel = [&](std::size_t start, std::size_t count, const Channel& channel) {
                if (!plain) {
                    for (std::size_t i = start; i < start + count; ++i) {
                        y[i] = static_cast<Out>(codeOf(x[i], channel, rule));
                    }
                    return;
                }
                const auto zeroPoint = static_cast<std::int64_t>(channel.zeroPoint);
                plainCodes(x.subspan(start, count), channel, [&](std::size_t at, std::span<const T> values) {
                    for (std::size_t i = 0; i < values.size(); ++i) {
                        y[start + at + i] = static_cast<Out>(static_cast<std::int64_t>(values[i]) + zeroPoint);
                    }
                });
            };
            const Result<void> done = forEachChannel(context, y.dims(), target, quantizeChannel);
            result = done ? Result<Tensor>(std::move(y).finish(target.grid.storage)) : std::unexpected(done.error());
        }
    });
    return result;
}

/// The bias of one channel; one for all where there is one.
Result<std::vector<double>> biasOf(const KernelContext& context, std::size_t channels)
{
    std::vector<double> bias = context.node.doublesAttribute(nodes::bias);
    if (bias.size() > 1 && bias.size() != channels) {
        return badNode(context, fmt::format("a bias of {} values on {} channels", bias.size(), channels));
    }
    return bias;
}

/// The layout of the channels that scales and bias share.
Result<ScaleLayout> channelLayout(const KernelContext& context, const Dims& dims, const Grid& grid, std::size_t biases)
{
    const std::size_t count = std::max(grid.scales.size(), biases);
    if (count > 1 && !grid.axis) {
        return badNode(context, fmt::format("a bias of {} values on a grid without axis", biases));
    }
    return gridLayout(context, dims, grid.axis, count);
}

template <class Out>
Result<Tensor> dequantizedTo(const KernelContext& context, const Grid& grid)
{
    const Tensor& codes = context.input(0);
    const std::vector<double> bias = context.node.doublesAttribute(nodes::bias);
    const ScaleLayout layout = TRY(channelLayout(context, codes.dims(), grid, bias.size()));
    TensorWriter<Out> y(codes.dims());
    dispatchNumeric(codes.type(), [&]<class In>(std::type_identity<In>) {
        if constexpr (std::is_integral_v<In>) {
            const In* from = codes.data<In>().data();
            layout.forEachRun([&](std::int64_t start, std::int64_t count, std::int64_t index) {
                const auto at = static_cast<std::size_t>(index);
                const double scale = grid.scale(at);
                const double add = bias.empty() ? 0.0 : bias[bias.size() == 1 ? 0 : at];
                const std::int64_t zero = grid.zeroPoint(at);
                Out* to = y.data().data() + start;
                for (std::int64_t i = 0; i < count; ++i) {
                    const auto n = static_cast<double>(static_cast<std::int64_t>(from[start + i]) - zero);
                    to[i] = static_cast<Out>(n * scale + add);
                }
            });
        }
    });
    return std::move(y).finish();
}

/// bias_codes of one channel, on the grid of the accumulator.
Result<std::vector<std::int64_t>> biasCodesOf(const KernelContext& context, std::size_t channels)
{
    const Tensor* tensor = context.node.tensorAttribute(nodes::biasCodes);
    if (tensor == nullptr) {
        return std::vector<std::int64_t>{};
    }
    if (tensor->size() != 1 && tensor->size() != channels) {
        return badNode(context, fmt::format("{} bias codes on {} channels", tensor->size(), channels));
    }
    return tensor->toInts();
}

std::size_t channelCount(const Grid& grid, const Dims& dims)
{
    const bool inRange = grid.axis && *grid.axis >= 0 && static_cast<std::size_t>(*grid.axis) < dims.size();
    return inRange ? static_cast<std::size_t>(dims[static_cast<std::size_t>(*grid.axis)]) : 1;
}

} // namespace

namespace {

/// In the float type of the file, where it is none of those that are computed in.
Tensor inTypeOfTheFile(const KernelContext& context, const Tensor& real)
{
    const ElementType type = context.graph.value(context.node.output()).type;
    return !context.exact() && isFloat(type) && type != real.type() ? real.converted(type) : real;
}

} // namespace

Result<std::vector<Tensor>> fakeQuant(const KernelContext& context)
{
    TRY(checkFloat(context));
    const Grid* grid = context.node.gridAttribute(nodes::grid);
    if (grid == nullptr) {
        return badNode(context, "no grid");
    }
    const CodeTarget target = targetWith(context.node, *grid);
    const QuantizerRule rule = TRY(ruleOf(context));
    if (context.input(0).type() == ElementType::Float64) {
        return one(TRY((fakeQuantized<double, double>(context, target, rule))));
    }
    if (context.exact()) {
        return one(TRY((fakeQuantized<float, double>(context, target, rule))));
    }
    return one(inTypeOfTheFile(context, TRY((fakeQuantized<float, float>(context, target, rule)))));
}

Result<std::vector<Tensor>> quantizeToGrid(const KernelContext& context)
{
    TRY(checkFloat(context));
    const CodeTarget target = TRY(targetOf(context));
    const QuantizerRule rule = TRY(ruleOf(context));
    return one(context.input(0).type() == ElementType::Float64 ? TRY(quantizedTo<double>(context, target, rule))
                                                               : TRY(quantizedTo<float>(context, target, rule)));
}

Result<std::vector<Tensor>> dequantizeFromGrid(const KernelContext& context)
{
    const Grid grid = TRY(gridOf(context, 0));
    return one(context.exact() ? TRY(dequantizedTo<double>(context, grid))
                               : inTypeOfTheFile(context, TRY(dequantizedTo<float>(context, grid))));
}

Result<std::vector<Tensor>> requantize(const KernelContext& context)
{
    const Tensor& codes = context.input(0);
    const Dims& dims = codes.dims();
    const Grid from = TRY(gridOf(context, 0));
    const CodeTarget target = TRY(targetOf(context));
    const std::size_t channels = std::max(channelCount(from, dims), channelCount(target.grid, dims));
    const std::vector<double> bias = TRY(biasOf(context, channels));
    const std::vector<std::int64_t> biasCodes = TRY(biasCodesOf(context, channels));
    const std::size_t counts = std::max({from.scales.size(), target.grid.scales.size(), bias.size(), biasCodes.size()});
    if (counts == 1 && bias.empty() && biasCodes.empty()) {
        return one(requantizedTensor(codes, from, target));
    }
    const bool bothAxes = from.axis && target.grid.axis && target.grid.scales.size() > 1;
    if (bothAxes && *from.axis != *target.grid.axis) {
        return notClaimed(context,
                          fmt::format("from a grid on axis {} to one on axis {}", *from.axis, *target.grid.axis));
    }
    const std::optional<int> axis = from.axis ? from.axis : target.grid.axis;
    const ScaleLayout layout = TRY(gridLayout(context, dims, axis, counts));
    if (counts > 1 && !axis) {
        return badNode(context, "values a channel on a grid without axis");
    }
    std::vector<std::int64_t> results(codes.size());
    const std::vector<double> numbers = centredCodes(codes, 0);
    layout.forEachRun([&](std::int64_t start, std::int64_t count, std::int64_t index) {
        const auto at = static_cast<std::size_t>(index);
        const double add = bias.empty() ? 0.0 : bias[bias.size() == 1 ? 0 : at];
        const std::int64_t addCode = biasCodes.empty() ? 0 : biasCodes[biasCodes.size() == 1 ? 0 : at];
        const CodeRounder rounder(from.scale(at), 1.0, add, Divisor{target.grid.scale(at)}, target.grid.zeroPoint(at),
                                  target.lo, target.hi);
        const auto shift = static_cast<double>(addCode - from.zeroPoint(at));
        for (auto i = static_cast<std::size_t>(start); i < static_cast<std::size_t>(start + count); ++i) {
            results[i] = rounder(numbers[i] + shift);
        }
    });
    return one(tensorOfInts(target.grid.storage, dims, results));
}

Result<std::vector<Tensor>> lookUpTable(const KernelContext& context)
{
    const Tensor& codes = context.input(0);
    const Tensor* table = context.node.tensorAttribute(nodes::tableEntries);
    const Dims& dims = codes.dims();
    if (table == nullptr || byteWidth(codes.type()) != 1) {
        return badNode(context, fmt::format("a table for {}", longName(codes.type())));
    }
    const std::int64_t first = lowest(codes.type());
    const auto span = static_cast<std::size_t>(highest(codes.type()) - first + 1);
    ScaleLayout layout;
    layout.inner = static_cast<std::int64_t>(codes.size());
    std::size_t tables = 1;
    if (table->rank() == 2) {
        tables = static_cast<std::size_t>(table->dims()[0]);
        const int axis = TRY(axisOf(context, context.node.intAttribute("axis", 1), dims.size()));
        layout = TRY(gridLayout(context, dims, axis, tables));
    }
    if (table->size() < tables * span || table->size() % tables != 0) {
        return badNode(context,
                       fmt::format("a table of {} for codes of {}", toText(table->dims()), longName(codes.type())));
    }
    const std::size_t stride = table->size() / tables;
    const std::vector<std::int64_t> entries = table->toInts();
    std::vector<std::int64_t> results(codes.size());
    visitCodes(codes, [&](const auto* from) {
        layout.forEachRun([&](std::int64_t start, std::int64_t count, std::int64_t index) {
            const std::int64_t* own = entries.data() + (tables == 1 ? 0 : static_cast<std::size_t>(index) * stride);
            for (std::int64_t i = start; i < start + count; ++i) {
                results[static_cast<std::size_t>(i)] = own[from[i] - first];
            }
        });
    });
    return one(tensorOfInts(table->type(), dims, results));
}

Result<std::vector<Tensor>> clampCodes(const KernelContext& context)
{
    const Tensor& codes = context.input(0);
    const std::int64_t lo = context.node.intAttribute(nodes::lo, lowest(codes.type()));
    const std::int64_t hi = context.node.intAttribute(nodes::hi, highest(codes.type()));
    // First up, then down: what ONNX's Clip does where min is above max.
    Tensor result;
    visitCodes(codes, [&](const auto* from) {
        result = makeCodes(codes.type(), codes.dims(), [&](std::size_t i) {
            return std::min(std::max(static_cast<std::int64_t>(from[i]), lo), hi);
        });
    });
    return result.valid()
               ? one(result)
               : Result<std::vector<Tensor>>(notClaimed(context, fmt::format("on {}", longName(codes.type()))));
}

} // namespace crease
