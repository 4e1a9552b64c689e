// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/epilogue.h"

#include "core/ir/integer_nodes.h"
#include "core/passes/integer_linear.h"
#include "core/verify/grid_codes.h"

#include <algorithm>
#include <cmath>

namespace crease {

namespace {

bool roundsAccumulator(const Graph& graph, const Node& node)
{
    if (node.is(nodes::requantize, nodes::domain)) {
        return true;
    }
    const auto& codes = graph.value(node.output()).codes;
    return isIntegerLinear(graph, node) && codes && !codes->isWide();
}

/// The grid of the accumulator that the node rounds.
std::optional<Grid> accumulatorGrid(const Graph& graph, const Node& node)
{
    if (node.is(nodes::requantize, nodes::domain)) {
        return graph.value(node.input(0)).codes;
    }
    auto scales = accumulatorScales(graph, node);
    if (!scales) {
        return std::nullopt;
    }
    const std::size_t rank = graph.value(node.output()).shape ? graph.value(node.output()).shape->size() : 0;
    const bool channelsLast = node.op == "Gemm" || node.op == "MatMul";
    const int axis = channelsLast ? static_cast<int>(rank) - 1 : 1;
    const bool single = scales->size() == 1;
    return Grid::accumulator(std::move(*scales), single ? std::nullopt : std::optional(axis));
}

} // namespace

std::optional<Epilogues::Channels> Epilogues::channelsOf(const Graph& graph, NodeId id, const ExactBias& exactBias,
                                                         bool halfWhereUnknown)
{
    const Node& node = graph.node(id);
    const auto accumulator = accumulatorGrid(graph, node);
    const auto& out = graph.value(node.output()).codes;
    if (!accumulator || !out || !out->isPerTensor()) {
        return std::nullopt;
    }
    Channels result;
    result.axis = accumulator->axis;
    const Tensor* codes = node.tensorAttribute(nodes::biasCodes);
    const std::vector<double> bias = codes != nullptr ? codes->toDoubles() : node.doublesAttribute(nodes::bias);
    const std::vector<double> exact = codes != nullptr ? exactBias(id) : std::vector<double>{};
    if (!result.axis && bias.size() > 1) { // one weight scale and a bias for every channel
        const auto& shape = graph.value(node.output()).shape;
        const bool last = node.op == "Gemm" || node.op == "MatMul" || (shape && shape->size() < 4);
        result.axis = !shape ? std::nullopt
                      : last ? std::optional(static_cast<int>(shape->size()) - 1)
                             : std::optional(1);
    }
    for (std::size_t c = 0; c < std::max<std::size_t>(bias.size(), 1); ++c) {
        const double step = accumulator->scale(c) / out->scale();
        const double steps = bias.empty() ? 0.0 : bias[c] * (codes != nullptr ? step : 1.0 / out->scale());
        const double half = 0.5 * step * (1.0 + 0x1p-20);
        double error = 0.0;
        if (codes != nullptr && exact.size() == bias.size()) {
            error = steps - exact[c] / out->scale();
            error = std::abs(error) <= half ? error : 0.0;
        } else if (codes != nullptr && halfWhereUnknown) {
            error = half;
            result.signKnown = false;
        }
        result.magnitude.push_back(std::abs(steps));
        result.rounding.push_back(error);
    }
    return result;
}

std::optional<Epilogues> Epilogues::of(const Graph& graph, ValueId value, const ExactBias& exactBias,
                                       bool halfWhereUnknown)
{
    Epilogues result;
    result.m_value = value;
    WalkPlan plan = planWalk(graph, value, [&](const Node& node) { return roundsAccumulator(graph, node); });
    for (const ValueId end : plan.ends) {
        const NodeId producer = graph.producer(end);
        if (producer.valid() && roundsAccumulator(graph, graph.node(producer))) {
            if (auto channels = channelsOf(graph, producer, exactBias, halfWhereUnknown)) {
                result.m_signKnown = result.m_signKnown && channels->signKnown;
                result.m_channels.emplace(end, std::move(*channels));
            }
        }
        plan.needs.push_back(end);
    }
    if (result.m_channels.empty()) {
        return std::nullopt;
    }
    result.m_needs = std::move(plan.needs);
    result.m_moves = plan.moves;
    return result;
}

Result<EpilogueError> Epilogues::errors(const Graph& graph, const TensorOf& tensorOf, const Job& job) const
{
    const auto numbers = [&](std::vector<double> Channels::* which) -> Result<std::vector<double>> {
        const auto numbersOf = [&](ValueId end) -> Result<Tensor> {
            const Tensor tensor = tensorOf(end);
            if (!tensor.valid()) {
                return Tensor{};
            }
            std::vector<double> values(tensor.size(), 0.0);
            if (const auto found = m_channels.find(end); found != m_channels.end()) {
                const std::vector<double>& channelValues = found->second.*which;
                const ChannelMap channels(tensor.dims(), found->second.axis);
                for (std::size_t i = 0; i < values.size(); ++i) {
                    values[i] = channelValues[std::min(channels.of(i), channelValues.size() - 1)];
                }
            }
            return Tensor::of<double>(tensor.dims(), values);
        };
        const ElementWalk how{[&](const Node& node) { return roundsAccumulator(graph, node); }, numbersOf};
        const Tensor result = TRY(walk(graph, m_value, how, tensorOf, job));
        return result.valid() ? result.toDoubles() : std::vector<double>{};
    };
    EpilogueError error;
    error.rounding = TRY(numbers(&Channels::rounding));
    error.magnitude = TRY(numbers(&Channels::magnitude));
    error.signKnown = m_signKnown;
    return error;
}

} // namespace crease
