// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/epilogue.h"

#include "core/ir/integer_nodes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace crease {

namespace {

constexpr std::array<std::string_view, 4> linearOps{"Conv", "ConvTranspose", "Gemm", "MatMul"};

/// The node that rounds an accumulator to the codes of `value`.
NodeId roundingNode(const Graph& graph, ValueId value)
{
    for (int hops = 0; hops < 16 && value.valid(); ++hops) {
        const NodeId producer = graph.producer(value);
        if (!producer.valid()) {
            return {};
        }
        const Node& node = graph.node(producer);
        if (node.is(nodes::clamp, nodes::domain) || node.is(nodes::dequantize, nodes::domain) || node.is("Identity")) {
            value = node.input(0);
        } else {
            const bool fused = node.domain.empty() && std::ranges::find(linearOps, node.op) != linearOps.end() &&
                               graph.value(value).codes && !graph.value(value).codes->isWide();
            return fused || node.is(nodes::requantize, nodes::domain) ? producer : NodeId{};
        }
    }
    return {};
}

/// The grid of the accumulator that the node rounds.
std::optional<Grid> accumulatorGrid(const Graph& graph, const Node& node)
{
    if (node.is(nodes::requantize, nodes::domain)) {
        return graph.value(node.input(0)).codes;
    }
    const auto& x = graph.value(node.input(0)).codes;
    const auto& w = graph.value(node.input(1)).codes;
    if (!x || !w || !x->isPerTensor()) {
        return std::nullopt;
    }
    std::vector<double> scales = w->scales;
    for (double& scale : scales) {
        scale *= x->scale();
    }
    const std::size_t rank = graph.value(node.output()).shape ? graph.value(node.output()).shape->size() : 0;
    const bool channelsLast = node.op == "Gemm" || node.op == "MatMul";
    const int axis = channelsLast ? static_cast<int>(rank) - 1 : 1;
    return Grid::accumulator(std::move(scales), w->isPerTensor() ? std::nullopt : std::optional(axis));
}

} // namespace

std::optional<Epilogue> epilogueOf(const Graph& graph, ValueId value, const ExactBias& exactBias, bool halfWhereUnknown)
{
    const NodeId id = roundingNode(graph, value);
    if (!id.valid()) {
        return std::nullopt;
    }
    const Node& node = graph.node(id);
    const auto accumulator = accumulatorGrid(graph, node);
    const auto& out = graph.value(node.output()).codes;
    if (!accumulator || !out || !out->isPerTensor()) {
        return std::nullopt;
    }
    Epilogue epilogue;
    epilogue.node = id;
    epilogue.axis = accumulator->axis;
    const Tensor* codes = node.tensorAttribute(nodes::biasCodes);
    std::vector<double> bias = codes != nullptr ? codes->toDoubles() : node.doublesAttribute(nodes::bias);
    const std::vector<double> exact = codes != nullptr ? exactBias(id) : std::vector<double>{};
    if (!accumulator->axis && bias.size() > 1) { // one weight scale and a bias for every channel
        const auto& shape = graph.value(node.output()).shape;
        const bool last = node.op == "Gemm" || node.op == "MatMul" || (shape && shape->size() < 4);
        epilogue.axis = !shape ? std::nullopt
                        : last ? std::optional(static_cast<int>(shape->size()) - 1)
                               : std::optional(1);
    }
    for (std::size_t c = 0; c < std::max<std::size_t>(bias.size(), 1); ++c) {
        const double step = accumulator->scale(c) / out->scale();
        const double steps = bias.empty() ? 0.0 : bias[c] * (codes != nullptr ? step : 1.0 / out->scale());
        const double half = 0.5 * step * (1.0 + 0x1p-20);
        double error = 0.0;
        if (codes != nullptr && exact.size() == bias.size()) {
            error = std::abs(steps - exact[c] / out->scale());
            error = error <= half ? error : 0.0;
        } else if (codes != nullptr && halfWhereUnknown) {
            error = half;
        }
        epilogue.biasSteps.push_back(std::abs(steps));
        epilogue.biasError.push_back(error);
    }
    return epilogue;
}

} // namespace crease
