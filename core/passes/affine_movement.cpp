// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/affine_movement.h"

#include "core/passes/axis_map.h"
#include "core/passes/constants.h"
#include "core/passes/match.h"
#include "core/passes/quantized_data.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace crease {

namespace {

bool isBinary(const Node& node)
{
    static constexpr std::array ops{"Add", "Sub", "Mul", "Div"};
    return node.domain.empty() && node.inputs.size() == 2 && std::ranges::find(ops, node.op) != ops.end();
}

bool isMovement(const Node& node)
{
    static constexpr std::array ops{"Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze"};
    return node.domain.empty() && std::ranges::find(ops, node.op) != ops.end();
}

bool hasOneReader(const Graph& graph, ValueId value)
{
    return graph.fanOut(value) == 1 && !graph.isOutput(value);
}

/// The axis of the output channels in a value that a linear op with a quantized weight makes, through data movement.
std::optional<int> channelAxis(const Graph& graph, ValueId value, int depth = 0)
{
    const NodeId producer = graph.producer(value);
    const std::optional<Shape>& shape = graph.value(value).shape;
    if (!producer.valid() || !shape || depth > 8 || !hasOneReader(graph, value)) {
        return std::nullopt;
    }
    const Node& node = graph.node(producer);
    if (isLinearOp(node)) {
        if (!quantizedConstant(graph, node.input(1)) || !comesFromQuantizer(graph, node.input(0)) ||
            shape->size() < 2) {
            return std::nullopt;
        }
        return node.is("MatMul") ? static_cast<int>(shape->size()) - 1 : 1;
    }
    if (!isMovement(node) || !graph.value(node.input(0)).shape) {
        return std::nullopt;
    }
    const std::optional<int> before = channelAxis(graph, node.input(0), depth + 1);
    return before ? movedAxis(node, *graph.value(node.input(0)).shape, *shape, *before) : std::nullopt;
}

/// The constant with its elements along `axis` of `rank` dimensions, if they are along `from` of `fromRank` now.
std::optional<Tensor> turned(const Tensor& constant, int from, std::size_t fromRank, int axis, std::size_t rank)
{
    if (constant.rank() > fromRank) {
        return std::nullopt;
    }
    if (constant.size() == 1) {
        return constant.reshaped({});
    }
    for (std::size_t i = 0; i < constant.rank(); ++i) {
        const auto place = static_cast<int>(i + fromRank - constant.rank());
        if (constant.dims()[i] != 1 && place != from) {
            return std::nullopt;
        }
    }
    Dims dims(rank - static_cast<std::size_t>(axis), 1);
    dims[0] = static_cast<std::int64_t>(constant.size());
    return constant.reshaped(std::move(dims));
}

} // namespace

Outcome affineBeforeMovement(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    const bool isNorm = node.is("BatchNormalization");
    if (!isNorm && !isBinary(node)) {
        return NoMatch{};
    }
    const std::size_t slot = isNorm || (node.input(0).valid() && graph.producer(node.input(0)).valid()) ? 0 : 1;
    const ValueId moved = node.input(slot);
    const NodeId movementId = moved.valid() ? graph.producer(moved) : NodeId{};
    if (!movementId.valid() || !isMovement(graph.node(movementId)) || node.outputs.size() != 1) {
        return NoMatch{};
    }
    const Node& movement = graph.node(movementId);
    const std::optional<int> after = channelAxis(graph, moved);
    const std::optional<int> before = after ? channelAxis(graph, movement.input(0)) : std::nullopt;
    if (!before) {
        return NoMatch{};
    }
    const Value& source = graph.value(movement.input(0));
    const std::vector<Role> roles{{id, isNorm ? "norm" : "affine"}, {movementId, "movement"}};
    Patch patch(graph, id);
    Node first = node;
    first.inputs[slot] = movement.input(0);
    first.outputs.clear();
    if (isNorm) {
        if (*after != 1 || *before != 1) {
            return Miss{"norm-axis",
                        fmt::format("it normalises axis 1, the output channels are axis {} before the {}", *before,
                                    movement.op),
                        id, roles};
        }
    } else {
        const Value& other = graph.value(node.input(1 - slot));
        const std::size_t rank = source.shape->size();
        const std::optional<Tensor> constant =
            other.isConstant() && !other.codes
                ? turned(other.constant, *after, graph.value(moved).shape->size(), *before, rank)
                : std::nullopt;
        if (!constant) {
            return other.isConstant() ? Outcome(Miss{"not-per-channel",
                                                     fmt::format("'{}' varies along another axis than that of the "
                                                                 "output channels",
                                                                 other.name),
                                                     id, roles})
                                      : Outcome(NoMatch{});
        }
        first.inputs[1 - slot] = patch.addConstant(*constant, other.name);
    }
    Value value = floatLike(source);
    value.type = graph.value(node.output()).type;
    value.name = graph.value(node.output()).name + "/unmoved";
    Node last = movement;
    last.inputs[0] = patch.addNode(std::move(first), std::move(value));
    last.outputs = node.outputs;
    patch.setNode(id, std::move(last));
    for (const Role& role : roles) {
        patch.role(role.node, role.name);
    }
    patch.explain(fmt::format("{} acts on each output channel alike before and after the {}", node.op, movement.op));
    return patch;
}

} // namespace crease
