// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/integer_linear.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace crease {

namespace {

std::size_t sizeOf(std::int64_t dim)
{
    return static_cast<std::size_t>(dim);
}

std::size_t groups(const Node& node)
{
    return sizeOf(std::max<std::int64_t>(node.intAttribute("group", 1), 1));
}

/// Products an output element, from the weight's known dimensions.
std::optional<double> taps(const Graph& graph, const Node& node)
{
    const Value& weight = graph.value(node.inputs[1]);
    const auto dims = weight.isConstant() ? std::optional(weight.constant.dims())
                                          : (weight.shape ? knownDims(*weight.shape) : std::nullopt);
    if (dims && !dims->empty()) {
        const auto all = elementCount(*dims);
        const std::int64_t channels = (*dims)[sizeOf(weightChannelAxis(graph, node))];
        if (node.op == "MatMul") {
            return static_cast<double>(dims->size() == 1 ? (*dims)[0] : (*dims)[dims->size() - 2]);
        }
        return all && channels > 0
                   ? std::optional((static_cast<double>(*all) / static_cast<double>(channels)) /
                                   (node.op == "ConvTranspose" ? static_cast<double>(groups(node)) : 1.0))
                   : std::nullopt;
    }
    const Value& data = graph.value(node.inputs[0]);
    if (node.op == "MatMul" && data.shape && !data.shape->empty() && data.shape->back().known()) {
        return static_cast<double>(data.shape->back().value);
    }
    return std::nullopt;
}

double farthest(const Grid& grid)
{
    double result = 0.0;
    for (const std::int64_t zero : grid.zeroPoints) {
        result = std::max(
            {result, std::abs(static_cast<double>(grid.qmin - zero)), std::abs(static_cast<double>(grid.qmax - zero))});
    }
    return result;
}

} // namespace

bool isLinearOp(std::string_view op)
{
    return op == "Conv" || op == "ConvTranspose" || op == "Gemm" || op == "MatMul";
}

bool isIntegerLinear(const Graph& graph, const Node& node)
{
    return node.domain.empty() && isLinearOp(node.op) && node.input(0).valid() && node.input(1).valid() &&
           graph.value(node.inputs[0]).codes && graph.value(node.inputs[1]).codes;
}

int weightChannelAxis(const Graph& graph, const Node& node)
{
    if (node.op == "Conv") {
        return 0;
    }
    if (node.op == "ConvTranspose") {
        return 1;
    }
    if (node.op == "Gemm") {
        return node.intAttribute("transB", 0) != 0 ? 0 : 1;
    }
    const Value& weight = graph.value(node.inputs[1]);
    const std::size_t rank = weight.isConstant() ? weight.constant.rank() : (weight.shape ? weight.shape->size() : 2);
    return static_cast<int>(std::max<std::size_t>(rank, 1)) - 1;
}

std::optional<int> outputChannelAxis(const Graph& graph, const Node& node)
{
    if (node.op != "MatMul") {
        return 1;
    }
    const Value& output = graph.value(node.output());
    if (output.shape) {
        return output.shape->empty() ? std::nullopt : std::optional(static_cast<int>(output.shape->size()) - 1);
    }
    return std::nullopt;
}

std::size_t outputChannels(const Graph& graph, const Node& node)
{
    const Tensor& weight = graph.value(node.inputs[1]).constant;
    if (weight.rank() < 2) {
        return 1;
    }
    const std::size_t along = sizeOf(weight.dims()[sizeOf(weightChannelAxis(graph, node))]);
    return node.op == "ConvTranspose" ? along * groups(node) : along;
}

WeightChannels::WeightChannels(const Graph& graph, const Node& node)
{
    const Dims& dims = graph.value(node.inputs[1]).constant.dims();
    if (dims.size() < 2) {
        m_inner = std::max<std::size_t>(graph.value(node.inputs[1]).constant.size(), 1);
        return;
    }
    const auto axis = static_cast<std::size_t>(weightChannelAxis(graph, node));
    for (std::size_t i = axis + 1; i < dims.size(); ++i) {
        m_inner *= sizeOf(dims[i]);
    }
    m_inner = std::max<std::size_t>(m_inner, 1);
    m_extent = std::max<std::size_t>(sizeOf(dims[axis]), 1);
    if (node.op == "ConvTranspose" && groups(node) > 1) {
        m_groupSize = std::max<std::size_t>(sizeOf(dims[0]) / groups(node), 1) * m_inner * m_extent;
    }
}

std::optional<std::vector<double>> accumulatorScales(const Graph& graph, const Node& node)
{
    const Grid& x = *graph.value(node.inputs[0]).codes;
    const Grid& w = *graph.value(node.inputs[1]).codes;
    if (!x.isPerTensor()) {
        return std::nullopt;
    }
    std::vector<double> scales(w.scales.size());
    std::ranges::transform(w.scales, scales.begin(), [&](double scale) { return x.scale() * scale; });
    if (w.isPerTensor()) {
        return scales;
    }
    if (*w.axis != weightChannelAxis(graph, node)) {
        return std::nullopt;
    }
    if (node.op == "ConvTranspose" && groups(node) > 1) {
        std::vector<double> all;
        for (std::size_t group = 0; group < groups(node); ++group) {
            all.insert(all.end(), scales.begin(), scales.end());
        }
        return all;
    }
    return scales;
}

std::optional<std::vector<double>> accumulatorBounds(const Graph& graph, const Node& node)
{
    const double data = farthest(*graph.value(node.inputs[0]).codes);
    const Value& weight = graph.value(node.inputs[1]);
    if (!weight.isConstant()) {
        const auto count = taps(graph, node);
        return count ? std::optional(std::vector{*count * data * farthest(*weight.codes)}) : std::nullopt;
    }
    std::vector<double> bounds(outputChannels(graph, node), 0.0);
    const WeightChannels map(graph, node);
    const Grid& grid = *weight.codes;
    const bool perChannel = !grid.isPerTensor() && *grid.axis == weightChannelAxis(graph, node);
    if (!grid.isPerTensor() && !perChannel) {
        return std::nullopt;
    }
    const std::vector<std::int64_t> codes = weight.constant.toInts();
    // A batched MatMul weight has one matrix a batch: the sum over all of them bounds each.
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const std::size_t channel = map.channelOf(i);
        const std::int64_t zero = grid.zeroPoint(perChannel ? channel % grid.zeroPoints.size() : 0);
        bounds[channel] += std::abs(static_cast<double>(codes[i] - zero)) * data;
    }
    return bounds;
}

} // namespace crease
