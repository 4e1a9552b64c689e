// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/integer_nodes.h"
#include "core/ops/op_table.h"
#include "core/passes/codes.h"
#include "core/passes/recognise_rules.h"

#include <algorithm>
#include <cstdint>

namespace crease {

bool movesCodes(const Node& node)
{
    if (!node.domain.empty() || !node.captures.empty() || node.inputs.empty() || !node.input(0).valid()) {
        return false;
    }
    if (node.is("MaxPool")) {
        return node.outputs.size() == 1;
    }
    if (node.is("Pad") || node.is("Cast") || node.is("Where")) {
        return false;
    }
    return node.is("Concat") || foldingClass(node) == FoldingClass::Movement;
}

std::optional<CodeBounds> codeBounds(const Graph& graph, const Node& node, ConstantResolver& constants)
{
    const ElementType type = node.output().valid() ? graph.value(node.output()).type : ElementType::Undefined;
    if (node.is("Relu") && isInteger(type)) {
        return CodeBounds{0, INT64_MAX};
    }
    if (!node.is("Clip") || (type != ElementType::Undefined && !isInteger(type))) {
        return std::nullopt;
    }
    CodeBounds bounds;
    for (const std::size_t slot : {std::size_t{1}, std::size_t{2}}) {
        if (!node.input(slot).valid()) {
            continue;
        }
        const Tensor* bound = constants.find(graph, node.input(slot));
        if (bound == nullptr || bound->size() != 1 || !isInteger(bound->type())) {
            return std::nullopt;
        }
        (slot == 1 ? bounds.lo : bounds.hi) = bound->asInt(0);
    }
    return bounds;
}

std::optional<NodeId> foreignReader(const Graph& graph, ValueId codes)
{
    std::vector<ValueId> waiting{codes};
    std::set<ValueId> seen{codes};
    while (!waiting.empty()) {
        const ValueId at = waiting.back();
        waiting.pop_back();
        for (const Use& use : graph.uses(at)) {
            const Node& reader = graph.node(use.node);
            if (isDequantizeLinear(reader) || reader.is(nodes::dequantize, nodes::domain) || reader.is("Shape") ||
                reader.is("Size")) {
                continue;
            }
            if (use.slot == Use::captured || !movesCodes(reader)) {
                return use.node;
            }
            for (const ValueId output : reader.outputs) {
                if (output.valid() && seen.insert(output).second) {
                    waiting.push_back(output);
                }
            }
        }
    }
    return std::nullopt;
}

Tensor deadCodes(const Graph& graph, NodeId id, const QuantizerParams& params, const Tensor& codes,
                 RecogniseState& state)
{
    ValueId at = graph.node(id).input(0);
    while (graph.producer(at).valid() && !isQuantizeLinear(graph.node(graph.producer(at)))) {
        at = graph.node(graph.producer(at)).input(0);
    }
    const NodeId quantizer = at.valid() ? graph.producer(at) : NodeId{};
    const Tensor* reals = quantizer.valid() ? state.constants.find(graph, graph.node(quantizer).input(0)) : nullptr;
    if (reals == nullptr || reals->dims() != codes.dims() ||
        std::ranges::find(params.scales, 0.0) == params.scales.end() ||
        (params.axis && static_cast<std::size_t>(*params.axis) >= codes.rank())) {
        return codes;
    }
    const ChannelLayout layout = channelLayout(codes.dims(), params.axis);
    const std::vector<double> weights = reals->toDoubles();
    std::vector<std::int64_t> integers = codes.toInts();
    for (std::size_t i = 0; i < integers.size(); ++i) {
        const std::size_t channel = layout.channel(i);
        if (params.scales[channel] == 0.0) {
            integers[i] = params.zeroPoints[channel] + (weights[i] == 0.0 ? 0 : 1);
        }
    }
    return tensorOfInts(codes.type(), codes.dims(), integers);
}

} // namespace crease
