// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/lower.h"
#include "core/passes/match.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace crease {

namespace {

/// The codes behind a float value on a narrow per-tensor grid.
ValueId narrowCodes(const Graph& graph, ValueId value)
{
    const ValueId codes = value.valid() ? codesBehind(graph, value) : ValueId{};
    return codes.valid() && graph.value(codes).codes->isPerTensor() && !graph.value(codes).codes->isWide() ? codes
                                                                                                           : ValueId{};
}

Node dequantizeNode(ValueId codes)
{
    return {.op = std::string(nodes::dequantize), .domain = std::string(nodes::domain), .inputs = {codes}};
}

/// A scalar constant as codes of the grid, in the shape of the float constant.
ValueId codedConstant(Patch& patch, const Graph& graph, ValueId constant, const Grid& grid)
{
    const Value& real = graph.value(constant);
    const double number = *scalarConstant(graph, constant);
    Value codes = codesLike(real, grid);
    const std::array<std::int64_t, 1> code{codeOf(number, grid)};
    const Dims dims = real.isConstant() ? real.constant.dims() : Dims{};
    codes.shape = shapeOf(dims);
    codes.constant = tensorOfInts(grid.storage, dims, code);
    return patch.addValue(std::move(codes));
}

/// move(Dequantize(q)) -> Dequantize(move(q)): the output lies on the same grid (L2, L3).
Outcome moveCodes(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    const std::vector<std::size_t> picked =
        node.domain.empty() ? pickedInputs(graph, node) : std::vector<std::size_t>{};
    if (picked.empty()) {
        return NoMatch{};
    }
    const Grid* grid = nullptr;
    for (const std::size_t slot : picked) {
        const ValueId codes = narrowCodes(graph, node.input(slot));
        if (codes.valid()) {
            const Grid& mine = *graph.value(codes).codes;
            if (grid != nullptr && *grid != mine) {
                return NoMatch{}; // different grids: one op with a rounding of its own (lower_arithmetic)
            }
            grid = grid == nullptr ? &mine : grid;
        }
    }
    if (grid == nullptr) {
        return NoMatch{};
    }
    Patch patch(graph, id);
    Node moved = node;
    for (const std::size_t slot : picked) {
        const ValueId codes = narrowCodes(graph, node.input(slot));
        if (codes.valid()) {
            moved.inputs[slot] = codes;
            continue;
        }
        const auto constant = node.input(slot).valid() ? scalarConstant(graph, node.input(slot)) : std::nullopt;
        if (!constant || !liesOnGrid(*constant, *grid)) {
            return NoMatch{};
        }
        moved.inputs[slot] = codedConstant(patch, graph, node.input(slot), *grid);
    }
    if (node.is("Pad") && node.stringAttribute("mode", "constant") == "constant" && node.input(2).valid()) {
        const auto value = scalarConstant(graph, node.input(2));
        if (!value || !liesOnGrid(*value, *grid)) {
            return Miss{"pad-off-grid",
                        fmt::format("{} pads with {}, which is no point of {}", labelOf(graph, id),
                                    value ? *value : 0.0, toText(*grid)),
                        id,
                        {{id, "movement"}}};
        }
        moved.inputs[2] = codedConstant(patch, graph, node.input(2), *grid);
    }
    moved.outputs.clear();
    const std::size_t outputs = node.is("Split") ? node.outputs.size() : 1;
    std::vector<ValueId> codesOut;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (!node.outputs[i].valid()) {
            moved.outputs.emplace_back();
            continue;
        }
        if (i < outputs) {
            moved.outputs.push_back(patch.addValue(codesLike(graph.value(node.outputs[i]), *grid)));
            codesOut.push_back(moved.outputs.back());
        } else { // MaxPool's indices
            moved.outputs.push_back(patch.addValue(graph.value(node.outputs[i])));
            patch.replace(node.outputs[i], moved.outputs.back());
        }
    }
    patch.addNode(std::move(moved));
    std::size_t next = 0;
    for (std::size_t i = 0; i < outputs; ++i) {
        if (node.outputs[i].valid()) {
            Value real = floatLike(graph.value(node.outputs[i]));
            real.liesOn = *grid;
            const ValueId codes = codesOut[next++];
            patch.replace(node.outputs[i], patch.addNode(dequantizeNode(codes), std::move(real)));
            patch.relate(node.outputs[i], codes, Relation::Codes);
        }
    }
    patch.role(id, "movement");
    patch.explain(fmt::format("{} moves or picks values, so it works on the codes as they are", node.op));
    return patch;
}

/// Relu or Clip between points of the grid: integer bounds (L9).
Outcome clampCodes(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    const auto bounds = node.domain.empty() ? clampBounds(graph, node) : std::nullopt;
    const ValueId codes = bounds ? narrowCodes(graph, bounds->data) : ValueId{};
    if (!codes.valid()) {
        return NoMatch{};
    }
    const Grid& grid = *graph.value(codes).codes;
    const auto fits = [&](double bound) { return std::isinf(bound) || liesOnGrid(bound, grid); };
    if (!fits(bounds->low) || !fits(bounds->high)) {
        return Miss{"clip-off-grid",
                    fmt::format("a bound of {} is no point of {}", labelOf(graph, id), toText(grid)),
                    id,
                    {{id, "activation"}}};
    }
    const auto code = [&](double bound) {
        return std::isinf(bound) ? (bound < 0 ? grid.qmin : grid.qmax) : codeOf(bound, grid);
    };
    Patch patch(graph, id);
    Node clamp{
        .op = std::string(nodes::clamp), .domain = std::string(nodes::domain), .name = node.name, .inputs = {codes}};
    clamp.attributes[std::string(nodes::lo)] = code(bounds->low);
    clamp.attributes[std::string(nodes::hi)] = code(bounds->high);
    const ValueId clamped = patch.addNode(std::move(clamp), codesLike(graph.value(node.outputs[0]), grid));
    Value real = floatLike(graph.value(node.outputs[0]));
    real.liesOn = grid;
    patch.replace(node.outputs[0], patch.addNode(dequantizeNode(clamped), std::move(real)));
    patch.relate(node.outputs[0], clamped, Relation::Codes);
    patch.role(id, "activation");
    patch.explain(fmt::format("{} is a clamp of codes to {} … {}", node.op, code(bounds->low), code(bounds->high)));
    return patch;
}

/// ArgMax, Shape ... read the codes: order and shape are the same (s > 0).
Outcome indexCodes(const Graph& graph, NodeId id)
{
    constexpr std::array ops{"ArgMax", "ArgMin", "Shape", "Size"};
    const Node& node = graph.node(id);
    if (!node.domain.empty() || std::ranges::find(ops, node.op) == ops.end()) {
        return NoMatch{};
    }
    const bool shapeOnly = node.is("Shape") || node.is("Size");
    const ValueId codes = shapeOnly ? codesBehind(graph, node.input(0)) : narrowCodes(graph, node.input(0));
    if (!codes.valid()) {
        return NoMatch{};
    }
    Patch patch(graph, id);
    Node reader = node;
    reader.inputs[0] = codes;
    patch.setNode(id, std::move(reader));
    patch.role(id, "index");
    patch.explain(fmt::format("{} gives the same on codes", node.op));
    return patch;
}

} // namespace

std::vector<Rule> lowerMovementRules()
{
    return {
        {"lower/movement", "L2, L3", Fidelity::X, moveCodes},
        {"lower/clamp", "L9", Fidelity::X, clampCodes},
        {"lower/index", "L2", Fidelity::X, indexCodes},
    };
}

} // namespace crease
