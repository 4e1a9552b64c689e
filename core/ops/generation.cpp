// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/op_families.h"
#include "core/ops/shape_support.h"
#include "core/tensor/onnx_types.h"

#include <array>
#include <cmath>

namespace crease {

namespace {

using Look = OpClass;

ShapeResult constant(ShapeContext& context)
{
    const Node& node = context.node;
    if (const Tensor* value = node.tensorAttribute("value")) {
        if (isInteger(value->type()) && value->rank() <= 1 && value->size() <= 64) {
            IntTerms terms;
            for (const std::int64_t element : value->toInts()) {
                terms.push_back({element, {}});
            }
            context.outputContents[0] = std::move(terms);
        }
        return oneOutput(value->type(), shapeOf(value->dims()));
    }
    if (node.attribute("value_ints") != nullptr) {
        const std::vector<std::int64_t> values = node.intsAttribute("value_ints");
        IntTerms terms;
        for (const std::int64_t value : values) {
            terms.push_back({value, {}});
        }
        context.outputContents[0] = std::move(terms);
        return oneOutput(ElementType::Int64, Shape{known(static_cast<std::int64_t>(values.size()))});
    }
    if (node.attribute("value_floats") != nullptr) {
        const std::size_t size = node.doublesAttribute("value_floats").size();
        return oneOutput(ElementType::Float32, Shape{known(static_cast<std::int64_t>(size))});
    }
    if (node.attribute("value_int") != nullptr) {
        context.outputContents[0] = IntTerms{{node.intAttribute("value_int", 0), {}}};
        return oneOutput(ElementType::Int64, Shape{});
    }
    if (node.attribute("value_float") != nullptr) {
        return oneOutput(ElementType::Float32, Shape{});
    }
    return oneOutput(ElementType::Undefined, {});
}

ShapeResult constantOfShape(ShapeContext& context)
{
    const Tensor* value = context.node.tensorAttribute("value");
    const ElementType type = value != nullptr ? value->type() : ElementType::Float32;
    const auto& target = termsAt(context, 0);
    if (!target) {
        return oneOutput(type, {});
    }
    Shape shape;
    for (const IntTerm& term : *target) {
        if (term.value && *term.value < 0) {
            return shapeError(context, "a dimension is negative");
        }
        shape.push_back(dimOf(term));
    }
    const bool small = shape.empty() || (shape.size() == 1 && shape[0].known() && shape[0].value <= 64);
    if (small && isInteger(type) && (value == nullptr || value->size() == 1)) {
        const auto count = shape.empty() ? std::size_t{1} : static_cast<std::size_t>(shape[0].value);
        context.outputContents[0] = IntTerms(count, IntTerm{value != nullptr ? value->asInt(0) : 0, {}});
    }
    return oneOutput(type, std::move(shape));
}

ShapeResult range(ShapeContext& context)
{
    const ElementType type = inputAt(context, 0).type;
    const auto start = knownInts(context, 0);
    const auto limit = knownInts(context, 1);
    const auto delta = knownInts(context, 2);
    if (start && limit && delta && start->size() == 1 && limit->size() == 1 && delta->size() == 1 && (*delta)[0] != 0) {
        const std::int64_t step = (*delta)[0];
        std::int64_t span = 0;
        if (__builtin_sub_overflow((*limit)[0], (*start)[0], &span) || step == lowest(ElementType::Int64)) {
            return oneOutput(type, Shape(1));
        }
        const std::int64_t count =
            span == 0 || (span > 0) != (step > 0) ? 0 : 1 + (step > 0 ? (span - 1) / step : (span + 1) / step);
        if (count <= 64) {
            IntTerms terms;
            for (std::int64_t i = 0; i < count; ++i) {
                terms.push_back({(*start)[0] + i * step, {}});
            }
            context.outputContents[0] = std::move(terms);
        }
        return oneOutput(type, Shape{known(count)});
    }
    const Tensor* from = constantAt(context, 0);
    const Tensor* to = constantAt(context, 1);
    const Tensor* by = constantAt(context, 2);
    const auto single = [](const Tensor* tensor) { return tensor != nullptr && tensor->size() == 1; };
    if (single(from) && single(to) && single(by) && isFloat(type) && by->asDouble(0) != 0.0) {
        const double count = std::ceil((to->asDouble(0) - from->asDouble(0)) / by->asDouble(0));
        const bool fits = count <= static_cast<double>(largestDim); // false for NaN
        return oneOutput(type, Shape{fits ? known(static_cast<std::int64_t>(std::max(count, 0.0))) : Dim{}});
    }
    // 0 .. symbol in steps of 1 has the length of the symbol.
    const auto& upper = termsAt(context, 1);
    const auto is = [](const auto& ints, std::int64_t value) {
        return ints && ints->size() == 1 && ints->front() == value;
    };
    const bool counting = is(start, 0) && is(delta, 1) && upper && upper->size() == 1;
    return oneOutput(type, Shape{counting ? dimOf((*upper)[0]) : Dim{}});
}

ShapeResult eyeLike(ShapeContext& context)
{
    const ElementType type = elementTypeFromOnnx(context.node.intAttribute("dtype", 0));
    return oneOutput(type == ElementType::Undefined ? inputAt(context, 0).type : type, inputAt(context, 0).shape);
}

constexpr auto rows = std::to_array<OpInfo>({
    {"Constant", "", 1, 28, 0, 0, 1, FoldingClass::Constant, Look::Constant, constant, claims::all},
    {"ConstantOfShape", "", 9, 28, 1, 1, 1, FoldingClass::Constant, Look::Constant, constantOfShape, claims::numbers},
    {"Range", "", 11, 28, 3, 3, 1, FoldingClass::Constant, Look::Constant, range, claims::floats | claims::integers},
    {"EyeLike", "", 9, 28, 1, 1, 1, FoldingClass::Constant, Look::Constant, eyeLike, claims::numbers},
});

} // namespace

std::span<const OpInfo> generationOps()
{
    return rows;
}

} // namespace crease
