// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/convolution.h"
#include "core/exec/einsum.h"
#include "core/exec/gemm.h"
#include "core/exec/kernel_families.h"
#include "core/exec/kernel_support.h"
#include "core/exec/layout_support.h"
#include "core/exec/matrix_shapes.h"
#include "core/ir/integer_nodes.h"
#include "core/support/parallel_for.h"

#include <fmt/format.h>

#include <array>

namespace crease {

namespace {

std::size_t unsign(std::int64_t value)
{
    return static_cast<std::size_t>(value);
}

/// One value a channel: the bias input or the attribute of an exact bias; empty where there is neither.
template <class T>
Result<std::vector<T>> channelBias(const KernelContext& context, std::size_t slot, std::int64_t channels)
{
    std::vector<T> bias;
    if (context.has(slot)) {
        const std::span<const T> values = context.input(slot).data<T>();
        bias.assign(values.begin(), values.end());
    }
    const std::vector<double> exact = context.node.doublesAttribute(nodes::bias);
    if (!exact.empty()) {
        bias.resize(exact.size(), T{0});
        for (std::size_t i = 0; i < exact.size(); ++i) {
            bias[i] += static_cast<T>(exact[i]);
        }
    }
    if (bias.size() == 1) {
        bias.resize(unsign(channels), bias.front());
    }
    if (!bias.empty() && bias.size() != unsign(channels)) {
        return badNode(context, fmt::format("a bias of {} values for {} output channels", bias.size(), channels));
    }
    return bias;
}

template <class T>
void addToPlanes(std::span<T> y, const std::vector<T>& bias, std::size_t plane)
{
    if (bias.empty()) {
        return;
    }
    for (std::size_t start = 0, i = 0; start < y.size(); start += plane, ++i) {
        const T value = bias[i % bias.size()];
        for (T& element : y.subspan(start, plane)) {
            element += value;
        }
    }
}

template <class T>
void addToRows(std::span<T> y, const std::vector<T>& bias)
{
    for (std::size_t start = 0; !bias.empty() && start < y.size(); start += bias.size()) {
        for (std::size_t i = 0; i < bias.size(); ++i) {
            y[start + i] += bias[i];
        }
    }
}

Result<std::vector<Tensor>> convolution(const KernelContext& context, bool transposed)
{
    const Tensor& x = context.input(0);
    const Tensor& w = context.input(1);
    TRY(checkTypes(context, {1, 2}, x.type()));
    const ConvolutionShape shape = TRY(convolutionShape(context, x.dims(), w.dims(), transposed));
    Result<std::vector<Tensor>> result = notClaimed(context, fmt::format("on {}", longName(x.type())));
    dispatchFloat(x.type(), [&]<class T>(std::type_identity<T>) {
        const auto bias = channelBias<T>(context, 2, shape.outChannels);
        if (!bias) {
            result = std::unexpected(bias.error());
            return;
        }
        TensorWriter<T> y(shape.window.outDims(shape.outChannels));
        if (y.size() > 0) {
            (transposed ? convolveTransposed<T> : convolve<T>) (shape.window, shape.groups, shape.outChannels,
                                                                x.data<T>().data(), w.data<T>().data(), y.data().data(),
                                                                context.threads);
            addToPlanes<T>(y.data(), *bias, unsign(shape.window.outSize()));
        }
        result = one(std::move(y).finish());
    });
    return result;
}

Result<std::vector<Tensor>> conv(const KernelContext& context)
{
    return convolution(context, false);
}
Result<std::vector<Tensor>> convTranspose(const KernelContext& context)
{
    return convolution(context, true);
}

/// out = a * b for every pair of matrices.
template <class T>
void multiplyBatches(const MatrixProduct& product, const T* a, const T* b, T* out, int threads)
{
    const std::size_t rows = unsign(product.rows);
    const std::size_t depth = unsign(product.depth);
    const std::size_t columns = unsign(product.columns);
    const std::size_t count = product.offsetsA.size();
    const auto single = [&](std::size_t i, int inner) {
        const MatrixView<const T> left{a + product.offsetsA[i], rows, depth, product.transA ? rows : depth,
                                       product.transA};
        const MatrixView<const T> right{b + product.offsetsB[i], depth, columns, product.transB ? depth : columns,
                                        product.transB};
        multiplyParallel<T>(left, right, {out + i * rows * columns, rows, columns, columns}, inner);
    };
    if (count == 1) {
        single(0, threads);
        return;
    }
    parallelFor(count, threads, [&](std::size_t i) { single(i, 1); });
}

/// Integers wrap, as ONNX's do.
template <class T>
void multiplyBatchesOfIntegers(const MatrixProduct& product, const T* a, const T* b, T* out)
{
    using U = std::make_unsigned_t<T>;
    for (std::size_t i = 0; i < product.offsetsA.size(); ++i) {
        for (std::int64_t row = 0; row < product.rows; ++row) {
            for (std::int64_t column = 0; column < product.columns; ++column) {
                std::uint64_t sum = 0;
                for (std::int64_t k = 0; k < product.depth; ++k) {
                    const T left =
                        a[product.offsetsA[i] + (product.transA ? k * product.rows + row : row * product.depth + k)];
                    const T right = b[product.offsetsB[i] +
                                      (product.transB ? column * product.depth + k : k * product.columns + column)];
                    sum += static_cast<std::uint64_t>(static_cast<U>(left)) * static_cast<U>(right);
                }
                *out++ = static_cast<T>(static_cast<U>(sum));
            }
        }
    }
}

Result<std::vector<Tensor>> matMul(const KernelContext& context)
{
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    TRY(checkTypes(context, {1, 2}, a.type()));
    const MatrixProduct product = TRY(matrixProduct(context, a.dims(), b.dims()));
    Result<std::vector<Tensor>> result = notClaimed(context, fmt::format("on {}", longName(a.type())));
    dispatchNumeric(a.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_floating_point_v<T>) {
            const auto bias = channelBias<T>(context, 2, product.columns);
            if (!bias) {
                result = std::unexpected(bias.error());
                return;
            }
            TensorWriter<T> out(product.outDims);
            if (out.size() > 0) {
                multiplyBatches<T>(product, a.data<T>().data(), b.data<T>().data(), out.data().data(), context.threads);
                addToRows<T>(out.data(), *bias);
            }
            result = one(std::move(out).finish());
        } else if constexpr (isWideInteger<T>) {
            TensorWriter<T> out(product.outDims);
            multiplyBatchesOfIntegers<T>(product, a.data<T>().data(), b.data<T>().data(), out.data().data());
            result = one(std::move(out).finish());
        }
    });
    return result;
}

/// y = alpha * y + beta * c, with c broadcast to the rows and columns of y.
template <class T>
Result<void> addGemmC(const KernelContext& context, std::span<T> y, const Dims& dims, [[maybe_unused]] double alpha)
{
    if constexpr (std::is_floating_point_v<T>) {
        if (alpha != 1.0) {
            for (T& element : y) {
                element *= static_cast<T>(alpha);
            }
        }
    }
    if (!context.has(2)) {
        return {};
    }
    const Tensor& c = context.input(2);
    const Dims both = TRY(broadcastDims(context, c.dims(), dims));
    if (both != dims) {
        return badNode(context, fmt::format("C of {} does not broadcast to {}", toText(c.dims()), toText(dims)));
    }
    [[maybe_unused]] const auto beta = static_cast<T>(context.node.floatAttribute("beta", 1.0));
    const auto strides = broadcastStrides(c.dims(), dims);
    const T* values = c.data<T>().data();
    for (std::int64_t row = 0; row < dims[0]; ++row) {
        for (std::int64_t column = 0; column < dims[1]; ++column) {
            T& element = y[unsign(row * dims[1] + column)];
            const T value = values[row * strides[0] + column * strides[1]];
            if constexpr (std::is_floating_point_v<T>) {
                element += beta * value;
            } else { // integers wrap, and beta is 1
                using U = std::make_unsigned_t<T>;
                element = static_cast<T>(static_cast<U>(element) + static_cast<U>(value));
            }
        }
    }
    return {};
}

Result<std::vector<Tensor>> gemm(const KernelContext& context)
{
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    TRY(checkTypes(context, {1, 2}, a.type()));
    const MatrixProduct product = TRY(gemmProduct(context, a.dims(), b.dims()));
    const double alpha = context.node.floatAttribute("alpha", 1.0);
    const double beta = context.node.floatAttribute("beta", 1.0);
    if (!isFloat(a.type()) && (alpha != 1.0 || (context.has(2) && beta != 1.0))) {
        return notClaimed(context, "integers with alpha or beta");
    }
    const auto run = [&]<class T>(std::type_identity<T>) -> Result<std::vector<Tensor>> {
        TensorWriter<T> y(product.outDims);
        if (y.size() > 0) {
            if constexpr (std::is_floating_point_v<T>) {
                multiplyBatches<T>(product, a.data<T>().data(), b.data<T>().data(), y.data().data(), context.threads);
            } else {
                multiplyBatchesOfIntegers<T>(product, a.data<T>().data(), b.data<T>().data(), y.data().data());
            }
            TRY(addGemmC<T>(context, y.data(), product.outDims, alpha));
            if constexpr (std::is_floating_point_v<T>) {
                addToRows<T>(y.data(), TRY(channelBias<T>(context, 3, product.columns)));
            }
        }
        return one(std::move(y).finish());
    };
    Result<std::vector<Tensor>> result = notClaimed(context, fmt::format("on {}", longName(a.type())));
    dispatchNumeric(a.type(), [&]<class T>(std::type_identity<T> type) {
        if constexpr (std::is_floating_point_v<T> || isWideInteger<T>) {
            result = run(type);
        }
    });
    return result;
}

constexpr std::array rows = {
    KernelRow{"Conv", "", conv},     KernelRow{"ConvTranspose", "", convTranspose},
    KernelRow{"Gemm", "", gemm},     KernelRow{"MatMul", "", matMul},
    KernelRow{"Einsum", "", einsum},
};

} // namespace

std::span<const KernelRow> linearKernels()
{
    return rows;
}

} // namespace crease
