// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/integer_kernels.h"
#include "core/exec/integer_support.h"
#include "core/exec/resize_plan.h"

namespace crease {

namespace {

std::size_t unsign(std::int64_t value)
{
    return static_cast<std::size_t>(value);
}

/// The input elements that one output element is made of; the weights of several axes are multiplied in double.
std::vector<ResizeTap> tapsOf(const ResizePlan& plan, const std::vector<std::int64_t>& strides, const Dims& at)
{
    std::vector<ResizeTap> taps = {{0, 1.0}};
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
        std::vector<ResizeTap> next;
        for (const ResizeTap& tap : taps) {
            for (const ResizeTap& own : plan.axes[axis].positions[unsign(at[axis])]) {
                next.push_back({tap.index + own.index * strides[axis], tap.weight * own.weight});
            }
        }
        taps = std::move(next);
    }
    return taps;
}

std::int64_t interpolated(const std::vector<ResizeTap>& taps, const std::vector<double>& numbers, double scale,
                          const CodeTarget& target)
{
    const double divisor = target.grid.scale();
    double quotient = 0.0;
    double magnitude = 0.0;
    for (const ResizeTap& tap : taps) {
        const double part = numbers[unsign(tap.index)] * tap.weight * scale / divisor;
        quotient += part;
        magnitude += std::fabs(part);
    }
    std::vector<ExactTerm> terms;
    return roundedCode(quotient, magnitude, Divisor{divisor}, target.grid.zeroPoint(), target.lo, target.hi, [&] {
        for (const ResizeTap& tap : taps) {
            terms.push_back({numbers[unsign(tap.index)], tap.weight, scale});
        }
        return std::span<const ExactTerm>(terms);
    });
}

} // namespace

Result<std::vector<Tensor>> integerResize(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const Grid grid = TRY(tensorGridOf(context, 0));
    const CodeTarget target = TRY(tensorTargetOf(context));
    const ResizePlan plan = TRY(resizePlan(context));
    const auto strides = stridesOf(x.dims());
    const std::vector<double> numbers = centredCodes(x, grid.zeroPoint());
    const CodeRounder outside(1.0, 1.0, plan.outside, Divisor{target.grid.scale()}, target.grid.zeroPoint(), target.lo,
                              target.hi);
    Dims at(plan.dims.size(), 0);
    return one(makeCodes(target.grid.storage, plan.dims, [&](std::size_t) {
        const std::vector<ResizeTap> taps = tapsOf(plan, strides, at);
        for (std::size_t axis = at.size(); axis-- > 0;) {
            if (++at[axis] < plan.dims[axis]) {
                break;
            }
            at[axis] = 0;
        }
        return taps.empty() ? outside(0.0) : interpolated(taps, numbers, grid.scale(), target);
    }));
}

} // namespace crease
