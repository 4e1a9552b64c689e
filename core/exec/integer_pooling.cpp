// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/integer_kernels.h"
#include "core/exec/integer_support.h"
#include "core/exec/window.h"

#include <fmt/format.h>

#include <map>

namespace crease {

namespace {

std::size_t unsign(std::int64_t value)
{
    return static_cast<std::size_t>(value);
}

/// Rounders of sums to means over `count` elements, made once a count.
class MeanRounders {
public:
    MeanRounders(const CodeTarget& target, double scale) : m_target(target), m_scale(scale) {}

    const CodeRounder& of(std::int64_t count)
    {
        const auto found = m_rounders.find(count);
        if (found != m_rounders.end()) {
            return found->second;
        }
        const Divisor divisor{m_target.grid.scale(), 1.0, static_cast<double>(count)};
        return m_rounders
            .emplace(count,
                     CodeRounder(m_scale, 1.0, 0.0, divisor, m_target.grid.zeroPoint(), m_target.lo, m_target.hi))
            .first->second;
    }

private:
    const CodeTarget& m_target;
    double m_scale;
    std::map<std::int64_t, CodeRounder> m_rounders;
};

/// The axes of a reduction: input 1, or the attribute of older opsets; none means all, or nothing to do.
struct Reduction {
    std::vector<bool> reduced;
    Dims dims;
    std::int64_t count = 1;
};

Result<Reduction> reductionOf(const KernelContext& context)
{
    const Dims& dims = context.input(0).dims();
    std::vector<std::int64_t> axes = context.has(1) ? intsOf(context, 1) : context.node.intsAttribute("axes");
    const bool keeps = context.node.intAttribute("keepdims", 1) != 0;
    const bool none = context.node.intAttribute("noop_with_empty_axes", 0) != 0;
    Reduction reduction;
    reduction.reduced.assign(dims.size(), axes.empty() && !none);
    for (const std::int64_t axis : axes) {
        reduction.reduced[unsign(TRY(axisOf(context, axis, dims.size())))] = true;
    }
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        if (!reduction.reduced[axis]) {
            reduction.dims.push_back(dims[axis]);
            continue;
        }
        reduction.count *= dims[axis];
        if (keeps) {
            reduction.dims.push_back(1);
        }
    }
    return reduction;
}

/// The sums of centred codes over the reduced axes, in the order of the result.
std::vector<double> reducedSums(const Tensor& codes, std::int64_t zeroPoint, const Reduction& reduction)
{
    const Dims& dims = codes.dims();
    std::vector<std::int64_t> strides(dims.size(), 0);
    std::int64_t stride = 1;
    for (std::size_t axis = dims.size(); axis-- > 0;) {
        if (!reduction.reduced[axis]) {
            strides[axis] = stride;
            stride *= dims[axis];
        }
    }
    const std::vector<double> values = centredCodes(codes, zeroPoint);
    std::vector<double> sums(unsign(stride), 0.0);
    Dims at(dims.size(), 0);
    std::int64_t offset = 0;
    for (const double value : values) {
        sums[unsign(offset)] += value;
        for (std::size_t axis = dims.size(); axis-- > 0;) {
            offset += strides[axis];
            if (++at[axis] < dims[axis]) {
                break;
            }
            offset -= strides[axis] * dims[axis];
            at[axis] = 0;
        }
    }
    return sums;
}

Result<std::vector<Tensor>> reduced(const KernelContext& context, const Reduction& reduction, std::int64_t divisor)
{
    const Grid grid = TRY(tensorGridOf(context, 0));
    const CodeTarget target = TRY(tensorTargetOf(context));
    if (divisor == 0) {
        return badNode(context, "a mean over nothing");
    }
    const std::vector<double> sums = reducedSums(context.input(0), grid.zeroPoint(), reduction);
    MeanRounders rounders(target, grid.scale());
    const CodeRounder& rounder = rounders.of(divisor);
    return one(makeCodes(target.grid.storage, reduction.dims, [&](std::size_t i) { return rounder(sums[i]); }));
}

} // namespace

Result<std::vector<Tensor>> integerAveragePool(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const Grid grid = TRY(tensorGridOf(context, 0));
    const CodeTarget target = TRY(tensorTargetOf(context));
    const Window window = TRY(windowOf(context, x.dims(), {}));
    const bool countsPadding = context.node.intAttribute("count_include_pad", 0) != 0;
    const std::vector<double> values = centredCodes(x, grid.zeroPoint());
    MeanRounders rounders(target, grid.scale());
    const Dims dims = window.outDims(window.channels);
    return one(makeCodes(target.grid.storage, dims, [&](std::size_t i) {
        const std::int64_t position = static_cast<std::int64_t>(i) % window.outSize();
        const std::int64_t plane = static_cast<std::int64_t>(i) / window.outSize() * window.inSize();
        double sum = 0.0;
        const std::int64_t inside =
            forEachInWindow(window, position, [&](std::int64_t at) { sum += values[unsign(plane + at)]; });
        const std::int64_t count = countsPadding ? tapsAt(window, position).covered : inside;
        return rounders.of(std::max<std::int64_t>(count, 1))(sum);
    }));
}

Result<std::vector<Tensor>> integerGlobalAveragePool(const KernelContext& context)
{
    const Dims& dims = context.input(0).dims();
    if (dims.size() < 2) {
        return badNode(context, fmt::format("an input of {}", toText(dims)));
    }
    Reduction reduction;
    reduction.reduced.assign(dims.size(), true);
    reduction.reduced[0] = false;
    reduction.reduced[1] = false;
    reduction.dims.assign(dims.size(), 1);
    reduction.dims[0] = dims[0];
    reduction.dims[1] = dims[1];
    for (std::size_t axis = 2; axis < dims.size(); ++axis) {
        reduction.count *= dims[axis];
    }
    return reduced(context, reduction, reduction.count);
}

Result<std::vector<Tensor>> integerReduceMean(const KernelContext& context)
{
    const Reduction reduction = TRY(reductionOf(context));
    return reduced(context, reduction, reduction.count);
}

Result<std::vector<Tensor>> integerReduceSum(const KernelContext& context)
{
    return reduced(context, TRY(reductionOf(context)), 1);
}

} // namespace crease
