// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/broadcast.h"
#include "core/exec/kernel_families.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace crease {

namespace {

using Outputs = Result<std::vector<Tensor>>;

template <class T>
constexpr bool isComputed = !std::is_same_v<T, Half> && !std::is_same_v<T, BFloat16> && !std::is_same_v<T, bool>;

/// Signed arithmetic that wraps instead of overflowing.
template <class T, class F>
T wrapping(T a, T b, F f)
{
    return static_cast<T>(f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}

struct Add {
    template <class T>
    T operator()(T a, T b) const
    {
        if constexpr (std::is_floating_point_v<T>) {
            return a + b;
        } else {
            return wrapping(a, b, std::plus<>{});
        }
    }
};

struct Sub {
    template <class T>
    T operator()(T a, T b) const
    {
        if constexpr (std::is_floating_point_v<T>) {
            return a - b;
        } else {
            return wrapping(a, b, std::minus<>{});
        }
    }
};

struct Mul {
    template <class T>
    T operator()(T a, T b) const
    {
        if constexpr (std::is_floating_point_v<T>) {
            return a * b;
        } else {
            return wrapping(a, b, std::multiplies<>{});
        }
    }
};

struct Div {
    template <class T>
    T operator()(T a, T b) const
    {
        if constexpr (std::is_floating_point_v<T>) {
            return a / b;
        } else if constexpr (std::is_signed_v<T>) {
            return b == T(-1) ? wrapping(T(0), a, std::minus<>{}) : static_cast<T>(a / b);
        } else {
            return static_cast<T>(a / b);
        }
    }
};

/// The sign of the divisor, as in Python.
struct FloorMod {
    template <class T>
    T operator()(T a, T b) const
    {
        if constexpr (std::is_floating_point_v<T>) {
            const T rest = std::fmod(a, b);
            return rest != T(0) && (rest < T(0)) != (b < T(0)) ? rest + b : rest;
        } else if constexpr (std::is_signed_v<T>) {
            if (b == T(-1)) {
                return T(0);
            }
            const T rest = static_cast<T>(a % b);
            return rest != T(0) && (rest < T(0)) != (b < T(0)) ? static_cast<T>(rest + b) : rest;
        } else {
            return static_cast<T>(a % b);
        }
    }
};

/// The sign of the dividend, as in C.
struct TruncMod {
    template <class T>
    T operator()(T a, T b) const
    {
        if constexpr (std::is_floating_point_v<T>) {
            return std::fmod(a, b);
        } else if constexpr (std::is_signed_v<T>) {
            return b == T(-1) ? T(0) : static_cast<T>(a % b);
        } else {
            return static_cast<T>(a % b);
        }
    }
};

/// NaN wins, as in numpy.
struct Max {
    template <class T>
    T operator()(T a, T b) const
    {
        return a > b || a != a ? a : b;
    }
};

struct Min {
    template <class T>
    T operator()(T a, T b) const
    {
        return a < b || a != a ? a : b;
    }
};

struct BitAnd {
    template <class T>
    T operator()(T a, T b) const
    {
        return static_cast<T>(a & b);
    }
};

struct BitOr {
    template <class T>
    T operator()(T a, T b) const
    {
        return static_cast<T>(a | b);
    }
};

struct BitXor {
    template <class T>
    T operator()(T a, T b) const
    {
        return static_cast<T>(a ^ b);
    }
};

std::unexpected<Error> typesNotClaimed(const KernelContext& context, const Tensor& a, const Tensor& b)
{
    return notClaimed(context, fmt::format("elements of {} and {}", longName(a.type()), longName(b.type())));
}

/// F on two tensors of one type; integers only where F needs them.
template <class F, bool integersOnly = false>
Result<Tensor> computed(const KernelContext& context, const Tensor& a, const Tensor& b)
{
    if (a.type() != b.type()) {
        return typesNotClaimed(context, a, b);
    }
    const Dims dims = TRY(broadcastDims(context, a.dims(), b.dims()));
    const BroadcastWalk walk = BroadcastWalk::over(dims, {&a.dims(), &b.dims()});
    Tensor y;
    dispatchNumeric(a.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (isComputed<T> && !(integersOnly && std::is_floating_point_v<T>) ) {
            TensorWriter<T> writer(dims);
            broadcastBinary(walk, a.data<T>().data(), b.data<T>().data(), writer.data().data(), F{});
            y = std::move(writer).finish(a.type());
        }
    });
    if (!y.valid()) {
        return typesNotClaimed(context, a, b);
    }
    return y;
}

template <class F, bool integersOnly = false>
Outputs binary(const KernelContext& context)
{
    return one(TRY((computed<F, integersOnly>(context, context.input(0), context.input(1)))));
}

bool hasZero(const Tensor& tensor)
{
    if (isInteger(tensor.type())) {
        for (std::size_t i = 0; i < tensor.size(); ++i) {
            if (tensor.asInt(i) == 0) {
                return true;
            }
        }
    }
    return false;
}

template <class F>
Outputs dividing(const KernelContext& context)
{
    if (hasZero(context.input(1))) {
        return badNode(context, "an integer is divided by zero");
    }
    return binary<F>(context);
}

Outputs mod(const KernelContext& context)
{
    return context.node.intAttribute("fmod", 0) != 0 ? dividing<TruncMod>(context) : dividing<FloorMod>(context);
}

/// Any number of operands, one after the other.
template <class F>
Result<Tensor> folded(const KernelContext& context)
{
    Tensor result = context.input(0);
    for (std::size_t i = 1; i < context.inputs.size(); ++i) {
        result = TRY(computed<F>(context, result, context.input(i)));
    }
    return result;
}

template <class F>
Outputs variadic(const KernelContext& context)
{
    return one(TRY(folded<F>(context)));
}

Outputs mean(const KernelContext& context)
{
    const Tensor sum = TRY(folded<Add>(context));
    const auto count = static_cast<double>(context.inputs.size());
    const Tensor divisor = Tensor::scalar<double>(count).converted(sum.type());
    return one(TRY(computed<Div>(context, sum, divisor)));
}

template <class T>
T integerPower(T base, std::int64_t exponent)
{
    auto result = std::uint64_t{1};
    auto factor = static_cast<std::uint64_t>(static_cast<std::int64_t>(base));
    for (; exponent > 0; exponent >>= 1) {
        result *= (exponent & 1) != 0 ? factor : 1;
        factor *= factor;
    }
    return static_cast<T>(result);
}

/// The result has the type of the base; the exponent may have another one.
Outputs power(const KernelContext& context)
{
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    const Dims dims = TRY(broadcastDims(context, a.dims(), b.dims()));
    const BroadcastWalk walk = BroadcastWalk::over(dims, {&a.dims(), &b.dims()});
    const bool floatBase = isFloat(a.type());
    const bool bothIntegers = isInteger(a.type()) && isInteger(b.type());
    if (!(floatBase || isInteger(a.type())) || !(isFloat(b.type()) || isInteger(b.type()))) {
        return typesNotClaimed(context, a, b);
    }
    Tensor y;
    dispatchNumeric(a.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (isComputed<T>) {
            TensorWriter<T> writer(dims);
            T* out = writer.data().data();
            const T* base = a.data<T>().data();
            if constexpr (std::is_floating_point_v<T>) {
                const Tensor exponents = b.converted(a.type());
                const T* exponent = exponents.data<T>().data();
                if (b.size() == 1 && exponent[0] == T(2)) {
                    broadcastBinary(walk, base, exponent, out, [](T x, T) { return x * x; });
                } else {
                    broadcastBinary(walk, base, exponent, out, [](T x, T e) { return std::pow(x, e); });
                }
            } else if (bothIntegers) {
                const Tensor exponents = b.converted(ElementType::Int64);
                broadcastBinary(walk, base, exponents.data<std::int64_t>().data(), out, [](T x, std::int64_t e) {
                    return e >= 0 ? integerPower(x, e)
                                  : static_cast<T>(std::pow(static_cast<double>(x), static_cast<double>(e)));
                });
            } else {
                const Tensor exponents = b.converted(ElementType::Float64);
                broadcastBinary(walk, base, exponents.data<double>().data(), out,
                                [](T x, double e) { return static_cast<T>(std::pow(static_cast<double>(x), e)); });
            }
            y = std::move(writer).finish(a.type());
        }
    });
    return y.valid() ? one(std::move(y)) : typesNotClaimed(context, a, b);
}

Outputs bitShift(const KernelContext& context)
{
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    if (a.type() != b.type()) {
        return typesNotClaimed(context, a, b);
    }
    const bool left = context.node.stringAttribute("direction") == "LEFT";
    const Dims dims = TRY(broadcastDims(context, a.dims(), b.dims()));
    const BroadcastWalk walk = BroadcastWalk::over(dims, {&a.dims(), &b.dims()});
    Tensor y;
    dispatchNumeric(a.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            TensorWriter<T> writer(dims);
            broadcastBinary(walk, a.data<T>().data(), b.data<T>().data(), writer.data().data(), [left](T x, T by) {
                const auto bits = static_cast<T>(sizeof(T) * 8);
                if (by < T(0) || by >= bits) {
                    return !left && x < T(0) ? static_cast<T>(-1) : T(0);
                }
                return static_cast<T>(left ? static_cast<std::uint64_t>(x) << by : static_cast<std::uint64_t>(x >> by));
            });
            y = std::move(writer).finish(a.type());
        }
    });
    return y.valid() ? one(std::move(y)) : typesNotClaimed(context, a, b);
}

/// x where it is not negative, else slope * x; the slope broadcasts to x only.
Outputs prelu(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const Tensor& slope = context.input(1);
    if (x.type() != slope.type()) {
        return typesNotClaimed(context, x, slope);
    }
    const Dims dims = TRY(broadcastDims(context, x.dims(), slope.dims()));
    if (dims != x.dims()) {
        return badNode(context, fmt::format("a slope {} for {}", toText(slope.dims()), toText(x.dims())));
    }
    const BroadcastWalk walk = BroadcastWalk::over(dims, {&x.dims(), &slope.dims()});
    Tensor y;
    dispatchNumeric(x.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (isComputed<T>) {
            TensorWriter<T> writer(dims);
            broadcastBinary(walk, x.data<T>().data(), slope.data<T>().data(), writer.data().data(),
                            [](T value, T by) { return value < T(0) ? Mul{}(value, by) : value; });
            y = std::move(writer).finish(x.type());
        }
    });
    return y.valid() ? one(std::move(y)) : typesNotClaimed(context, x, slope);
}

constexpr auto rows = std::to_array<KernelRow>({
    {"Add", "", binary<Add>},
    {"Sub", "", binary<Sub>},
    {"Mul", "", binary<Mul>},
    {"Div", "", dividing<Div>},
    {"Mod", "", mod},
    {"Pow", "", power},
    {"Max", "", variadic<Max>},
    {"Min", "", variadic<Min>},
    {"Sum", "", variadic<Add>},
    {"Mean", "", mean},
    {"PRelu", "", prelu},
    {"BitShift", "", bitShift},
    {"BitwiseAnd", "", binary<BitAnd, true>},
    {"BitwiseOr", "", binary<BitOr, true>},
    {"BitwiseXor", "", binary<BitXor, true>},
});

} // namespace

std::span<const KernelRow> binaryKernels()
{
    return rows;
}

} // namespace crease
