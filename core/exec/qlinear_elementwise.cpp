// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/arithmetic.h"
#include "core/exec/kernel_support.h"
#include "core/exec/layout_support.h"
#include "core/exec/qlinear.h"
#include "core/exec/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

namespace crease {

namespace {

std::size_t unsign(std::int64_t value)
{
    return static_cast<std::size_t>(value);
}

/// A scale and a zero point given as inputs.
struct Affine {
    float scale = 1.0F;
    std::int32_t zeroPoint = 0;
    bool operator==(const Affine&) const = default;
};

Result<Affine> affineAt(const KernelContext& context, std::size_t slot)
{
    return Affine{TRY(scaleInput(context, slot)), TRY(zeroPointInput(context, slot + 1))};
}

Result<void> checkByte(const KernelContext& context, const Tensor& tensor)
{
    if (tensor.type() == ElementType::Int8 || tensor.type() == ElementType::UInt8) {
        return {};
    }
    return notClaimed(context, fmt::format("on {}", longName(tensor.type())));
}

float dequantized(std::int64_t code, const Affine& affine)
{
    return static_cast<float>(static_cast<std::int32_t>(code) - affine.zeroPoint) * affine.scale;
}

/// sat(rne(x) + zero point).
std::int64_t roundedThenShifted(float x, std::int32_t zeroPoint, ElementType type)
{
    return quantizeValueFloat32(x, 1.0F, zeroPoint, lowest(type), highest(type));
}

using Table = std::array<std::int64_t, 256>;

/// Entry code - lowest(from): the output code of each input code.
Table tableOf(ElementType from, const std::function<std::int64_t(std::int64_t)>& f)
{
    Table table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = f(static_cast<std::int64_t>(i) + lowest(from));
    }
    return table;
}

Tensor mapped(const Tensor& x, const Table& table)
{
    std::vector<std::int64_t> codes = x.toInts();
    for (std::int64_t& code : codes) {
        code = table[unsign(code - lowest(x.type()))];
    }
    return tensorOfInts(x.type(), x.dims(), codes);
}

/// Q(f(DQ(x))) as a table; inputs X, X scale, X zero point, Y scale, Y zero point.
Result<std::vector<Tensor>> unaryTable(const KernelContext& context, const std::function<float(float)>& f)
{
    const Tensor& x = context.input(0);
    TRY(checkByte(context, x));
    const Affine in = TRY(affineAt(context, 1));
    const Affine out = TRY(affineAt(context, 3));
    return one(mapped(x, tableOf(x.type(), [&](std::int64_t code) {
                          return quantizeValueFloat32(f(dequantized(code, in)), out.scale, out.zeroPoint,
                                                      lowest(x.type()), highest(x.type()));
                      })));
}

/// Calls f for every pair of elements of two broadcast tensors and collects the codes.
template <class F>
Result<std::vector<Tensor>> binary(const KernelContext& context, const Tensor& a, const Tensor& b, F&& f)
{
    TRY(checkByte(context, a));
    if (b.type() != a.type()) {
        return badNode(context, fmt::format("{} beside {}", longName(b.type()), longName(a.type())));
    }
    const Dims dims = TRY(broadcastDims(context, a.dims(), b.dims()));
    const auto indexA = broadcastIndices(a.dims(), dims);
    const auto indexB = broadcastIndices(b.dims(), dims);
    const std::vector<std::int64_t> left = a.toInts();
    const std::vector<std::int64_t> right = b.toInts();
    std::vector<std::int64_t> codes(indexA.size());
    for (std::size_t i = 0; i < codes.size(); ++i) {
        codes[i] = f(left[indexA[i]], right[indexB[i]]);
    }
    return one(tensorOfInts(a.type(), dims, codes));
}

/// One softmax over `count` codes, `step` elements apart, with ONNX Runtime's table of exponentials.
void softmaxOf(const std::int64_t* codes, std::int64_t* out, std::size_t count, std::size_t step,
               const std::vector<float>& exponentials, float outScale, std::int32_t zeroPoint, ElementType type)
{
    std::int64_t largest = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < count; ++i) {
        largest = std::max(largest, codes[i * step]);
    }
    float sum = 0.0F;
    for (std::size_t i = 0; i < count; ++i) {
        sum += exponentials[unsign(255 + codes[i * step] - largest)];
    }
    for (std::size_t i = 0; i < count && sum != 0.0F; ++i) {
        const float share = exponentials[unsign(255 + codes[i * step] - largest)] * outScale / sum;
        out[i * step] = roundedThenShifted(share, zeroPoint, type);
    }
}

Result<std::vector<Tensor>> averagePooled(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    TRY(checkByte(context, x));
    const Affine in = TRY(affineAt(context, 1));
    const Affine out = TRY(affineAt(context, 3));
    const Window window = TRY(windowOf(context, x.dims(), {}));
    const bool countsPadding = context.node.intAttribute("count_include_pad", 0) != 0;
    // A kernel that covers the whole image goes another way in ONNX Runtime, which rounds before the zero point.
    const bool global = window.kernel == window.in && window.outSize() == 1 && window.begin == Window::Axes{} &&
                        window.end == Window::Axes{};
    const std::vector<std::int64_t> codes = x.toInts();
    std::vector<std::int64_t> results(unsign(window.batch * window.channels * window.outSize()));
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto plane = static_cast<std::int64_t>(i) / window.outSize() * window.inSize();
        const std::int64_t position = static_cast<std::int64_t>(i) % window.outSize();
        float sum = 0.0F;
        const std::int64_t inside = forEachInWindow(
            window, position, [&](std::int64_t at) { sum += dequantized(codes[unsign(plane + at)], in); });
        // ONNX Runtime's kernel divides by the whole window, also where ceil_mode lets it reach beyond the padding.
        const std::int64_t count = countsPadding ? window.kernelSize() : inside;
        const float mean = sum / static_cast<float>(count) / out.scale;
        results[i] = global ? roundedThenShifted(mean, out.zeroPoint, x.type())
                            : roundedThenShifted(mean + static_cast<float>(out.zeroPoint), 0, x.type());
    }
    return one(tensorOfInts(x.type(), window.outDims(window.channels), results));
}

} // namespace

Result<std::vector<Tensor>> qLinearAveragePool(const KernelContext& context)
{
    return withChannelsLast(context, averagePooled);
}

Result<std::vector<Tensor>> qLinearAdd(const KernelContext& context)
{
    const Affine a = TRY(affineAt(context, 1));
    const Affine b = TRY(affineAt(context, 4));
    const Affine c = TRY(affineAt(context, 6));
    const float ratioA = a.scale / c.scale;
    const float ratioB = b.scale / c.scale;
    const float fixed = static_cast<float>(c.zeroPoint) -
                        (ratioA * static_cast<float>(a.zeroPoint) + ratioB * static_cast<float>(b.zeroPoint));
    const ElementType type = context.input(0).type();
    // Two fused multiply-adds; an 8-bit code times a float is exact in double.
    const auto fused = [](std::int64_t code, float factor, float add) {
        return static_cast<float>(static_cast<double>(code) * static_cast<double>(factor) + static_cast<double>(add));
    };
    return binary(context, context.input(0), context.input(3), [&](std::int64_t x, std::int64_t y) {
        return roundedThenShifted(fused(x, ratioA, fused(y, ratioB, fixed)), 0, type);
    });
}

Result<std::vector<Tensor>> qLinearMul(const KernelContext& context)
{
    const Affine a = TRY(affineAt(context, 1));
    const Affine b = TRY(affineAt(context, 4));
    const Affine c = TRY(affineAt(context, 6));
    const float multiplier = a.scale * b.scale / c.scale;
    const ElementType type = context.input(0).type();
    return binary(context, context.input(0), context.input(3), [&](std::int64_t x, std::int64_t y) {
        const auto product = static_cast<float>((x - a.zeroPoint) * (y - b.zeroPoint));
        return roundedThenShifted(product * multiplier + static_cast<float>(c.zeroPoint), 0, type);
    });
}

Result<std::vector<Tensor>> qLinearConcat(const KernelContext& context)
{
    const Affine out = TRY(affineAt(context, 0));
    if (context.inputs.size() < 5 || (context.inputs.size() - 2) % 3 != 0) {
        return badNode(context, fmt::format("{} inputs", context.inputs.size()));
    }
    const ElementType type = context.input(2).type();
    std::vector<Tensor> parts;
    for (std::size_t slot = 2; slot < context.inputs.size(); slot += 3) {
        const Tensor& x = context.input(slot);
        TRY(checkByte(context, x));
        if (x.type() != type) {
            return badNode(context, fmt::format("{} beside {}", longName(x.type()), longName(type)));
        }
        const Affine in = TRY(affineAt(context, slot + 1));
        parts.push_back(in == out ? x : mapped(x, tableOf(type, [&](std::int64_t code) {
                                                   return quantizeValueFloat32(dequantized(code, in), out.scale,
                                                                               out.zeroPoint, lowest(type),
                                                                               highest(type));
                                               })));
    }
    return one(TRY(concatenated(context, parts, context.node.intAttribute("axis", 0))));
}

Result<std::vector<Tensor>> qLinearLeakyRelu(const KernelContext& context)
{
    const auto alpha = static_cast<float>(context.node.floatAttribute("alpha", 0.01F));
    return unaryTable(context, [=](float x) { return x >= 0.0F ? x : alpha * x; });
}

Result<std::vector<Tensor>> qLinearSigmoid(const KernelContext& context)
{
    return unaryTable(context, [](float x) {
        const double exact = 1.0 / (1.0 + std::exp(-static_cast<double>(x)));
        return static_cast<float>(exact);
    });
}

Result<std::vector<Tensor>> qLinearSoftmax(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    TRY(checkByte(context, x));
    const float inScale = TRY(scaleInput(context, 1));
    const Affine out = TRY(affineAt(context, 3));
    const bool flattens = context.node.intAttribute("opset", 13) < 13;
    const Dims& dims = x.dims();
    const auto axis = unsign(
        TRY(axisOf(context, context.node.intAttribute("axis", flattens ? 1 : -1), std::max<std::size_t>(x.rank(), 1))));
    std::size_t count = 1;
    std::size_t step = 1;
    for (std::size_t i = axis; i < dims.size(); ++i) {
        (flattens || i == axis ? count : step) *= unsign(dims[i]);
    }
    const double room =
        std::log(std::numeric_limits<float>::max() / static_cast<float>(std::max<std::size_t>(count, 1)));
    const double shift = std::max(0.0, room - 5.0) / static_cast<double>(inScale);
    std::vector<float> exponentials(256);
    for (std::size_t i = 0; i < exponentials.size(); ++i) {
        exponentials[i] =
            static_cast<float>(std::exp((static_cast<double>(i) - 255.0 + shift) * static_cast<double>(inScale)));
    }
    const std::vector<std::int64_t> codes = x.toInts();
    std::vector<std::int64_t> results(codes.size());
    const float perStep = std::floor(1.0F / out.scale);
    for (std::size_t start = 0; count > 0 && start < codes.size(); start += count * step) {
        for (std::size_t i = 0; i < step; ++i) {
            softmaxOf(codes.data() + start + i, results.data() + start + i, count, step, exponentials, perStep,
                      out.zeroPoint, x.type());
        }
    }
    return one(tensorOfInts(x.type(), dims, results));
}

Result<std::vector<Tensor>> qLinearWhere(const KernelContext& context)
{
    const Tensor& condition = context.input(0);
    const Tensor& x = context.input(1);
    const Tensor& y = context.input(4);
    TRY(checkByte(context, x));
    if (y.type() != x.type() || condition.type() != ElementType::Bool) {
        return badNode(context, fmt::format("{} beside {}, by a condition of {}", longName(y.type()),
                                            longName(x.type()), longName(condition.type())));
    }
    const Affine out = TRY(affineAt(context, 7));
    const auto converted = [&](const Tensor& tensor, const Affine& in) {
        return in == out ? tensor
                         : mapped(tensor, tableOf(tensor.type(), [&](std::int64_t code) {
                                      return quantizeValueFloat32(dequantized(code, in), out.scale, out.zeroPoint,
                                                                  lowest(tensor.type()), highest(tensor.type()));
                                  }));
    };
    const std::vector<std::int64_t> whenTrue = converted(x, TRY(affineAt(context, 2))).toInts();
    const std::vector<std::int64_t> whenFalse = converted(y, TRY(affineAt(context, 5))).toInts();
    const Dims dims = TRY(broadcastDims(context, TRY(broadcastDims(context, x.dims(), y.dims())), condition.dims()));
    const auto indexC = broadcastIndices(condition.dims(), dims);
    const auto indexX = broadcastIndices(x.dims(), dims);
    const auto indexY = broadcastIndices(y.dims(), dims);
    std::vector<std::int64_t> codes(indexC.size());
    for (std::size_t i = 0; i < codes.size(); ++i) {
        codes[i] = condition.asInt(indexC[i]) != 0 ? whenTrue[indexX[i]] : whenFalse[indexY[i]];
    }
    return one(tensorOfInts(x.type(), dims, codes));
}

Result<std::vector<Tensor>> qLinearGlobalAveragePool(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    TRY(checkByte(context, x));
    const Affine in = TRY(affineAt(context, 1));
    const Affine out = TRY(affineAt(context, 3));
    if (x.rank() < 3) {
        return badNode(context, fmt::format("an input of {}", toText(x.dims())));
    }
    const bool last = context.node.intAttribute("channels_last", 0) != 0;
    const std::size_t batch = unsign(x.dims().front());
    const std::size_t channels = unsign(last ? x.dims().back() : x.dims()[1]);
    const std::size_t count = batch * channels == 0 ? 0 : x.size() / (batch * channels);
    Dims dims(x.rank(), 1);
    dims.front() = x.dims().front();
    dims[last ? x.rank() - 1 : 1] = static_cast<std::int64_t>(channels);
    const float multiplier = in.scale / (out.scale * static_cast<float>(count));
    const std::vector<std::int64_t> codes = x.toInts();
    std::vector<std::int64_t> results(batch * channels);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::size_t start = last ? i / channels * channels * count + i % channels : i * count;
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < count; ++k) {
            sum += codes[start + k * (last ? channels : 1)] - in.zeroPoint;
        }
        results[i] = roundedThenShifted(static_cast<float>(sum) * multiplier, out.zeroPoint, x.type());
    }
    return one(tensorOfInts(x.type(), dims, results));
}

} // namespace crease
