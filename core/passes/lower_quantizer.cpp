// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/lower.h"
#include "core/passes/match.h"

#include <fmt/format.h>

namespace crease {

namespace {

Node creaseNode(std::string_view op, ValueId input)
{
    return {.op = std::string(op), .domain = std::string(nodes::domain), .inputs = {input}};
}

Outcome splitFakeQuant(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!isCrease(node, nodes::fakeQuant)) {
        return NoMatch{};
    }
    const Grid& grid = *node.gridAttribute(nodes::grid);
    Patch patch(graph, id);
    Node quantize = node;
    quantize.op = nodes::quantize;
    quantize.attributes.erase(std::string(nodes::grid));
    quantize.outputs.clear();
    const ValueId codes = patch.addNode(std::move(quantize), codesLike(graph.value(node.outputs[0]), grid));
    Value real = floatLike(graph.value(node.outputs[0]));
    real.liesOn = grid;
    const ValueId y = patch.addNode(creaseNode(nodes::dequantize, codes), std::move(real));
    patch.replace(node.outputs[0], y);
    patch.relate(node.outputs[0], codes, Relation::Codes);
    patch.role(id, "quantizer");
    patch.explain(fmt::format("the values become codes of {}", toText(grid)));
    return patch;
}

/// Quantize(Dequantize(q)): the same codes where the grids are equal, else one exactly rounded Requantize (L5).
Outcome requantize(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!isCrease(node, nodes::quantize)) {
        return NoMatch{};
    }
    const NodeId source = producerIs(graph, node.inputs[0], nodes::dequantize, nodes::domain);
    if (!source.valid()) {
        return NoMatch{};
    }
    const Node& dequantize = graph.node(source);
    const ValueId q = dequantize.inputs[0];
    const Grid& from = *graph.value(q).codes;
    const Grid& to = *graph.value(node.outputs[0]).codes;
    const std::vector<Role> roles{{id, "quantizer"}, {source, "quantizer"}};
    const bool bias = dequantize.attribute(nodes::bias) != nullptr;
    const CodeRange range = codeRange(node, to);
    const bool inside = range.low <= from.qmin && range.high >= from.qmax && from.zeroPoints == to.zeroPoints;
    const bool same = from.scales == to.scales && from.axis == to.axis && from.storage == to.storage && inside && !bias;
    if (same && replaceable(graph, node.outputs[0], q)) {
        Patch patch(graph, id);
        patch.replace(node.outputs[0], q);
        patch.role(id, "quantizer");
        patch.role(source, "quantizer");
        patch.explain("the codes are on this grid already");
        return patch;
    }
    if (!roundsHalfEven(node)) {
        return Miss{"rounding",
                    fmt::format("{} does not round half to even after the division, so it stays a float quantizer",
                                labelOf(graph, id)),
                    id, roles};
    }
    if (!to.isPerTensor()) {
        return Miss{"per-axis-activation-grid",
                    fmt::format("{} has {} scales along axis {}; an activation is requantized to one scale only",
                                labelOf(graph, id), to.scales.size(), *to.axis),
                    id, roles};
    }
    Patch patch(graph, id);
    Node result = creaseNode(nodes::requantize, q);
    result.name = node.name;
    if (bias) {
        result.attributes[std::string(nodes::bias)] = *dequantize.attribute(nodes::bias);
    }
    setCodeRange(result, range, to);
    Value codes = codesLike(graph.value(node.outputs[0]), to);
    codes.name = graph.value(node.outputs[0]).name;
    const ValueId now = patch.addNode(std::move(result), std::move(codes));
    patch.replace(node.outputs[0], now);
    patch.role(id, "quantizer");
    patch.role(source, "quantizer");
    patch.explain(fmt::format("codes of {} become codes of {} in one exact rounding", toText(from), toText(to)));
    return patch;
}

/// A Quantize that is left: say what float op it waits for.
Outcome explainQuantize(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!isCrease(node, nodes::quantize) || !graph.producer(node.inputs[0]).valid() ||
        producerIs(graph, node.inputs[0], nodes::dequantize, nodes::domain).valid()) {
        return NoMatch{};
    }
    const NodeId producer = graph.producer(node.inputs[0]);
    return Miss{"float-producer",
                fmt::format("{} computes in float, so its result is quantized behind it", labelOf(graph, producer)),
                producer,
                {{id, "quantizer"}, {producer, "float"}}};
}

} // namespace

std::vector<Rule> lowerQuantizerRules()
{
    return {
        {"lower/quantizer", "decision 1", Fidelity::X, splitFakeQuant},
        {"lower/requantize", "L4, L5", Fidelity::X, requantize},
        {"lower/float-border", "P20, P29", Fidelity::X, explainQuantize},
    };
}

} // namespace crease
