// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/samples/input_grid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>
#include <vector>

namespace crease {

namespace {

/// Ops that read codes in slot 0, their scale in slot 1 and their zero point in slot 2.
bool readsCodes(const Node& node)
{
    return node.op == "DequantizeLinear" || node.op == "QGemm" ||
           (node.op.starts_with("QLinear") && node.op != "QLinearConcat" && node.op != "QLinearWhere");
}

std::optional<Grid> gridOfReader(const Graph& graph, const Node& node, ElementType type)
{
    const Tensor scale = constantOf(graph, node.input(1));
    const Tensor zero = constantOf(graph, node.input(2));
    if (!scale.valid() || !isFloat(scale.type()) || scale.size() != 1 || (node.input(2).valid() && zero.size() != 1) ||
        !std::isfinite(scale.asDouble(0)) || !(scale.asDouble(0) > 0.0)) {
        return std::nullopt;
    }
    return Grid{{scale.asDouble(0)}, {zero.valid() ? zero.asInt(0) : 0}, std::nullopt, type, lowest(type),
                highest(type)};
}

} // namespace

Tensor constantOf(const Graph& graph, ValueId id)
{
    for (int step = 0; step < 16 && id.valid(); ++step) {
        const Value& value = graph.value(id);
        if (value.isConstant()) {
            return value.constant;
        }
        const NodeId producer = graph.producer(id);
        if (!producer.valid()) {
            return {};
        }
        const Node& node = graph.node(producer);
        if (node.is("Constant")) {
            const Tensor* tensor = node.tensorAttribute("value");
            return tensor != nullptr ? *tensor : Tensor{};
        }
        if (!node.is("Identity") && !node.is("Cast")) {
            return {};
        }
        id = node.input(0);
    }
    return {};
}

bool movesElements(const Node& node)
{
    static constexpr std::array<std::string_view, 12> movement{"Identity", "Transpose",    "Reshape",      "Flatten",
                                                               "Squeeze",  "Unsqueeze",    "Expand",       "Slice",
                                                               "Split",    "DepthToSpace", "SpaceToDepth", "Dropout"};
    return node.domain.empty() && std::ranges::find(movement, node.op) != movement.end();
}

std::optional<Grid> inputGrid(const Graph& graph, ValueId input)
{
    const Value& value = graph.value(input);
    if (!isInteger(value.type)) {
        return std::nullopt;
    }
    if (value.codes) {
        return value.codes->axis ? std::nullopt : value.codes;
    }
    std::optional<Grid> grid;
    std::vector<ValueId> waiting{input};
    for (std::size_t at = 0; at < waiting.size() && at < 64; ++at) {
        for (const Use& use : graph.uses(waiting[at])) {
            if (use.slot == Use::captured || use.slot != 0) {
                return std::nullopt;
            }
            const Node& node = graph.node(use.node);
            if (movesElements(node)) {
                std::ranges::copy_if(node.outputs, std::back_inserter(waiting), &ValueId::valid);
                continue;
            }
            const auto found = readsCodes(node) ? gridOfReader(graph, node, value.type) : std::nullopt;
            if (!found || (grid && !(*grid == *found))) {
                return std::nullopt;
            }
            grid = found;
        }
    }
    return grid;
}

} // namespace crease
