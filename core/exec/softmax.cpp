// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/kernel_families.h"
#include "core/exec/kernel_support.h"
#include "core/exec/strided_copy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace crease {

namespace {

using Outputs = Result<std::vector<Tensor>>;

/// The rows that are normalised: `length` elements `stride` apart.
struct Lines {
    std::int64_t outer = 1;
    std::int64_t length = 1;
    std::int64_t stride = 1;
};

/// Before opset 13 everything from the axis on is one row, and the default axis is 1.
Result<Lines> linesOf(const KernelContext& context)
{
    const Dims& dims = context.input(0).dims();
    const bool flattens = context.node.version > 0 && context.node.version < 13;
    const std::int64_t wished = context.node.intAttribute("axis", flattens ? 1 : -1);
    if (flattens && wished == static_cast<std::int64_t>(dims.size())) {
        return Lines{productOf(dims, 0, dims.size()), 1, 1};
    }
    if (dims.empty()) {
        return Lines{};
    }
    const auto axis = static_cast<std::size_t>(TRY(axisOf(context, wished, dims.size())));
    if (flattens) {
        return Lines{productOf(dims, 0, axis), productOf(dims, axis, dims.size()), 1};
    }
    return Lines{productOf(dims, 0, axis), dims[axis], productOf(dims, axis + 1, dims.size())};
}

template <class Body>
Outputs forLines(const KernelContext& context, Body body)
{
    const Tensor& x = context.input(0);
    const Lines lines = TRY(linesOf(context));
    Tensor y;
    dispatchFloat(x.type(), [&]<class T>(std::type_identity<T>) {
        TensorWriter<T> writer(x.dims());
        const T* from = x.data<T>().data();
        T* to = writer.data().data();
        for (std::int64_t o = 0; o < lines.outer && lines.length > 0; ++o) {
            for (std::int64_t s = 0; s < lines.stride; ++s) {
                const std::int64_t at = o * lines.length * lines.stride + s;
                body(from + at, to + at, lines);
            }
        }
        y = std::move(writer).finish(x.type());
    });
    return y.valid() ? one(std::move(y)) : notClaimed(context, fmt::format("elements of {}", longName(x.type())));
}

template <class T>
T largestOf(const T* from, const Lines& lines)
{
    T largest = from[0];
    for (std::int64_t i = 1; i < lines.length; ++i) {
        largest = std::max(largest, from[i * lines.stride]);
    }
    return largest;
}

Outputs softmax(const KernelContext& context)
{
    return forLines(context, []<class T>(const T* from, T* to, const Lines& lines) {
        const T largest = largestOf(from, lines);
        double sum = 0.0;
        for (std::int64_t i = 0; i < lines.length; ++i) {
            const T e = std::exp(from[i * lines.stride] - largest);
            to[i * lines.stride] = e;
            sum += static_cast<double>(e);
        }
        for (std::int64_t i = 0; i < lines.length; ++i) {
            to[i * lines.stride] = static_cast<T>(static_cast<double>(to[i * lines.stride]) / sum);
        }
    });
}

Outputs logSoftmax(const KernelContext& context)
{
    return forLines(context, []<class T>(const T* from, T* to, const Lines& lines) {
        const T largest = largestOf(from, lines);
        double sum = 0.0;
        for (std::int64_t i = 0; i < lines.length; ++i) {
            sum += static_cast<double>(std::exp(from[i * lines.stride] - largest));
        }
        const T shift = static_cast<T>(std::log(sum));
        for (std::int64_t i = 0; i < lines.length; ++i) {
            to[i * lines.stride] = from[i * lines.stride] - largest - shift;
        }
    });
}

Outputs hardmax(const KernelContext& context)
{
    return forLines(context, []<class T>(const T* from, T* to, const Lines& lines) {
        const T largest = largestOf(from, lines);
        bool found = false;
        for (std::int64_t i = 0; i < lines.length; ++i) {
            const bool chosen = !found && from[i * lines.stride] == largest;
            found = found || chosen;
            to[i * lines.stride] = chosen ? T(1) : T(0);
        }
    });
}

constexpr auto rows = std::to_array<KernelRow>({
    {"Softmax", "", softmax},
    {"LogSoftmax", "", logSoftmax},
    {"Hardmax", "", hardmax},
});

} // namespace

std::span<const KernelRow> softmaxKernels()
{
    return rows;
}

} // namespace crease
