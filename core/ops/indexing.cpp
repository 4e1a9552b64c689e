// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/op_families.h"
#include "core/ops/shape_support.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace crease {

namespace {

using enum FoldingClass;
using Look = OpClass;

ElementType typeOf(const ShapeContext& context)
{
    return inputAt(context, 0).type;
}

ShapeResult gather(ShapeContext& context)
{
    const MaybeShape& data = inputAt(context, 0).shape;
    const MaybeShape& indices = inputAt(context, 1).shape;
    if (!data || !indices) {
        return oneOutput(typeOf(context), {});
    }
    const std::size_t axis = TRY(axisIn(context, context.node.intAttribute("axis", 0), data->size()));
    const auto& terms = termsAt(context, 0);
    const auto at = knownInts(context, 1);
    if (terms && at && data->size() == 1) {
        IntTerms picked;
        for (std::int64_t index : *at) {
            index += index < 0 ? static_cast<std::int64_t>(terms->size()) : 0;
            if (index < 0 || std::cmp_greater_equal(index, terms->size())) {
                return shapeError(context, fmt::format("index {} of {} elements", index, terms->size()));
            }
            picked.push_back((*terms)[static_cast<std::size_t>(index)]);
        }
        context.outputContents[0] = std::move(picked);
    }
    Shape result(data->begin(), data->begin() + static_cast<std::ptrdiff_t>(axis));
    result.insert(result.end(), indices->begin(), indices->end());
    result.insert(result.end(), data->begin() + static_cast<std::ptrdiff_t>(axis) + 1, data->end());
    return oneOutput(typeOf(context), std::move(result));
}

ShapeResult likeIndices(ShapeContext& context)
{
    return oneOutput(typeOf(context), inputAt(context, 1).shape);
}

ShapeResult gatherND(ShapeContext& context)
{
    const MaybeShape& data = inputAt(context, 0).shape;
    const MaybeShape& indices = inputAt(context, 1).shape;
    const auto batch = static_cast<std::size_t>(context.node.intAttribute("batch_dims", 0));
    if (!data || !indices || indices->empty() || !indices->back().known()) {
        return oneOutput(typeOf(context), {});
    }
    const std::size_t depth = batch + static_cast<std::size_t>(indices->back().value);
    if (depth > data->size()) {
        return shapeError(context, fmt::format("indices of {} axes for rank {}", depth, data->size()));
    }
    Shape result(indices->begin(), indices->end() - 1);
    result.insert(result.end(), data->begin() + static_cast<std::ptrdiff_t>(depth), data->end());
    return oneOutput(typeOf(context), std::move(result));
}

ShapeResult shapeRule(ShapeContext& context)
{
    const MaybeShape& shape = inputAt(context, 0).shape;
    if (!shape) {
        return oneOutput(ElementType::Int64, Shape(1));
    }
    const auto rank = static_cast<std::int64_t>(shape->size());
    const auto bound = [rank](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
    const std::int64_t from = bound(context.node.intAttribute("start", 0));
    const std::int64_t to = std::max(from, bound(context.node.intAttribute("end", rank)));
    IntTerms terms;
    for (std::int64_t i = from; i < to; ++i) {
        terms.push_back(termOf((*shape)[static_cast<std::size_t>(i)]));
    }
    context.outputContents[0] = std::move(terms);
    return oneOutput(ElementType::Int64, Shape{known(to - from)});
}

ShapeResult size(ShapeContext& context)
{
    if (const MaybeShape& shape = inputAt(context, 0).shape) {
        Dim count = known(1);
        for (const Dim& dim : *shape) {
            count = product(count, dim);
        }
        context.outputContents[0] = IntTerms{termOf(count)};
    }
    return oneOutput(ElementType::Int64, Shape{});
}

ShapeResult topK(ShapeContext& context)
{
    MaybeShape shape = inputAt(context, 0).shape;
    if (shape) {
        const std::size_t axis = TRY(axisIn(context, context.node.intAttribute("axis", -1), shape->size()));
        const auto& k = termsAt(context, 1);
        (*shape)[axis] = k && k->size() == 1 ? dimOf((*k)[0]) : Dim{};
    }
    return std::vector<TypedShape>{{typeOf(context), shape}, {ElementType::Int64, shape}};
}

ShapeResult oneHot(ShapeContext& context)
{
    MaybeShape shape = inputAt(context, 0).shape;
    if (shape) {
        const std::size_t axis = TRY(axisIn(context, context.node.intAttribute("axis", -1), shape->size() + 1));
        const auto& depth = termsAt(context, 1);
        shape->insert(shape->begin() + static_cast<std::ptrdiff_t>(axis),
                      depth && depth->size() == 1 ? dimOf((*depth)[0]) : Dim{});
    }
    return oneOutput(inputAt(context, 2).type, std::move(shape));
}

ShapeResult nonZero(ShapeContext& context)
{
    const MaybeShape& shape = inputAt(context, 0).shape;
    return oneOutput(ElementType::Int64,
                     shape ? MaybeShape(Shape{known(static_cast<std::int64_t>(shape->size())), Dim{}}) : MaybeShape{});
}

ShapeResult compress(ShapeContext& context)
{
    MaybeShape shape = inputAt(context, 0).shape;
    const Attribute* axis = context.node.attribute("axis");
    if (axis == nullptr) {
        return oneOutput(typeOf(context), Shape(1));
    }
    if (shape) {
        (*shape)[TRY(axisIn(context, context.node.intAttribute("axis", 0), shape->size()))] = Dim{};
    }
    return oneOutput(typeOf(context), std::move(shape));
}

ShapeResult unique(ShapeContext& context)
{
    MaybeShape shape = inputAt(context, 0).shape;
    if (context.node.attribute("axis") == nullptr) {
        shape = Shape(1);
    } else if (shape) {
        (*shape)[TRY(axisIn(context, context.node.intAttribute("axis", 0), shape->size()))] = Dim{};
    }
    std::vector<TypedShape> outputs{{typeOf(context), std::move(shape)}};
    outputs.resize(4, {ElementType::Int64, Shape(1)});
    return outputs;
}

ShapeResult nonMaxSuppression(ShapeContext&)
{
    return oneOutput(ElementType::Int64, Shape{Dim{}, known(3)});
}

constexpr unsigned numeric = claims::floats | claims::integers;

constexpr auto rows = std::to_array<OpInfo>({
    {"Gather", "", 1, 28, 2, 2, 1, Movement, Look::Movement, gather, claims::all},
    {"GatherElements", "", 11, 28, 2, 2, 1, Movement, Look::Movement, likeIndices, claims::all},
    {"GatherND", "", 11, 28, 2, 2, 1, Movement, Look::Movement, gatherND, claims::all},
    {"ScatterElements", "", 9, 28, 3, 3, 1, Float, Look::Movement, sameAsInput, claims::numbers},
    {"ScatterND", "", 11, 28, 3, 3, 1, Float, Look::Movement, sameAsInput, claims::numbers},
    {"TensorScatter", "", 24, 28, 2, 3, 1, Float, Look::Movement, sameAsInput, claims::numbers},
    {"Shape", "", 1, 28, 1, 1, 1, Index, Look::Other, shapeRule, claims::all},
    {"Size", "", 1, 28, 1, 1, 1, Index, Look::Other, size, claims::all},
    {"TopK", "", 1, 28, 2, 2, 2, Monotone, Look::Other, topK, numeric},
    {"OneHot", "", 9, 28, 3, 3, 1, Index, Look::Other, oneHot, claims::numbers},
    {"NonZero", "", 9, 28, 1, 1, 1, Index, Look::Other, nonZero, claims::numbers},
    {"Compress", "", 9, 28, 2, 2, 1, Movement, Look::Movement, compress, claims::numbers},
    {"Unique", "", 11, 28, 1, 1, 4, Float, Look::Other, unique, numeric},
    {"ReverseSequence", "", 10, 28, 2, 2, 1, Movement, Look::Movement, sameAsInput, claims::numbers},
    {"Trilu", "", 14, 28, 1, 2, 1, Float, Look::Movement, sameAsInput, claims::numbers},
    {"NonMaxSuppression", "", 10, 28, 2, 5, 1, Index, Look::Other, nonMaxSuppression, claims::numbers},
});

} // namespace

std::span<const OpInfo> indexingOps()
{
    return rows;
}

} // namespace crease
