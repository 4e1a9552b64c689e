// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/pre_rounding.h"

#include "core/ir/integer_nodes.h"
#include "core/passes/quantizer_params.h"
#include "core/verify/grid_codes.h"

#include <algorithm>

namespace crease {

namespace {

bool isQonnx(const Node& node)
{
    return (node.op == "Quant" || node.op == "IntQuant") && !node.domain.empty() && node.domain != nodes::domain;
}

bool isQuantizer(const Node& node)
{
    return node.is(nodes::fakeQuant, nodes::domain) || node.is(nodes::quantize, nodes::domain) ||
           node.is(nodes::requantize, nodes::domain) || isQuantizeLinear(node) || isQonnx(node);
}

struct Scales {
    std::vector<double> scales;
    std::optional<int> axis;
};

/// The scales that a quantizer divides by.
std::optional<Scales> scalesOf(const Graph& graph, const Node& node, std::size_t rank, const TensorOf& tensorOf)
{
    const Grid* grid = node.gridAttribute(nodes::grid);
    if (node.domain == nodes::domain) {
        const auto& codes = graph.value(node.output()).codes;
        grid = codes ? &*codes : grid;
        return grid != nullptr ? std::optional(Scales{grid->scales, grid->axis}) : std::nullopt;
    }
    const Tensor scale = tensorOf(node.input(1));
    if (!scale.valid() || scale.size() == 0) {
        return std::nullopt;
    }
    if (scale.size() == 1) {
        return Scales{scale.toDoubles(), std::nullopt};
    }
    const bool blocked = node.intAttribute("block_size", 0) != 0;
    const auto axis = normalizedAxis(node.intAttribute("axis", 1), rank);
    if (scale.rank() != 1 || blocked || !axis || isQonnx(node)) {
        return std::nullopt;
    }
    return Scales{scale.toDoubles(), axis};
}

/// (s_q * (q - z_q) + bias) of a Requantize, in real units.
std::vector<double> realsBefore(const Graph& graph, const Node& node, const Tensor& input)
{
    const Value& value = graph.value(node.input(0));
    std::vector<double> reals = realsOf(value, input);
    std::vector<double> bias = node.doublesAttribute(nodes::bias);
    if (const Tensor* codes = node.tensorAttribute(nodes::biasCodes); codes != nullptr && value.codes) {
        bias = codes->toDoubles();
        for (std::size_t c = 0; c < bias.size(); ++c) {
            bias[c] *= value.codes->scale(c);
        }
    }
    if (!bias.empty() && value.codes) {
        const ChannelMap channels(input.dims(), bias.size() > 1 ? value.codes->axis : std::nullopt);
        for (std::size_t i = 0; i < reals.size(); ++i) {
            reals[i] += bias[std::min(channels.of(i), bias.size() - 1)];
        }
    }
    return reals;
}

} // namespace

std::optional<PreRounding> PreRounding::of(const Graph& graph, ValueId value)
{
    PreRounding result;
    result.m_value = value;
    WalkPlan plan = planWalk(graph, value, isQuantizer);
    for (const ValueId end : plan.ends) {
        const NodeId producer = graph.producer(end);
        if (!producer.valid() || !isQuantizer(graph.node(producer))) {
            return std::nullopt;
        }
        const Node& node = graph.node(producer);
        plan.needs.push_back(node.input(0));
        if (node.domain != nodes::domain) {
            plan.needs.push_back(node.input(1));
        }
    }
    result.m_needs = std::move(plan.needs);
    return result;
}

Result<std::vector<double>> PreRounding::steps(const Graph& graph, const TensorOf& tensorOf, const Job& job) const
{
    const auto numbersOf = [&](ValueId end) -> Result<Tensor> {
        const Node& quantizer = graph.node(graph.producer(end));
        const Tensor input = tensorOf(quantizer.input(0));
        const auto scales = input.valid() ? scalesOf(graph, quantizer, input.rank(), tensorOf) : std::nullopt;
        if (!scales) {
            return Tensor{};
        }
        std::vector<double> steps = quantizer.is(nodes::requantize, nodes::domain)
                                        ? realsBefore(graph, quantizer, input)
                                        : realsOf(graph.value(quantizer.input(0)), input);
        const ChannelMap channels(input.dims(), scales->axis);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            steps[i] /= scales->scales[std::min(channels.of(i), scales->scales.size() - 1)];
        }
        return Tensor::of<double>(input.dims(), steps);
    };
    const Tensor numbers = TRY(walk(graph, m_value, {isQuantizer, numbersOf}, tensorOf, job));
    return numbers.valid() ? numbers.toDoubles() : std::vector<double>{};
}

} // namespace crease
