// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/integer_kernels.h"
#include "core/exec/integer_products.h"
#include "core/exec/integer_support.h"
#include "core/ir/integer_nodes.h"

#include <fmt/format.h>

namespace crease {

namespace {

std::size_t unsign(std::int64_t value)
{
    return static_cast<std::size_t>(value);
}

/// Where the output channels of the sums lie: element i belongs to channel i / inner % count.
struct Channels {
    std::size_t count = 1;
    std::size_t inner = 1;
};

/// The grids of a linear op on codes. Channel c of the output has the scale x * w(c).
struct LinearGrids {
    Grid x;
    Grid w;
    CodeTarget target;

    double weightScale(std::size_t channel) const { return w.scale(channel % w.scales.size()); }
};

/// `channelAxis` is the axis of the weight that output channels lie on.
Result<LinearGrids> gridsOf(const KernelContext& context, int channelAxis)
{
    LinearGrids grids{TRY(tensorGridOf(context, 0)), TRY(gridOf(context, 1)), TRY(targetOf(context))};
    if (grids.w.scales.size() > 1 && grids.w.axis != channelAxis) {
        return notClaimed(context, fmt::format("a weight grid on axis {}, output channels lie on axis {}",
                                               grids.w.axis.value_or(-1), channelAxis));
    }
    return grids;
}

/// Whether the output is the accumulator itself: a wide grid with the scales of the products.
bool isAccumulator(const LinearGrids& grids, std::size_t channels)
{
    const Grid& out = grids.target.grid;
    if (!out.isWide()) {
        return false;
    }
    for (std::size_t c = 0; c < channels; ++c) {
        if (out.scale(c % out.scales.size()) != grids.x.scale() * grids.weightScale(c) || out.zeroPoint(c) != 0) {
            return false;
        }
    }
    return true;
}

std::vector<std::int64_t> biasCodes(const KernelContext& context)
{
    const Tensor* tensor = context.node.tensorAttribute(nodes::biasCodes);
    return tensor == nullptr ? std::vector<std::int64_t>{} : tensor->toInts();
}

Result<void> checkBias(const KernelContext& context, std::size_t count, std::size_t channels)
{
    if (count > 1 && count != channels) {
        return badNode(context, fmt::format("a bias of {} values for {} output channels", count, channels));
    }
    return {};
}

template <class T, class F>
void forEachRun(std::span<const T> sums, const Channels& channels, F&& f)
{
    for (std::size_t start = 0; start < sums.size(); start += channels.inner) {
        f(start, start / channels.inner % channels.count);
    }
}

/// The sums with their bias codes as they are.
Result<std::vector<Tensor>> accumulated(const Sums& sums, const Channels& channels,
                                        const std::vector<std::int64_t>& bias, const CodeTarget& target,
                                        const Dims& dims)
{
    std::vector<std::int64_t> results;
    bool fits = true;
    sums.visit([&](auto values) {
        results.resize(values.size());
        forEachRun(values, channels, [&](std::size_t start, std::size_t channel) {
            const std::int64_t add = bias.empty() ? 0 : bias[bias.size() == 1 ? 0 : channel];
            for (std::size_t i = start; i < start + channels.inner; ++i) {
                results[i] = static_cast<std::int64_t>(values[i]) + add;
                fits = fits && results[i] >= lowest(target.grid.storage) && results[i] <= highest(target.grid.storage);
            }
        });
    });
    if (!fits) {
        return failure(ErrorKind::Unsupported, "accumulator-overflow",
                       fmt::format("a sum does not fit its accumulator of {}", longName(target.grid.storage)));
    }
    return one(tensorOfInts(target.grid.storage, dims, results));
}

/// The sums brought to the output's grid in one exact rounding.
Result<std::vector<Tensor>> requantizedSums(const KernelContext& context, const Sums& sums, const Channels& channels,
                                            const std::vector<std::int64_t>& codes, const LinearGrids& grids,
                                            const Dims& dims)
{
    const std::vector<double> bias = context.node.doublesAttribute(nodes::bias);
    TRY(checkBias(context, bias.size(), channels.count));
    const CodeTarget& target = grids.target;
    if (target.grid.scales.size() > 1 && target.grid.scales.size() != channels.count) {
        return notClaimed(context, "an output grid that is not one a channel");
    }
    std::vector<CodeRounder> rounders;
    for (std::size_t c = 0; c < channels.count; ++c) {
        const double add = bias.empty() ? 0.0 : bias[bias.size() == 1 ? 0 : c];
        rounders.emplace_back(grids.x.scale(), grids.weightScale(c), add, Divisor{target.grid.scale(c)},
                              target.grid.zeroPoint(c), target.lo, target.hi);
    }
    Result<std::vector<Tensor>> result = notClaimed(context, fmt::format("codes of {}", longName(target.grid.storage)));
    dispatchNumeric(target.grid.storage, [&]<class Out>(std::type_identity<Out>) {
        if constexpr (std::is_integral_v<Out> && !std::is_same_v<Out, bool>) {
            TensorWriter<Out> out(dims);
            sums.visit([&](auto values) {
                forEachRun(values, channels, [&](std::size_t start, std::size_t channel) {
                    const CodeRounder& rounder = rounders[channel];
                    const auto add = codes.empty() ? 0.0 : static_cast<double>(codes[codes.size() == 1 ? 0 : channel]);
                    for (std::size_t i = start; i < start + channels.inner; ++i) {
                        out[i] = static_cast<Out>(rounder(static_cast<double>(values[i]) + add));
                    }
                });
            });
            result = one(std::move(out).finish(target.grid.storage));
        }
    });
    return result;
}

Result<std::vector<Tensor>> finished(const KernelContext& context, const Sums& sums, const Channels& channels,
                                     const LinearGrids& grids, const Dims& dims)
{
    const std::vector<std::int64_t> codes = biasCodes(context);
    TRY(checkBias(context, codes.size(), channels.count));
    const CodeTarget& target = grids.target;
    const bool asItIs = context.node.attribute(nodes::bias) == nullptr && target.lo == target.grid.qmin &&
                        target.hi == target.grid.qmax;
    if (asItIs && isAccumulator(grids, channels.count)) {
        return accumulated(sums, channels, codes, target, dims);
    }
    return requantizedSums(context, sums, channels, codes, grids, dims);
}

Result<std::vector<Tensor>> convolution(const KernelContext& context, bool transposed)
{
    TRY(checkCodes(context, {0, 1}));
    const Tensor& x = context.input(0);
    const Tensor& w = context.input(1);
    if (context.has(2)) {
        return notClaimed(context, "a bias input beside codes");
    }
    const int axis = transposed ? 1 : 0;
    const LinearGrids grids = TRY(gridsOf(context, axis));
    const ConvolutionShape shape = TRY(convolutionShape(context, x.dims(), w.dims(), transposed));
    const CodedOperand codedX = coded(x, grids.x.zeroPoint());
    const CodedOperand codedW = TRY(coded(context, w, grids.w.zeroPoints, axis));
    const auto ready = preparedOnce(context, codedW, [&] { return preparedWeight(codedW, shape, transposed, codedX); });
    const Sums sums = TRY(convolveCodes(context, shape, transposed, codedX, *ready));
    return finished(context, sums, {unsign(shape.outChannels), unsign(shape.window.outSize())}, grids,
                    shape.window.outDims(shape.outChannels));
}

Result<std::vector<Tensor>> matrix(const KernelContext& context, const MatrixProduct& product, int axis)
{
    TRY(checkCodes(context, {0, 1}));
    const Tensor& b = context.input(1);
    const LinearGrids grids = TRY(gridsOf(context, axis));
    const CodedOperand codedA = coded(context.input(0), grids.x.zeroPoint());
    const CodedOperand codedB = TRY(coded(context, b, grids.w.zeroPoints, axis));
    const auto ready = preparedOnce(context, codedB, [&] { return preparedMatrix(codedB, product, codedA); });
    const Sums sums = TRY(multiplyCodes(context, product, codedA, *ready));
    return finished(context, sums, {unsign(product.columns), 1}, grids, product.outDims);
}

} // namespace

Result<std::vector<Tensor>> integerConv(const KernelContext& context)
{
    return convolution(context, false);
}
Result<std::vector<Tensor>> integerConvTranspose(const KernelContext& context)
{
    return convolution(context, true);
}

Result<std::vector<Tensor>> integerGemm(const KernelContext& context)
{
    const Node& node = context.node;
    if (context.has(2) || node.floatAttribute("alpha", 1.0) != 1.0) {
        return notClaimed(context, "C or alpha beside codes");
    }
    const MatrixProduct product = TRY(gemmProduct(context, context.input(0).dims(), context.input(1).dims()));
    return matrix(context, product, product.transB ? 0 : 1);
}

Result<std::vector<Tensor>> integerMatMul(const KernelContext& context)
{
    const Dims& b = context.input(1).dims();
    const MatrixProduct product = TRY(matrixProduct(context, context.input(0).dims(), b));
    return matrix(context, product, b.size() < 2 ? -1 : static_cast<int>(b.size()) - 1);
}

} // namespace crease
