// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/shape_of_quantized.h"

#include "core/passes/match.h"

#include <algorithm>
#include <array>

namespace crease {

namespace {

/// What else such an op reads is constant, so that nothing that depends on the shape comes before the quantizer.
bool keepsShape(const Graph& graph, const Node& node)
{
    static constexpr std::array ops{"Relu", "Clip", "LeakyRelu", "BatchNormalization"};
    const auto isConstant = [&](ValueId value) { return !value.valid() || graph.value(value).isConstant(); };
    return node.domain.empty() && std::ranges::find(ops, node.op) != ops.end() &&
           std::ranges::all_of(node.inputs.begin() + 1, node.inputs.end(), isConstant);
}

bool asksForShape(const Node& node)
{
    return node.domain.empty() && (node.op == "Shape" || node.op == "Size");
}

} // namespace

Outcome shapeOfQuantized(const Graph& graph, NodeId id)
{
    const Node& quantizer = graph.node(id);
    if (!isCrease(quantizer, nodes::fakeQuant) || graph.value(quantizer.input(0)).isConstant()) {
        return NoMatch{};
    }
    Patch patch(graph, id);
    bool asked = false;
    for (ValueId at = quantizer.input(0); graph.producer(at).valid();) {
        const Node& producer = graph.node(graph.producer(at));
        if (isCrease(producer, nodes::fakeQuant)) {
            break;
        }
        for (const Use& use : graph.uses(at)) {
            const Node& reader = graph.node(use.node);
            if (!asksForShape(reader)) {
                continue;
            }
            Node changed = reader;
            changed.inputs[0] = quantizer.output();
            patch.setNode(use.node, std::move(changed));
            patch.role(use.node, "shape");
            asked = true;
        }
        if (!keepsShape(graph, producer)) {
            break;
        }
        at = producer.input(0);
    }
    if (!asked) {
        return NoMatch{};
    }
    patch.role(id, "quantizer");
    patch.explain("a quantizer keeps the shape of its input");
    return patch;
}

} // namespace crease
