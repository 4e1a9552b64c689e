// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/split_concat.h"

#include "core/passes/codes.h"
#include "core/passes/constants.h"
#include "core/passes/match.h"
#include "core/passes/quantized_data.h"

#include <algorithm>
#include <fmt/format.h>

namespace crease {

namespace {

/// Neighbouring inputs of the Concat on one grid, and their indices along its axis.
struct Part {
    std::vector<ValueId> inputs;
    std::int64_t start = 0;
    std::int64_t length = 0;
};

/// Along which axis of the data, and of the weight, the linear op sums.
struct SumAxes {
    std::int64_t data = 0;
    std::size_t weight = 0;
};

std::optional<SumAxes> sumAxes(const Node& node, std::size_t dataRank, std::size_t weightRank)
{
    if (node.is("Conv") && node.intAttribute("group", 1) == 1) {
        return SumAxes{1, 1};
    }
    if (node.is("ConvTranspose") && node.intAttribute("group", 1) == 1) {
        return SumAxes{1, 0};
    }
    if (node.is("Gemm") && node.intAttribute("transA", 0) == 0) {
        return SumAxes{1, node.intAttribute("transB", 0) != 0 ? std::size_t{1} : std::size_t{0}};
    }
    if (node.is("MatMul") && weightRank == 2) {
        return SumAxes{static_cast<std::int64_t>(dataRank) - 1, 0};
    }
    return std::nullopt;
}

/// The inputs of a Concat in order, those of a Concat among them along the same axis in its place.
void leavesOf(const Graph& graph, const Node& concat, std::size_t axis, std::vector<ValueId>& leaves)
{
    for (const ValueId input : concat.inputs) {
        const NodeId inner = leaves.size() < 1024 ? producerIs(graph, input, "Concat") : NodeId{};
        const std::optional<Shape>& shape = graph.value(input).shape;
        const bool sameAxis =
            inner.valid() && shape && tensorGrid(graph, input) == nullptr &&
            normalizedAxis(graph.node(inner).intAttribute("axis", 1), shape->size()) == static_cast<int>(axis);
        if (sameAxis) {
            leavesOf(graph, graph.node(inner), axis, leaves);
        } else {
            leaves.push_back(input);
        }
    }
}

std::optional<std::vector<Part>> partsOf(const Graph& graph, const Node& concat, std::size_t axis)
{
    std::vector<Part> parts;
    std::int64_t at = 0;
    const Grid* last = nullptr;
    std::vector<ValueId> leaves;
    leavesOf(graph, concat, axis, leaves);
    for (const ValueId input : leaves) {
        const Grid* grid = tensorGrid(graph, input);
        const std::optional<Shape>& shape = graph.value(input).shape;
        if (grid == nullptr || !shape || axis >= shape->size() || !(*shape)[axis].known()) {
            return std::nullopt;
        }
        if (last == nullptr || *last != *grid) {
            parts.push_back({{}, at, 0});
        }
        last = grid;
        parts.back().inputs.push_back(input);
        parts.back().length += (*shape)[axis].value;
        at += (*shape)[axis].value;
    }
    return parts;
}

Tensor slice(const Tensor& codes, std::size_t axis, std::int64_t start, std::int64_t length)
{
    Dims dims = codes.dims();
    std::size_t inner = 1;
    for (std::size_t i = axis + 1; i < dims.size(); ++i) {
        inner *= static_cast<std::size_t>(dims[i]);
    }
    const std::vector<std::int64_t> all = codes.toInts();
    const auto row = static_cast<std::size_t>(dims[axis]) * inner;
    std::vector<std::int64_t> part;
    for (std::size_t from = static_cast<std::size_t>(start) * inner; from < all.size(); from += row) {
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(from);
        part.insert(part.end(), first, first + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(length) * inner));
    }
    dims[axis] = length;
    return tensorOfInts(codes.type(), std::move(dims), part);
}

} // namespace

Outcome splitLinearOverConcat(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!isLinearOp(node) || !node.input(0).valid() || !node.output().valid()) {
        return NoMatch{};
    }
    const NodeId concatId = producerIs(graph, node.input(0), "Concat");
    const std::optional<QuantizedConstant> weight = quantizedConstant(graph, node.input(1));
    if (!concatId.valid() || !weight || tensorGrid(graph, node.input(0)) != nullptr ||
        !graph.value(node.input(0)).shape) {
        return NoMatch{};
    }
    const Node& concat = graph.node(concatId);
    const std::size_t rank = graph.value(node.input(0)).shape->size();
    const std::optional<SumAxes> axes = sumAxes(node, rank, weight->codes.rank());
    const std::optional<int> axis = normalizedAxis(concat.intAttribute("axis", 1), rank);
    const std::vector<Role> roles{{id, "linear"}, {concatId, "movement"}, {weight->dequantize, "weight"}};
    if (!axes || !axis || *axis != axes->data ||
        (!weight->grid.isPerTensor() && *weight->grid.axis == static_cast<int>(axes->weight))) {
        return Miss{"concat-of-grids",
                    fmt::format("{} reads a Concat of different grids that is not along the axis it sums over",
                                labelOf(graph, id)),
                    concatId, roles};
    }
    const std::optional<std::vector<Part>> parts = partsOf(graph, concat, static_cast<std::size_t>(*axis));
    if (!parts || parts->size() < 2 ||
        parts->back().start + parts->back().length != weight->codes.dims()[axes->weight]) {
        return NoMatch{};
    }
    Patch patch(graph, id);
    ValueId sum;
    for (std::size_t i = 0; i < parts->size(); ++i) {
        const Part& part = (*parts)[i];
        ValueId data = part.inputs.front();
        if (part.inputs.size() > 1) {
            Node join = concat;
            join.inputs = part.inputs;
            join.outputs.clear();
            Value joined = floatLike(graph.value(node.input(0)));
            joined.liesOn = *tensorGrid(graph, data);
            (*joined.shape)[static_cast<std::size_t>(*axis)] = Dim{part.length, {}};
            data = patch.addNode(std::move(join), std::move(joined));
        }
        Value codes;
        codes.name = graph.value(weight->codesValue).name;
        codes.type = weight->grid.storage;
        codes.codes = weight->grid;
        codes.constant = slice(weight->codes, axes->weight, part.start, part.length);
        codes.shape = shapeOf(codes.constant.dims());
        Node dequantize = graph.node(weight->dequantize);
        Value real = graph.value(node.input(1));
        real.shape = codes.shape;
        dequantize.inputs = {patch.addValue(std::move(codes))};
        dequantize.outputs.clear();
        Node linear = node;
        linear.inputs[0] = data;
        linear.inputs[1] = patch.addNode(std::move(dequantize), std::move(real));
        linear.outputs.clear();
        if (i > 0) {
            linear.inputs.resize(2);
            linear.attributes.erase(std::string(nodes::bias));
        }
        Value product = floatLike(graph.value(node.output()));
        product.name = graph.value(node.output()).name + "/part";
        const ValueId made = patch.addNode(std::move(linear), std::move(product));
        if (i == 0) {
            sum = made;
            continue;
        }
        Node add{.op = "Add", .inputs = {sum, made}, .version = node.version};
        if (i + 1 == parts->size()) {
            add.outputs = node.outputs;
            patch.setNode(id, std::move(add));
        } else {
            Value partial = floatLike(graph.value(node.output()));
            partial.name = graph.value(node.output()).name + "/sum";
            sum = patch.addNode(std::move(add), std::move(partial));
        }
    }
    for (const Role& role : roles) {
        patch.role(role.node, role.name);
    }
    patch.explain(fmt::format("{} sums over a Concat of {} grids: one {} for each, and their sum", labelOf(graph, id),
                              parts->size(), node.op));
    return patch;
}

} // namespace crease
