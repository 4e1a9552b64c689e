// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/match.h"

#include "core/exec/arithmetic.h"
#include "core/ops/op_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace crease {

namespace {

constexpr std::array movements{"Reshape", "Flatten",        "Transpose",    "Squeeze",      "Unsqueeze", "Slice",
                               "Expand",  "Tile",           "DepthToSpace", "SpaceToDepth", "Split",     "Identity",
                               "Gather",  "GatherElements", "GatherND",     "Concat"};
constexpr std::array reducers{"MaxPool", "GlobalMaxPool", "ReduceMax", "ReduceMin"};

bool among(const auto& list, const Node& node)
{
    return node.domain.empty() && std::ranges::find(list, node.op) != list.end();
}

bool isNearest(const Node& node)
{
    return node.is("Resize") && node.stringAttribute("mode", "nearest") == "nearest" &&
           node.stringAttribute("coordinate_transformation_mode", "half_pixel") != "tf_crop_and_resize";
}

std::optional<double> padValue(const Graph& graph, const Node& node)
{
    return node.input(2).valid() ? scalarConstant(graph, node.input(2)) : std::optional<double>(0.0);
}

} // namespace

NodeId producerIs(const Graph& graph, ValueId value, std::string_view op, std::string_view domain)
{
    if (!value.valid()) {
        return {};
    }
    const NodeId id = graph.producer(value);
    return id.valid() && graph.node(id).is(op, domain) ? id : NodeId{};
}

bool isCrease(const Node& node, std::string_view op)
{
    return node.is(op, nodes::domain);
}

const Grid* tensorGrid(const Graph& graph, ValueId value)
{
    if (!value.valid() || !graph.value(value).liesOn) {
        return nullptr;
    }
    const Grid& grid = *graph.value(value).liesOn;
    return grid.isPerTensor() && bitWidth(grid.storage) <= 16 ? &grid : nullptr;
}

ValueId codesBehind(const Graph& graph, ValueId value)
{
    const NodeId id = producerIs(graph, value, nodes::dequantize, nodes::domain);
    if (!id.valid() || graph.node(id).attribute(nodes::bias) != nullptr) {
        return {};
    }
    return graph.node(id).inputs[0];
}

std::optional<double> scalarConstant(const Graph& graph, ValueId value)
{
    if (!value.valid()) {
        return std::nullopt;
    }
    const Value& content = graph.value(value);
    if (content.isConstant() && content.constant.size() == 1 && !content.codes &&
        (isFloat(content.type) || isInteger(content.type))) {
        return content.constant.asDouble(0);
    }
    const ValueId codes = codesBehind(graph, value);
    if (codes.valid() && graph.value(codes).isConstant() && graph.value(codes).constant.size() == 1) {
        const Grid& grid = *graph.value(codes).codes;
        return grid.scale() * static_cast<double>(graph.value(codes).constant.asInt(0) - grid.zeroPoint());
    }
    return std::nullopt;
}

std::vector<std::size_t> pickedInputs(const Graph& graph, const Node& node)
{
    if (among(movements, node) || among(reducers, node) || isNearest(node)) {
        if (node.is("Concat")) {
            std::vector<std::size_t> all(node.inputs.size());
            for (std::size_t i = 0; i < all.size(); ++i) {
                all[i] = i;
            }
            return all;
        }
        return {0};
    }
    if (node.is("Pad") && (node.stringAttribute("mode", "constant") != "constant" || padValue(graph, node))) {
        return {0};
    }
    if (node.is("Where")) {
        return {1, 2};
    }
    if (node.is("Max") || node.is("Min")) {
        std::vector<std::size_t> all(node.inputs.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i] = i;
        }
        return all;
    }
    return {};
}

bool commutesWithQuantizer(const Graph& graph, const Node& node)
{
    if (node.is("Pad")) {
        return node.stringAttribute("mode", "constant") != "constant" || padValue(graph, node) == 0.0;
    }
    const bool secondOutput = node.is("MaxPool") && node.output(1).valid();
    return !secondOutput && (among(movements, node) || among(reducers, node) || isNearest(node));
}

std::optional<ClampBounds> clampBounds(const Graph& graph, const Node& node)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (node.is("Relu")) {
        return ClampBounds{node.input(0), 0.0, infinity};
    }
    if (node.is("Clip")) {
        const auto bound = [&](std::size_t slot, double absent) {
            return node.input(slot).valid() ? scalarConstant(graph, node.input(slot)) : std::optional<double>(absent);
        };
        const auto low = bound(1, -infinity);
        const auto high = bound(2, infinity);
        if (!low || !high || std::isnan(*low) || std::isnan(*high)) {
            return std::nullopt;
        }
        return ClampBounds{node.input(0), std::min(*low, *high), *high};
    }
    if ((node.is("Max") || node.is("Min")) && node.inputs.size() == 2) {
        for (std::size_t slot : {std::size_t{0}, std::size_t{1}}) {
            const auto bound = scalarConstant(graph, node.input(slot));
            const Value& content = graph.value(node.input(slot));
            if (bound && !std::isnan(*bound) && content.shape && content.shape->empty()) {
                const ValueId data = node.input(1 - slot);
                return node.is("Max") ? ClampBounds{data, *bound, infinity} : ClampBounds{data, -infinity, *bound};
            }
        }
    }
    return std::nullopt;
}

std::int64_t codeOf(double real, const Grid& grid)
{
    return quantizeValue(real, grid.scale(), grid.zeroPoint(), grid.qmin, grid.qmax);
}

bool liesOnGrid(double real, const Grid& grid)
{
    return std::isfinite(real) && grid.scale() * static_cast<double>(codeOf(real, grid) - grid.zeroPoint()) == real;
}

CodeRange codeRange(const Node& node, const Grid& grid)
{
    return {std::max(grid.qmin, node.intAttribute(nodes::lo, grid.qmin)),
            std::min(grid.qmax, node.intAttribute(nodes::hi, grid.qmax))};
}

void setCodeRange(Node& node, CodeRange range, const Grid& grid)
{
    const auto set = [&](std::string_view key, std::int64_t value, std::int64_t limit) {
        if (value == limit) {
            node.attributes.erase(std::string(key));
        } else {
            node.attributes.insert_or_assign(std::string(key), value);
        }
    };
    set(nodes::lo, range.low, grid.qmin);
    set(nodes::hi, range.high, grid.qmax);
}

bool roundsHalfEven(const Node& node)
{
    return node.stringAttribute(nodes::rounding, "half_even") == "half_even" &&
           node.stringAttribute(nodes::order, "A") == "A" &&
           node.stringAttribute(nodes::divide, "division") == "division";
}

Value floatLike(const Value& value)
{
    Value result;
    result.type = value.codes ? ElementType::Float32 : value.type;
    result.shape = value.shape;
    return result;
}

Value codesLike(const Value& value, const Grid& grid)
{
    Value result;
    result.name = value.name + "/codes";
    result.type = grid.storage;
    result.shape = value.shape;
    result.codes = grid;
    return result;
}

std::string labelOf(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    const std::string& name = !node.name.empty()      ? node.name
                              : node.output().valid() ? graph.value(node.output()).name
                                                      : node.op;
    return fmt::format("{} '{}'", node.op, name);
}

} // namespace crease
