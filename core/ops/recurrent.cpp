// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/op_families.h"
#include "core/ops/shape_support.h"

#include <array>

namespace crease {

namespace {

using Look = OpClass;

/// RNN, GRU, LSTM: Y, Y_h and (LSTM) Y_c.
ShapeResult recurrent(ShapeContext& context)
{
    const TypedShape& x = inputAt(context, 0);
    const bool batchFirst = context.node.intAttribute("layout", 0) == 1;
    const Dim directions = known(context.node.stringAttribute("direction", "forward") == "bidirectional" ? 2 : 1);
    Dim hidden =
        context.node.attribute("hidden_size") != nullptr ? known(context.node.intAttribute("hidden_size", 0)) : Dim{};
    if (const MaybeShape& recurrence = inputAt(context, 2).shape;
        !hidden.known() && recurrence && recurrence->size() == 3) {
        hidden = (*recurrence)[2];
    }
    if (!x.shape || x.shape->size() != 3) {
        return std::vector<TypedShape>(3, TypedShape{x.type, {}});
    }
    const Dim steps = (*x.shape)[batchFirst ? 1 : 0];
    const Dim batch = (*x.shape)[batchFirst ? 0 : 1];
    const Shape all = batchFirst ? Shape{batch, steps, directions, hidden} : Shape{steps, directions, batch, hidden};
    const Shape last = batchFirst ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
    return std::vector<TypedShape>{{x.type, all}, {x.type, last}, {x.type, last}};
}

ShapeResult gridSample(ShapeContext& context)
{
    const TypedShape& x = inputAt(context, 0);
    const MaybeShape& grid = inputAt(context, 1).shape;
    if (!x.shape || !grid || grid->size() != x.shape->size() || grid->size() < 3) {
        return oneOutput(x.type, {});
    }
    Shape result{(*x.shape)[0], (*x.shape)[1]};
    result.insert(result.end(), grid->begin() + 1, grid->end() - 1);
    return oneOutput(x.type, std::move(result));
}

constexpr auto rows = std::to_array<OpInfo>({
    {"RNN", "", 7, 28, 3, 6, 2, FoldingClass::Float, Look::Linear, recurrent, claims::floats | claims::integers},
    {"GRU", "", 7, 28, 3, 6, 2, FoldingClass::Float, Look::Linear, recurrent, claims::floats | claims::integers},
    {"LSTM", "", 7, 28, 3, 8, 3, FoldingClass::Float, Look::Linear, recurrent, claims::floats | claims::integers},
    {"GridSample", "", 16, 28, 2, 2, 1, FoldingClass::Float, Look::Movement, gridSample, claims::floats},
});

} // namespace

std::span<const OpInfo> recurrentOps()
{
    return rows;
}

} // namespace crease
