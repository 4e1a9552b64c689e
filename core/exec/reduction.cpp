// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/broadcast.h"
#include "core/exec/kernel_families.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace crease {

namespace {

using Outputs = Result<std::vector<Tensor>>;

struct Reduced {
    Dims kept;   // with 1 along reduced axes
    Dims result; // as the output is
    std::int64_t count = 1;
};

Result<Reduced> reducedDims(const KernelContext& context)
{
    const Dims& dims = context.input(0).dims();
    const auto axes = intsOf(context, 1);
    const bool all = axes.empty() && context.node.intAttribute("noop_with_empty_axes", 0) == 0;
    std::vector<bool> reduced(dims.size(), all);
    for (const std::int64_t axis : axes) {
        reduced[static_cast<std::size_t>(TRY(axisOf(context, axis, dims.size())))] = true;
    }
    const bool keep = context.node.intAttribute("keepdims", 1) != 0;
    Reduced result;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        result.kept.push_back(reduced[i] ? 1 : dims[i]);
        if (!reduced[i] || keep) {
            result.result.push_back(result.kept.back());
        }
        result.count *= reduced[i] ? dims[i] : 1;
    }
    return result;
}

/// totals[output index] = step(total, element), elements in row-major order.
template <class T, class Total, class Step>
void accumulate(const Tensor& x, const Dims& kept, std::vector<Total>& totals, Step step)
{
    const BroadcastWalk walk = BroadcastWalk::over(x.dims(), {&kept});
    const T* from = x.data<T>().data();
    const std::int64_t count = walk.inner();
    const bool inside = walk.innerStride(0) == 0;
    walk.forEachRun([&](std::int64_t at, const std::array<std::int64_t, 3>& offsets) {
        Total* to = totals.data() + offsets[0];
        const T* run = from + at;
        if (inside) {
            Total total = *to;
            for (std::int64_t i = 0; i < count; ++i) {
                total = step(total, run[i]);
            }
            *to = total;
        } else {
            for (std::int64_t i = 0; i < count; ++i) {
                to[i] = step(to[i], run[i]);
            }
        }
    });
}

template <class T, class Total, class Step, class Finish>
Tensor reduceInto(const Tensor& x, const Reduced& dims, Total initial, Step step, Finish finish)
{
    std::vector<Total> totals(static_cast<std::size_t>(elementCount(dims.kept).value()), initial);
    accumulate<T>(x, dims.kept, totals, step);
    TensorWriter<T> writer(dims.result);
    for (std::size_t i = 0; i < totals.size(); ++i) {
        writer[i] = finish(totals[i]);
    }
    return std::move(writer).finish(x.type());
}

/// Floats are summed in double and integers in 64 bits, whatever the element type; the order is that of memory.
template <class T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

template <class T>
constexpr bool isSummed = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <class Body>
Outputs reduceNumbers(const KernelContext& context, Body body)
{
    const Tensor& x = context.input(0);
    const Reduced dims = TRY(reducedDims(context));
    Tensor y;
    dispatchNumeric(x.type(), [&]<class T>(std::type_identity<T> type) {
        if constexpr (isSummed<T>) {
            y = body(type, x, dims);
        }
    });
    return y.valid() ? one(std::move(y)) : notClaimed(context, fmt::format("elements of {}", longName(x.type())));
}

Outputs reduceSum(const KernelContext& context)
{
    return reduceNumbers(context, []<class T>(std::type_identity<T>, const Tensor& x, const Reduced& dims) {
        using W = Wide<T>;
        return reduceInto<T>(
            x, dims, W(0), [](W total, T value) { return total + static_cast<W>(value); },
            [](W total) { return static_cast<T>(total); });
    });
}

Outputs reduceMean(const KernelContext& context)
{
    return reduceNumbers(context, []<class T>(std::type_identity<T>, const Tensor& x, const Reduced& dims) {
        using W = Wide<T>;
        if constexpr (!std::is_floating_point_v<T>) {
            if (dims.count == 0) {
                return Tensor{};
            }
        }
        return reduceInto<T>(
            x, dims, W(0), [](W total, T value) { return total + static_cast<W>(value); },
            [&](W total) { return static_cast<T>(total / static_cast<W>(dims.count)); });
    });
}

Outputs reduceProd(const KernelContext& context)
{
    return reduceNumbers(context, []<class T>(std::type_identity<T>, const Tensor& x, const Reduced& dims) {
        using W = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
        return reduceInto<T>(
            x, dims, W(1), [](W total, T value) { return total * static_cast<W>(value); },
            [](W total) { return static_cast<T>(total); });
    });
}

Outputs reduceL1(const KernelContext& context)
{
    return reduceNumbers(context, []<class T>(std::type_identity<T>, const Tensor& x, const Reduced& dims) {
        using W = Wide<T>;
        return reduceInto<T>(
            x, dims, W(0),
            [](W total, T value) { return total + (value < T(0) ? -static_cast<W>(value) : static_cast<W>(value)); },
            [](W total) { return static_cast<T>(total); });
    });
}

Outputs reduceSumSquare(const KernelContext& context)
{
    return reduceNumbers(context, []<class T>(std::type_identity<T>, const Tensor& x, const Reduced& dims) {
        using W = Wide<T>;
        return reduceInto<T>(
            x, dims, W(0), [](W total, T value) { return total + static_cast<W>(value) * static_cast<W>(value); },
            [](W total) { return static_cast<T>(total); });
    });
}

Outputs reduceL2(const KernelContext& context)
{
    return reduceNumbers(context, []<class T>(std::type_identity<T>, const Tensor& x, const Reduced& dims) {
        return reduceInto<T>(
            x, dims, 0.0,
            [](double total, T value) { return total + static_cast<double>(value) * static_cast<double>(value); },
            [](double total) { return static_cast<T>(std::sqrt(total)); });
    });
}

Outputs reduceLogSum(const KernelContext& context)
{
    return reduceNumbers(context, []<class T>(std::type_identity<T>, const Tensor& x, const Reduced& dims) {
        return reduceInto<T>(
            x, dims, 0.0, [](double total, T value) { return total + static_cast<double>(value); },
            [](double total) { return static_cast<T>(std::log(total)); });
    });
}

Outputs reduceLogSumExp(const KernelContext& context)
{
    return reduceNumbers(context, []<class T>(std::type_identity<T>, const Tensor& x, const Reduced& dims) {
        struct Scaled {
            double largest = -std::numeric_limits<double>::infinity();
            double sum = 0.0; // of exp(x - largest)
        };
        return reduceInto<T>(
            x, dims, Scaled{},
            [](Scaled total, T element) {
                const auto value = static_cast<double>(element);
                if (value <= total.largest) {
                    total.sum += std::isinf(total.largest) ? 1.0 : std::exp(value - total.largest);
                    return total;
                }
                total.sum = total.sum == 0.0 ? 1.0 : total.sum * std::exp(total.largest - value) + 1.0;
                total.largest = value;
                return total;
            },
            [](const Scaled& total) {
                return static_cast<T>(std::isinf(total.largest) ? total.largest : total.largest + std::log(total.sum));
            });
    });
}

template <class T>
constexpr T smallest()
{
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                : std::numeric_limits<T>::lowest();
}

template <class T>
constexpr T largest()
{
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
}

/// Bool counts as 0 and 1.
template <bool maximum>
Outputs reduceExtreme(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const Reduced dims = TRY(reducedDims(context));
    Tensor y;
    dispatchNumeric(x.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_same_v<T, bool>) {
            const Tensor bytes = x.converted(ElementType::UInt8);
            y = reduceInto<std::uint8_t>(
                    bytes, dims, std::uint8_t(maximum ? 0 : 1),
                    [](std::uint8_t a, std::uint8_t b) { return maximum ? std::max(a, b) : std::min(a, b); },
                    [](std::uint8_t total) { return total; })
                    .converted(ElementType::Bool);
        } else if constexpr (std::is_arithmetic_v<T>) {
            y = reduceInto<T>(
                x, dims, maximum ? smallest<T>() : largest<T>(),
                [](T a, T b) { return (maximum ? a > b : a < b) || a != a ? a : b; }, [](T total) { return total; });
        }
    });
    return y.valid() ? one(std::move(y)) : notClaimed(context, fmt::format("elements of {}", longName(x.type())));
}

template <bool maximum>
Outputs argExtreme(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const auto axis = static_cast<std::size_t>(TRY(axisOf(context, context.node.intAttribute("axis", 0), x.rank())));
    const bool last = context.node.intAttribute("select_last_index", 0) != 0;
    const std::int64_t length = x.dims()[axis];
    Dims dims = x.dims();
    if (length == 0) {
        return badNode(context, "an empty axis has no extreme");
    }
    if (context.node.intAttribute("keepdims", 1) != 0) {
        dims[axis] = 1;
    } else {
        dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
    }
    TensorWriter<std::int64_t> writer(dims);
    const std::int64_t inner = stridesOf(x.dims())[axis];
    const bool done = dispatchNumeric(x.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (isSummed<T>) {
            const T* data = x.data<T>().data();
            for (std::size_t i = 0; i < writer.size(); ++i) {
                const auto at = static_cast<std::int64_t>(i);
                const T* from = data + at / inner * inner * length + at % inner;
                std::int64_t best = 0;
                for (std::int64_t k = 1; k < length; ++k) {
                    const T now = from[k * inner];
                    const T held = from[best * inner];
                    const bool better = maximum ? now > held : now < held;
                    if (better || (now != now && held == held) || (last && now == held)) {
                        best = k;
                    }
                }
                writer[i] = best;
            }
        }
    });
    return done ? one(std::move(writer).finish())
                : notClaimed(context, fmt::format("elements of {}", longName(x.type())));
}

constexpr auto rows = std::to_array<KernelRow>({
    {"ReduceSum", "", reduceSum},
    {"ReduceMean", "", reduceMean},
    {"ReduceProd", "", reduceProd},
    {"ReduceL1", "", reduceL1},
    {"ReduceL2", "", reduceL2},
    {"ReduceSumSquare", "", reduceSumSquare},
    {"ReduceLogSum", "", reduceLogSum},
    {"ReduceLogSumExp", "", reduceLogSumExp},
    {"ReduceMax", "", reduceExtreme<true>},
    {"ReduceMin", "", reduceExtreme<false>},
    {"ArgMax", "", argExtreme<true>},
    {"ArgMin", "", argExtreme<false>},
});

} // namespace

std::span<const KernelRow> reductionKernels()
{
    return rows;
}

} // namespace crease
