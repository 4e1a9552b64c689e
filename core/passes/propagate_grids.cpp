// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/propagate_grids.h"

#include "core/passes/match.h"
#include "core/passes/shape_of_quantized.h"
#include "core/passes/split_concat.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace crease {

namespace {

/// The one grid that every picked input lies on; constants count where they lie on it.
const Grid* commonGrid(const Graph& graph, const Node& node, const std::vector<std::size_t>& picked)
{
    const Grid* grid = nullptr;
    for (const std::size_t slot : picked) {
        const Grid* mine = tensorGrid(graph, node.input(slot));
        if (mine != nullptr && grid != nullptr && *mine != *grid) {
            return nullptr;
        }
        grid = mine != nullptr ? mine : grid;
    }
    if (grid == nullptr) {
        return nullptr;
    }
    for (const std::size_t slot : picked) {
        if (tensorGrid(graph, node.input(slot)) == nullptr) {
            const auto constant = scalarConstant(graph, node.input(slot));
            if (!constant || !liesOnGrid(*constant, *grid)) {
                return nullptr;
            }
        }
    }
    return grid;
}

/// Relu and Clip keep a value on its grid where their finite bounds are points of it.
const Grid* clampedGrid(const Graph& graph, const Node& node)
{
    const auto bounds = clampBounds(graph, node);
    const Grid* grid = bounds ? tensorGrid(graph, bounds->data) : nullptr;
    if (grid == nullptr) {
        return nullptr;
    }
    const auto fits = [&](double bound) { return std::isinf(bound) || liesOnGrid(bound, *grid); };
    return fits(bounds->low) && fits(bounds->high) ? grid : nullptr;
}

bool padStaysOnGrid(const Graph& graph, const Node& node, const Grid& grid)
{
    if (!node.is("Pad") || node.stringAttribute("mode", "constant") != "constant") {
        return true;
    }
    const auto value = node.input(2).valid() ? scalarConstant(graph, node.input(2)) : std::optional<double>(0.0);
    return value && liesOnGrid(*value, grid);
}

Outcome passGridOn(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (node.domain == nodes::domain || node.outputs.empty() || !node.outputs[0].valid()) {
        return NoMatch{};
    }
    const Grid* grid = clampedGrid(graph, node);
    if (grid == nullptr) {
        const std::vector<std::size_t> picked = pickedInputs(graph, node);
        grid = picked.empty() ? nullptr : commonGrid(graph, node, picked);
        if (grid == nullptr || !padStaysOnGrid(graph, node, *grid)) {
            return NoMatch{};
        }
    }
    const std::size_t outputs = node.is("Split") ? node.outputs.size() : 1;
    Patch patch(graph, id);
    bool news = false;
    for (std::size_t i = 0; i < outputs; ++i) {
        if (!node.outputs[i].valid() || graph.value(node.outputs[i]).liesOn == *grid) {
            continue;
        }
        Value output = graph.value(node.outputs[i]);
        output.liesOn = *grid;
        patch.setValue(node.outputs[i], std::move(output));
        news = true;
    }
    if (!news) {
        return NoMatch{};
    }
    patch.role(id, "movement");
    patch.explain(fmt::format("{} only moves or picks values, so its output lies on its input's grid {}", node.op,
                              toText(*grid)));
    return patch;
}

/// x lies on the quantizer's own grid, within its range: Q(DQ(q)) = q (L4).
Outcome dropIdentityQuantizer(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!isCrease(node, nodes::fakeQuant)) {
        return NoMatch{};
    }
    const Grid* from = tensorGrid(graph, node.inputs[0]);
    const Grid& to = *node.gridAttribute(nodes::grid);
    if (from == nullptr || !to.isPerTensor() || from->scale() != to.scale() || !roundsHalfEven(node)) {
        return NoMatch{};
    }
    const CodeRange range = codeRange(node, to);
    const std::int64_t shift = to.zeroPoint() - from->zeroPoint();
    if (from->qmin + shift < range.low || from->qmax + shift > range.high ||
        !replaceable(graph, node.outputs[0], node.inputs[0])) {
        return NoMatch{};
    }
    Patch patch(graph, id);
    patch.role(id, "quantizer");
    patch.replace(node.outputs[0], node.inputs[0]);
    patch.explain(fmt::format("its input already lies on {}", toText(to)));
    return patch;
}

bool isQuantizerOf(const Graph& graph, const Use& use, const Grid& grid, const Node& like)
{
    const Node& reader = graph.node(use.node);
    return isCrease(reader, nodes::fakeQuant) && *reader.gridAttribute(nodes::grid) == grid &&
           reader.attribute(nodes::lo) == nullptr && reader.attribute(nodes::hi) == nullptr &&
           reader.stringAttribute(nodes::rounding) == like.stringAttribute(nodes::rounding) &&
           reader.stringAttribute(nodes::order) == like.stringAttribute(nodes::order) &&
           reader.stringAttribute(nodes::divide) == like.stringAttribute(nodes::divide);
}

/// The value of a constant Pad, where it is no point of the grid: it is quantized with the tensor's own grid (L7).
std::optional<double> padValueOffGrid(const Graph& graph, const Node& node, const Grid& grid)
{
    if (!node.is("Pad") || node.stringAttribute("mode", "constant") != "constant" || !node.input(2).valid()) {
        return std::nullopt;
    }
    const auto value = scalarConstant(graph, node.input(2));
    return value && !std::isnan(*value) && !liesOnGrid(*value, grid) ? value : std::nullopt;
}

/// The point of the grid that a number is quantized to, as codes behind a Dequantize: exact, which a float32 is not.
ValueId pointOf(Patch& patch, const Graph& graph, double number, ValueId like, const Grid& grid)
{
    const std::array<std::int64_t, 1> code{codeOf(number, grid)};
    Value codes = codesLike(graph.value(like), grid);
    codes.shape = Shape{};
    codes.constant = tensorOfInts(grid.storage, {}, code);
    Node dequantize{.op = std::string(nodes::dequantize), .domain = std::string(nodes::domain)};
    dequantize.inputs = {patch.addValue(std::move(codes))};
    Value real;
    real.name = graph.value(like).name + "/quantized";
    real.type = graph.value(like).type;
    real.shape = Shape{};
    real.liesOn = grid;
    return patch.addNode(std::move(dequantize), std::move(real));
}

/// FakeQuant(move(x)) -> move(FakeQuant(x)), where x is not yet on a grid. Concat: only where an input is not on a
/// grid.
Outcome hoistQuantizer(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!isCrease(node, nodes::fakeQuant) || node.attribute(nodes::lo) != nullptr ||
        node.attribute(nodes::hi) != nullptr) {
        return NoMatch{};
    }
    const Grid& grid = *node.gridAttribute(nodes::grid);
    const NodeId moverId = graph.producer(node.inputs[0]);
    if (!grid.isPerTensor() || !moverId.valid()) {
        return NoMatch{};
    }
    const Node& mover = graph.node(moverId);
    const auto padValue = roundsHalfEven(node) ? padValueOffGrid(graph, mover, grid) : std::nullopt;
    if (!padValue && !commutesWithQuantizer(graph, mover)) {
        return NoMatch{};
    }
    if (mover.is("Split") && mover.outputs.size() != 1) {
        return NoMatch{};
    }
    const std::vector<std::size_t> picked = pickedInputs(graph, mover);
    const bool someFloat = std::ranges::any_of(picked, [&](std::size_t slot) {
        return tensorGrid(graph, mover.input(slot)) == nullptr && !graph.value(mover.input(slot)).isConstant();
    });
    if (!someFloat && !padValue) {
        return NoMatch{};
    }
    Miss others{
        "movement-read-elsewhere",
        fmt::format("{} is read as float by another node or is a graph output, so its quantizer cannot move before it",
                    labelOf(graph, moverId)),
        moverId,
        {{id, "quantizer"}, {moverId, "movement"}}};
    if (graph.isOutput(node.inputs[0])) {
        return others;
    }
    const auto uses = graph.uses(node.inputs[0]);
    if (!std::ranges::all_of(
            uses, [&](const Use& use) { return use.slot != Use::captured && isQuantizerOf(graph, use, grid, node); })) {
        return others;
    }
    Patch patch(graph, id);
    Node moved = mover;
    std::vector<std::pair<ValueId, ValueId>> done;
    for (const std::size_t slot : picked) {
        const ValueId input = mover.input(slot);
        const auto seen = std::ranges::find(done, input, &std::pair<ValueId, ValueId>::first);
        if (seen != done.end()) {
            moved.inputs[slot] = seen->second;
            continue;
        }
        if (const Grid* own = tensorGrid(graph, input); own != nullptr && *own == grid) {
            continue;
        }
        Node quantizer = node;
        quantizer.inputs = {input};
        quantizer.outputs.clear();
        quantizer.name.clear();
        Value output = floatLike(graph.value(input));
        output.name = graph.value(input).name + "/quantized";
        output.liesOn = grid;
        moved.inputs[slot] = patch.addNode(std::move(quantizer), std::move(output));
        done.emplace_back(input, moved.inputs[slot]);
    }
    if (padValue) {
        moved.inputs[2] = pointOf(patch, graph, *padValue, mover.inputs[2], grid);
    }
    moved.outputs.clear();
    Value output = floatLike(graph.value(node.outputs[0]));
    output.name = graph.value(node.outputs[0]).name + "/moved";
    output.liesOn = grid;
    const ValueId now = patch.addNode(std::move(moved), std::move(output));
    for (const Use& use : uses) {
        patch.replace(graph.node(use.node).outputs[0], now);
        patch.role(use.node, "quantizer");
    }
    patch.role(moverId, "movement");
    patch.explain(fmt::format(
        "quantizing commutes with {}, which only moves or picks values: the quantizer stands before it now", mover.op));
    return patch;
}

} // namespace

std::vector<Rule> propagateGridsRules()
{
    return {
        {"propagate-grids/pass-on", "L2, L3", Fidelity::X, passGridOn},
        {"propagate-grids/drop-identity", "L4", Fidelity::X, dropIdentityQuantizer},
        {"propagate-grids/hoist", "L2, L3", Fidelity::X, hoistQuantizer},
        {"propagate-grids/shape-of-quantized", "P28", Fidelity::X, shapeOfQuantized},
        {"propagate-grids/split-concat", "linearity", Fidelity::X, splitLinearOverConcat},
    };
}

Result<Stage> runPropagateGrids(const Graph& before, const PassContext& context, const Job& job)
{
    return applyRules(before, "propagate-grids", propagateGridsRules(), context.driver, job);
}

} // namespace crease
