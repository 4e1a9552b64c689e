// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/linear_shapes.h"
#include "core/ops/op_families.h"
#include "core/ops/window.h"

#include <array>
#include <fmt/format.h>

namespace crease {

Result<MaybeShape> poolShape(const ShapeContext& context, const MaybeShape& x)
{
    if (!x) {
        return MaybeShape{};
    }
    const Window window = windowOf(context.node);
    const std::string fault = x->size() < 3 ? "no spatial axis" : windowFault(window, x->size() - 2);
    if (!fault.empty()) {
        return shapeError(context, fault);
    }
    Shape result{(*x)[0], (*x)[1]};
    for (std::size_t i = 0; i + 2 < x->size(); ++i) {
        const Dim& dim = (*x)[i + 2];
        result.push_back(dim.known() ? known(window.output(i, dim.value)) : Dim{});
    }
    return MaybeShape{std::move(result)};
}

MaybeShape globalPoolShape(const MaybeShape& x)
{
    if (!x) {
        return {};
    }
    Shape result = *x;
    for (std::size_t i = 2; i < result.size(); ++i) {
        result[i] = known(1);
    }
    return result;
}

namespace {

using Look = OpClass;

ShapeResult pool(ShapeContext& context)
{
    const MaybeShape shape = TRY(poolShape(context, inputAt(context, 0).shape));
    return std::vector<TypedShape>{{inputAt(context, 0).type, shape}, {ElementType::Int64, shape}};
}

ShapeResult globalPool(ShapeContext& context)
{
    return oneOutput(inputAt(context, 0).type, globalPoolShape(inputAt(context, 0).shape));
}

constexpr unsigned numeric = claims::floats | claims::integers;

constexpr auto rows = std::to_array<OpInfo>({
    {"MaxPool", "", 1, 28, 1, 1, 2, FoldingClass::Monotone, Look::Other, pool, numeric},
    {"AveragePool", "", 7, 28, 1, 1, 1, FoldingClass::Rescale, Look::Other, pool, claims::floats},
    {"LpPool", "", 2, 28, 1, 1, 1, FoldingClass::Float, Look::Other, pool, claims::floats},
    {"GlobalMaxPool", "", 1, 28, 1, 1, 1, FoldingClass::Monotone, Look::Other, globalPool, claims::floats},
    {"GlobalAveragePool", "", 1, 28, 1, 1, 1, FoldingClass::Rescale, Look::Other, globalPool, claims::floats},
    {"GlobalLpPool", "", 2, 28, 1, 1, 1, FoldingClass::Float, Look::Other, globalPool, claims::floats},
});

} // namespace

std::span<const OpInfo> poolingOps()
{
    return rows;
}

} // namespace crease
