// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/integer_products.h"

#include "core/exec/convolution.h"
#include "core/exec/gemm.h"
#include "core/exec/kernel_support.h"
#include "core/support/parallel_for.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace crease {

namespace {

constexpr double exactInFloat = 0x1p24;
constexpr double exactInDouble = 0x1p53;

std::size_t unsign(std::int64_t value)
{
    return static_cast<std::size_t>(value);
}

template <class T>
std::vector<T> centred(const CodedOperand& operand)
{
    std::vector<T> values(operand.codes.size());
    dispatchNumeric(operand.codes.type(), [&]<class In>(std::type_identity<In>) {
        if constexpr (std::is_integral_v<In>) {
            const In* codes = operand.codes.data<In>().data();
            operand.layout.forEachRun([&](std::int64_t start, std::int64_t count, std::int64_t index) {
                const bool single = operand.zeroPoints.size() == 1;
                const std::int64_t zeroPoint = operand.zeroPoints[single ? 0 : unsign(index)];
                const In* from = codes + start;
                T* to = values.data() + start;
                if constexpr (sizeof(In) <= 2) {
                    const auto zero = static_cast<std::int32_t>(zeroPoint);
                    for (std::int64_t i = 0; i < count; ++i) {
                        to[i] = static_cast<T>(static_cast<std::int32_t>(from[i]) - zero);
                    }
                } else {
                    for (std::int64_t i = 0; i < count; ++i) {
                        to[i] = static_cast<T>(static_cast<std::int64_t>(from[i]) - zeroPoint);
                    }
                }
            });
        }
    });
    return values;
}

/// max|code - zero point| over everything that the storage type can hold.
double largestByType(const CodedOperand& operand)
{
    double largest = 0.0;
    const ElementType type = operand.codes.type();
    for (const std::int64_t zeroPoint : operand.zeroPoints) {
        const auto zero = static_cast<double>(zeroPoint);
        largest =
            std::max({largest, static_cast<double>(highest(type)) - zero, zero - static_cast<double>(lowest(type))});
    }
    return largest;
}

template <class T>
double largestOf(const std::vector<T>& values)
{
    T largest{0};
    for (const T value : values) {
        largest = std::max(largest, std::fabs(value));
    }
    return static_cast<double>(largest);
}

/// `channelOf` gives for an element the output channel that it adds to.
template <class F>
PreparedOperand prepared(const CodedOperand& operand, double otherLargest, std::size_t channels, F&& channelOf)
{
    PreparedOperand result;
    result.zeroPoints = operand.zeroPoints;
    const bool narrow = byteWidth(operand.codes.type()) <= 2;
    std::vector<double> wide = narrow ? std::vector<double>{} : centred<double>(operand);
    if (narrow) {
        result.single = centred<float>(operand);
    }
    std::vector<double> sums(std::max<std::size_t>(channels, 1), 0.0);
    const std::size_t count = operand.codes.size();
    for (std::size_t i = 0; i < count; ++i) {
        sums[channelOf(i)] += std::fabs(narrow ? static_cast<double>(result.single[i]) : wide[i]);
    }
    result.reach = *std::ranges::max_element(sums);
    if (narrow && result.reach * otherLargest >= exactInFloat) {
        wide.assign(result.single.begin(), result.single.end());
    }
    result.wide = std::move(wide);
    return result;
}

/// Whether the sums fit float. Fails where they do not fit double either.
template <class F>
Result<Sums> summed(const KernelContext& context, const CodedOperand& x, const PreparedOperand& w, std::size_t count,
                    F&& run)
{
    Sums sums;
    const bool narrow = byteWidth(x.codes.type()) <= 2 && !w.single.empty();
    if (narrow) {
        const std::vector<float> values = centred<float>(x);
        const bool fits = w.reach * largestByType(x) < exactInFloat || w.reach * largestOf(values) < exactInFloat;
        if (fits) {
            sums.single.resize(count);
            run(values.data(), w.single.data(), sums.single.data());
            return sums;
        }
    }
    const std::vector<double> values = centred<double>(x);
    if (w.reach * largestOf(values) >= exactInDouble) {
        return notClaimed(context, "integer sums beyond 2^53");
    }
    std::vector<double> converted;
    if (w.wide.empty()) {
        converted.assign(w.single.begin(), w.single.end());
    }
    sums.isWide = true;
    sums.wide.resize(count);
    run(values.data(), w.wide.empty() ? converted.data() : w.wide.data(), sums.wide.data());
    return sums;
}

} // namespace

Result<void> checkCodes(const KernelContext& context, std::initializer_list<std::size_t> slots)
{
    for (const std::size_t slot : slots) {
        const ElementType type = context.has(slot) ? context.input(slot).type() : ElementType::Undefined;
        if (!isInteger(type) || byteWidth(type) > 4) {
            return notClaimed(context, fmt::format("input {} of {}", slot, longName(type)));
        }
    }
    return {};
}

CodedOperand coded(const Tensor& codes, std::int64_t zeroPoint)
{
    CodedOperand operand{codes, {zeroPoint}, {}};
    operand.layout.inner = static_cast<std::int64_t>(codes.size());
    return operand;
}

Result<CodedOperand> coded(const KernelContext& context, const Tensor& codes, std::vector<std::int64_t> zeroPoints,
                           int axis)
{
    CodedOperand operand{codes, std::move(zeroPoints), {}};
    operand.layout = TRY(gridLayout(context, codes.dims(), axis, operand.zeroPoints.size()));
    return operand;
}

PreparedOperand preparedWeight(const CodedOperand& w, const ConvolutionShape& shape, bool transposed,
                               const CodedOperand& x)
{
    const Dims& dims = w.codes.dims();
    const std::size_t taps = unsign(shape.window.kernelSize());
    const double largest = largestByType(x);
    const auto channels = unsign(shape.outChannels);
    if (!transposed) {
        const std::size_t each = unsign(dims[1]) * taps;
        return prepared(w, largest, channels, [=](std::size_t i) { return i / each; });
    }
    const std::size_t outEach = unsign(dims[1]);
    const std::size_t inEach = unsign(dims[0] / shape.groups);
    return prepared(w, largest, channels,
                    [=](std::size_t i) { return i / (inEach * outEach * taps) * outEach + i / taps % outEach; });
}

PreparedOperand preparedMatrix(const CodedOperand& b, const MatrixProduct& product, const CodedOperand& a)
{
    const std::size_t columns = unsign(product.columns);
    const std::size_t depth = unsign(product.depth);
    const std::size_t size = std::max<std::size_t>(1, columns * depth);
    const std::size_t channels = b.codes.size() / size * columns;
    const bool transposed = product.transB;
    return prepared(b, largestByType(a), channels,
                    [=](std::size_t i) { return i / size * columns + (transposed ? i % size / depth : i % columns); });
}

Result<Sums> convolveCodes(const KernelContext& context, const ConvolutionShape& shape, bool transposed,
                           const CodedOperand& x, const PreparedOperand& w)
{
    const Window& window = shape.window;
    const std::size_t count = unsign(window.batch * shape.outChannels * window.outSize());
    return summed(context, x, w, count, [&]<class T>(const T* values, const T* weights, T* out) {
        if (count > 0) {
            (transposed ? convolveTransposed<T> : convolve<T>) (window, shape.groups, shape.outChannels, values,
                                                                weights, out, context.threads);
        }
    });
}

Result<Sums> multiplyCodes(const KernelContext& context, const MatrixProduct& product, const CodedOperand& a,
                           const PreparedOperand& b)
{
    const std::size_t rows = unsign(product.rows);
    const std::size_t depth = unsign(product.depth);
    const std::size_t columns = unsign(product.columns);
    const std::size_t batches = product.offsetsA.size();
    return summed(context, a, b, batches * rows * columns, [&]<class T>(const T* left, const T* right, T* out) {
        if (rows * columns == 0) {
            return;
        }
        const auto single = [&](std::size_t i, int threads) {
            multiplyParallel<T>(
                {left + product.offsetsA[i], rows, depth, product.transA ? rows : depth, product.transA},
                {right + product.offsetsB[i], depth, columns, product.transB ? depth : columns, product.transB},
                {out + i * rows * columns, rows, columns, columns}, threads);
        };
        if (batches == 1) {
            single(0, context.threads);
        } else {
            parallelFor(batches, context.threads, [&](std::size_t i) { single(i, 1); });
        }
    });
}

} // namespace crease
