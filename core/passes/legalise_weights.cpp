// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/legalise_weights.h"

#include "core/ir/integer_nodes.h"
#include "core/passes/integer_linear.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace crease {

namespace {

double nearestFloat(double scale)
{
    return static_cast<double>(static_cast<float>(scale));
}

bool isFloat32(const Grid& grid)
{
    return std::ranges::all_of(grid.scales, [](double scale) { return nearestFloat(scale) == scale; });
}

bool fitsFloat32(double scale)
{
    return scale >= static_cast<double>(std::numeric_limits<float>::min()) &&
           scale <= static_cast<double>(std::numeric_limits<float>::max());
}

/// Index of the grid's scale for element `index` of a tensor whose axis has `inner` elements behind it.
std::size_t innerOf(const Dims& dims, const Grid& grid)
{
    std::size_t inner = 1;
    for (std::size_t i = grid.axis ? static_cast<std::size_t>(*grid.axis) + 1 : dims.size(); i < dims.size(); ++i) {
        inner *= static_cast<std::size_t>(dims[i]);
    }
    return std::max<std::size_t>(inner, 1);
}

struct Range {
    std::int64_t low = 0;
    std::int64_t high = 0;
};

std::vector<Range> realRanges(const Tensor& codes, const Grid& grid)
{
    std::vector<Range> ranges(grid.scales.size());
    const std::vector<std::int64_t> values = codes.toInts();
    const std::size_t inner = innerOf(codes.dims(), grid);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t channel = grid.isPerTensor() ? 0 : i / inner % ranges.size();
        const std::int64_t value = values[i] - grid.zeroPoint(channel);
        ranges[channel].low = std::min(ranges[channel].low, value);
        ranges[channel].high = std::max(ranges[channel].high, value);
    }
    return ranges;
}

/// The same reals as codes of `storage` on zero points `zeros` (one, or one a channel).
Value recoded(const Value& weight, ElementType storage, std::vector<std::int64_t> zeros)
{
    const Grid& grid = *weight.codes;
    std::vector<std::int64_t> values = weight.constant.toInts();
    const std::size_t inner = innerOf(weight.constant.dims(), grid);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t channel = grid.isPerTensor() ? 0 : i / inner % grid.scales.size();
        values[i] += zeros[zeros.size() == 1 ? 0 : channel] - grid.zeroPoint(channel);
    }
    Value value = weight;
    value.type = storage;
    value.constant = tensorOfInts(storage, weight.constant.dims(), values);
    zeros.resize(grid.scales.size(), zeros[0]);
    value.codes = Grid{grid.scales, std::move(zeros), grid.axis, storage, lowest(storage), highest(storage)};
    return value;
}

Value accumulatorValue(const Graph& graph, ValueId id, std::vector<double> scales)
{
    Value value = graph.value(id);
    value.codes->scales = std::move(scales);
    value.codes->zeroPoints.assign(value.codes->scales.size(), 0);
    return value;
}

} // namespace

Outcome fitWeight(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!isIntegerLinear(graph, node) || !graph.value(node.inputs[1]).isConstant()) {
        return NoMatch{};
    }
    const Value& weight = graph.value(node.inputs[1]);
    if (byteWidth(weight.codes->storage) == 1) {
        return NoMatch{};
    }
    const std::vector<Range> ranges = realRanges(weight.constant, *weight.codes);
    Range all;
    for (const Range& range : ranges) {
        all.low = std::min(all.low, range.low);
        all.high = std::max(all.high, range.high);
    }
    std::vector<std::int64_t> zeros;
    ElementType storage = ElementType::UInt8;
    if (all.low >= -128 && all.high <= 127) {
        storage = ElementType::Int8;
        zeros = {0};
    } else if (all.high - all.low <= 255) {
        zeros = {std::clamp<std::int64_t>(128, -all.low, 255 - all.high)};
    } else {
        for (const Range& range : ranges) {
            zeros.push_back(std::clamp<std::int64_t>(128, -range.low, std::max(255 - range.high, -range.low)));
            if (range.high - range.low > 255) {
                return Miss{"weight-range",
                            fmt::format("the weight '{}' spans {} to {}: more than 8 bits, which no kernel of the "
                                        "target multiplies",
                                        weight.name, range.low, range.high),
                            id,
                            {{id, "linear"}}};
            }
        }
    }
    Patch patch(graph, id);
    Value value = recoded(weight, storage, std::move(zeros));
    value.name += "_" + std::string(longName(storage));
    const ValueId now = patch.addValue(std::move(value));
    patch.replaceUse({id, 1}, now);
    patch.relate(node.inputs[1], now, Relation::SameReal);
    patch.role(id, "linear");
    patch.explain(fmt::format("the weight '{}' spans {} to {} and becomes {}; the real values stay", weight.name,
                              all.low, all.high, longName(storage)));
    return patch;
}

Outcome roundScales(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    Patch patch(graph, id);
    bool any = false;
    for (const ValueId output : node.outputs) {
        if (!output.valid() || !graph.value(output).codes || graph.value(output).codes->isWide() ||
            isFloat32(*graph.value(output).codes)) {
            continue;
        }
        Value value = graph.value(output);
        Grid& grid = *value.codes;
        if (!std::ranges::all_of(grid.scales, fitsFloat32)) {
            return Miss{
                "scale-range", fmt::format("a scale of '{}' is outside of float32's normal range", value.name), id, {}};
        }
        double most = 0.0;
        for (std::size_t channel = 0; channel < grid.scales.size(); ++channel) {
            const double rounded = nearestFloat(grid.scales[channel]);
            const auto span =
                static_cast<double>(std::max(grid.qmax - grid.zeroPoint(channel), grid.zeroPoint(channel) - grid.qmin));
            most = std::max(most, std::abs(rounded - grid.scales[channel]) * span);
            grid.scales[channel] = rounded;
        }
        patch.relate(output, output, Relation::Within, most);
        patch.setValue(output, std::move(value));
        any = true;
    }
    if (!any) {
        return NoMatch{};
    }
    patch.setNode(id, node);
    patch.role(id, "producer");
    patch.explain("the scale is rounded to the float32 that the file stores");
    return patch;
}

Outcome roundWeightScales(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    const bool linear = isIntegerLinear(graph, node);
    if (!linear && !node.is(nodes::dequantize, nodes::domain)) {
        return NoMatch{};
    }
    const std::uint32_t slot = linear ? 1 : 0;
    const Value& weight = graph.value(node.inputs[slot]);
    if (!weight.isConstant() || !weight.codes || isFloat32(*weight.codes)) {
        return NoMatch{};
    }
    const Grid& old = *weight.codes;
    Value value = weight;
    Grid& grid = *value.codes;
    std::vector<std::int64_t> codes = weight.constant.toInts();
    const std::size_t inner = innerOf(weight.constant.dims(), old);
    const std::vector<Range> ranges = realRanges(weight.constant, old);
    double most = 0.0;
    std::size_t vanished = 0;
    for (std::size_t channel = 0; channel < grid.scales.size(); ++channel) {
        const auto reach = static_cast<double>(std::max(ranges[channel].high, -ranges[channel].low));
        if (old.scales[channel] > static_cast<double>(std::numeric_limits<float>::max())) {
            return Miss{"scale-range",
                        fmt::format("scale {} of '{}' does not fit float32", old.scales[channel], weight.name),
                        id,
                        {}};
        }
        if (fitsFloat32(old.scales[channel])) {
            grid.scales[channel] = nearestFloat(old.scales[channel]);
            most = std::max(most, std::abs(grid.scales[channel] - old.scales[channel]) * reach);
            continue;
        }
        ++vanished;
        most = std::max(most, old.scales[channel] * reach);
        grid.scales[channel] = static_cast<double>(std::numeric_limits<float>::min());
        for (std::size_t i = 0; i < codes.size(); ++i) {
            if (old.isPerTensor() || i / inner % grid.scales.size() == channel) {
                codes[i] = old.zeroPoint(channel);
            }
        }
    }
    if (vanished > 0) {
        value.constant = tensorOfInts(value.type, weight.constant.dims(), codes);
    }
    Patch patch(graph, id);
    value.name += "_float32";
    const ValueId now = patch.addValue(std::move(value));
    patch.replaceUse({id, slot}, now);
    patch.relate(node.inputs[slot], now, Relation::Within, most);
    patch.role(id, linear ? "linear" : "weight");
    patch.explain(vanished == 0
                      ? std::string("the weight's scales are rounded to the float32 that the file stores")
                      : fmt::format("the weight's scales are rounded to float32; {} of its channels are below 1.2e-38 "
                                    "and become zero",
                                    vanished));
    return patch;
}

Outcome deriveAccumulator(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!isIntegerLinear(graph, node) || !node.output().valid()) {
        return NoMatch{};
    }
    const Value& output = graph.value(node.output());
    if (!output.codes || !output.codes->isWide()) {
        return NoMatch{};
    }
    auto scales = accumulatorScales(graph, node);
    if (!scales) {
        return NoMatch{};
    }
    const Grid& old = *output.codes;
    if (scales->size() == 1) {
        scales->assign(old.scales.size(), scales->front());
    }
    if (*scales == old.scales || scales->size() != old.scales.size()) {
        return NoMatch{};
    }
    const auto bounds = accumulatorBounds(graph, node);
    double most = 0.0;
    for (std::size_t i = 0; i < scales->size(); ++i) {
        const double bound = bounds ? (*bounds)[bounds->size() == 1 ? 0 : i] : 0x1p31;
        most = std::max(most, std::abs((*scales)[i] - old.scales[i]) * bound);
    }
    Patch patch(graph, id);
    patch.setValue(node.output(), accumulatorValue(graph, node.output(), std::move(*scales)));
    patch.relate(node.output(), node.output(), Relation::Within, most);
    patch.setNode(id, node);
    patch.role(id, "linear");
    patch.explain("the accumulator's grid is the product of the scales as the file stores them");
    return patch;
}

} // namespace crease
