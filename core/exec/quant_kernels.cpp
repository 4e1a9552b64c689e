// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/arithmetic.h"
#include "core/exec/kernel_families.h"
#include "core/exec/kernel_support.h"
#include "core/exec/qlinear.h"
#include "core/exec/quantize_run.h"
#include "core/exec/scale_layout.h"
#include "core/tensor/onnx_types.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

namespace crease {

namespace {

struct Codes {
    std::int64_t zeroPoint = 0;
    std::int64_t lo = 0;
    std::int64_t hi = 0;
};

template <class T, class Out>
void quantizeInto(std::span<const T> x, T scale, const Codes& codes, Out* out)
{
    const auto lo = static_cast<T>(codes.lo - codes.zeroPoint);
    const auto hi = static_cast<T>(codes.hi - codes.zeroPoint);
    const auto zeroPoint = static_cast<std::int32_t>(codes.zeroPoint);
    quantizeBlocks(x, scale, lo, hi, [&](std::size_t start, std::span<const T> values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            out[start + i] = static_cast<Out>(static_cast<std::int32_t>(values[i]) + zeroPoint);
        }
    });
}

std::int64_t zeroPointAt(const Tensor& zeroPoints, std::int64_t index)
{
    if (!zeroPoints.valid()) {
        return 0;
    }
    return zeroPoints.asInt(zeroPoints.size() == 1 ? 0 : static_cast<std::size_t>(index));
}

/// x and the scales are float32 or float64 here. The division of float16 is done in float32, as ONNX Runtime does it.
Tensor quantized(const Tensor& x, const Tensor& scale, const Tensor& zeroPoints, const ScaleLayout& layout,
                 ElementType type)
{
    Tensor result;
    dispatchNumeric(type, [&]<class Out>(std::type_identity<Out>) {
        if constexpr (std::is_integral_v<Out> && sizeof(Out) <= 2) {
            TensorWriter<Out> out(x.dims());
            layout.forEachRun([&](std::int64_t start, std::int64_t count, std::int64_t index) {
                const auto at = static_cast<std::size_t>(index);
                const Codes codes{zeroPointAt(zeroPoints, index), lowest(type), highest(type)};
                Out* to = out.data().data() + start;
                const auto from = static_cast<std::size_t>(start);
                const auto size = static_cast<std::size_t>(count);
                if (x.type() == ElementType::Float64) {
                    quantizeInto(x.data<double>().subspan(from, size), scale.asDouble(at), codes, to);
                } else {
                    const auto single = static_cast<float>(scale.asDouble(at));
                    quantizeInto(x.data<float>().subspan(from, size), single, codes, to);
                }
            });
            result = std::move(out).finish(type);
        }
    });
    return result;
}

Result<std::vector<Tensor>> quantizeLinear(const KernelContext& context)
{
    const Tensor& scale = context.input(1);
    const Tensor zeroPoints = context.has(2) ? context.input(2) : Tensor{};
    const ElementType type = quantizedType(zeroPoints.type(), context.node.intAttribute("output_dtype", 0));
    if (!isInteger(type) || byteWidth(type) > 2 || !isFloat(scale.type())) {
        return notClaimed(context,
                          fmt::format("quantizing to {} with scales of {}", longName(type), longName(scale.type())));
    }
    const ScaleLayout layout = TRY(quantizerLayout(context));
    const Tensor& data = context.input(0);
    const Tensor x = data.type() == ElementType::Float64 || data.type() == ElementType::Float32
                         ? data
                         : data.converted(context.exact() ? ElementType::Float64 : ElementType::Float32);
    return one(quantized(x, scale, zeroPoints, layout, type));
}

template <class In, class Out>
void dequantizeRun(const In* codes, std::int64_t count, std::int64_t zeroPoint, Out scale, Out* out)
{
    if constexpr (std::is_same_v<Out, float>) {
        // ONNX subtracts in int32, which wraps.
        const auto zero = static_cast<std::uint32_t>(zeroPoint);
        for (std::int64_t i = 0; i < count; ++i) {
            const std::uint32_t difference = static_cast<std::uint32_t>(codes[i]) - zero;
            out[i] = static_cast<float>(static_cast<std::int32_t>(difference)) * scale;
        }
    } else {
        for (std::int64_t i = 0; i < count; ++i) {
            out[i] = static_cast<double>(static_cast<std::int64_t>(codes[i]) - zeroPoint) * scale;
        }
    }
}

template <class Out>
Tensor dequantized(const Tensor& codes, const Tensor& scale, const Tensor& zeroPoints, const ScaleLayout& layout)
{
    TensorWriter<Out> out(codes.dims());
    dispatchNumeric(codes.type(), [&]<class In>(std::type_identity<In>) {
        if constexpr (std::is_integral_v<In> && sizeof(In) <= 4 && !std::is_same_v<In, bool>) {
            layout.forEachRun([&](std::int64_t start, std::int64_t count, std::int64_t index) {
                const auto step = static_cast<Out>(scale.asDouble(static_cast<std::size_t>(index)));
                dequantizeRun<In, Out>(codes.data<In>().data() + start, count, zeroPointAt(zeroPoints, index), step,
                                       out.data().data() + start);
            });
        }
    });
    return std::move(out).finish();
}

Result<std::vector<Tensor>> dequantizeLinear(const KernelContext& context)
{
    const Tensor& codes = context.input(0);
    const Tensor& scale = context.input(1);
    const Tensor zeroPoints = context.has(2) ? context.input(2) : Tensor{};
    const std::int64_t statedNumber = context.node.intAttribute("output_dtype", 0);
    const ElementType type = statedNumber == 0 ? scale.type() : elementTypeFromOnnx(statedNumber);
    if (!isInteger(codes.type()) || byteWidth(codes.type()) > 4 || !isFloat(scale.type()) || !isFloat(type)) {
        return notClaimed(
            context, fmt::format("dequantizing {} with scales of {}", longName(codes.type()), longName(scale.type())));
    }
    const ScaleLayout layout = TRY(quantizerLayout(context));
    if (context.exact()) {
        return one(dequantized<double>(codes, scale, zeroPoints, layout));
    }
    const Tensor single = dequantized<float>(codes, scale, zeroPoints, layout);
    return one(type == ElementType::Float32 ? single : single.converted(type));
}

template <class T>
Result<std::vector<Tensor>> dynamicallyQuantized(const Tensor& x)
{
    T low{0};
    T high{0};
    for (const T value : x.data<T>()) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    T scale = (high - low) / T{255};
    if (scale == T{0}) {
        scale = T{1};
    }
    const double zero = roundHalfEven(static_cast<double>(std::clamp(T{0} - low / scale, T{0}, T{255})));
    const auto zeroPoint = std::isnan(zero) ? std::uint8_t{0} : static_cast<std::uint8_t>(zero);
    ScaleLayout layout;
    layout.inner = static_cast<std::int64_t>(x.size());
    const Tensor scaleTensor = Tensor::scalar<T>(scale);
    const Tensor zeroTensor = Tensor::scalar<std::uint8_t>(zeroPoint);
    return std::vector<Tensor>{quantized(x, scaleTensor, zeroTensor, layout, ElementType::UInt8), scaleTensor,
                               zeroTensor};
}

Result<std::vector<Tensor>> dynamicQuantizeLinear(const KernelContext& context)
{
    return dynamicQuantization(context.input(0));
}

constexpr std::array rows = {
    KernelRow{"QuantizeLinear", "", quantizeLinear, HalfTypes::AsIs},
    KernelRow{"DequantizeLinear", "", dequantizeLinear, HalfTypes::AsIs},
    KernelRow{"DynamicQuantizeLinear", "", dynamicQuantizeLinear},
    KernelRow{"QLinearConv", "", qLinearConv},
    KernelRow{"QLinearMatMul", "", qLinearMatMul},
    KernelRow{"ConvInteger", "", convInteger},
    KernelRow{"MatMulInteger", "", matMulInteger},
    KernelRow{"QuantizeLinear", contribDomain, quantizeLinear, HalfTypes::AsIs},
    KernelRow{"DequantizeLinear", contribDomain, dequantizeLinear, HalfTypes::AsIs},
    KernelRow{"QLinearConv", contribDomain, qLinearConv},
    KernelRow{"QGemm", contribDomain, qGemm},
    KernelRow{"MatMulIntegerToFloat", contribDomain, matMulIntegerToFloat},
    KernelRow{"DynamicQuantizeMatMul", contribDomain, dynamicQuantizeMatMul},
    KernelRow{"QLinearAdd", contribDomain, qLinearAdd},
    KernelRow{"QLinearMul", contribDomain, qLinearMul},
    KernelRow{"QLinearConcat", contribDomain, qLinearConcat},
    KernelRow{"QLinearLeakyRelu", contribDomain, qLinearLeakyRelu},
    KernelRow{"QLinearSigmoid", contribDomain, qLinearSigmoid},
    KernelRow{"QLinearSoftmax", contribDomain, qLinearSoftmax},
    KernelRow{"QLinearWhere", contribDomain, qLinearWhere},
    KernelRow{"QLinearAveragePool", contribDomain, qLinearAveragePool},
    KernelRow{"QLinearGlobalAveragePool", contribDomain, qLinearGlobalAveragePool},
};

} // namespace

Result<std::vector<Tensor>> dynamicQuantization(const Tensor& x)
{
    return x.type() == ElementType::Float64 ? dynamicallyQuantized<double>(x) : dynamicallyQuantized<float>(x);
}

std::span<const KernelRow> quantKernels()
{
    return rows;
}

} // namespace crease
