// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/integer_nodes.h"
#include "core/ops/op_families.h"
#include "core/ops/shape_support.h"

#include <array>

namespace crease {

namespace {

/// The storage type of the grid that the output value carries.
ShapeResult toCodes(ShapeContext& context)
{
    const ValueId out = context.node.output();
    const bool gridKnown = out.valid() && context.graph.contains(out) && context.graph.value(out).codes.has_value();
    return oneOutput(gridKnown ? context.graph.value(out).codes->storage : ElementType::Undefined,
                     inputAt(context, 0).shape);
}

ShapeResult toFloat(ShapeContext& context)
{
    const ValueId out = context.node.output();
    const ElementType stated =
        out.valid() && context.graph.contains(out) ? context.graph.value(out).type : ElementType::Undefined;
    return oneOutput(isFloat(stated) ? stated : ElementType::Float32, inputAt(context, 0).shape);
}

constexpr OpInfo row(std::string_view op, ShapeRule rule, OpClass look = OpClass::Quantizer)
{
    return {op, nodes::domain, 0, 28, 1, 1, 1, FoldingClass::Quantizer, look, rule, claims::all};
}

constexpr auto rows = std::to_array<OpInfo>({
    row(nodes::fakeQuant, sameAsInput),
    row(nodes::quantize, toCodes),
    row(nodes::dequantize, toFloat),
    row(nodes::requantize, toCodes),
    row(nodes::table, toCodes, OpClass::Activation),
    row(nodes::clamp, toCodes, OpClass::Activation),
});

} // namespace

std::span<const OpInfo> integerOps()
{
    return rows;
}

} // namespace crease
