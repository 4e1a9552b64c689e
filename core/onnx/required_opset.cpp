// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/form_rules.h"
#include "core/onnx/forms.h"
#include "core/onnx/writer.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace crease {

namespace {

struct Since {
    int opset;
    std::string_view op;
};

/// Ops that opset 7 does not have.
constexpr std::array introduced{
    Since{8, "Expand"},
    Since{8, "Scan"},
    Since{9, "Acosh"},
    Since{9, "Asinh"},
    Since{9, "Atanh"},
    Since{9, "Compress"},
    Since{9, "ConstantOfShape"},
    Since{9, "Cosh"},
    Since{9, "Erf"},
    Since{9, "EyeLike"},
    Since{9, "IsNaN"},
    Since{9, "MaxUnpool"},
    Since{9, "MeanVarianceNormalization"},
    Since{9, "NonZero"},
    Since{9, "OneHot"},
    Since{9, "ScatterElements"},
    Since{9, "Shrink"},
    Since{9, "Sign"},
    Since{9, "Sinh"},
    Since{9, "TfIdfVectorizer"},
    Since{9, "Where"},
    Since{10, "ConvInteger"},
    Since{10, "DequantizeLinear"},
    Since{10, "IsInf"},
    Since{10, "MatMulInteger"},
    Since{10, "Mod"},
    Since{10, "NonMaxSuppression"},
    Since{10, "QLinearConv"},
    Since{10, "QLinearMatMul"},
    Since{10, "QuantizeLinear"},
    Since{10, "ReverseSequence"},
    Since{10, "RoiAlign"},
    Since{10, "StringNormalizer"},
    Since{10, "ThresholdedRelu"},
    Since{11, "BitShift"},
    Since{11, "ConcatFromSequence"},
    Since{11, "CumSum"},
    Since{11, "Det"},
    Since{11, "DynamicQuantizeLinear"},
    Since{11, "GatherElements"},
    Since{11, "GatherND"},
    Since{11, "Range"},
    Since{11, "Round"},
    Since{11, "ScatterND"},
    Since{11, "SequenceAt"},
    Since{11, "SequenceConstruct"},
    Since{11, "SequenceEmpty"},
    Since{11, "SequenceErase"},
    Since{11, "SequenceInsert"},
    Since{11, "SequenceLength"},
    Since{11, "SplitToSequence"},
    Since{11, "Unique"},
    Since{12, "Celu"},
    Since{12, "Einsum"},
    Since{12, "GreaterOrEqual"},
    Since{12, "LessOrEqual"},
    Since{12, "NegativeLogLikelihoodLoss"},
    Since{12, "SoftmaxCrossEntropyLoss"},
    Since{14, "HardSwish"},
    Since{14, "Trilu"},
    Since{15, "Bernoulli"},
    Since{15, "CastLike"},
    Since{15, "Optional"},
    Since{15, "OptionalGetElement"},
    Since{15, "OptionalHasElement"},
    Since{16, "GridSample"},
    Since{17, "BlackmanWindow"},
    Since{17, "DFT"},
    Since{17, "HammingWindow"},
    Since{17, "HannWindow"},
    Since{17, "LayerNormalization"},
    Since{17, "MelWeightMatrix"},
    Since{17, "STFT"},
    Since{17, "SequenceMap"},
    Since{18, "BitwiseAnd"},
    Since{18, "BitwiseNot"},
    Since{18, "BitwiseOr"},
    Since{18, "BitwiseXor"},
    Since{18, "CenterCropPad"},
    Since{18, "Col2Im"},
    Since{18, "GroupNormalization"},
    Since{18, "Mish"},
    Since{19, "DeformConv"},
    Since{20, "AffineGrid"},
    Since{20, "Gelu"},
    Since{20, "ImageDecoder"},
    Since{20, "RegexFullMatch"},
    Since{20, "StringConcat"},
    Since{20, "StringSplit"},
    Since{23, "Attention"},
    Since{23, "RMSNormalization"},
    Since{23, "RotaryEmbedding"},
    Since{24, "Swish"},
    Since{24, "TensorScatter"},
    Since{26, "BitCast"},
    Since{26, "CumProd"},
    Since{27, "CausalConvWithState"},
    Since{27, "LinearAttention"},
    Since{28, "SwiGLU"},
};

enum class Types { SmallInts, Ints, Floats, BFloat16, Bool };

/// Types of the first input that an op took on later.
struct Growth {
    int opset;
    Types types;
    std::string_view op;
};

constexpr std::array growths{
    Growth{14, Types::SmallInts, "Add"},
    Growth{14, Types::SmallInts, "Sub"},
    Growth{14, Types::SmallInts, "Mul"},
    Growth{14, Types::SmallInts, "Div"},
    Growth{11, Types::Floats, "Equal"},
    Growth{12, Types::Ints, "Clip"},
    Growth{11, Types::SmallInts, "Equal"},
    Growth{9, Types::Ints, "Flatten"},
    Growth{9, Types::Ints, "Gemm"},
    Growth{9, Types::Ints, "Greater"},
    Growth{9, Types::Ints, "Less"},
    Growth{9, Types::Ints, "MatMul"},
    Growth{12, Types::Ints, "Max"},
    Growth{12, Types::Ints, "Min"},
    Growth{12, Types::SmallInts, "MaxPool"},
    Growth{9, Types::Ints, "PRelu"},
    Growth{11, Types::Ints, "Pad"},
    Growth{13, Types::Bool, "Pad"},
    Growth{12, Types::Ints, "Pow"},
    Growth{12, Types::SmallInts, "ReduceMax"},
    Growth{12, Types::SmallInts, "ReduceMin"},
    Growth{20, Types::Bool, "ReduceMax"},
    Growth{20, Types::Bool, "ReduceMin"},
    Growth{14, Types::Ints, "Relu"},
    Growth{11, Types::Ints, "TopK"},
    Growth{22, Types::BFloat16, "Conv"},
    Growth{22, Types::BFloat16, "ConvTranspose"},
    Growth{22, Types::BFloat16, "AveragePool"},
    Growth{22, Types::BFloat16, "GlobalAveragePool"},
    Growth{22, Types::BFloat16, "MaxPool"},
    Growth{16, Types::BFloat16, "LeakyRelu"},
};

bool isOf(Types types, ElementType type)
{
    switch (types) {
    case Types::SmallInts:
        return isInteger(type) && bitWidth(type) <= 16;
    case Types::Ints:
        return isInteger(type);
    case Types::Floats:
        return isFloat(type);
    case Types::BFloat16:
        return type == ElementType::BFloat16;
    case Types::Bool:
        return type == ElementType::Bool;
    }
    return false;
}

int opsetOfCodes(ElementType type)
{
    switch (type) {
    case ElementType::Int16:
    case ElementType::UInt16:
    case ElementType::Int4:
    case ElementType::UInt4:
        return 21;
    case ElementType::Float4E2M1:
        return 23;
    case ElementType::Int2:
    case ElementType::UInt2:
        return 25;
    default:
        return isFloat8(type) ? 19 : 10;
    }
}

int opsetOfQuantizer(const Graph& graph, const Node& node)
{
    const bool quantizes = node.op == "QuantizeLinear";
    const ValueId codes = quantizes ? node.output() : node.input(0);
    int opset = codes.valid() ? opsetOfCodes(graph.value(codes).type) : 10;
    if (node.input(2).valid()) {
        opset = std::max(opset, opsetOfCodes(graph.value(node.input(2)).type));
    }
    const auto need = [&opset](bool condition, int version) { opset = condition ? std::max(opset, version) : opset; };
    const Value* scale = node.input(1).valid() ? &graph.value(node.input(1)) : nullptr;
    need(scale != nullptr && scale->shape && !scale->shape->empty() &&
             !(scale->shape->size() == 1 && scale->shape->front() == Dim{1}),
         13);
    need(scale != nullptr && (scale->type == ElementType::Float16 || scale->type == ElementType::BFloat16), 19);
    need(node.attributes.contains("axis"), 13);
    need(node.attributes.contains("saturate"), 19);
    need(node.intAttribute("block_size", 0) != 0, 21);
    need(node.intAttribute("output_dtype", 0) != 0, quantizes ? 21 : 23);
    need(node.intAttribute("precision", 0) != 0, 23);
    return opset;
}

int opsetOfTypes(const Graph& graph, const Node& node)
{
    int opset = 1;
    for (const auto* ids : {&node.inputs, &node.outputs}) {
        for (const ValueId id : *ids) {
            if (!id.valid()) {
                continue;
            }
            const ElementType type = graph.value(id).type;
            if (type == ElementType::BFloat16) {
                opset = std::max(opset, 13);
            } else if (isFloat8(type) || bitWidth(type) == 2 || (isInteger(type) && bitWidth(type) == 4)) {
                opset = std::max(opset, opsetOfCodes(type));
            }
        }
    }
    const ElementType first = forms::inputType(graph, node, 0);
    for (const Growth& growth : growths) {
        if (growth.op == node.op && isOf(growth.types, first)) {
            opset = std::max(opset, growth.opset);
        }
    }
    return opset;
}

/// Negative axes are allowed from opset 11.
int opsetOfAxes(const Node& node)
{
    const auto negative = [](std::int64_t axis) { return axis < 0; };
    const bool some = node.intAttribute("axis", 0) < 0 || std::ranges::any_of(node.intsAttribute("axes"), negative);
    return some ? 11 : 1;
}

/// What one op alone needs. Softmax of opset 13 on one axis is an older one only on the last axis.
int opsetOfMeaning(const Graph& graph, const Node& node)
{
    if (node.op == "Pow" && forms::inputType(graph, node, 0) != forms::inputType(graph, node, 1)) {
        return 12;
    }
    if (node.op == "MaxPool" && node.outputs.size() > 1) {
        return 8;
    }
    if (node.op == "Identity" && node.input(0).valid() && !graph.value(node.input(0)).opaqueType.empty()) {
        return 16;
    }
    if (node.version < 13 || (node.op != "Softmax" && node.op != "LogSoftmax" && node.op != "Hardmax")) {
        return node.op == "GroupNormalization" && node.version >= 21 ? 21 : 1;
    }
    const Shape* shape = forms::inputShape(graph, node, 0);
    const std::int64_t axis = node.intAttribute("axis", -1);
    const bool last = axis == -1 || (shape && axis == static_cast<std::int64_t>(shape->size()) - 1);
    return last && shape && node.attributes.contains("axis") ? 11 : 13;
}

int opsetOfNode(const Graph& graph, Graph& scratch, const Node& node)
{
    int opset = std::max({1, oldestFormOf(scratch, node), opsetOfTypes(graph, node), opsetOfMeaning(graph, node)});
    const auto found = std::ranges::find(introduced, node.op, &Since::op);
    if (found != introduced.end()) {
        opset = std::max(opset, found->opset);
    }
    opset = std::max(opset, opsetOfAxes(node));
    if (node.op == "QuantizeLinear" || node.op == "DequantizeLinear") {
        opset = std::max(opset, opsetOfQuantizer(graph, node));
    }
    return opset;
}

} // namespace

int requiredOpset(const Graph& graph, const Node& node)
{
    Graph scratch = graph;
    return std::max(7, opsetOfNode(graph, scratch, node));
}

int requiredOpset(const Graph& graph)
{
    Graph scratch = graph;
    int opset = 7;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        if (node.domain.empty()) {
            opset = std::max(opset, opsetOfNode(graph, scratch, node));
        }
        for (const auto& [key, attribute] : node.attributes) {
            if (const auto* inner = std::get_if<GraphRef>(&attribute)) {
                opset = std::max(opset, requiredOpset(**inner));
            } else if (const auto* list = std::get_if<std::vector<GraphRef>>(&attribute)) {
                for (const GraphRef& each : *list) {
                    opset = std::max(opset, requiredOpset(*each));
                }
            }
        }
    }
    return opset;
}

} // namespace crease
