// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/element_walk.h"

#include "core/exec/kernel.h"
#include "core/ir/integer_nodes.h"
#include "core/passes/quantizer_params.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace crease {

namespace {

constexpr std::array<std::string_view, 5> keepsPlace{"Identity", "Cast", "Clip", "Relu", "Dropout"};
constexpr std::array<std::string_view, 15> moves{"Transpose", "Reshape",      "Flatten",      "Squeeze", "Unsqueeze",
                                                 "Slice",     "DepthToSpace", "SpaceToDepth", "Split",   "Expand",
                                                 "Tile",      "Gather",       "Pad",          "MaxPool", "GatherND"};

bool isOneOf(std::string_view op, std::span<const std::string_view> ops)
{
    return std::ranges::find(ops, op) != ops.end();
}

/// Whether all operands and the result lie on one grid.
bool joinsOneGrid(const Graph& graph, const Node& node)
{
    const auto& grid = graph.value(node.output()).codes;
    return std::ranges::all_of(node.inputs, [&](ValueId input) { return graph.value(input).codes == grid; });
}

/// Evaluates a node that moves elements on other numbers: without the grids of its values, as plain float64.
Result<Tensor> moved(const Graph& graph, const Node& node, std::size_t output, std::vector<Tensor> inputs,
                     const Job& job)
{
    Graph plain;
    plain.setModel(graph.model());
    Node copy = node;
    for (std::size_t slot = 0; slot < copy.inputs.size(); ++slot) {
        if (copy.inputs[slot].valid()) {
            const Tensor& tensor = inputs[slot];
            copy.inputs[slot] = plain.addValue({.name = plain.freshName("in"), .type = tensor.type()});
        }
    }
    for (ValueId& id : copy.outputs) {
        id = plain.addValue({.name = plain.freshName("out"), .type = ElementType::Float64});
    }
    const auto outputs = TRY(evaluateNode(plain, copy, inputs, Precision::Exact, job));
    return outputs.at(output);
}

} // namespace

Passage passageOf(const Graph& graph, const Node& node)
{
    if (node.domain == nodes::domain) {
        const bool plain =
            node.op == nodes::clamp || (node.op == nodes::dequantize && node.doublesAttribute(nodes::bias).empty());
        return plain ? Passage::Place : Passage::End;
    }
    if (isDequantizeLinear(node)) {
        return Passage::Place;
    }
    if (!node.domain.empty()) {
        return Passage::End;
    }
    if (isOneOf(node.op, keepsPlace)) {
        return Passage::Place;
    }
    if (isOneOf(node.op, moves) && node.outputs.size() == (node.op == "Split" ? node.outputs.size() : 1)) {
        return Passage::Moves;
    }
    return node.op == "Concat" && joinsOneGrid(graph, node) ? Passage::Joins : Passage::End;
}

WalkPlan planWalk(const Graph& graph, ValueId value, const std::function<bool(const Node&)>& endsAt)
{
    WalkPlan plan;
    std::vector<ValueId> open{value};
    while (!open.empty() && plan.ends.size() + plan.needs.size() < 256) {
        const ValueId id = open.back();
        open.pop_back();
        const NodeId producer = graph.producer(id);
        const Passage passage =
            producer.valid() && !endsAt(graph.node(producer)) ? passageOf(graph, graph.node(producer)) : Passage::End;
        if (passage == Passage::End) {
            plan.ends.push_back(id);
            continue;
        }
        plan.moves = plan.moves || passage != Passage::Place;
        const Node& node = graph.node(producer);
        for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
            if (slot == 0 || passage == Passage::Joins) {
                open.push_back(node.inputs[slot]);
            } else if (passage == Passage::Moves && node.inputs[slot].valid()) {
                plan.needs.push_back(node.inputs[slot]);
            }
        }
    }
    return plan;
}

namespace {

/// walk(), `depth` movements behind where it began: a thread's stack must hold them.
Result<Tensor> walkFrom(const Graph& graph, ValueId value, const ElementWalk& how, const TensorOf& tensorOf,
                        const Job& job, int depth)
{
    if (depth > 512) {
        return Tensor{};
    }
    const auto passageTo = [&](ValueId id) {
        const NodeId producer = graph.producer(id);
        return producer.valid() && !how.endsAt(graph.node(producer)) ? passageOf(graph, graph.node(producer))
                                                                     : Passage::End;
    };
    Passage passage = passageTo(value);
    while (passage == Passage::Place) {
        value = graph.node(graph.producer(value)).input(0);
        passage = passageTo(value);
    }
    if (passage == Passage::End) {
        return how.numbersOf(value);
    }
    const Node& node = graph.node(graph.producer(value));
    std::vector<Tensor> inputs;
    for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
        if (slot == 0 || passage == Passage::Joins) {
            inputs.push_back(TRY(walkFrom(graph, node.inputs[slot], how, tensorOf, job, depth + 1)));
            if (!inputs.back().valid()) {
                return Tensor{};
            }
        } else if (node.op == "Pad" && slot == 2) {
            inputs.push_back(Tensor::scalar(0.0));
        } else {
            inputs.push_back(node.inputs[slot].valid() ? tensorOf(node.inputs[slot]) : Tensor{});
        }
    }
    const auto place = std::ranges::find(node.outputs, value) - node.outputs.begin();
    return moved(graph, node, static_cast<std::size_t>(place), std::move(inputs), job);
}

} // namespace

Result<Tensor> walk(const Graph& graph, ValueId value, const ElementWalk& how, const TensorOf& tensorOf, const Job& job)
{
    return walkFrom(graph, value, how, tensorOf, job, 0);
}

} // namespace crease
