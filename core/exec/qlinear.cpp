// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/qlinear.h"

#include "core/exec/integer_products.h"
#include "core/exec/kernel_support.h"
#include "core/exec/layout_support.h"

#include <fmt/format.h>

namespace crease {

namespace {

std::size_t unsign(std::int64_t value)
{
    return static_cast<std::size_t>(value);
}

std::int32_t wrapped(std::int64_t value)
{
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(value)));
}

std::vector<std::int64_t> zeroPointsOf(const KernelContext& context, std::size_t slot)
{
    return context.has(slot) ? context.input(slot).toInts() : std::vector<std::int64_t>{0};
}

/// Where each channel of the sums lies: element i belongs to channel i / inner % channels.
struct Channels {
    std::size_t count = 1;
    std::size_t inner = 1;
};

template <class F>
void forEachChannelRun(std::size_t size, const Channels& channels, F&& f)
{
    for (std::size_t start = 0; start < size; start += channels.inner) {
        f(start, channels.inner, start / channels.inner % channels.count);
    }
}

/// acc + bias as int32, with the wrapping of ONNX Runtime.
std::vector<std::int32_t> accumulators(const Sums& sums, const Channels& channels, std::span<const std::int32_t> bias)
{
    std::vector<std::int32_t> result;
    sums.visit([&](auto values) {
        result.resize(values.size());
        forEachChannelRun(values.size(), channels, [&](std::size_t start, std::size_t count, std::size_t channel) {
            const std::int64_t add = bias.empty() ? 0 : bias[bias.size() == 1 ? 0 : channel];
            for (std::size_t i = start; i < start + count; ++i) {
                result[i] = wrapped(static_cast<std::int64_t>(values[i]) + add);
            }
        });
    });
    return result;
}

/// sat(rne(float32(acc) * multiplier) + zero point).
Tensor requantized(std::span<const std::int32_t> sums, const Channels& channels, std::span<const float> multipliers,
                   std::int32_t zeroPoint, ElementType type, const Dims& dims)
{
    Tensor result;
    dispatchNumeric(type, [&]<class Out>(std::type_identity<Out>) {
        if constexpr (std::is_integral_v<Out> && sizeof(Out) == 1) {
            TensorWriter<Out> out(dims);
            constexpr float shifter = 0x1.8p23F;
            const auto lo = static_cast<float>(lowest(type) - zeroPoint);
            const auto hi = static_cast<float>(highest(type) - zeroPoint);
            forEachChannelRun(sums.size(), channels, [&](std::size_t start, std::size_t count, std::size_t channel) {
                const float multiplier = multipliers[multipliers.size() == 1 ? 0 : channel];
                for (std::size_t i = start; i < start + count; ++i) {
                    float v = static_cast<float>(sums[i]) * multiplier;
                    v = v > lo ? v : lo;
                    v = v < hi ? v : hi;
                    out[i] = static_cast<Out>(static_cast<std::int32_t>((v + shifter) - shifter) + zeroPoint);
                }
            });
            result = std::move(out).finish(type);
        }
    });
    return result;
}

bool isByte(ElementType type)
{
    return type == ElementType::Int8 || type == ElementType::UInt8;
}

Result<std::vector<float>> scalesOf(const KernelContext& context, std::size_t slot, std::int64_t channels)
{
    std::vector<float> scales;
    for (const double scale : context.input(slot).toDoubles()) {
        scales.push_back(static_cast<float>(scale));
    }
    if (scales.size() != 1 && scales.size() != unsign(channels)) {
        return badNode(context, fmt::format("{} scales for {} channels", scales.size(), channels));
    }
    return scales;
}

/// (first * s / divisor) for each scale s, from left to right in float32.
std::vector<float> multipliersOf(float first, const std::vector<float>& scales, float divisor)
{
    std::vector<float> multipliers;
    for (const float scale : scales) {
        multipliers.push_back(first * scale / divisor);
    }
    return multipliers;
}

Result<Sums> convolutionSums(const KernelContext& context, const ConvolutionShape& shape, std::size_t wSlot,
                             std::size_t xZero, std::size_t wZero)
{
    TRY(checkCodes(context, {0, wSlot}));
    const CodedOperand x = coded(context.input(0), TRY(zeroPointInput(context, xZero)));
    const CodedOperand w = TRY(coded(context, context.input(wSlot), zeroPointsOf(context, wZero), 0));
    const auto ready = preparedOnce(context, w, [&] { return preparedWeight(w, shape, false, x); });
    return convolveCodes(context, shape, false, x, *ready);
}

/// The zero points of the rows of a (MatMul) or of the columns of b: one, or one per index of that axis, also with
/// leading dimensions of 1.
Result<CodedOperand> matrixOperand(const KernelContext& context, std::size_t slot, std::size_t zeroSlot,
                                   std::size_t axisFromEnd)
{
    const Tensor& codes = context.input(slot);
    const std::size_t rank = codes.rank();
    const std::size_t axis = rank >= axisFromEnd ? rank - axisFromEnd : 0;
    return coded(context, codes, zeroPointsOf(context, zeroSlot), static_cast<int>(axis));
}

struct MatrixSums {
    MatrixProduct product;
    Channels channels;
    Sums sums;
};

Result<MatrixSums> matrixSums(const KernelContext& context, std::size_t bSlot, std::size_t aZero, std::size_t bZero)
{
    TRY(checkCodes(context, {0, bSlot}));
    MatrixSums result;
    result.product = TRY(matrixProduct(context, context.input(0).dims(), context.input(bSlot).dims()));
    const CodedOperand a = TRY(matrixOperand(context, 0, aZero, 2));
    const CodedOperand b = TRY(matrixOperand(context, bSlot, bZero, 1));
    const auto ready = preparedOnce(context, b, [&] { return preparedMatrix(b, result.product, a); });
    result.sums = TRY(multiplyCodes(context, result.product, a, *ready));
    result.channels = {unsign(result.product.columns), 1};
    return result;
}

Tensor int32Tensor(const std::vector<std::int32_t>& values, const Dims& dims)
{
    return Tensor::of(dims, values);
}

/// float32(acc) * multiplier [+ bias]; float64 in Precision::Exact, with the same value.
Tensor scaledToFloat(const KernelContext& context, const std::vector<std::int32_t>& sums, const MatrixSums& matrix,
                     const std::vector<float>& multipliers, const Tensor& bias)
{
    TensorWriter<float> out(matrix.product.outDims);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t column = i % matrix.channels.count;
        out[i] = static_cast<float>(sums[i]) * multipliers[multipliers.size() == 1 ? 0 : column];
        if (bias.valid()) {
            out[i] += static_cast<float>(bias.asDouble(column));
        }
    }
    Tensor result = std::move(out).finish();
    return context.exact() ? result.converted(ElementType::Float64) : result;
}

} // namespace

Result<float> scaleInput(const KernelContext& context, std::size_t slot)
{
    if (!context.has(slot) || context.input(slot).size() != 1 || !isFloat(context.input(slot).type())) {
        return badNode(context, fmt::format("input {} is no scale of one element", slot));
    }
    return static_cast<float>(context.input(slot).asDouble(0));
}

Result<std::int32_t> zeroPointInput(const KernelContext& context, std::size_t slot)
{
    if (!context.has(slot)) {
        return 0;
    }
    if (context.input(slot).size() != 1) {
        return badNode(context, fmt::format("input {} is no zero point of one element", slot));
    }
    return static_cast<std::int32_t>(context.input(slot).asInt(0));
}

Result<std::vector<Tensor>> withChannelsLast(const KernelContext& context, Kernel kernel)
{
    if (context.node.intAttribute("channels_last", 0) == 0) {
        return kernel(context);
    }
    if (context.input(0).rank() < 3) {
        return badNode(context, fmt::format("an input of {}", toText(context.input(0).dims())));
    }
    std::vector<Tensor> inputs(context.inputs.begin(), context.inputs.end());
    inputs[0] = channelsFirst(inputs[0]);
    std::vector<Tensor> outputs = TRY(
        kernel({context.graph, context.node, inputs, context.precision, context.job, context.cache, context.threads}));
    return one(channelsLast(outputs.front()));
}

namespace {

Result<std::vector<Tensor>> convolvedAndRequantized(const KernelContext& context)
{
    if (!context.has(7) || !isByte(context.input(7).type())) {
        return notClaimed(context, "an output that is not of 8 bits");
    }
    TRY(checkTypes(context, {8}, ElementType::Int32));
    const ConvolutionShape shape =
        TRY(convolutionShape(context, context.input(0).dims(), context.input(3).dims(), false));
    if (context.has(8) && context.input(8).size() != unsign(shape.outChannels)) {
        return badNode(context, fmt::format("a bias of {}", toText(context.input(8).dims())));
    }
    const Sums sums = TRY(convolutionSums(context, shape, 3, 2, 5));
    const auto scales = TRY(scalesOf(context, 4, shape.outChannels));
    const auto multipliers = multipliersOf(TRY(scaleInput(context, 1)), scales, TRY(scaleInput(context, 6)));
    const auto bias = context.has(8) ? context.input(8).data<std::int32_t>() : std::span<const std::int32_t>{};
    const Channels channels{unsign(shape.outChannels), unsign(shape.window.outSize())};
    return one(requantized(accumulators(sums, channels, bias), channels, multipliers, TRY(zeroPointInput(context, 7)),
                           context.input(7).type(), shape.window.outDims(shape.outChannels)));
}

} // namespace

Result<std::vector<Tensor>> qLinearConv(const KernelContext& context)
{
    return withChannelsLast(context, convolvedAndRequantized);
}

Result<std::vector<Tensor>> convInteger(const KernelContext& context)
{
    const ConvolutionShape shape =
        TRY(convolutionShape(context, context.input(0).dims(), context.input(1).dims(), false));
    const Sums sums = TRY(convolutionSums(context, shape, 1, 2, 3));
    const Channels channels{unsign(shape.outChannels), unsign(shape.window.outSize())};
    return one(int32Tensor(accumulators(sums, channels, {}), shape.window.outDims(shape.outChannels)));
}

Result<std::vector<Tensor>> qLinearMatMul(const KernelContext& context)
{
    if (!context.has(7) || !isByte(context.input(7).type())) {
        return notClaimed(context, "an output that is not of 8 bits");
    }
    const MatrixSums matrix = TRY(matrixSums(context, 3, 2, 5));
    const auto scales = TRY(scalesOf(context, 4, matrix.product.columns));
    const auto multipliers = multipliersOf(TRY(scaleInput(context, 1)), scales, TRY(scaleInput(context, 6)));
    return one(requantized(accumulators(matrix.sums, matrix.channels, {}), matrix.channels, multipliers,
                           TRY(zeroPointInput(context, 7)), context.input(7).type(), matrix.product.outDims));
}

Result<std::vector<Tensor>> matMulInteger(const KernelContext& context)
{
    const MatrixSums matrix = TRY(matrixSums(context, 1, 2, 3));
    return one(int32Tensor(accumulators(matrix.sums, matrix.channels, {}), matrix.product.outDims));
}

Result<std::vector<Tensor>> matMulIntegerToFloat(const KernelContext& context)
{
    const MatrixSums matrix = TRY(matrixSums(context, 1, 4, 5));
    const auto scales = TRY(scalesOf(context, 3, matrix.product.columns));
    const auto multipliers = multipliersOf(TRY(scaleInput(context, 2)), scales, 1.0F);
    const Tensor bias = context.has(6) ? context.input(6) : Tensor{};
    if (bias.valid() && bias.size() != unsign(matrix.product.columns)) {
        return badNode(context, fmt::format("a bias of {}", toText(bias.dims())));
    }
    return one(scaledToFloat(context, accumulators(matrix.sums, matrix.channels, {}), matrix, multipliers, bias));
}

Result<std::vector<Tensor>> dynamicQuantizeMatMul(const KernelContext& context)
{
    const std::vector<Tensor> a = TRY(dynamicQuantization(context.input(0).converted(ElementType::Float32)));
    const auto optional = [&](std::size_t slot) { return context.has(slot) ? context.input(slot) : Tensor{}; };
    const std::vector<Tensor> inputs = {a[0], context.input(1), a[1], context.input(2), a[2], optional(3), optional(4)};
    const KernelContext inner{context.graph, context.node,  inputs,         context.precision,
                              context.job,   context.cache, context.threads};
    return matMulIntegerToFloat(inner);
}

Result<std::vector<Tensor>> qGemm(const KernelContext& context)
{
    TRY(checkCodes(context, {0, 3}));
    TRY(checkTypes(context, {6}, ElementType::Int32));
    MatrixSums matrix;
    matrix.product = TRY(gemmProduct(context, context.input(0).dims(), context.input(3).dims()));
    matrix.channels = {unsign(matrix.product.columns), 1};
    const CodedOperand a = coded(context.input(0), TRY(zeroPointInput(context, 2)));
    const CodedOperand b =
        TRY(coded(context, context.input(3), zeroPointsOf(context, 5), matrix.product.transB ? 0 : 1));
    const auto ready = preparedOnce(context, b, [&] { return preparedMatrix(b, matrix.product, a); });
    matrix.sums = TRY(multiplyCodes(context, matrix.product, a, *ready));
    std::vector<std::int32_t> sums = accumulators(matrix.sums, matrix.channels, {});
    if (context.has(6)) {
        const Tensor& c = context.input(6);
        if (TRY(broadcastDims(context, c.dims(), matrix.product.outDims)) != matrix.product.outDims) {
            return badNode(context, fmt::format("C of {}", toText(c.dims())));
        }
        const auto strides = broadcastStrides(c.dims(), matrix.product.outDims);
        const auto values = c.data<std::int32_t>();
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const auto row = static_cast<std::int64_t>(i) / matrix.product.columns;
            const auto column = static_cast<std::int64_t>(i) % matrix.product.columns;
            sums[i] = wrapped(std::int64_t{sums[i]} + values[unsign(row * strides[0] + column * strides[1])]);
        }
    }
    const auto alpha = static_cast<float>(context.node.floatAttribute("alpha", 1.0));
    const float first = alpha * TRY(scaleInput(context, 1));
    const auto scales = TRY(scalesOf(context, 4, matrix.product.columns));
    if (!context.has(7)) {
        return one(scaledToFloat(context, sums, matrix, multipliersOf(first, scales, 1.0F), {}));
    }
    const ElementType type = context.has(8) ? context.input(8).type() : context.input(0).type();
    if (!isByte(type)) {
        return notClaimed(context, "an output that is not of 8 bits");
    }
    return one(requantized(sums, matrix.channels, multipliersOf(first, scales, TRY(scaleInput(context, 7))),
                           TRY(zeroPointInput(context, 8)), type, matrix.product.outDims));
}

} // namespace crease
