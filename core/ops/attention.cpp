// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/op_families.h"
#include "core/ops/shape_support.h"

#include <array>

namespace crease {

namespace {

Dim dividedBy(const Dim& dim, std::int64_t by)
{
    return dim.known() && by > 0 && dim.value % by == 0 ? known(dim.value / by) : Dim{};
}

/// [batch][heads][length][size] of an input that may be [batch][length][heads * size].
MaybeShape headsShape(const ShapeContext& context, std::size_t slot, std::string_view headsAttribute)
{
    const MaybeShape& shape = inputAt(context, slot).shape;
    if (!shape || shape->size() != 3) {
        return shape && shape->size() == 4 ? shape : MaybeShape{};
    }
    const std::int64_t heads = context.node.intAttribute(headsAttribute, 0);
    return Shape{(*shape)[0], known(heads), (*shape)[1], dividedBy((*shape)[2], heads)};
}

ShapeResult attention(ShapeContext& context)
{
    const ElementType type = inputAt(context, 0).type;
    const MaybeShape q = headsShape(context, 0, "q_num_heads");
    MaybeShape k = headsShape(context, 1, "kv_num_heads");
    MaybeShape v = headsShape(context, 2, "kv_num_heads");
    if (!q || !k || !v) {
        return std::vector<TypedShape>(4, TypedShape{type, {}});
    }
    if (hasInput(context, 4)) {
        const MaybeShape& past = inputAt(context, 4).shape;
        const Dim before = past && past->size() == 4 ? (*past)[2] : Dim{};
        (*k)[2] = before.known() ? sum((*k)[2], before) : Dim{};
        (*v)[2] = (*k)[2];
    }
    Shape y{(*q)[0], (*q)[1], (*q)[2], (*v)[3]};
    if (inputAt(context, 0).shape->size() == 3) {
        y = {(*q)[0], (*q)[2], product((*q)[1], (*v)[3])};
    }
    return std::vector<TypedShape>{
        {type, std::move(y)}, {type, k}, {type, v}, {type, Shape{(*q)[0], (*q)[1], (*q)[2], (*k)[2]}}};
}

constexpr unsigned withMask = claims::floats | claims::integers | claims::boolean;

constexpr auto rows = std::to_array<OpInfo>({
    {"Attention", "", 23, 28, 3, 7, 4, FoldingClass::Float, OpClass::Other, attention, withMask},
    {"RotaryEmbedding", "", 23, 28, 3, 4, 1, FoldingClass::Float, OpClass::Other, sameAsInput,
     claims::floats | claims::integers},
    {"SwiGLU", "", 26, 28, 2, 2, 1, FoldingClass::Float, OpClass::Activation, sameAsInput, claims::floats},
});

} // namespace

std::span<const OpInfo> attentionOps()
{
    return rows;
}

} // namespace crease
