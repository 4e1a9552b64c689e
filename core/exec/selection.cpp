// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/kernel_families.h"
#include "core/exec/kernel_support.h"
#include "core/exec/strided_copy.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>

namespace crease {

namespace {

using Outputs = Result<std::vector<Tensor>>;

template <class T>
constexpr bool isCompared = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

std::unexpected<Error> typeNotClaimed(const KernelContext& context)
{
    return notClaimed(context, fmt::format("elements of {}", longName(context.input(0).type())));
}

/// Of equal elements the one with the lower index comes first; NaN counts as the largest.
template <class T>
bool before(const T* line, std::int64_t stride, std::int64_t a, std::int64_t b, bool largest)
{
    const T x = line[a * stride];
    const T y = line[b * stride];
    const bool less = x < y || (x == x && y != y);
    const bool greater = x > y || (x != x && y == y);
    return less || greater ? (largest ? greater : less) : a < b;
}

Outputs topK(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const auto axis = static_cast<std::size_t>(TRY(axisOf(context, context.node.intAttribute("axis", -1), x.rank())));
    const std::int64_t length = x.dims()[axis];
    const std::int64_t k = context.input(1).size() == 1 ? context.input(1).asInt(0) : -1;
    if (k < 0 || k > length) {
        return badNode(context, fmt::format("k = {} of {} elements", k, length));
    }
    const bool largest = context.node.intAttribute("largest", 1) != 0;
    Dims dims = x.dims();
    dims[axis] = k;
    const std::int64_t outer = productOf(dims, 0, axis);
    const std::int64_t inner = productOf(dims, axis + 1, dims.size());
    TensorWriter<std::int64_t> indices(dims);
    Tensor values;
    dispatchNumeric(x.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (isCompared<T>) {
            TensorWriter<T> writer(dims);
            std::vector<std::int64_t> order(static_cast<std::size_t>(length));
            for (std::int64_t line = 0; line < outer * inner; ++line) {
                const T* from = x.data<T>().data() + line / inner * length * inner + line % inner;
                std::iota(order.begin(), order.end(), 0);
                std::partial_sort(order.begin(), order.begin() + k, order.end(),
                                  [&](std::int64_t a, std::int64_t b) { return before(from, inner, a, b, largest); });
                for (std::int64_t i = 0; i < k; ++i) {
                    const auto at = static_cast<std::size_t>((line / inner * k + i) * inner + line % inner);
                    writer[at] = from[order[static_cast<std::size_t>(i)] * inner];
                    indices[at] = order[static_cast<std::size_t>(i)];
                }
            }
            values = std::move(writer).finish(x.type());
        }
    });
    if (!values.valid()) {
        return typeNotClaimed(context);
    }
    return std::vector<Tensor>{std::move(values), std::move(indices).finish()};
}

/// CumSum and CumProd.
Outputs cumulative(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    if (context.input(1).size() != 1) {
        return badNode(context, "the axis is no single element");
    }
    const auto axis = static_cast<std::size_t>(TRY(axisOf(context, context.input(1).asInt(0), x.rank())));
    const bool exclusive = context.node.intAttribute("exclusive", 0) != 0;
    const bool reverse = context.node.intAttribute("reverse", 0) != 0;
    const bool sums = context.node.op == "CumSum";
    const std::int64_t length = x.dims()[axis];
    const std::int64_t inner = productOf(x.dims(), axis + 1, x.rank());
    const std::int64_t outer = productOf(x.dims(), 0, axis);
    Tensor y;
    dispatchNumeric(x.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (isCompared<T>) {
            using Total = std::conditional_t<std::is_floating_point_v<T>, T, std::uint64_t>;
            TensorWriter<T> writer(x.dims());
            for (std::int64_t line = 0; line < outer * inner; ++line) {
                const std::int64_t base = line / inner * length * inner + line % inner;
                Total total = sums ? Total(0) : Total(1);
                for (std::int64_t i = 0; i < length; ++i) {
                    const auto at = static_cast<std::size_t>(base + (reverse ? length - 1 - i : i) * inner);
                    const Total value = static_cast<Total>(x.data<T>()[at]);
                    const Total next = sums ? total + value : total * value;
                    writer[at] = static_cast<T>(exclusive ? total : next);
                    total = next;
                }
            }
            y = std::move(writer).finish(x.type());
        }
    });
    return y.valid() ? one(std::move(y)) : typeNotClaimed(context);
}

template <class T>
struct Occurrences {
    std::vector<std::int64_t> first;   // index of the first occurrence, in the order of the result
    std::vector<std::int64_t> inverse; // of each slice: where it is in the result
    std::vector<std::int64_t> counts;
};

/// Slices along the axis (their elements gathered in `slices`, `chunk` each) compared lexicographically.
template <class T>
Occurrences<T> distinct(const std::vector<T>& slices, std::size_t count, std::size_t chunk, bool sorted)
{
    std::vector<std::int64_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    const auto sliceOf = [&](std::int64_t index) {
        return std::span(slices).subspan(static_cast<std::size_t>(index) * chunk, chunk);
    };
    const auto less = [&](std::int64_t a, std::int64_t b) {
        return std::ranges::lexicographical_compare(sliceOf(a), sliceOf(b));
    };
    std::ranges::stable_sort(order, less);
    std::vector<std::vector<std::int64_t>> groups;
    for (const std::int64_t index : order) {
        if (groups.empty() || less(groups.back().front(), index)) {
            groups.emplace_back();
        }
        groups.back().push_back(index);
    }
    if (!sorted) {
        std::ranges::sort(groups, {}, [](const std::vector<std::int64_t>& group) { return group.front(); });
    }
    Occurrences<T> result;
    result.inverse.resize(count);
    for (const auto& group : groups) {
        for (const std::int64_t index : group) {
            result.inverse[static_cast<std::size_t>(index)] = static_cast<std::int64_t>(result.first.size());
        }
        result.first.push_back(group.front());
        result.counts.push_back(static_cast<std::int64_t>(group.size()));
    }
    return result;
}

Tensor vectorOf(const std::vector<std::int64_t>& values)
{
    return Tensor::of({static_cast<std::int64_t>(values.size())}, values);
}

Outputs unique(const KernelContext& context)
{
    const bool flat = context.node.attribute("axis") == nullptr;
    const Tensor x =
        flat ? context.input(0).reshaped({static_cast<std::int64_t>(context.input(0).size())}) : context.input(0);
    const auto axis = static_cast<std::size_t>(TRY(axisOf(context, context.node.intAttribute("axis", 0), x.rank())));
    const bool sorted = context.node.intAttribute("sorted", 1) != 0;
    const std::int64_t length = x.dims()[axis];
    const std::int64_t inner = productOf(x.dims(), axis + 1, x.rank());
    const std::int64_t outer = productOf(x.dims(), 0, axis);
    std::vector<Tensor> outputs;
    dispatchNumeric(x.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (isCompared<T>) {
            std::vector<T> slices;
            for (std::int64_t i = 0; i < length; ++i) {
                for (std::int64_t o = 0; o < outer; ++o) {
                    const T* from = x.data<T>().data() + (o * length + i) * inner;
                    slices.insert(slices.end(), from, from + inner);
                }
            }
            const auto found =
                distinct(slices, static_cast<std::size_t>(length), static_cast<std::size_t>(outer * inner), sorted);
            Dims dims = x.dims();
            dims[axis] = static_cast<std::int64_t>(found.first.size());
            TensorWriter<T> writer(dims);
            std::size_t to = 0;
            for (std::int64_t o = 0; o < outer; ++o) {
                for (const std::int64_t index : found.first) {
                    const T* from = x.data<T>().data() + (o * length + index) * inner;
                    for (std::int64_t i = 0; i < inner; ++i) {
                        writer[to++] = from[i];
                    }
                }
            }
            outputs = {std::move(writer).finish(x.type()), vectorOf(found.first), vectorOf(found.inverse),
                       vectorOf(found.counts)};
        }
    });
    if (outputs.empty()) {
        return typeNotClaimed(context);
    }
    return outputs;
}

constexpr auto rows = std::to_array<KernelRow>({
    {"TopK", "", topK},
    {"CumSum", "", cumulative},
    {"CumProd", "", cumulative},
    {"Unique", "", unique},
});

} // namespace

std::span<const KernelRow> selectionKernels()
{
    return rows;
}

} // namespace crease
