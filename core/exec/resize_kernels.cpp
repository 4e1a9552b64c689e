// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/kernel_families.h"
#include "core/exec/kernel_support.h"
#include "core/exec/resize_plan.h"

#include <fmt/format.h>

#include <array>

namespace crease {

namespace {

std::size_t unsign(std::int64_t value)
{
    return static_cast<std::size_t>(value);
}

/// One axis resized; the axes before it are already done.
template <class T>
std::vector<T> resizedAxis(const std::vector<T>& from, Dims& dims, std::size_t axis, const ResizePlan& plan)
{
    std::size_t outer = 1;
    std::size_t inner = 1;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        (i < axis ? outer : inner) *= i == axis ? 1 : unsign(dims[i]);
    }
    const std::size_t length = unsign(dims[axis]);
    const auto& positions = plan.axes[axis].positions;
    std::vector<T> to(outer * positions.size() * inner);
    T* row = to.data();
    for (std::size_t block = 0; block < outer; ++block) {
        for (const auto& taps : positions) {
            for (const ResizeTap& tap : taps) {
                const T* source = from.data() + (block * length + unsign(tap.index)) * inner;
                if constexpr (std::is_floating_point_v<T>) {
                    const auto weight = static_cast<T>(tap.weight);
                    for (std::size_t i = 0; i < inner; ++i) {
                        row[i] += weight * source[i];
                    }
                } else {
                    std::copy(source, source + inner, row);
                }
            }
            row += inner;
        }
    }
    dims[axis] = static_cast<std::int64_t>(positions.size());
    return to;
}

/// Puts the extrapolation value where a position of any axis lies outside.
template <class T>
void fillOutside(std::vector<T>& values, const ResizePlan& plan)
{
    Dims at(plan.dims.size(), 0);
    for (T& value : values) {
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            if (plan.axes[axis].positions[unsign(at[axis])].empty()) {
                value = static_cast<T>(plan.outside);
            }
        }
        for (std::size_t axis = at.size(); axis-- > 0;) {
            if (++at[axis] < plan.dims[axis]) {
                break;
            }
            at[axis] = 0;
        }
    }
}

bool hasOutside(const ResizePlan& plan)
{
    for (const ResizeAxis& axis : plan.axes) {
        for (const auto& taps : axis.positions) {
            if (taps.empty()) {
                return true;
            }
        }
    }
    return false;
}

template <class T>
Tensor resized(const Tensor& x, const ResizePlan& plan)
{
    const std::span<const T> data = x.data<T>();
    std::vector<T> values(data.begin(), data.end());
    Dims dims = x.dims();
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        if (plan.axes[axis].changes) {
            values = resizedAxis(values, dims, axis, plan);
        }
    }
    if (hasOutside(plan)) {
        fillOutside(values, plan);
    }
    return Tensor::of<T>(dims, values, x.type());
}

Result<std::vector<Tensor>> resize(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const ResizePlan plan = TRY(resizePlan(context));
    Result<std::vector<Tensor>> result = notClaimed(context, fmt::format("an interpolation of {}", longName(x.type())));
    dispatchNumeric(x.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_same_v<T, bool>) {
            return;
        } else if constexpr (std::is_floating_point_v<T>) {
            result = one(resized<T>(x, plan));
        } else if constexpr (std::is_integral_v<T>) {
            if (plan.moves()) {
                result = one(resized<T>(x, plan));
            }
        }
    });
    return result;
}

constexpr std::array rows = {
    KernelRow{"Resize", "", resize},
    KernelRow{"Upsample", "", resize},
};

} // namespace

std::span<const KernelRow> resizeKernels()
{
    return rows;
}

} // namespace crease
