// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/integer_nodes.h"
#include "core/passes/canonicalise_rules.h"
#include "core/passes/match.h"

#include <fmt/format.h>

namespace crease {

namespace {

bool onCodes(const Graph& graph, const Node& node)
{
    return node.input(0).valid() && graph.value(node.input(0)).codes.has_value();
}

/// Whether C is the same for every row of the M x N output: scalar, [1], [N], [1, N] or [1, 1].
bool isRow(const Graph& graph, ValueId c)
{
    const std::optional<Shape>& shape = graph.value(c).shape;
    if (!shape) {
        return false;
    }
    return shape->size() < 2 || (shape->size() == 2 && (*shape)[0].known() && (*shape)[0].value == 1);
}

Value likeOutput(const Graph& graph, const Node& node, std::string_view suffix)
{
    Value value = floatLike(graph.value(node.output()));
    value.name = graph.value(node.output()).name + std::string(suffix);
    return value;
}

Tensor scalarOf(ElementType type, double value)
{
    const std::vector<double> one{value};
    return tensorOfDoubles(isFloat(type) ? type : ElementType::Float32, {}, one);
}

/// The tensor times a factor where every product is a number of its own type.
std::optional<Tensor> exactlyScaled(const Tensor& tensor, double factor)
{
    std::vector<double> values = tensor.toDoubles();
    for (double& value : values) {
        value *= factor;
    }
    Tensor scaled = tensorOfDoubles(tensor.type(), tensor.dims(), values);
    return scaled.toDoubles() == values ? std::optional(std::move(scaled)) : std::nullopt;
}

} // namespace

bool isConstantOrQuantized(const Graph& graph, ValueId value)
{
    if (!value.valid() || graph.value(value).isConstant()) {
        return value.valid();
    }
    const NodeId producer = graph.producer(value);
    if (!producer.valid()) {
        return false;
    }
    const Node& node = graph.node(producer);
    return (isCrease(node, nodes::fakeQuant) || isCrease(node, nodes::dequantize)) &&
           graph.value(node.input(0)).isConstant();
}

Outcome gemmTranspose(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!node.is("Gemm") || node.intAttribute("transA", 0) == 0 || onCodes(graph, node)) {
        return NoMatch{};
    }
    const Value& data = graph.value(node.input(0));
    Patch patch(graph, id);
    Node transpose{.op = "Transpose", .inputs = {node.input(0)}};
    transpose.attributes["perm"] = std::vector<std::int64_t>{1, 0};
    Value turned = floatLike(data);
    turned.name = data.name + "/transposed";
    if (data.shape && data.shape->size() == 2) {
        turned.shape = Shape{(*data.shape)[1], (*data.shape)[0]};
    } else {
        turned.shape.reset();
    }
    transpose.version = node.version;
    Node changed = node;
    changed.inputs[0] = patch.addNode(std::move(transpose), std::move(turned));
    changed.attributes["transA"] = std::int64_t{0};
    patch.setNode(id, std::move(changed));
    patch.role(id, "linear");
    patch.explain("transA is a Transpose before the Gemm");
    return patch;
}

Outcome gemmAddend(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!node.is("Gemm") || !node.input(2).valid() || onCodes(graph, node)) {
        return NoMatch{};
    }
    const ValueId c = node.input(2);
    if (isConstantOrQuantized(graph, c) && isRow(graph, c)) {
        return NoMatch{};
    }
    const double beta = node.floatAttribute("beta", 1.0);
    Patch patch(graph, id);
    Node product = node;
    product.inputs.resize(2);
    product.attributes.erase("beta");
    product.outputs.clear();
    const ValueId result = patch.addNode(std::move(product), likeOutput(graph, node, "/product"));
    ValueId addend = c;
    if (beta != 1.0 && graph.value(c).isConstant()) {
        const std::optional<Tensor> scaled = exactlyScaled(graph.value(c).constant, beta);
        if (!scaled) {
            return Miss{"beta-rounds",
                        fmt::format("beta {} times C '{}' is no float32, and C is no row", beta, graph.value(c).name),
                        id,
                        {{id, "linear"}}};
        }
        addend = patch.addConstant(*scaled, graph.value(c).name + "/scaled");
    } else if (beta != 1.0) {
        Value scaled = floatLike(graph.value(c));
        scaled.name = graph.value(c).name + "/scaled";
        Node mul{.op = "Mul",
                 .inputs = {c, patch.addConstant(scalarOf(graph.value(c).type, beta), graph.value(c).name + "/beta")}};
        mul.version = node.version;
        addend = patch.addNode(std::move(mul), std::move(scaled));
    }
    Node add{.op = "Add", .inputs = {result, addend}, .outputs = node.outputs};
    add.version = node.version;
    patch.setNode(id, std::move(add));
    patch.role(id, "linear");
    patch.explain(fmt::format("C '{}' is no constant row: it is added behind the product", graph.value(c).name));
    return patch;
}

Outcome gemmAlpha(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    const double alpha = node.floatAttribute("alpha", 1.0);
    if (!node.is("Gemm") || alpha == 1.0 || onCodes(graph, node) || node.input(2).valid() ||
        isConstantOrQuantized(graph, node.input(1))) {
        return NoMatch{};
    }
    Patch patch(graph, id);
    Node product = node;
    product.attributes.erase("alpha");
    product.outputs.clear();
    const ValueId result = patch.addNode(std::move(product), likeOutput(graph, node, "/product"));
    const ValueId factor =
        patch.addConstant(scalarOf(graph.value(node.output()).type, alpha), graph.value(node.output()).name + "/alpha");
    Node mul{.op = "Mul", .inputs = {result, factor}, .outputs = node.outputs};
    mul.version = node.version;
    patch.setNode(id, std::move(mul));
    patch.role(id, "linear");
    patch.explain(fmt::format("alpha {} is a Mul behind the product", alpha));
    return patch;
}

Outcome convBias(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if ((!node.is("Conv") && !node.is("ConvTranspose")) || !node.input(2).valid() || onCodes(graph, node) ||
        isConstantOrQuantized(graph, node.input(2))) {
        return NoMatch{};
    }
    const std::optional<Shape>& shape = graph.value(node.input(0)).shape;
    if (!shape || shape->size() < 3) {
        return Miss{"unknown-rank", "its bias depends on data and the rank of its data is not known", id};
    }
    const ValueId bias = node.input(2);
    Patch patch(graph, id);
    Node product = node;
    product.inputs.resize(2);
    product.outputs.clear();
    const ValueId result = patch.addNode(std::move(product), likeOutput(graph, node, "/product"));
    std::vector<std::int64_t> dims(shape->size() - 1, 1);
    dims[0] = -1;
    Node reshape{
        .op = "Reshape",
        .inputs = {bias, patch.addConstant(Tensor::of<std::int64_t>({static_cast<std::int64_t>(dims.size())}, dims),
                                           graph.value(bias).name + "/shape")}};
    reshape.version = node.version;
    Value column = floatLike(graph.value(bias));
    column.name = graph.value(bias).name + "/column";
    column.shape.reset();
    if (graph.value(bias).shape && graph.value(bias).shape->size() == 1) {
        column.shape = Shape(dims.size(), Dim{1, {}});
        column.shape->front() = graph.value(bias).shape->front();
    }
    const ValueId reshaped = patch.addNode(std::move(reshape), std::move(column));
    Node add{.op = "Add", .inputs = {result, reshaped}, .outputs = node.outputs};
    add.version = node.version;
    patch.setNode(id, std::move(add));
    patch.role(id, "linear");
    patch.explain(fmt::format("the bias '{}' depends on data: it is added behind the product", graph.value(bias).name));
    return patch;
}

} // namespace crease
