// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fold_weights.h"

#include "core/exec/kernel.h"
#include "core/ops/op_table.h"
#include "core/passes/axis_map.h"
#include "core/passes/codes.h"
#include "core/passes/constants.h"
#include "core/passes/match.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace crease {

namespace {

void becomeCodes(const Graph& graph, NodeId id, Patch& patch, Tensor codes, const Grid& grid, std::string name)
{
    const Node& node = graph.node(id);
    Value constant;
    constant.name = std::move(name);
    constant.type = grid.storage;
    constant.shape = shapeOf(codes.dims());
    constant.codes = grid;
    Value output = graph.value(node.output());
    output.liesOn = grid;
    output.shape = constant.shape;
    constant.constant = std::move(codes);
    Node dequantize;
    dequantize.op = nodes::dequantize;
    dequantize.domain = nodes::domain;
    dequantize.name = node.name;
    dequantize.doc = node.doc;
    dequantize.metadata = node.metadata;
    dequantize.inputs = {patch.addValue(std::move(constant))};
    dequantize.outputs = {node.output()};
    patch.setNode(id, std::move(dequantize));
    patch.setValue(node.output(), std::move(output));
}

bool holdsNan(const Tensor& tensor)
{
    return std::ranges::any_of(tensor.toDoubles(), [](double value) { return std::isnan(value); });
}

/// FakeQuant(constant), or FakeQuant(Dequantize(constant codes)): the codes that it decides.
Outcome quantizeConstant(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!isCrease(node, nodes::fakeQuant)) {
        return NoMatch{};
    }
    const Value& source = graph.value(node.input(0));
    const Grid& grid = *node.gridAttribute(nodes::grid);
    Tensor codes;
    Patch patch(graph, id);
    if (source.isConstant()) {
        if (!isFloat(source.type)) {
            return NoMatch{};
        }
        if (holdsNan(source.constant)) {
            return Miss{"nan-weight", fmt::format("the constant '{}' holds a NaN", source.name), id};
        }
        if (grid.axis && static_cast<std::size_t>(*grid.axis) >= source.constant.rank()) {
            return Miss{"axis-out-of-range",
                        fmt::format("axis {} is out of range for rank {}", *grid.axis, source.constant.rank()), id};
        }
        codes = quantizedCodes(source.constant, node);
    } else if (const std::optional<QuantizedConstant> inner = quantizedConstant(graph, node.input(0))) {
        codes = quantizedCodes(dequantized(inner->codes, inner->grid), inner->codes.dims(), node);
        patch.role(inner->dequantize, "weight");
    } else {
        return NoMatch{};
    }
    becomeCodes(graph, id, patch, std::move(codes), grid, source.name + "/codes");
    patch.role(id, "quantizer");
    patch.explain(fmt::format("the codes of '{}' on {}", source.name, toText(grid)));
    return patch;
}

/// Data movement of constant codes is done here and now (P5).
Outcome moveCodes(const Graph& graph, NodeId id, const Job& job)
{
    const Node& node = graph.node(id);
    if (node.outputs.size() != 1 || !node.domain.empty() || node.is("Pad") ||
        foldingClass(node) != FoldingClass::Movement) {
        return NoMatch{};
    }
    const std::optional<QuantizedConstant> weight = quantizedConstant(graph, node.input(0));
    if (!weight) {
        return NoMatch{};
    }
    const auto miss = [&](std::string reason, std::string text) {
        return Miss{std::move(reason), std::move(text), id, {{weight->dequantize, "weight"}, {id, "movement"}}};
    };
    const auto width = byteWidth(weight->codes.type());
    const ElementType plain = width == 1 ? ElementType::Int8 : weight->codes.type();
    std::vector<Tensor> inputs{retyped(weight->codes, plain)};
    for (std::size_t slot = 1; slot < node.inputs.size(); ++slot) {
        if (!node.inputs[slot].valid()) {
            inputs.emplace_back();
            continue;
        }
        const Value& value = graph.value(node.inputs[slot]);
        if (!value.isConstant()) {
            return miss("dynamic-movement", fmt::format("{} of the weight depends on '{}'", node.op, value.name));
        }
        inputs.push_back(value.constant);
    }
    const Result<std::vector<Tensor>> moved = evaluateNode(graph, node, inputs, Precision::Float32, job);
    if (!moved || moved->size() != 1) {
        return miss("cannot-evaluate",
                    fmt::format("{} of {} codes is not evaluated here", node.op, longName(weight->codes.type())));
    }
    const Tensor codes = retyped(moved->front(), weight->codes.type());
    Grid grid = weight->grid;
    if (grid.axis) {
        grid.axis = movedAxis(node, shapeOf(weight->codes.dims()), shapeOf(codes.dims()), *grid.axis);
        if (!grid.axis) {
            return miss("axis-merged", fmt::format("{} from {} to {} merges or splits axis {} with its {} scales",
                                                   node.op, toText(weight->codes.dims()), toText(codes.dims()),
                                                   *weight->grid.axis, grid.scales.size()));
        }
    }
    Patch patch(graph, id);
    becomeCodes(graph, id, patch, codes, grid, graph.value(weight->codesValue).name);
    patch.role(weight->dequantize, "weight");
    patch.role(id, "movement");
    patch.explain(
        fmt::format("{} of constant codes, {} to {}", node.op, toText(weight->codes.dims()), toText(codes.dims())));
    return patch;
}

} // namespace

Result<Stage> runFoldWeights(const Graph& before, const PassContext& context, const Job& job)
{
    const std::array rules{
        Rule{"fold-weights/codes", "P4", Fidelity::X, quantizeConstant},
        Rule{"fold-weights/movement", "P5, L3", Fidelity::X,
             [&job](const Graph& graph, NodeId id) { return moveCodes(graph, id, job); }},
    };
    return applyRules(before, "fold-weights", rules, context.driver, job);
}

} // namespace crease
