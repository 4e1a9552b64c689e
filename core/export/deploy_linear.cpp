// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/deploy_linear.h"

#include "core/export/deploy_border.h"
#include "core/export/deploy_float_form.h"
#include "core/ir/integer_nodes.h"
#include "core/passes/integer_linear.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace crease {

namespace {

constexpr std::int64_t onnxFloat = 1;

Attributes kernelAttributes(const Node& node)
{
    Attributes attributes;
    for (const std::string_view key : {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}) {
        if (const Attribute* attribute = node.attribute(key)) {
            attributes.insert_or_assign(std::string(key), *attribute);
        }
    }
    return attributes;
}

Tensor biasOf(const Graph& graph, const Node& node)
{
    const Tensor* codes = node.tensorAttribute(nodes::biasCodes);
    std::vector<std::int64_t> values = codes->toInts();
    const std::size_t channels = outputChannels(graph, node);
    if (values.size() == 1 && channels > 1) {
        values.resize(channels, values[0]);
    }
    return tensorOfInts(ElementType::Int32, {static_cast<std::int64_t>(values.size())}, values);
}

std::optional<std::size_t> rankOf(const Value& value)
{
    if (value.isConstant()) {
        return value.constant.rank();
    }
    return value.shape ? std::optional(value.shape->size()) : std::nullopt;
}

/// The operands as the kernel takes them: data, scale, zero point; weight, scale, zero point; output scale, zero point.
std::vector<ValueId> kernelInputs(Deployment& out, const Node& node, ValueId data)
{
    const GridConstants x = out.gridConstants(out.grid(node.inputs[0]));
    const GridConstants w = out.gridConstants(out.grid(node.inputs[1]));
    const GridConstants y = out.gridConstants(out.grid(node.output()));
    return {data, x.scale, x.zeroPoint, node.inputs[1], w.scale, w.zeroPoint, y.scale, y.zeroPoint};
}

void produceConv(Deployment& out, const Node& node)
{
    std::vector<ValueId> inputs = kernelInputs(out, node, node.inputs[0]);
    if (node.attribute(nodes::biasCodes)) {
        inputs.push_back(out.constant(biasOf(out.source(), node), out.sourceValue(node.output()).name + "_bias"));
    }
    Node conv = standardNode("QLinearConv", std::move(inputs));
    conv.attributes = kernelAttributes(node);
    conv.name = node.name;
    produceClamped(out, std::move(conv), node, node.output());
}

Node gemmNode(Deployment& out, const Node& node, ValueId data)
{
    std::vector<ValueId> inputs = kernelInputs(out, node, data);
    const bool bias = node.attribute(nodes::biasCodes) != nullptr;
    inputs.insert(inputs.begin() + 6,
                  bias ? out.constant(biasOf(out.source(), node), out.sourceValue(node.output()).name + "_bias")
                       : ValueId{});
    Node gemm = standardNode("QGemm", std::move(inputs), microsoft);
    gemm.attributes["transB"] = node.intAttribute("transB", 0);
    gemm.attributes["alpha"] = 1.0F;
    gemm.name = node.name;
    return gemm;
}

/// The shape of a MatMul's output as a value: what is known, with one -1 where that is enough, else computed.
ValueId outputShape(Deployment& out, const Node& node)
{
    const Shape& shape = *out.sourceValue(node.inputs[0]).shape;
    const std::int64_t columns = out.sourceValue(node.inputs[1]).constant.dims()[1];
    std::vector<std::int64_t> dims;
    std::size_t unknown = 0;
    bool zero = false;
    for (std::size_t i = 0; i + 1 < shape.size(); ++i) {
        unknown += shape[i].known() ? 0U : 1U;
        zero = zero || shape[i].value == 0;
        dims.push_back(shape[i].known() ? shape[i].value : -1);
    }
    const auto ints = [&](const std::vector<std::int64_t>& values, std::string_view name) {
        return out.constant(Tensor::of({static_cast<std::int64_t>(values.size())}, values), name);
    };
    if (unknown <= 1 && !zero) {
        dims.push_back(columns);
        return ints(dims, "matmul_shape");
    }
    const ValueId whole = out.add(standardNode("Shape", {node.inputs[0]}), "shape", ElementType::Int64);
    const ValueId leading = out.add(standardNode("Slice", {whole, ints({0}, "zero"), ints({-1}, "minus_one")}),
                                    "leading", ElementType::Int64);
    Node concat = standardNode("Concat", {leading, ints({columns}, "columns")});
    concat.attributes["axis"] = std::int64_t{0};
    return out.add(std::move(concat), "output_shape", ElementType::Int64);
}

/// [.., K] x [K, N] + bias: QGemm knows rank 2 only, so the leading dimensions are folded into one and back.
void produceReshapedGemm(Deployment& out, const Node& node)
{
    const std::int64_t taps = out.sourceValue(node.inputs[1]).constant.dims()[0];
    const ElementType type = out.sourceValue(node.output()).type;
    const ValueId flat = out.constant(Tensor::of({2}, std::vector<std::int64_t>{-1, taps}), "flat_shape");
    const ValueId data =
        out.add(standardNode("Reshape", {node.inputs[0], flat}), "flat", out.sourceValue(node.inputs[0]).type);
    const ValueId result = out.add(gemmNode(out, node, data), "rows", type);
    produceClamped(out, standardNode("Reshape", {result, outputShape(out, node)}), node, node.output());
}

/// The weight with two last axes swapped, for kernels without transB.
ValueId transposedWeight(Deployment& out, ValueId weight)
{
    const Value& value = out.sourceValue(weight);
    if (!value.isConstant()) {
        Node transpose = standardNode("Transpose", {weight});
        transpose.attributes["perm"] = std::vector<std::int64_t>{1, 0};
        return out.add(std::move(transpose), "transposed", value.type);
    }
    const auto rows = static_cast<std::size_t>(value.constant.dims()[0]);
    const auto columns = static_cast<std::size_t>(value.constant.dims()[1]);
    const std::vector<std::int64_t> codes = value.constant.toInts();
    std::vector<std::int64_t> turned(codes.size());
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
            turned[column * rows + row] = codes[row * columns + column];
        }
    }
    return out.constant(tensorOfInts(value.type, {value.constant.dims()[1], value.constant.dims()[0]}, turned),
                        value.name + "_transposed");
}

/// A weight whose channels have different zero points (ConvInteger takes one): its reals as the sum of two int8
/// tensors.
std::optional<std::array<Tensor, 2>> splitWeight(const Graph& graph, const Node& node)
{
    const Value& weight = graph.value(node.inputs[1]);
    const WeightChannels map(graph, node);
    std::vector<std::int64_t> low = weight.constant.toInts();
    std::vector<std::int64_t> rest(low.size(), 0);
    bool any = false;
    for (std::size_t i = 0; i < low.size(); ++i) {
        const std::int64_t real = low[i] - weight.codes->zeroPoint(map.channelOf(i));
        low[i] = std::clamp<std::int64_t>(real, -128, 127);
        rest[i] = real - low[i];
        any = any || rest[i] != 0;
        if (rest[i] < -128 || rest[i] > 127) {
            return std::nullopt;
        }
    }
    const Dims& dims = weight.constant.dims();
    return std::array{tensorOfInts(ElementType::Int8, dims, low),
                      any ? tensorOfInts(ElementType::Int8, dims, rest) : Tensor()};
}

ValueId zeroPointOf(Deployment& out, const Grid& grid, bool scalar)
{
    Grid one = grid;
    if (scalar) {
        one.zeroPoints.resize(1);
        one.scales.resize(1);
        one.axis.reset();
    }
    return out.gridConstants(one).zeroPoint;
}

bool hasOneZeroPoint(const Grid& grid)
{
    return std::ranges::all_of(grid.zeroPoints, [&](std::int64_t zero) { return zero == grid.zeroPoints.front(); });
}

/// Whether ConvInteger can sum the products: with one zero point, or as a pair of int8 weights.
bool convIntegerTakes(const Graph& graph, const Node& node)
{
    const Value& weight = graph.value(node.inputs[1]);
    return hasOneZeroPoint(*weight.codes) || (weight.isConstant() && splitWeight(graph, node).has_value());
}

void produceConvInteger(Deployment& out, const Node& node)
{
    const Grid& weight = out.grid(node.inputs[1]);
    const ValueId x = zeroPointOf(out, out.grid(node.inputs[0]), true);
    const auto conv = [&](ValueId codes, ValueId zero) {
        Node op = standardNode("ConvInteger", {node.inputs[0], codes, x, zero});
        op.attributes = kernelAttributes(node);
        return op;
    };
    if (hasOneZeroPoint(weight)) {
        Node op = conv(node.inputs[1], zeroPointOf(out, weight, true));
        op.name = node.name;
        out.produce(std::move(op), node.output());
        return;
    }
    const auto parts = *splitWeight(out.source(), node);
    const std::string& name = out.sourceValue(node.inputs[1]).name;
    const ValueId zero = out.constant(tensorOfInts(ElementType::Int8, {}, std::array{std::int64_t{0}}), "zero");
    const ValueId first = out.constant(parts[0], name + "_int8");
    if (!parts[1]) {
        out.produce(conv(first, zero), node.output());
        return;
    }
    const auto& shape = out.sourceValue(node.output()).shape;
    const ValueId low = out.add(conv(first, zero), "low", ElementType::Int32, shape);
    const ValueId rest = out.constant(parts[1], name + "_rest");
    const ValueId high = out.add(conv(rest, zero), "high", ElementType::Int32, shape);
    out.produce(standardNode("Add", {low, high}), node.output());
}

Node matMulInteger(Deployment& out, const Node& node)
{
    const Grid& weight = out.grid(node.inputs[1]);
    const bool turned = node.op == "Gemm" && node.intAttribute("transB", 0) != 0;
    const ValueId w = turned ? transposedWeight(out, node.inputs[1]) : node.inputs[1];
    Node op = standardNode("MatMulInteger", {node.inputs[0], w, zeroPointOf(out, out.grid(node.inputs[0]), true),
                                             zeroPointOf(out, weight, hasOneZeroPoint(weight))});
    op.name = node.name;
    return op;
}

/// A MatMul with bias that no kernel takes whole: sums and bias in int32, then one multiplication in float.
void produceSumThenQuantize(Deployment& out, const Node& node)
{
    const auto& shape = out.sourceValue(node.output()).shape;
    ValueId sum = out.add(matMulInteger(out, node), "sum", ElementType::Int32, shape);
    const ValueId bias = out.constant(biasOf(out.source(), node), out.sourceValue(node.output()).name + "_bias");
    sum = out.add(standardNode("Add", {sum, bias}), "biased", ElementType::Int32, shape);
    Node cast = standardNode("Cast", {sum});
    cast.attributes["to"] = onnxFloat;
    sum = out.add(std::move(cast), "cast", ElementType::Float32, shape);
    const auto scales = *accumulatorScales(out.source(), node);
    const ValueId scale = out.scaleConstant(scales, scales.size() == 1, "accumulator_scale");
    quantizeInto(out, out.add(standardNode("Mul", {sum, scale}), "scaled", ElementType::Float32, shape), node,
                 node.output());
}

bool weightAxisFits(const Graph& graph, const Node& node)
{
    return accumulatorScales(graph, node).has_value();
}

void fallBack(Deployment& out, NodeId id, std::string_view why)
{
    const Node& node = out.source().node(id);
    out.report(Severity::Info, "no-kernel",
               fmt::format("{}: {}; in the file it is a float {} between DequantizeLinear and QuantizeLinear", node.op,
                           why, node.op),
               node.output());
    if (out.target().format != "onnx-qdq" && weightAxisFits(out.source(), node) &&
        out.sourceValue(node.inputs[1]).isConstant()) {
        emitLinearOnFloatCodes(out, id);
    } else {
        emitLinearFloatForm(out, id);
    }
}

std::string typesText(std::span<const ElementType> types)
{
    std::string text;
    for (const ElementType type : types) {
        text += (text.empty() ? "" : " x ") + std::string(longName(type));
    }
    return text;
}

} // namespace

void emitLinearOperator(Deployment& out, NodeId id)
{
    const Graph& graph = out.source();
    const Node node = graph.node(id);
    const Value& x = graph.value(node.inputs[0]);
    const Value& w = graph.value(node.inputs[1]);
    const Value& y = graph.value(node.output());
    const bool accumulator = y.codes->isWide();
    // An accumulator's kernel takes every mix of signs; a fused one the rows of the target.
    const std::vector<ElementType> types =
        accumulator ? std::vector{x.type, w.type} : std::vector{x.type, w.type, y.type};
    const bool bytes = byteWidth(x.type) == 1 && byteWidth(w.type) == 1;
    if (out.target().op(node.op) == nullptr) {
        fallBack(out, id, "the target has no integer kernel of this op");
        return;
    }
    if (!bytes || (!accumulator && !out.target().accepts(node.op, types))) {
        fallBack(out, id, fmt::format("the target has no kernel for {}", typesText(types)));
        return;
    }
    if (!x.codes->isPerTensor() || !weightAxisFits(graph, node)) {
        fallBack(out, id, "the scales cannot leave the sum");
        return;
    }
    if (accumulator && y.codes->storage != ElementType::Int32) {
        fallBack(out, id, "its sums do not fit int32");
        return;
    }
    if (accumulator && node.op == "Conv" && !convIntegerTakes(graph, node)) {
        fallBack(out, id, "its weight has a zero point a channel that no pair of int8 tensors expresses");
        return;
    }
    const bool bias = node.attribute(nodes::biasCodes) != nullptr;
    if (node.op == "MatMul" && rankOf(w) != 2 && !w.codes->isPerTensor() &&
        (!hasOneZeroPoint(*w.codes) || (!accumulator && !bias))) {
        fallBack(out, id, "its kernels take a scale or a zero point a column for one matrix only, not for a batch");
        return;
    }
    out.begin(id);
    if (accumulator && node.op == "Conv") {
        produceConvInteger(out, node);
        return;
    }
    if (accumulator) {
        out.produce(matMulInteger(out, node), node.output());
        return;
    }
    const auto xRank = rankOf(x);
    const auto wRank = rankOf(w);
    if (node.op == "Conv") {
        produceConv(out, node);
    } else if (node.op == "Gemm" || (bias && xRank == 2 && wRank == 2)) {
        produceClamped(out, gemmNode(out, node, node.inputs[0]), node, node.output());
    } else if (!bias) {
        Node op = standardNode("QLinearMatMul", kernelInputs(out, node, node.inputs[0]));
        op.name = node.name;
        produceClamped(out, std::move(op), node, node.output());
    } else if (xRank && wRank == 2 && w.isConstant()) {
        produceReshapedGemm(out, node);
    } else {
        produceSumThenQuantize(out, node);
    }
}

} // namespace crease
