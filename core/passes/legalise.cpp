// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/legalise.h"

#include "core/ir/integer_nodes.h"
#include "core/passes/integer_linear.h"
#include "core/passes/legalise_weights.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace crease {

namespace {

bool isNarrow(const Grid& grid)
{
    return byteWidth(grid.storage) == 1;
}

std::int64_t distance(ElementType from, ElementType to)
{
    return isSigned(from) == isSigned(to) ? 0 : (isSigned(from) ? 128 : -128);
}

/// Sub-byte codes become codes of a byte, and those of a byte get the target's signedness.
Grid shifted(Grid grid, ElementType storage)
{
    const std::int64_t by = distance(grid.storage, storage);
    grid.storage = storage;
    grid.qmin += by;
    grid.qmax += by;
    for (std::int64_t& zero : grid.zeroPoints) {
        zero += by;
    }
    return grid;
}

Tensor shiftedCodes(const Tensor& codes, ElementType storage)
{
    std::vector<std::int64_t> values = codes.toInts();
    const std::int64_t by = distance(codes.type(), storage);
    std::ranges::for_each(values, [by](std::int64_t& value) { value += by; });
    return tensorOfInts(storage, codes.dims(), values);
}

/// Attributes of a node that are codes of its first output.
Node withShiftedCodes(Node node, ElementType from, ElementType to)
{
    for (const std::string_view key : {nodes::lo, nodes::hi}) {
        if (const auto found = node.attributes.find(key); found != node.attributes.end()) {
            found->second = node.intAttribute(key, 0) + distance(from, to);
        }
    }
    if (const Tensor* table = node.tensorAttribute(nodes::tableEntries)) {
        node.attributes.insert_or_assign(std::string(nodes::tableEntries), shiftedCodes(*table, to));
    }
    return node;
}

/// A Table reads its entries by q - lowest(storage of q): a shift of a whole byte leaves them in place, widening does
/// not.
Node withWidenedTable(Node node, ElementType from)
{
    const Tensor* table = node.tensorAttribute(nodes::tableEntries);
    if (!table || bitWidth(from) == 8 || table->rank() != 1) {
        return node;
    }
    const std::vector<std::int64_t> entries = table->toInts();
    const std::int64_t base = isSigned(from) ? lowest(from) + 128 : 0;
    std::vector<std::int64_t> wide(256);
    for (std::int64_t i = 0; i < 256; ++i) {
        const std::int64_t at = std::clamp<std::int64_t>(i - base, 0, static_cast<std::int64_t>(entries.size()) - 1);
        wide[static_cast<std::size_t>(i)] = entries[static_cast<std::size_t>(at)];
    }
    node.attributes.insert_or_assign(std::string(nodes::tableEntries), tensorOfInts(table->type(), {256}, wide));
    return node;
}

/// What a constant or an input keeps: the byte of its own signedness. All else becomes the target's.
ElementType byteOf(ElementType storage)
{
    return isSigned(storage) ? ElementType::Int8 : ElementType::UInt8;
}

bool isSignShift(const Graph& graph, const Node& node, ValueId input)
{
    return node.is(nodes::requantize, nodes::domain) && node.input(0) == input && node.attributes.empty() &&
           graph.value(node.output()).codes == shifted(*graph.value(input).codes, graph.value(node.output()).type);
}

Value signShifted(const Graph& graph, ValueId id, ElementType storage)
{
    Value value;
    value.name = graph.value(id).name + "_" + std::string(longName(storage));
    value.type = storage;
    value.shape = graph.value(id).shape;
    value.codes = shifted(*graph.value(id).codes, storage);
    return value;
}

/// A graph input or output keeps its type: an exact shift stands between it and the rest.
Outcome separateInput(const Graph& graph, NodeId id, ElementType activation)
{
    for (const ValueId input : graph.node(id).inputs) {
        if (!input.valid() || !graph.isInput(input) || graph.isOutput(input) || !graph.value(input).codes) {
            continue;
        }
        const Grid& grid = *graph.value(input).codes;
        if (!isNarrow(grid) || bitWidth(grid.storage) != 8 || grid.storage == activation ||
            isSignShift(graph, graph.node(id), input)) {
            continue;
        }
        Patch patch(graph, id);
        Node shift{.op = std::string(nodes::requantize), .domain = std::string(nodes::domain)};
        shift.inputs = {input};
        patch.replace(input, patch.addNode(std::move(shift), signShifted(graph, input, activation)));
        patch.role(id, "reader");
        patch.explain(fmt::format("the graph input '{}' keeps its {}; behind it the codes are {}",
                                  graph.value(input).name, longName(grid.storage), longName(activation)));
        return patch;
    }
    return NoMatch{};
}

Outcome separateOutput(const Graph& graph, NodeId id, ElementType activation)
{
    const Node& node = graph.node(id);
    for (const ValueId output : node.outputs) {
        if (!output.valid() || !graph.isOutput(output) || !graph.value(output).codes) {
            continue;
        }
        const Grid& grid = *graph.value(output).codes;
        const bool table = node.is(nodes::requantize, nodes::domain) && !graph.value(node.inputs[0]).codes->isWide();
        if (!isNarrow(grid) || grid.storage == activation || table) {
            continue;
        }
        Patch patch(graph, id);
        Node same{.op = std::string(nodes::requantize), .domain = std::string(nodes::domain)};
        same.inputs = {output};
        Value value = graph.value(output);
        value.name += "_" + std::string(longName(grid.storage));
        patch.replace(output, patch.addNode(std::move(same), std::move(value)));
        for (const Use& use : graph.uses(output)) {
            patch.setNode(use.node, graph.node(use.node));
        }
        patch.role(id, "producer");
        patch.explain(fmt::format("the graph output '{}' keeps its {}; in front of it the codes are {}",
                                  graph.value(output).name, longName(grid.storage), longName(activation)));
        return patch;
    }
    return NoMatch{};
}

/// Outputs of the node on byte codes of the target's signedness, with the attributes that are codes of them.
Outcome shiftOutputs(const Graph& graph, NodeId id, ElementType activation)
{
    const Node& node = graph.node(id);
    if (!node.domain.empty() && node.domain != nodes::domain) {
        return NoMatch{};
    }
    Patch patch(graph, id);
    bool any = false;
    ElementType from = ElementType::Undefined;
    for (const ValueId output : node.outputs) {
        if (!output.valid() || !graph.value(output).codes || graph.isOutput(output)) {
            continue;
        }
        const Grid& grid = *graph.value(output).codes;
        if (!isNarrow(grid) || grid.storage == activation) {
            continue;
        }
        any = true;
        from = grid.storage;
        Value value = graph.value(output);
        value.type = activation;
        value.codes = shifted(grid, activation);
        patch.setValue(output, std::move(value));
        patch.relate(output, output, Relation::SameReal);
        for (const Use& use : graph.uses(output)) {
            if (use.slot != Use::captured && graph.node(use.node).is(nodes::table, nodes::domain) &&
                bitWidth(grid.storage) != 8) {
                patch.setNode(use.node, withWidenedTable(graph.node(use.node), grid.storage));
            }
        }
    }
    if (!any) {
        return NoMatch{};
    }
    patch.setNode(id, withShiftedCodes(node, from, activation));
    patch.role(id, "producer");
    patch.explain(fmt::format("codes of {} become {}: code and zero point move by {}, the real value stays",
                              longName(from), longName(activation), distance(from, activation)));
    return patch;
}

/// Constant operands on codes that are no weight of a linear op: Add's second operand, Pad's value, a Gather's data.
Outcome shiftConstants(const Graph& graph, NodeId id, ElementType activation)
{
    const Node& node = graph.node(id);
    if (!node.domain.empty() && node.domain != nodes::domain) {
        return NoMatch{};
    }
    const bool linear = isIntegerLinear(graph, node);
    const bool toFloat = node.is(nodes::dequantize, nodes::domain);
    Patch patch(graph, id);
    bool any = false;
    for (std::uint32_t slot = 0; slot < node.inputs.size(); ++slot) {
        const ValueId input = node.inputs[slot];
        if (!input.valid() || !graph.value(input).isConstant() || !graph.value(input).codes) {
            continue;
        }
        const Grid& grid = *graph.value(input).codes;
        const ElementType to = (linear && slot == 1) || toFloat ? byteOf(grid.storage) : activation;
        if (!isNarrow(grid) || grid.storage == to) {
            continue;
        }
        Value value = graph.value(input);
        value.name += "_" + std::string(longName(to));
        value.type = to;
        value.codes = shifted(grid, to);
        value.constant = shiftedCodes(value.constant, to);
        const ValueId now = patch.addValue(std::move(value));
        patch.replaceUse({id, slot}, now);
        patch.relate(input, now, Relation::SameReal);
        any = true;
    }
    if (!any) {
        return NoMatch{};
    }
    patch.role(id, "reader");
    patch.explain("constant codes are held as the target's kernels take them; the real values stay");
    return patch;
}

/// An op on codes that the target has no row for: it stays an integer op here and is a float island in the file.
Outcome nameIsland(const Graph& graph, NodeId id, const Target& target)
{
    const Node& node = graph.node(id);
    const auto isCodes = [&](ValueId value) { return value.valid() && graph.value(value).codes.has_value(); };
    if (!node.domain.empty() || !std::ranges::any_of(node.outputs, isCodes) || target.op(node.op) != nullptr) {
        return NoMatch{};
    }
    return Miss{"no-kernel",
                fmt::format("{} has no integer kernel of {}: in the file it is a float op between DequantizeLinear and "
                            "QuantizeLinear",
                            target.title, node.op),
                id,
                {{id, "island"}}};
}

} // namespace

Result<Stage> runLegalise(const Graph& before, const PassContext& context, const Job& job)
{
    const ElementType activation = context.target.activation;
    const std::array rules{
        Rule{"legalise/graph-input", "2.5", Fidelity::X,
             [=](const Graph& graph, NodeId id) { return separateInput(graph, id, activation); }},
        Rule{"legalise/graph-output", "2.5", Fidelity::X,
             [=](const Graph& graph, NodeId id) { return separateOutput(graph, id, activation); }},
        Rule{"legalise/signedness", "2.5", Fidelity::X,
             [=](const Graph& graph, NodeId id) { return shiftOutputs(graph, id, activation); }},
        Rule{"legalise/constant", "2.5", Fidelity::X,
             [=](const Graph& graph, NodeId id) { return shiftConstants(graph, id, activation); }},
        Rule{"legalise/weight-range", "2.6", Fidelity::X, fitWeight},
        Rule{"legalise/float32-scale", "2.6", Fidelity::R, roundScales},
        Rule{"legalise/float32-weight-scale", "2.6", Fidelity::R, roundWeightScales},
        Rule{"legalise/accumulator", "2.6", Fidelity::R, deriveAccumulator},
        Rule{"legalise/kernel", "6.1", Fidelity::X,
             [&target = context.target](const Graph& graph, NodeId id) { return nameIsland(graph, id, target); }},
    };
    return applyRules(before, "legalise", rules, context.driver, job);
}

} // namespace crease
