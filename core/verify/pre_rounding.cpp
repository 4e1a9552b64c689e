// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/pre_rounding.h"

#include "core/exec/kernel.h"
#include "core/ir/integer_nodes.h"
#include "core/verify/grid_codes.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace crease {

namespace {

constexpr std::array<std::string_view, 8> keepsPlace{"Identity", "Cast", "Clip", "Relu",
                                                     "Dropout",  "Max",  "Min",  "DequantizeLinear"};
constexpr std::array<std::string_view, 8> moves{"Transpose", "Reshape",      "Flatten",      "Squeeze",
                                                "Unsqueeze", "DepthToSpace", "SpaceToDepth", "Slice"};

bool isOneOf(std::string_view op, std::span<const std::string_view> ops)
{
    return std::ranges::find(ops, op) != ops.end();
}

bool isQonnx(const Node& node)
{
    return (node.op == "Quant" || node.op == "IntQuant") && !node.domain.empty() && node.domain != nodes::domain;
}

bool isQuantizer(const Node& node)
{
    return node.is(nodes::fakeQuant, nodes::domain) || node.is(nodes::quantize, nodes::domain) ||
           node.is(nodes::requantize, nodes::domain) || node.op == "QuantizeLinear" || isQonnx(node);
}

struct Scales {
    std::vector<double> scales;
    std::optional<int> axis;
};

/// The scales that a quantizer divides by.
std::optional<Scales> scalesOf(const Graph& graph, const Node& node, std::size_t rank,
                               const std::function<Tensor(ValueId)>& tensorOf)
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
    return Scales{scale.toDoubles(), *axis};
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
    for (int hops = 0; hops < 64 && value.valid(); ++hops) {
        const NodeId producer = graph.producer(value);
        if (!producer.valid()) {
            return std::nullopt;
        }
        const Node& node = graph.node(producer);
        if (isQuantizer(node)) {
            result.m_quantizer = producer;
            result.m_needs.push_back(node.input(0));
            if (node.domain != nodes::domain) {
                result.m_needs.push_back(node.input(1));
            }
            std::ranges::reverse(result.m_moves);
            return result;
        }
        const bool ours = node.is(nodes::dequantize, nodes::domain) || node.is(nodes::clamp, nodes::domain);
        if (ours || isOneOf(node.op, keepsPlace)) {
            const bool twoVariable = (node.op == "Max" || node.op == "Min") && node.inputs.size() != 1 &&
                                     !graph.value(node.input(1)).isConstant();
            if (twoVariable) {
                return std::nullopt;
            }
        } else if (node.domain.empty() && isOneOf(node.op, moves) && node.output() == value) {
            result.m_moves.push_back(producer);
            for (std::size_t slot = 1; slot < node.inputs.size(); ++slot) {
                if (node.inputs[slot].valid()) {
                    result.m_needs.push_back(node.inputs[slot]);
                }
            }
        } else {
            return std::nullopt;
        }
        value = node.input(0);
    }
    return std::nullopt;
}

Result<std::vector<double>> PreRounding::steps(const Graph& graph, const std::function<Tensor(ValueId)>& tensorOf,
                                               const Job& job) const
{
    const Node& quantizer = graph.node(m_quantizer);
    const Tensor input = tensorOf(quantizer.input(0));
    const auto scales = input.valid() ? scalesOf(graph, quantizer, input.rank(), tensorOf) : std::nullopt;
    if (!scales) {
        return failure(ErrorKind::Internal, "pre-rounding",
                       fmt::format("the input of the quantizer '{}' is not known", quantizer.name));
    }
    std::vector<double> steps = quantizer.is(nodes::requantize, nodes::domain)
                                    ? realsBefore(graph, quantizer, input)
                                    : realsOf(graph.value(quantizer.input(0)), input);
    const ChannelMap channels(input.dims(), scales->axis);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        steps[i] /= scales->scales[std::min(channels.of(i), scales->scales.size() - 1)];
    }
    if (m_moves.empty()) {
        return steps;
    }
    Tensor moved = Tensor::of<double>(input.dims(), steps);
    for (const NodeId id : m_moves) {
        const Node& node = graph.node(id);
        std::vector<Tensor> inputs{moved};
        for (std::size_t slot = 1; slot < node.inputs.size(); ++slot) {
            inputs.push_back(node.inputs[slot].valid() ? tensorOf(node.inputs[slot]) : Tensor{});
        }
        const auto outputs = TRY(evaluateNode(graph, node, inputs, Precision::Exact, job));
        moved = outputs.at(0);
    }
    return moved.toDoubles();
}

} // namespace crease
