// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/deploy_float_form.h"

#include "core/export/deploy_border.h"
#include "core/ir/integer_nodes.h"
#include "core/passes/integer_linear.h"

#include <algorithm>
#include <array>

namespace crease {

namespace {

/// The node's own attributes: without those of the integer form.
Attributes standardAttributes(const Node& node)
{
    Attributes attributes = node.attributes;
    for (const std::string_view key : {nodes::lo, nodes::hi, nodes::bias, nodes::biasCodes}) {
        attributes.erase(std::string(key));
    }
    return attributes;
}

/// The int32 bias of a fused linear op behind its DequantizeLinear, with the scales that the sum has.
ValueId dequantizedBias(Deployment& out, const Node& node, const Tensor& codes)
{
    const auto scales = accumulatorScales(out.source(), node);
    const std::size_t count = std::max(codes.size(), scales->size());
    std::vector<std::int64_t> biases(count);
    std::vector<double> steps(count);
    for (std::size_t i = 0; i < count; ++i) {
        biases[i] = codes.asInt(codes.size() == 1 ? 0 : i);
        steps[i] = (*scales)[scales->size() == 1 ? 0 : i];
    }
    const bool scalar = std::ranges::all_of(steps, [&](double step) { return step == steps.front(); });
    const std::string& name = out.sourceValue(node.output()).name;
    const auto channels = static_cast<std::int64_t>(count);
    const ValueId bias = out.constant(tensorOfInts(ElementType::Int32, {channels}, biases), name + "_bias");
    const ValueId scale = out.scaleConstant(steps, scalar, name + "_bias_scale");
    const ValueId zero = out.constant(zeros(ElementType::Int32, scalar ? Dims{} : Dims{channels}), "bias_zero_point");
    Node dequantize = standardNode("DequantizeLinear", {bias, scale, zero});
    if (!scalar) {
        dequantize.attributes["axis"] = std::int64_t{0};
    }
    return out.add(std::move(dequantize), "bias", ElementType::Float32, shapeOf({channels}));
}

/// The one reader of an accumulator that adds a bias and is no quantizer: its bias goes into the op.
NodeId onlyFloatReader(const Graph& graph, ValueId accumulator)
{
    const auto uses = graph.uses(accumulator);
    if (uses.size() != 1 || graph.isOutput(accumulator)) {
        return {};
    }
    const Node& reader = graph.node(uses.front().node);
    return reader.is(nodes::dequantize, nodes::domain) && reader.attribute(nodes::bias) != nullptr ? uses.front().node
                                                                                                   : NodeId{};
}

ValueId floatBias(Deployment& out, const Node& node, std::vector<double> bias)
{
    const std::size_t channels = std::max(outputChannels(out.source(), node), std::size_t{1});
    if (bias.size() == 1) {
        bias.resize(channels, bias[0]);
    }
    const Dims dims{static_cast<std::int64_t>(bias.size())};
    return out.constant(tensorOfDoubles(ElementType::Float32, dims, bias),
                        out.sourceValue(node.output()).name + "_bias");
}

bool isRank(const Value& value, std::size_t rank)
{
    return value.isConstant() ? value.constant.rank() == rank : value.shape && value.shape->size() == rank;
}

/// MatMul of rank 2 with a bias is a Gemm, which runtimes have an integer kernel with bias for.
bool becomesGemm(const Graph& graph, const Node& node)
{
    return node.op == "MatMul" && isRank(graph.value(node.inputs[0]), 2) && isRank(graph.value(node.inputs[1]), 2);
}

/// Whether ONNX Runtime would merge the DequantizeLinear of the weight into a kernel that refuses it (a batch of
/// matrices with a grid a column) or, where no integer unit takes both, into one that computes about the same
/// (MatMulNBits).
bool isWeightInTheOpen(const Deployment& out, const Node& node)
{
    const Value& weight = out.sourceValue(node.inputs[1]);
    if (node.op != "MatMul" && node.op != "Gemm") {
        return false;
    }
    if (node.op == "MatMul" && !weight.codes->isPerTensor() && !isRank(weight, 2)) {
        return true;
    }
    const std::array types{out.sourceValue(node.inputs[0]).type, weight.type, out.sourceValue(node.output()).type};
    return weight.isConstant() && !out.target().accepts(node.op, types);
}

} // namespace

void emitLinearFloatForm(Deployment& out, NodeId id)
{
    const Graph& graph = out.source();
    const Node node = graph.node(id);
    const ValueId output = node.output();
    const bool accumulator = out.grid(output).isWide();
    const Tensor* codes = node.tensorAttribute(nodes::biasCodes);
    const NodeId reader = accumulator ? onlyFloatReader(graph, output) : NodeId{};
    const bool constantWeight = out.sourceValue(node.inputs[1]).isConstant();
    out.begin(id);
    const auto weight = isWeightInTheOpen(out, node) ? dequantizedInTheOpen : dequantized;
    std::vector<ValueId> inputs{dequantized(out, node.inputs[0]), weight(out, node.inputs[1])};
    ValueId bias;
    if (codes) {
        bias = dequantizedBias(out, node, *codes);
    } else if (reader.valid() && constantWeight) {
        bias = floatBias(out, node, graph.node(reader).doublesAttribute(nodes::bias));
        out.setBiasIncluded(reader);
    }
    const bool gemm = bias.valid() && becomesGemm(graph, node);
    const bool apart = bias.valid() && node.op == "MatMul" && !gemm;
    if (bias.valid() && !apart) {
        inputs.push_back(bias);
    }
    Node op = standardNode(gemm ? "Gemm" : std::string_view(node.op), std::move(inputs));
    op.attributes = standardAttributes(node);
    op.name = node.name;
    op.version = gemm ? 0 : node.version;
    const auto& shape = out.sourceValue(output).shape;
    if (accumulator && !apart) {
        out.setForm(output, AccumulatorForm::Real);
        out.produce(std::move(op), output);
        return;
    }
    ValueId real = out.add(std::move(op), "real", ElementType::Float32, shape);
    if (apart && accumulator) {
        out.setForm(output, AccumulatorForm::Real);
        out.produce(standardNode("Add", {real, bias}), output);
        return;
    }
    if (apart) {
        real = out.add(standardNode("Add", {real, bias}), "biased", ElementType::Float32, shape);
    }
    quantizeInto(out, real, node, output);
}

namespace {

ValueId dequantizedByRankOneScale(Deployment& out, ValueId codes)
{
    const Grid& grid = out.grid(codes);
    const std::string& name = out.sourceValue(codes).name;
    const ValueId scale = out.scaleConstant(grid.scales, false, name + "_scale");
    const ValueId zero = out.constant(tensorOfInts(grid.storage, {1}, grid.zeroPoints), name + "_zero_point");
    return out.add(standardNode("DequantizeLinear", {codes, scale, zero}), "dequantized", ElementType::Float32,
                   out.sourceValue(codes).shape);
}

using Dequantizing = ValueId (*)(Deployment& out, ValueId codes);

void emitOnReals(Deployment& out, NodeId id, Dequantizing dequantizing)
{
    const Node node = out.source().node(id);
    out.begin(id);
    Node op = standardNode(node.op, {});
    op.attributes = standardAttributes(node);
    op.name = node.name;
    op.version = node.version;
    op.captures = node.captures;
    for (const ValueId input : node.inputs) {
        const bool isCodes = input.valid() && out.sourceValue(input).codes;
        op.inputs.push_back(isCodes ? dequantizing(out, input) : input);
    }
    std::vector<std::pair<ValueId, ValueId>> quantized; // real, codes
    for (const ValueId output : node.outputs) {
        if (!output.valid() || !out.sourceValue(output).codes) {
            op.outputs.push_back(output);
            continue;
        }
        Value real;
        real.name = out.graph().freshName(out.sourceValue(output).name + "_real");
        real.type = ElementType::Float32;
        real.shape = out.sourceValue(output).shape;
        op.outputs.push_back(out.graph().addValue(std::move(real)));
        quantized.emplace_back(op.outputs.back(), output);
    }
    std::vector<ValueId> outputs = op.outputs;
    out.produce(std::move(op), std::move(outputs));
    for (const auto& [real, codes] : quantized) {
        quantizeInto(out, real, node, codes);
    }
}

} // namespace

void emitFloatForm(Deployment& out, NodeId id)
{
    emitOnReals(out, id, dequantized);
}

void emitUnmergedFloatForm(Deployment& out, NodeId id)
{
    // ONNX Runtime merges an AveragePool of a rank-1 scale too, and then refuses it.
    const bool pool = out.source().node(id).op == "AveragePool";
    emitOnReals(out, id, pool ? dequantizedInTheOpen : dequantizedByRankOneScale);
}

void emitFloatLinear(Deployment& out, NodeId id)
{
    const Node node = out.source().node(id);
    const ValueId output = node.output();
    const Value& value = out.sourceValue(output);
    const ElementType type = isFloat(value.type) ? value.type : ElementType::Float32;
    const std::vector<double> bias = node.doublesAttribute(nodes::bias);
    const Dims dims = bias.size() == 1 && node.op == "MatMul" ? Dims{} : Dims{static_cast<std::int64_t>(bias.size())};
    const ValueId constant = out.constant(tensorOfDoubles(type, dims, bias), value.name + "_bias");
    out.begin(id);
    Node op = node;
    op.outputs.clear();
    op.attributes = standardAttributes(node);
    if (node.op != "MatMul") {
        op.inputs.resize(2);
        op.inputs.push_back(constant);
        out.produce(std::move(op), output);
        return;
    }
    const ValueId product = out.add(std::move(op), "product", type, value.shape);
    out.produce(standardNode("Add", {product, constant}), output);
}

void emitLinearOnFloatCodes(Deployment& out, NodeId id)
{
    const Node node = out.source().node(id);
    const ValueId output = node.output();
    const Grid& grid = out.grid(output);
    out.begin(id);
    const auto integers = [&](ValueId codes) {
        if (codes == node.inputs[1] && (node.op == "MatMul" || node.op == "Gemm")) {
            if (const std::optional<ValueId> centred = centredInTheOpen(out, codes)) {
                return *centred;
            }
        }
        Grid unit = out.grid(codes);
        unit.scales.assign(unit.scales.size(), 1.0);
        const bool same =
            std::ranges::all_of(unit.zeroPoints, [&](std::int64_t zero) { return zero == unit.zeroPoint(); });
        if (same) {
            unit.scales.resize(1);
            unit.zeroPoints.resize(1);
            unit.axis.reset();
        }
        const GridConstants constants = out.gridConstants(unit);
        Node dequantize = standardNode("DequantizeLinear", {codes, constants.scale, constants.zeroPoint});
        if (unit.axis) {
            dequantize.attributes["axis"] = static_cast<std::int64_t>(*unit.axis);
        }
        return out.add(std::move(dequantize), "integers", ElementType::Float32, out.sourceValue(codes).shape);
    };
    Node op = standardNode(node.op, {integers(node.inputs[0]), integers(node.inputs[1])});
    op.attributes = standardAttributes(node);
    op.name = node.name;
    op.version = node.version;
    const auto& shape = out.sourceValue(output).shape;
    if (grid.isWide()) {
        out.setForm(output, AccumulatorForm::FloatCodes);
        out.produce(std::move(op), output);
        return;
    }
    const auto scales = *accumulatorScales(out.source(), node);
    ValueId real = out.add(std::move(op), "sum", ElementType::Float32, shape);
    const auto broadcast = [&](std::vector<double> numbers) {
        const bool equal = std::ranges::all_of(numbers, [&](double number) { return number == numbers.front(); });
        Dims dims;
        if (!equal) {
            const auto axis = static_cast<std::size_t>(*outputChannelAxis(out.source(), node));
            const std::size_t rank = shape ? shape->size() : out.sourceValue(node.inputs[1]).constant.rank();
            dims.assign(rank - axis, 1);
            dims[0] = static_cast<std::int64_t>(numbers.size());
        }
        numbers.resize(equal ? 1 : numbers.size());
        return out.constant(tensorOfDoubles(ElementType::Float32, dims, numbers),
                            out.sourceValue(output).name + "_factor");
    };
    if (const Tensor* bias = node.tensorAttribute(nodes::biasCodes)) {
        real =
            out.add(standardNode("Add", {real, broadcast(bias->toDoubles())}), "biased", ElementType::Float32, shape);
    }
    real = out.add(standardNode("Mul", {real, broadcast(scales)}), "scaled", ElementType::Float32, shape);
    quantizeInto(out, real, node, output);
}

} // namespace crease
