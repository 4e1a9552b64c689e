// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/op_families.h"
#include "core/ops/shape_support.h"
#include "core/tensor/onnx_types.h"

#include <array>

namespace crease {

namespace {

using enum FoldingClass;
using Look = OpClass;

/// Integer arithmetic on shape vectors: both sides known, or one neutral.
std::optional<IntTerm> combined(std::string_view op, const IntTerm& a, const IntTerm& b)
{
    const auto is = [](const IntTerm& term, std::int64_t value) { return term.value == value; };
    if (a.value && b.value) {
        const std::int64_t x = *a.value;
        const std::int64_t y = *b.value;
        std::int64_t result = 0;
        if (op == "Add" || op == "Sub" || op == "Mul") {
            const bool overflows = op == "Add"   ? __builtin_add_overflow(x, y, &result)
                                   : op == "Sub" ? __builtin_sub_overflow(x, y, &result)
                                                 : __builtin_mul_overflow(x, y, &result);
            return overflows ? std::nullopt : std::optional(IntTerm{result, {}});
        }
        if (op == "Div" && y != 0 && (y != -1 || x != lowest(ElementType::Int64))) {
            return IntTerm{x / y, {}};
        }
        if (op == "Mod" && y > 0 && x >= 0) {
            return IntTerm{x % y, {}};
        }
        if (op == "Max" || op == "Min") {
            return IntTerm{op == "Max" ? std::max(x, y) : std::min(x, y), {}};
        }
        return std::nullopt;
    }
    if ((op == "Add" && is(b, 0)) || (op == "Sub" && is(b, 0)) || ((op == "Mul" || op == "Div") && is(b, 1))) {
        return a;
    }
    if ((op == "Add" && is(a, 0)) || (op == "Mul" && is(a, 1))) {
        return b;
    }
    return IntTerm{};
}

ShapeResult binary(ShapeContext& context)
{
    const auto& a = termsAt(context, 0);
    const auto& b = termsAt(context, 1);
    if (a && b && !a->empty() && !b->empty() && context.inputs.size() == 2 &&
        (a->size() == b->size() || a->size() == 1 || b->size() == 1)) {
        IntTerms terms;
        for (std::size_t i = 0; i < std::max(a->size(), b->size()); ++i) {
            const auto term = combined(context.node.op, (*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
            if (!term) {
                break;
            }
            terms.push_back(*term);
        }
        if (terms.size() == std::max(a->size(), b->size())) {
            context.outputContents[0] = std::move(terms);
        }
    }
    return broadcastAll(context);
}

ShapeResult equal(ShapeContext& context)
{
    const auto a = knownInts(context, 0);
    const auto b = knownInts(context, 1);
    if (a && b && !a->empty() && !b->empty() && (a->size() == b->size() || a->size() == 1 || b->size() == 1)) {
        IntTerms terms;
        for (std::size_t i = 0; i < std::max(a->size(), b->size()); ++i) {
            terms.push_back({(*a)[a->size() == 1 ? 0 : i] == (*b)[b->size() == 1 ? 0 : i] ? 1 : 0, {}});
        }
        context.outputContents[0] = std::move(terms);
    }
    return broadcastToBool(context);
}

ShapeResult where(ShapeContext& context)
{
    const auto condition = knownInts(context, 0);
    const auto& a = termsAt(context, 1);
    const auto& b = termsAt(context, 2);
    if (condition && a && b) {
        const std::size_t size = std::max({condition->size(), a->size(), b->size()});
        const auto fits = [size](std::size_t other) { return other == size || other == 1; };
        if (fits(condition->size()) && fits(a->size()) && fits(b->size())) {
            IntTerms terms;
            for (std::size_t i = 0; i < size; ++i) {
                const IntTerms& from = (*condition)[condition->size() == 1 ? 0 : i] != 0 ? *a : *b;
                terms.push_back(from[from.size() == 1 ? 0 : i]);
            }
            context.outputContents[0] = std::move(terms);
        }
    }
    return oneOutput(inputAt(context, 1).type, TRY(broadcastInputs(context, 0, 3)));
}

ShapeResult sameShapeBool(ShapeContext& context)
{
    return oneOutput(ElementType::Bool, inputAt(context, 0).shape);
}

ShapeResult cast(ShapeContext& context)
{
    const ElementType to = elementTypeFromOnnx(context.node.intAttribute("to", 0));
    if (to == ElementType::Undefined) {
        return shapeError(context, "the attribute to names no element type");
    }
    if (isInteger(to) && bitWidth(to) >= 32) {
        context.outputContents[0] = termsAt(context, 0);
    }
    return oneOutput(to, inputAt(context, 0).shape);
}

ShapeResult castLike(ShapeContext& context)
{
    return oneOutput(inputAt(context, 1).type, inputAt(context, 0).shape);
}

ShapeResult bitCast(ShapeContext& context)
{
    return oneOutput(elementTypeFromOnnx(context.node.intAttribute("to", 0)), inputAt(context, 0).shape);
}

ShapeResult identity(ShapeContext& context)
{
    context.outputContents[0] = termsAt(context, 0);
    return sameAsInput(context);
}

ShapeResult negate(ShapeContext& context)
{
    if (const auto& terms = termsAt(context, 0)) {
        IntTerms negated;
        for (const IntTerm& term : *terms) {
            negated.push_back(term.value && *term.value != lowest(ElementType::Int64) ? IntTerm{-*term.value, {}}
                                                                                      : IntTerm{});
        }
        context.outputContents[0] = std::move(negated);
    }
    return sameAsInput(context);
}

ShapeResult dropout(ShapeContext& context)
{
    std::vector<TypedShape> outputs{inputAt(context, 0)};
    outputs.push_back({ElementType::Bool, inputAt(context, 0).shape});
    return outputs;
}

constexpr OpInfo unary(std::string_view op, Look look = Look::Activation, FoldingClass folding = Unary,
                       unsigned types = claims::floats)
{
    return {op, "", 1, 28, 1, 1, 1, folding, look, sameAsInput, types};
}

constexpr OpInfo pair(std::string_view op, FoldingClass folding, ShapeRule rule, unsigned types, int maxInputs = 2)
{
    return {op, "", 7, 28, maxInputs == 2 ? 2 : 1, maxInputs, 1, folding, Look::Elementwise, rule, types};
}

constexpr unsigned numeric = claims::floats | claims::integers;

constexpr auto rows = std::to_array<OpInfo>({
    unary("Relu", Look::Activation, Unary, numeric),
    unary("LeakyRelu"),
    unary("Elu"),
    unary("Selu"),
    unary("Celu"),
    unary("Sigmoid"),
    unary("HardSigmoid"),
    unary("HardSwish"),
    unary("Tanh"),
    unary("Softplus"),
    unary("Softsign"),
    unary("Mish"),
    unary("Gelu"),
    unary("Swish"),
    unary("ThresholdedRelu"),
    unary("Shrink", Look::Activation, Unary, numeric),
    {"Clip", "", 1, 28, 1, 3, 1, Unary, Look::Activation, sameAsInput, numeric},
    {"PRelu", "", 7, 28, 2, 2, 1, Rescale, Look::Activation, sameAsInput, numeric},
    unary("Erf", Look::Elementwise, Unary, numeric),
    unary("Exp", Look::Elementwise),
    unary("Log", Look::Elementwise),
    unary("Sqrt", Look::Elementwise),
    unary("Reciprocal", Look::Elementwise),
    unary("Abs", Look::Elementwise, Unary, numeric),
    {"Neg", "", 1, 28, 1, 1, 1, Unary, Look::Elementwise, negate, numeric},
    unary("Sign", Look::Elementwise, Unary, numeric),
    unary("Round", Look::Elementwise),
    unary("Floor", Look::Elementwise),
    unary("Ceil", Look::Elementwise),
    unary("Sin", Look::Elementwise),
    unary("Cos", Look::Elementwise),
    unary("Tan", Look::Elementwise),
    unary("Asin", Look::Elementwise),
    unary("Acos", Look::Elementwise),
    unary("Atan", Look::Elementwise),
    unary("Sinh", Look::Elementwise),
    unary("Cosh", Look::Elementwise),
    unary("Asinh", Look::Elementwise),
    unary("Acosh", Look::Elementwise),
    unary("Atanh", Look::Elementwise),
    unary("Not", Look::Elementwise, Index, claims::boolean),
    unary("BitwiseNot", Look::Elementwise, Float, claims::integers),
    {"IsNaN", "", 9, 28, 1, 1, 1, Index, Look::Elementwise, sameShapeBool, claims::floats},
    {"IsInf", "", 10, 28, 1, 1, 1, Index, Look::Elementwise, sameShapeBool, claims::floats},
    pair("Add", Rescale, binary, numeric),
    pair("Sub", Rescale, binary, numeric),
    pair("Mul", Rescale, binary, numeric),
    pair("Div", Rescale, binary, numeric),
    pair("Mod", Float, binary, numeric),
    pair("Pow", Rescale, broadcastAll, numeric),
    pair("Max", Monotone, binary, numeric, -1),
    pair("Min", Monotone, binary, numeric, -1),
    pair("Sum", Rescale, broadcastAll, claims::floats, -1),
    pair("Mean", Rescale, broadcastAll, claims::floats, -1),
    pair("And", Index, broadcastToBool, claims::boolean),
    pair("Or", Index, broadcastToBool, claims::boolean),
    pair("Xor", Index, broadcastToBool, claims::boolean),
    pair("BitShift", Float, broadcastAll, claims::integers),
    pair("BitwiseAnd", Float, broadcastAll, claims::integers),
    pair("BitwiseOr", Float, broadcastAll, claims::integers),
    pair("BitwiseXor", Float, broadcastAll, claims::integers),
    pair("Equal", Index, equal, claims::numbers),
    pair("Greater", Index, broadcastToBool, numeric),
    pair("GreaterOrEqual", Index, broadcastToBool, numeric),
    pair("Less", Index, broadcastToBool, numeric),
    pair("LessOrEqual", Index, broadcastToBool, numeric),
    {"Where", "", 9, 28, 3, 3, 1, Rescale, Look::Elementwise, where, claims::all},
    {"Cast", "", 6, 28, 1, 1, 1, Unary, Look::Elementwise, cast, claims::all},
    {"CastLike", "", 15, 28, 2, 2, 1, Unary, Look::Elementwise, castLike, claims::all},
    {"BitCast", "", 26, 28, 1, 1, 1, Float, Look::Elementwise, bitCast, claims::numbers},
    {"Identity", "", 1, 28, 1, 1, 1, Movement, Look::Movement, identity, claims::all},
    {"Dropout", "", 7, 28, 1, 3, 2, Movement, Look::Movement, dropout, claims::floats},
});

} // namespace

std::span<const OpInfo> elementwiseOps()
{
    return rows;
}

} // namespace crease
