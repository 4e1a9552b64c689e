// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/broadcast.h"
#include "core/exec/kernel_families.h"

#include <array>
#include <fmt/format.h>
#include <functional>

namespace crease {

namespace {

using Outputs = Result<std::vector<Tensor>>;

std::unexpected<Error> typesNotClaimed(const KernelContext& context, const Tensor& a, const Tensor& b)
{
    return notClaimed(context, fmt::format("elements of {} and {}", longName(a.type()), longName(b.type())));
}

template <class F>
Outputs compare(const KernelContext& context)
{
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    if (a.type() != b.type()) {
        return typesNotClaimed(context, a, b);
    }
    const Dims dims = TRY(broadcastDims(context, a.dims(), b.dims()));
    const BroadcastWalk walk = BroadcastWalk::over(dims, {&a.dims(), &b.dims()});
    Tensor y;
    dispatchNumeric(a.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (!std::is_same_v<T, Half> && !std::is_same_v<T, BFloat16>) {
            TensorWriter<bool> writer(dims);
            broadcastBinary(walk, a.data<T>().data(), b.data<T>().data(), writer.data().data(), F{});
            y = std::move(writer).finish();
        }
    });
    return y.valid() ? one(std::move(y)) : typesNotClaimed(context, a, b);
}

template <class F>
Outputs logical(const KernelContext& context)
{
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    if (a.type() != ElementType::Bool || b.type() != ElementType::Bool) {
        return typesNotClaimed(context, a, b);
    }
    const Dims dims = TRY(broadcastDims(context, a.dims(), b.dims()));
    const BroadcastWalk walk = BroadcastWalk::over(dims, {&a.dims(), &b.dims()});
    TensorWriter<bool> writer(dims);
    broadcastBinary(walk, a.data<bool>().data(), b.data<bool>().data(), writer.data().data(), F{});
    return one(std::move(writer).finish());
}

Outputs where(const KernelContext& context)
{
    const Tensor& condition = context.input(0);
    const Tensor& a = context.input(1);
    const Tensor& b = context.input(2);
    if (a.type() != b.type() || condition.type() != ElementType::Bool) {
        return typesNotClaimed(context, a, b);
    }
    const Dims branches = TRY(broadcastDims(context, a.dims(), b.dims()));
    const Dims dims = TRY(broadcastDims(context, branches, condition.dims()));
    const BroadcastWalk walk = BroadcastWalk::over(dims, {&condition.dims(), &a.dims(), &b.dims()});
    const bool* chosen = condition.data<bool>().data();
    Tensor y;
    const bool done = dispatchWidth(a.type(), [&]<class T>(std::type_identity<T>) {
        TensorWriter<T> writer(dims);
        T* out = writer.data().data();
        const std::int64_t count = walk.inner();
        const auto [sc, sa, sb] = std::array{walk.innerStride(0), walk.innerStride(1), walk.innerStride(2)};
        walk.forEachRun([&](std::int64_t at, const std::array<std::int64_t, 3>& offsets) {
            const bool* c = chosen + offsets[0];
            const T* x = wordsOf<T>(a) + offsets[1];
            const T* z = wordsOf<T>(b) + offsets[2];
            for (std::int64_t i = 0; i < count; ++i) {
                out[at + i] = c[i * sc] ? x[i * sa] : z[i * sb];
            }
        });
        y = std::move(writer).finish(a.type());
    });
    return done ? one(std::move(y)) : typesNotClaimed(context, a, b);
}

constexpr auto rows = std::to_array<KernelRow>({
    {"Equal", "", compare<std::equal_to<>>},
    {"Greater", "", compare<std::greater<>>},
    {"GreaterOrEqual", "", compare<std::greater_equal<>>},
    {"Less", "", compare<std::less<>>},
    {"LessOrEqual", "", compare<std::less_equal<>>},
    {"And", "", logical<std::logical_and<>>},
    {"Or", "", logical<std::logical_or<>>},
    {"Xor", "", logical<std::not_equal_to<>>},
    {"Where", "", where, HalfTypes::AsIs},
});

} // namespace

std::span<const KernelRow> compareKernels()
{
    return rows;
}

} // namespace crease
