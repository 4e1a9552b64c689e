// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/verifier.h"

#include "core/ir/integer_nodes.h"

#include <cmath>
#include <fmt/format.h>
#include <unordered_set>

namespace crease {

namespace {

Result<void> invalid(std::string id, std::string message, std::string node, std::string value)
{
    return std::unexpected(
        Error{ErrorKind::Internal, std::move(id), std::move(message), {}, std::move(node), std::move(value)});
}

Result<void> verifyGrid(const Grid& grid, const Value& value)
{
    const auto bad = [&](std::string message) { return invalid("bad-grid", std::move(message), {}, value.name); };
    if (grid.scales.empty() || grid.scales.size() != grid.zeroPoints.size()) {
        return bad(fmt::format("{} scales and {} zero points", grid.scales.size(), grid.zeroPoints.size()));
    }
    if (grid.isPerTensor() && grid.scales.size() != 1) {
        return bad(fmt::format("{} scales without an axis", grid.scales.size()));
    }
    for (const double scale : grid.scales) {
        if (!(scale > 0.0) || !std::isfinite(scale)) {
            return bad(fmt::format("scale {} is not positive and finite", scale));
        }
    }
    if (grid.qmin > grid.qmax || !isInteger(grid.storage) || grid.qmin < lowest(grid.storage) ||
        grid.qmax > highest(grid.storage)) {
        return bad(fmt::format("range {} … {} does not fit {}", grid.qmin, grid.qmax, longName(grid.storage)));
    }
    if (grid.axis && value.shape) {
        const auto axis = static_cast<std::size_t>(*grid.axis);
        if (axis >= value.shape->size()) {
            return bad(fmt::format("axis {} is out of range for rank {}", axis, value.shape->size()));
        }
        const Dim& dim = (*value.shape)[axis];
        if (dim.known() && dim.value != static_cast<std::int64_t>(grid.scales.size())) {
            return bad(fmt::format("{} scales for {} channels of axis {}", grid.scales.size(), dim.value, axis));
        }
    }
    return {};
}

Result<void> verifyValue(const Value& value)
{
    if (value.codes) {
        if (value.type != value.codes->storage) {
            return invalid(
                "codes-type",
                fmt::format("codes of {} are held as {}", longName(value.codes->storage), longName(value.type)), {},
                value.name);
        }
        TRY(verifyGrid(*value.codes, value));
    }
    if (value.liesOn) {
        if (value.codes || (value.type != ElementType::Undefined && !isFloat(value.type))) {
            return invalid("lies-on-type",
                           fmt::format("a value of {} cannot lie on a grid as a float", longName(value.type)), {},
                           value.name);
        }
        TRY(verifyGrid(*value.liesOn, value));
    }
    if (value.isConstant()) {
        if (value.constant.type() != value.type) {
            return invalid(
                "constant-type",
                fmt::format("a constant of {} in a value of {}", longName(value.constant.type()), longName(value.type)),
                {}, value.name);
        }
        if (value.shape && knownDims(*value.shape) && *knownDims(*value.shape) != value.constant.dims()) {
            return invalid(
                "constant-shape",
                fmt::format("a constant of {} in a value of {}", toText(value.constant.dims()), toText(*value.shape)),
                {}, value.name);
        }
    }
    return {};
}

Result<void> verifyCreaseNode(const Graph& graph, const Node& node)
{
    const auto bad = [&](std::string message) {
        return invalid("bad-node", node.op + ": " + std::move(message), node.name,
                       node.output().valid() ? graph.value(node.output()).name : "");
    };
    if (node.inputs.size() != 1 || !node.inputs[0].valid() || node.outputs.size() != 1 || !node.outputs[0].valid()) {
        return bad(fmt::format("{} inputs and {} outputs, one each expected", node.inputs.size(), node.outputs.size()));
    }
    const Value& input = graph.value(node.inputs[0]);
    const Value& output = graph.value(node.outputs[0]);
    const bool fromFloat = node.op == nodes::fakeQuant || node.op == nodes::quantize;
    const bool toFloat = node.op == nodes::fakeQuant || node.op == nodes::dequantize;
    if (input.codes.has_value() == fromFloat) {
        return bad(fromFloat ? "its input carries codes" : "its input carries no codes");
    }
    if (output.codes.has_value() == toFloat) {
        return bad(toFloat ? "its output carries codes" : "its output carries no codes");
    }
    if (node.op == nodes::fakeQuant &&
        (node.gridAttribute(nodes::grid) == nullptr || output.liesOn != *node.gridAttribute(nodes::grid))) {
        return bad("its output does not lie on its grid");
    }
    if (node.op == nodes::clamp && (node.attribute(nodes::lo) == nullptr || node.attribute(nodes::hi) == nullptr)) {
        return bad("lo or hi is missing");
    }
    if (node.op == nodes::table && node.tensorAttribute(nodes::tableEntries) == nullptr) {
        return bad("the table is missing");
    }
    return {};
}

} // namespace

Result<void> verify(const Graph& graph)
{
    std::unordered_set<std::string_view> names;
    names.reserve(graph.valueCapacity());
    const std::unordered_set<ValueId> captured(graph.captured().begin(), graph.captured().end());
    for (const ValueId id : graph.values()) {
        const Value& value = graph.value(id);
        if (value.name.empty() || !names.insert(value.name).second) {
            return invalid("value-name", value.name.empty() ? "a value has no name" : "two values have this name", {},
                           value.name);
        }
        if (graph.producer(id).valid() && (value.isConstant() || graph.isInput(id))) {
            return invalid("two-sources", "a constant or graph input is also produced by a node",
                           graph.node(graph.producer(id)).name, value.name);
        }
        TRY(verifyValue(value));
    }
    std::vector<bool> seen(graph.nodeCapacity(), false);
    for (const NodeId id : graph.order()) {
        if (!graph.contains(id)) {
            return invalid("dead-node", "the order names a removed node", {}, {});
        }
        const Node& node = graph.node(id);
        seen[id.index] = true;
        const auto readable = [&](ValueId read) {
            return !read.valid() ||
                   (graph.contains(read) && (!graph.producer(read).valid() || seen[graph.producer(read).index]));
        };
        for (const ValueId input : node.inputs) {
            if (!readable(input)) {
                return invalid("order", "an input is removed or made by a later node",
                               node.name.empty() ? node.op : node.name, {});
            }
            if (input.valid() && !graph.producer(input).valid() && !graph.value(input).isConstant() &&
                !graph.isInput(input) && !captured.contains(input)) {
                return invalid("no-source", "an input is neither made by a node nor a constant or graph input",
                               node.name.empty() ? node.op : node.name, graph.value(input).name);
            }
        }
        for (const Capture& capture : node.captures) {
            if (!readable(capture.outer)) {
                return invalid("order", "a captured value is removed or made by a later node", node.name, {});
            }
        }
        if (node.domain == nodes::domain) {
            TRY(verifyCreaseNode(graph, node));
        }
    }
    for (const ValueId id : graph.outputs()) {
        if (!graph.contains(id)) {
            return invalid("output", "a graph output was removed", {}, {});
        }
    }
    return {};
}

} // namespace crease
