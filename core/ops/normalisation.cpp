// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/op_families.h"
#include "core/ops/shape_support.h"

#include <array>

namespace crease {

namespace {

using Look = OpClass;

ShapeResult layerNorm(ShapeContext& context)
{
    const TypedShape& x = inputAt(context, 0);
    std::vector<TypedShape> outputs{x};
    MaybeShape reduced = x.shape;
    if (reduced) {
        for (std::size_t i = TRY(axisIn(context, context.node.intAttribute("axis", -1), reduced->size()));
             i < reduced->size(); ++i) {
            (*reduced)[i] = known(1);
        }
    }
    outputs.resize(3, {ElementType::Float32, std::move(reduced)});
    return outputs;
}

constexpr OpInfo norm(std::string_view op, int since, int inputs, ShapeRule rule = sameAsInput, int maxOutputs = 1)
{
    return {op, "", since, 28, 1, inputs, maxOutputs, FoldingClass::Norm, Look::Normalisation, rule, claims::floats};
}

constexpr auto rows = std::to_array<OpInfo>({
    norm("BatchNormalization", 7, 5),
    norm("InstanceNormalization", 6, 3),
    norm("LayerNormalization", 17, 3, layerNorm, 3),
    norm("GroupNormalization", 21, 3),
    norm("RMSNormalization", 23, 2),
    norm("LpNormalization", 1, 1),
    norm("MeanVarianceNormalization", 9, 1),
    norm("LRN", 1, 1),
});

} // namespace

std::span<const OpInfo> normalisationOps()
{
    return rows;
}

} // namespace crease
