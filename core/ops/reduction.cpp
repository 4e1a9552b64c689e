// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/op_families.h"
#include "core/ops/shape_support.h"

#include <array>

namespace crease {

namespace {

using Look = OpClass;

ShapeResult reduce(ShapeContext& context)
{
    const TypedShape& x = inputAt(context, 0);
    const bool keep = context.node.intAttribute("keepdims", 1) != 0;
    if (!x.shape) {
        return oneOutput(x.type, {});
    }
    const auto axes = knownInts(context, 1);
    const bool given = hasInput(context, 1);
    if (given && !axes) {
        return oneOutput(x.type, keep ? MaybeShape(Shape(x.shape->size())) : MaybeShape{});
    }
    const bool none = !given || axes->empty();
    const bool all = none && context.node.intAttribute("noop_with_empty_axes", 0) == 0;
    std::vector<bool> reduced(x.shape->size(), all);
    if (!none) {
        for (const std::int64_t axis : *axes) {
            reduced[TRY(axisIn(context, axis, reduced.size()))] = true;
        }
    }
    Shape result;
    for (std::size_t i = 0; i < reduced.size(); ++i) {
        if (!reduced[i]) {
            result.push_back((*x.shape)[i]);
        } else if (keep) {
            result.push_back(known(1));
        }
    }
    if (context.node.op == "ReduceProd") {
        if (const auto& terms = termsAt(context, 0); terms && all) {
            IntTerm total{1, {}};
            for (const IntTerm& term : *terms) {
                total = termOf(product(dimOf(total), dimOf(term)));
            }
            context.outputContents[0] = IntTerms{total};
        }
    }
    return oneOutput(x.type, std::move(result));
}

ShapeResult arg(ShapeContext& context)
{
    const MaybeShape& shape = inputAt(context, 0).shape;
    if (!shape) {
        return oneOutput(ElementType::Int64, {});
    }
    const std::size_t axis = TRY(axisIn(context, context.node.intAttribute("axis", 0), shape->size()));
    Shape result = *shape;
    if (context.node.intAttribute("keepdims", 1) != 0) {
        result[axis] = known(1);
    } else {
        result.erase(result.begin() + static_cast<std::ptrdiff_t>(axis));
    }
    return oneOutput(ElementType::Int64, std::move(result));
}

constexpr unsigned numeric = claims::floats | claims::integers;

constexpr OpInfo reduction(std::string_view op, FoldingClass folding, unsigned types = numeric)
{
    return {op, "", 1, 28, 1, 2, 1, folding, Look::Other, reduce, types};
}

constexpr auto rows = std::to_array<OpInfo>({
    reduction("ReduceSum", FoldingClass::Rescale),
    reduction("ReduceMean", FoldingClass::Rescale),
    reduction("ReduceMax", FoldingClass::Monotone, claims::numbers),
    reduction("ReduceMin", FoldingClass::Monotone, claims::numbers),
    reduction("ReduceProd", FoldingClass::Float),
    reduction("ReduceL1", FoldingClass::Float),
    reduction("ReduceL2", FoldingClass::Float),
    reduction("ReduceSumSquare", FoldingClass::Float),
    reduction("ReduceLogSum", FoldingClass::Float),
    reduction("ReduceLogSumExp", FoldingClass::Float),
    {"ArgMax", "", 1, 28, 1, 1, 1, FoldingClass::Index, Look::Other, arg, numeric},
    {"ArgMin", "", 1, 28, 1, 1, 1, FoldingClass::Index, Look::Other, arg, numeric},
    {"Softmax", "", 1, 28, 1, 1, 1, FoldingClass::Float, Look::Activation, sameAsInput, claims::floats},
    {"LogSoftmax", "", 1, 28, 1, 1, 1, FoldingClass::Float, Look::Activation, sameAsInput, claims::floats},
    {"Hardmax", "", 1, 28, 1, 1, 1, FoldingClass::Float, Look::Activation, sameAsInput, claims::floats},
    {"CumSum", "", 11, 28, 2, 2, 1, FoldingClass::Float, Look::Other, sameAsInput, numeric},
    {"CumProd", "", 26, 28, 2, 2, 1, FoldingClass::Float, Look::Other, sameAsInput, numeric},
});

} // namespace

std::span<const OpInfo> reductionOps()
{
    return rows;
}

} // namespace crease
