// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/deploy_border.h"

#include "core/exec/arithmetic.h"
#include "core/ir/integer_nodes.h"

#include <algorithm>
#include <array>

namespace crease {

namespace {

constexpr std::int64_t onnxFloat = 1;
constexpr std::int64_t onnxInt32 = 6;

std::int64_t onnxType(ElementType type)
{
    switch (type) {
    case ElementType::UInt8:
        return 2;
    case ElementType::Int8:
        return 3;
    case ElementType::UInt16:
        return 4;
    case ElementType::Int16:
        return 5;
    case ElementType::Int32:
        return onnxInt32;
    case ElementType::Int64:
        return 7;
    case ElementType::Float16:
        return 10;
    case ElementType::Float64:
        return 11;
    case ElementType::BFloat16:
        return 16;
    default:
        return onnxFloat;
    }
}

Node castNode(ValueId input, std::int64_t type)
{
    Node node = standardNode("Cast", {input});
    node.attributes["to"] = type;
    return node;
}

ValueId asFloat32(Deployment& out, ValueId value)
{
    const ElementType type = out.graph().value(value).type;
    return type == ElementType::Float32 || type == ElementType::Undefined
               ? value
               : out.add(castNode(value, onnxFloat), "float32", ElementType::Float32, out.graph().value(value).shape);
}

/// `node` gives float32; the value is of a float type of the source.
void produceFloat(Deployment& out, Node node, ValueId output)
{
    const ElementType type = out.graph().value(output).type;
    if (type == ElementType::Float32 || type == ElementType::Undefined) {
        out.produce(std::move(node), output);
        return;
    }
    const ValueId real = out.add(std::move(node), "float32", ElementType::Float32);
    out.produce(castNode(real, onnxType(type)), output);
}

void needOpsetOf(Deployment& out, ElementType storage)
{
    if (byteWidth(storage) == 2) {
        out.requireOpset(21);
    }
}

Node dequantizeNode(Deployment& out, ValueId codes)
{
    const Grid& grid = out.grid(codes);
    needOpsetOf(out, grid.storage);
    const GridConstants constants = out.gridConstants(grid);
    Node node = standardNode("DequantizeLinear", {codes, constants.scale, constants.zeroPoint});
    if (grid.axis) {
        node.attributes["axis"] = static_cast<std::int64_t>(*grid.axis);
    }
    return node;
}

/// Per-channel numbers that broadcast along `axis` of a value of this shape; rank 0 where there is one.
Tensor alongAxis(std::span<const double> numbers, std::optional<int> axis, const std::optional<Shape>& shape)
{
    Dims dims;
    if (numbers.size() > 1) {
        dims.push_back(static_cast<std::int64_t>(numbers.size()));
        const std::size_t rank = shape ? shape->size() : static_cast<std::size_t>(*axis) + 1;
        dims.resize(rank - static_cast<std::size_t>(*axis), 1);
    }
    return tensorOfDoubles(ElementType::Float32, dims, numbers);
}

std::span<const double> oneIfEqual(const std::vector<double>& numbers)
{
    const bool equal = std::ranges::all_of(numbers, [&](double number) { return number == numbers.front(); });
    return std::span(numbers).first(equal ? 1 : numbers.size());
}

/// The real value of an accumulator with the bias of its reader: float32.
ValueId realOfAccumulator(Deployment& out, NodeId reader, const Node& node)
{
    const ValueId accumulator = node.inputs[0];
    const Grid& grid = out.grid(accumulator);
    const auto& shape = out.sourceValue(accumulator).shape;
    ValueId real = accumulator;
    if (out.form(accumulator) == AccumulatorForm::Integers) {
        real = out.add(castNode(real, onnxFloat), "accumulator", ElementType::Float32, shape);
    }
    if (out.form(accumulator) != AccumulatorForm::Real) {
        const Tensor scales = alongAxis(oneIfEqual(grid.scales), grid.axis, shape);
        real = out.add(standardNode("Mul", {real, out.constant(scales, out.sourceValue(accumulator).name + "_scale")}),
                       "scaled", ElementType::Float32, shape);
    }
    const std::vector<double> bias = node.doublesAttribute(nodes::bias);
    if (!bias.empty() && !out.biasIncluded(reader)) {
        const Tensor added = alongAxis(oneIfEqual(bias), grid.axis, shape);
        real = out.add(standardNode("Add", {real, out.constant(added, out.sourceValue(accumulator).name + "_bias")}),
                       "biased", ElementType::Float32, shape);
    }
    return real;
}

ValueId rounded(Deployment& out, ValueId value, Rounding rounding)
{
    const auto add = [&](std::string_view op, std::vector<ValueId> inputs) {
        return out.add(standardNode(op, std::move(inputs)), "rounded", ElementType::Float32,
                       out.graph().value(value).shape);
    };
    const auto half = [&] { return out.floatScalar(0.5, "half"); };
    const auto signedly = [&](ValueId magnitude) { return add("Mul", {magnitude, add("Sign", {value})}); };
    switch (rounding) {
    case Rounding::Floor:
        return add("Floor", {value});
    case Rounding::Ceil:
        return add("Ceil", {value});
    case Rounding::HalfUp:
        return add("Floor", {add("Add", {value, half()})});
    case Rounding::HalfDown:
        return signedly(add("Ceil", {add("Sub", {add("Abs", {value}), half()})}));
    case Rounding::HalfAway:
        return signedly(add("Floor", {add("Add", {add("Abs", {value}), half()})}));
    case Rounding::Trunc:
        return signedly(add("Floor", {add("Abs", {value})}));
    case Rounding::Away:
        return signedly(add("Ceil", {add("Abs", {value})}));
    case Rounding::HalfEven:
        break;
    }
    return add("Round", {value});
}

/// A quantizer that QuantizeLinear does not say: written out in float.
void quantizeWrittenOut(Deployment& out, ValueId real, const Node& original, const Grid& grid, ValueId output)
{
    const auto shape = out.graph().value(real).shape;
    const auto add = [&](std::string_view op, std::vector<ValueId> inputs) {
        return out.add(standardNode(op, std::move(inputs)), "quantizing", ElementType::Float32, shape);
    };
    const ClampRange range = clampRange(original, grid);
    const std::string order = original.stringAttribute(nodes::order, "A");
    const Rounding rounding = roundingFromName(original.stringAttribute(nodes::rounding, "half_even"));
    const auto low = out.floatScalar(static_cast<double>(range.low), "lowest");
    const auto high = out.floatScalar(static_cast<double>(range.high), "highest");
    const auto perChannel = [&](const std::vector<double>& numbers, std::string_view name) {
        return out.constant(alongAxis(oneIfEqual(numbers), grid.axis, shape), name);
    };
    const bool reciprocal = original.stringAttribute(nodes::divide, "division") != "division";
    std::vector<double> inverse;
    for (const double scale : grid.scales) {
        inverse.push_back(static_cast<double>(1.0F / static_cast<float>(scale)));
    }
    const auto divided = [&](ValueId value) {
        return reciprocal ? add("Mul", {value, perChannel(inverse, "inverse_scale")})
                          : add("Div", {value, perChannel(grid.scales, "scale")});
    };
    const auto zero = perChannel({grid.zeroPoints.begin(), grid.zeroPoints.end()}, "zero_point");
    ValueId value = real;
    if (order == "D") {
        const auto bound = [&](std::int64_t code, std::string_view name) {
            std::vector<double> bounds;
            for (std::size_t i = 0; i < grid.scales.size(); ++i) {
                bounds.push_back(grid.scale(i) * static_cast<double>(code - grid.zeroPoint(i)));
            }
            return perChannel(bounds, name);
        };
        const ValueId least = bound(grid.qmin, "least");
        value = add("Min", {add("Max", {value, least}), bound(grid.qmax, "greatest")});
        value = rounded(out, divided(add("Sub", {value, least})), rounding);
        value = add("Add", {value, out.floatScalar(static_cast<double>(grid.qmin), "first_code")});
        value = add("Clip", {value, low, high});
    } else if (order == "B") {
        value = add("Clip", {rounded(out, add("Add", {divided(value), zero}), rounding), low, high});
    } else if (order == "C") {
        value = rounded(out, add("Clip", {add("Add", {divided(value), zero}), low, high}), rounding);
    } else {
        value = add("Clip", {add("Add", {rounded(out, divided(value), rounding), zero}), low, high});
    }
    out.produce(castNode(value, onnxType(grid.storage)), output);
}

/// Whether QuantizeLinear is the whole quantizer.
bool isStandard(const Node& quantizer)
{
    return quantizer.stringAttribute(nodes::rounding, "half_even") == "half_even" &&
           quantizer.stringAttribute(nodes::order, "A") == "A" &&
           quantizer.stringAttribute(nodes::divide, "division") == "division";
}

/// Whether constants along the grid's axis can be made for a value of this shape.
bool canBeWrittenOut(const Grid& grid, const std::optional<Shape>& shape)
{
    return grid.isPerTensor() || (grid.axis && shape);
}

/// Consumers that ONNX Runtime's default optimization would merge a DequantizeLinear into, and so change results.
bool wouldBeMerged(const Graph& graph, ValueId real)
{
    static constexpr std::array<std::string_view, 12> fusing{
        "Softmax",           "Sigmoid", "LeakyRelu", "Add",    "Mul",  "AveragePool",
        "GlobalAveragePool", "Where",   "Conv",      "MatMul", "Gemm", "Concat"};
    return std::ranges::any_of(graph.uses(real), [&](const Use& use) {
        const Node& node = graph.node(use.node);
        if (!node.domain.empty() || std::ranges::find(fusing, node.op) == fusing.end()) {
            return false;
        }
        if (node.op == "MatMul" || node.op == "Gemm" || node.op == "Conv") {
            return true;
        }
        return std::ranges::all_of(graph.uses(node.output()), [&](const Use& next) {
            return graph.node(next.node).is(nodes::quantize, nodes::domain);
        });
    });
}

} // namespace

ClampRange clampRange(const Node& node, const Grid& grid)
{
    return {std::max(grid.qmin, node.intAttribute(nodes::lo, grid.qmin)),
            std::min(grid.qmax, node.intAttribute(nodes::hi, grid.qmax))};
}

bool isWholeType(ClampRange range, ElementType storage)
{
    return range.low <= lowest(storage) && range.high >= highest(storage);
}

namespace {

/// An integer Clip; ONNX Runtime has none of 16 bits, so those go through int32.
void produceClip(Deployment& out, ValueId codes, ClampRange range, ValueId output)
{
    const ElementType storage = out.grid(output).storage;
    const bool through = storage == ElementType::Int16 || storage == ElementType::UInt16;
    const ElementType type = through ? ElementType::Int32 : storage;
    const auto& shape = out.sourceValue(output).shape;
    const auto bound = [&](std::int64_t code, bool needed, std::string_view name) {
        return needed ? out.constant(tensorOfInts(type, {}, std::array{code}), name) : ValueId{};
    };
    if (through) {
        codes = out.add(castNode(codes, onnxInt32), "int32", type, shape);
    }
    std::vector<ValueId> inputs{codes, bound(range.low, range.low > lowest(storage), "clamp_low"),
                                bound(range.high, range.high < highest(storage), "clamp_high")};
    if (!inputs.back().valid()) {
        inputs.pop_back();
    }
    Node clip = standardNode("Clip", std::move(inputs));
    if (!through) {
        out.produce(std::move(clip), output);
        return;
    }
    const ValueId clipped = out.add(std::move(clip), "clamped", type, shape);
    out.produce(castNode(clipped, onnxType(storage)), output);
}

} // namespace

void produceClamped(Deployment& out, Node made, const Node& original, ValueId output)
{
    const Grid& grid = out.grid(output);
    const ClampRange range = clampRange(original, grid);
    if (isWholeType(range, grid.storage)) {
        out.produce(std::move(made), output);
        return;
    }
    const ValueId wide = out.add(std::move(made), "unclamped", grid.storage, out.sourceValue(output).shape);
    produceClip(out, wide, range, output);
}

ValueId dequantized(Deployment& out, ValueId codes)
{
    return out.add(dequantizeNode(out, codes), "dequantized", ElementType::Float32, out.sourceValue(codes).shape);
}

std::optional<ValueId> centredInTheOpen(Deployment& out, ValueId codes)
{
    const Grid& grid = out.grid(codes);
    const auto& shape = out.sourceValue(codes).shape;
    if (!grid.isPerTensor() && !shape) {
        return std::nullopt;
    }
    const std::vector<double> zeros(grid.zeroPoints.begin(), grid.zeroPoints.end());
    ValueId real = out.add(castNode(codes, onnxFloat), "cast", ElementType::Float32, shape);
    if (std::ranges::any_of(zeros, [](double zero) { return zero != 0.0; })) {
        const ValueId zero = out.constant(alongAxis(oneIfEqual(zeros), grid.axis, shape), "zero_point");
        real = out.add(standardNode("Sub", {real, zero}), "centred", ElementType::Float32, shape);
    }
    return real;
}

ValueId dequantizedInTheOpen(Deployment& out, ValueId codes)
{
    const std::optional<ValueId> real = centredInTheOpen(out, codes);
    if (!real) {
        return dequantized(out, codes);
    }
    const Grid& grid = out.grid(codes);
    const auto& shape = out.sourceValue(codes).shape;
    const ValueId scale = out.constant(alongAxis(oneIfEqual(grid.scales), grid.axis, shape), "scale");
    return out.add(standardNode("Mul", {*real, scale}), "dequantized", ElementType::Float32, shape);
}

namespace {

void reportOtherQuantizer(Deployment& out, const Node& quantizer)
{
    out.report(Severity::Warning, "other-quantizer",
               "its rounding or its order is none of QuantizeLinear's, and its shape is not known well enough to write "
               "it out: the file rounds half to even",
               quantizer.output());
}

} // namespace

void quantizeInto(Deployment& out, ValueId real, const Node& original, ValueId output)
{
    const Grid& grid = out.grid(output);
    const ValueId input = asFloat32(out, real);
    if (!isStandard(original)) {
        if (canBeWrittenOut(grid, out.graph().value(input).shape)) {
            quantizeWrittenOut(out, input, original, grid, output);
            return;
        }
        reportOtherQuantizer(out, original);
    }
    needOpsetOf(out, grid.storage);
    const GridConstants constants = out.gridConstants(grid);
    Node node = standardNode("QuantizeLinear", {input, constants.scale, constants.zeroPoint});
    if (grid.axis) {
        node.attributes["axis"] = static_cast<std::int64_t>(*grid.axis);
    }
    produceClamped(out, std::move(node), original, output);
}

Node gatherNode(Deployment& out, ValueId codes, const Tensor& table, int axis, std::string_view name)
{
    const auto& shape = out.sourceValue(codes).shape;
    const bool isSignedInput = isSigned(out.sourceValue(codes).type);
    ValueId index = out.add(castNode(codes, onnxInt32), "index", ElementType::Int32, shape);
    std::vector<std::int64_t> offsets{isSignedInput ? 128 : 0};
    Dims dims;
    if (table.rank() == 2) {
        const auto channels = static_cast<std::size_t>(table.dims()[0]);
        offsets.assign(channels, offsets[0]);
        for (std::size_t i = 0; i < channels; ++i) {
            offsets[i] += static_cast<std::int64_t>(i) * 256;
        }
        dims = {table.dims()[0]};
        const std::size_t rank = shape ? shape->size() : static_cast<std::size_t>(axis) + 1;
        dims.resize(rank - static_cast<std::size_t>(axis), 1);
    }
    if (std::ranges::any_of(offsets, [](std::int64_t offset) { return offset != 0; })) {
        const ValueId offset = out.constant(tensorOfInts(ElementType::Int32, dims, offsets), "table_offset");
        index = out.add(standardNode("Add", {index, offset}), "entry", ElementType::Int32, shape);
    }
    const Tensor flat = table.reshaped({static_cast<std::int64_t>(table.size())});
    Node gather = standardNode("Gather", {out.constant(flat, std::string(name) + "_table"), index});
    gather.attributes["axis"] = std::int64_t{0};
    return gather;
}

Tensor requantizeTable(const Grid& from, const Grid& to, std::span<const double> bias, ClampRange range)
{
    const std::size_t channels = std::max(from.scales.size(), bias.size());
    const std::int64_t first = lowest(from.storage);
    std::vector<std::int64_t> entries(std::max<std::size_t>(channels, 1) * 256);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::size_t channel = i / 256;
        const auto code = static_cast<double>(first + static_cast<std::int64_t>(i % 256) - from.zeroPoint(channel));
        const std::array terms{ExactTerm{code, from.scale(channel)},
                               ExactTerm{bias.empty() ? 0.0 : bias[bias.size() == 1 ? 0 : channel]}};
        const double approximate = (terms[0].a * terms[0].b + terms[1].a) / to.scale();
        entries[i] =
            std::clamp(roundedQuotient(terms, to.scale(), approximate) + to.zeroPoint(), range.low, range.high);
    }
    const Dims dims = channels > 1 ? Dims{static_cast<std::int64_t>(channels), 256} : Dims{256};
    return tensorOfInts(to.storage, dims, entries);
}

void emitQuantize(Deployment& out, NodeId id)
{
    const Node node = out.source().node(id);
    out.begin(id);
    quantizeInto(out, node.inputs[0], node, node.output());
}

void emitDequantize(Deployment& out, NodeId id)
{
    const Node node = out.source().node(id);
    const ValueId codes = node.inputs[0];
    out.begin(id);
    if (out.grid(codes).isWide() && !out.sourceValue(codes).isConstant()) {
        produceFloat(out, standardNode("Identity", {realOfAccumulator(out, id, node)}), node.output());
        return;
    }
    if (wouldBeMerged(out.source(), node.output())) {
        produceFloat(out, standardNode("Identity", {dequantizedInTheOpen(out, codes)}), node.output());
        return;
    }
    produceFloat(out, dequantizeNode(out, codes), node.output());
}

void emitRequantize(Deployment& out, NodeId id)
{
    const Node node = out.source().node(id);
    const ValueId codes = node.inputs[0];
    const ValueId output = node.output();
    const Grid& from = out.grid(codes);
    const Grid& to = out.grid(output);
    out.begin(id);
    if (from.isWide()) {
        quantizeInto(out, realOfAccumulator(out, id, node), node, output);
        return;
    }
    if (bitWidth(from.storage) == 8 && to.isPerTensor()) {
        const std::vector<double> bias = node.doublesAttribute(nodes::bias);
        const Tensor table = requantizeTable(from, to, bias, clampRange(node, to));
        out.produce(gatherNode(out, codes, table, from.axis.value_or(1), out.sourceValue(output).name), output);
        return;
    }
    quantizeInto(out, dequantized(out, codes), node, output);
}

void emitTable(Deployment& out, NodeId id)
{
    const Node node = out.source().node(id);
    out.begin(id);
    out.produce(gatherNode(out, node.inputs[0], *node.tensorAttribute(nodes::tableEntries),
                           static_cast<int>(node.intAttribute("axis", 1)), out.sourceValue(node.output()).name),
                node.output());
}

void emitClamp(Deployment& out, NodeId id)
{
    const Node node = out.source().node(id);
    const Grid& grid = out.grid(node.output());
    out.begin(id);
    if (isWholeType(clampRange(node, grid), grid.storage)) {
        out.produce(standardNode("Identity", {node.inputs[0]}), node.output());
        return;
    }
    produceClip(out, node.inputs[0], clampRange(node, grid), node.output());
}

void emitFakeQuant(Deployment& out, NodeId id)
{
    const Node node = out.source().node(id);
    const Grid& grid = *node.gridAttribute(nodes::grid);
    out.begin(id);
    const ValueId input = asFloat32(out, node.inputs[0]);
    const GridConstants constants = out.gridConstants(grid);
    needOpsetOf(out, grid.storage);
    if (!isStandard(node) && canBeWrittenOut(grid, out.graph().value(input).shape)) {
        Value codes;
        codes.name = out.graph().freshName(out.sourceValue(node.output()).name + "_codes");
        codes.type = grid.storage;
        codes.shape = out.sourceValue(node.output()).shape;
        const ValueId written = out.graph().addValue(std::move(codes));
        quantizeWrittenOut(out, input, node, grid, written);
        Node dequantize = standardNode("DequantizeLinear", {written, constants.scale, constants.zeroPoint});
        if (grid.axis) {
            dequantize.attributes["axis"] = static_cast<std::int64_t>(*grid.axis);
        }
        produceFloat(out, std::move(dequantize), node.output());
        return;
    }
    if (!isStandard(node)) {
        reportOtherQuantizer(out, node);
    }
    Node quantize = standardNode("QuantizeLinear", {input, constants.scale, constants.zeroPoint});
    Node dequantize = standardNode("DequantizeLinear", {{}, constants.scale, constants.zeroPoint});
    if (grid.axis) {
        quantize.attributes["axis"] = static_cast<std::int64_t>(*grid.axis);
        dequantize.attributes["axis"] = static_cast<std::int64_t>(*grid.axis);
    }
    ValueId codes = out.add(std::move(quantize), "quantized", grid.storage, out.sourceValue(node.output()).shape);
    const ClampRange range = clampRange(node, grid);
    if (!isWholeType(range, grid.storage)) {
        const ValueId low = out.constant(tensorOfInts(grid.storage, {}, std::array{range.low}), "clamp_low");
        const ValueId high = out.constant(tensorOfInts(grid.storage, {}, std::array{range.high}), "clamp_high");
        codes = out.add(standardNode("Clip", {codes, low, high}), "clamped", grid.storage);
    }
    dequantize.inputs[0] = codes;
    produceFloat(out, std::move(dequantize), node.output());
}

} // namespace crease
