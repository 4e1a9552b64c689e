// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/linear_shapes.h"
#include "core/ops/op_families.h"
#include "core/tensor/onnx_types.h"

#include <array>

namespace crease {

namespace {

using Look = OpClass;

const MaybeShape& shapeAt(const ShapeContext& context, std::size_t slot)
{
    return inputAt(context, slot).shape;
}
ElementType typeAt(const ShapeContext& context, std::size_t slot)
{
    return inputAt(context, slot).type;
}

ShapeResult quantize(ShapeContext& context)
{
    const ElementType stated = quantizedType(ElementType::Undefined, context.node.intAttribute("output_dtype", 0));
    return oneOutput(hasInput(context, 2) ? typeAt(context, 2) : stated, shapeAt(context, 0));
}

ShapeResult dequantize(ShapeContext& context)
{
    ElementType type = elementTypeFromOnnx(context.node.intAttribute("output_dtype", 0));
    type = type == ElementType::Undefined ? typeAt(context, 1) : type;
    return oneOutput(type == ElementType::Float8E8M0 ? ElementType::Float32 : type, shapeAt(context, 0));
}

ShapeResult dynamicQuantize(ShapeContext& context)
{
    return std::vector<TypedShape>{
        {ElementType::UInt8, shapeAt(context, 0)}, {ElementType::Float32, Shape{}}, {ElementType::UInt8, Shape{}}};
}

bool channelsLast(const ShapeContext& context)
{
    return context.node.intAttribute("channels_last", 0) != 0;
}

MaybeShape channelsMoved(MaybeShape shape, bool toFront)
{
    if (shape && shape->size() > 2) {
        const Dim channels = toFront ? shape->back() : (*shape)[1];
        shape->erase(toFront ? shape->end() - 1 : shape->begin() + 1);
        shape->insert(toFront ? shape->begin() + 1 : shape->end(), channels);
    }
    return shape;
}

ShapeResult qlinearConv(ShapeContext& context)
{
    const bool last = channelsLast(context);
    MaybeShape x = last ? channelsMoved(shapeAt(context, 0), true) : shapeAt(context, 0);
    MaybeShape y = TRY(convShape(context, x, shapeAt(context, 3)));
    return oneOutput(typeAt(context, 7), last ? channelsMoved(std::move(y), false) : std::move(y));
}

ShapeResult convInteger(ShapeContext& context)
{
    return oneOutput(ElementType::Int32, TRY(convShape(context, shapeAt(context, 0), shapeAt(context, 1))));
}

ShapeResult qlinearMatMul(ShapeContext& context)
{
    return oneOutput(typeAt(context, 7), TRY(matMulShape(context, shapeAt(context, 0), shapeAt(context, 3))));
}

ShapeResult matMulInteger(ShapeContext& context)
{
    return oneOutput(ElementType::Int32, TRY(matMulShape(context, shapeAt(context, 0), shapeAt(context, 1))));
}

ShapeResult matMulToFloat(ShapeContext& context)
{
    return oneOutput(ElementType::Float32, TRY(matMulShape(context, shapeAt(context, 0), shapeAt(context, 1))));
}

ShapeResult qgemm(ShapeContext& context)
{
    return oneOutput(hasInput(context, 8) ? typeAt(context, 8) : ElementType::Float32,
                     TRY(gemmShape(context, shapeAt(context, 0), shapeAt(context, 3))));
}

ShapeResult qlinearBinary(ShapeContext& context)
{
    MaybeShape shape;
    if (shapeAt(context, 0) && shapeAt(context, 3)) {
        shape = TRY(broadcastShapes(context, *shapeAt(context, 0), *shapeAt(context, 3)));
    }
    return oneOutput(typeAt(context, 0), std::move(shape));
}

ShapeResult qlinearPool(ShapeContext& context)
{
    const bool last = channelsLast(context);
    MaybeShape x = last ? channelsMoved(shapeAt(context, 0), true) : shapeAt(context, 0);
    const bool global = context.node.op == "QLinearGlobalAveragePool";
    MaybeShape y = global ? globalPoolShape(x) : TRY(poolShape(context, x));
    return oneOutput(typeAt(context, 0), last ? channelsMoved(std::move(y), false) : std::move(y));
}

ShapeResult qlinearConcat(ShapeContext& context)
{
    MaybeShape result = shapeAt(context, 2);
    for (std::size_t i = 5; result && i < context.inputs.size(); i += 3) {
        const MaybeShape& next = shapeAt(context, i);
        if (!next || next->size() != result->size()) {
            return oneOutput(typeAt(context, 1), {});
        }
        const std::size_t axis = TRY(axisIn(context, context.node.intAttribute("axis", 1), result->size()));
        (*result)[axis] = sum((*result)[axis], (*next)[axis]);
    }
    return oneOutput(typeAt(context, 1), std::move(result));
}

ShapeResult qlinearWhere(ShapeContext& context)
{
    MaybeShape shape;
    if (shapeAt(context, 0) && shapeAt(context, 1) && shapeAt(context, 4)) {
        shape = TRY(broadcastShapes(context, *shapeAt(context, 0), *shapeAt(context, 1)));
        shape = TRY(broadcastShapes(context, *shape, *shapeAt(context, 4)));
    }
    return oneOutput(typeAt(context, 1), std::move(shape));
}

constexpr std::string_view microsoft = "com.microsoft";

constexpr OpInfo row(std::string_view op, std::string_view domain, int since, int minInputs, int maxInputs,
                     ShapeRule rule, Look look = Look::Quantizer, int maxOutputs = 1)
{
    return {op, domain, since, 28, minInputs, maxInputs, maxOutputs, FoldingClass::Quantizer, look, rule, claims::all};
}

constexpr auto rows = std::to_array<OpInfo>({
    row("QuantizeLinear", "", 10, 2, 3, quantize),
    row("DequantizeLinear", "", 10, 2, 3, dequantize),
    row("DynamicQuantizeLinear", "", 11, 1, 1, dynamicQuantize, Look::Quantizer, 3),
    row("QLinearConv", "", 10, 8, 9, qlinearConv, Look::Linear),
    row("ConvInteger", "", 10, 2, 4, convInteger, Look::Linear),
    row("QLinearMatMul", "", 10, 8, 8, qlinearMatMul, Look::Linear),
    row("MatMulInteger", "", 10, 2, 4, matMulInteger, Look::Linear),
    row("QuantizeLinear", microsoft, 1, 2, 3, quantize),
    row("DequantizeLinear", microsoft, 1, 2, 3, dequantize),
    row("QLinearConv", microsoft, 1, 8, 9, qlinearConv, Look::Linear),
    row("QGemm", microsoft, 1, 6, 9, qgemm, Look::Linear),
    row("MatMulIntegerToFloat", microsoft, 1, 4, 7, matMulToFloat, Look::Linear),
    row("DynamicQuantizeMatMul", microsoft, 1, 3, 5, matMulToFloat, Look::Linear),
    row("QLinearAdd", microsoft, 1, 7, 8, qlinearBinary, Look::Elementwise),
    row("QLinearMul", microsoft, 1, 7, 8, qlinearBinary, Look::Elementwise),
    row("QLinearAveragePool", microsoft, 1, 4, 5, qlinearPool, Look::Other),
    row("QLinearGlobalAveragePool", microsoft, 1, 5, 5, qlinearPool, Look::Other),
    row("QLinearConcat", microsoft, 1, 5, -1, qlinearConcat, Look::Movement),
    row("QLinearLeakyRelu", microsoft, 1, 4, 5, sameAsInput, Look::Activation),
    row("QLinearSigmoid", microsoft, 1, 4, 5, sameAsInput, Look::Activation),
    row("QLinearSoftmax", microsoft, 1, 5, 5, sameAsInput, Look::Activation),
    row("QLinearWhere", microsoft, 1, 9, 9, qlinearWhere, Look::Elementwise),
    row("Quant", "onnx.brevitas", 1, 4, 4, sameAsInput),
    row("Quant", "qonnx.custom_op.general", 1, 4, 4, sameAsInput),
    row("IntQuant", "onnx.brevitas", 1, 4, 4, sameAsInput),
    row("IntQuant", "qonnx.custom_op.general", 1, 4, 4, sameAsInput),
    row("BipolarQuant", "onnx.brevitas", 1, 2, 2, sameAsInput),
    row("BipolarQuant", "qonnx.custom_op.general", 1, 2, 2, sameAsInput),
});

} // namespace

std::span<const OpInfo> quantizationOps()
{
    return rows;
}

} // namespace crease
