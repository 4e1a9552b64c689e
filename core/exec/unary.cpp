// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/kernel_families.h"
#include "core/exec/kernel_support.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace crease {

namespace {

using Outputs = Result<std::vector<Tensor>>;

template <class T, class Out, class F>
Tensor mapped(const Tensor& x, ElementType type, F f)
{
    TensorWriter<Out> writer(x.dims());
    const T* from = x.data<T>().data();
    Out* __restrict to = writer.data().data();
    const std::size_t count = x.size();
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = f(from[i]);
    }
    return std::move(writer).finish(type);
}

// One struct a function: made from the node's attributes, applied to float and double alike.

struct LeakyRelu {
    double alpha;
    explicit LeakyRelu(const Node& node) : alpha(node.floatAttribute("alpha", 0.01F)) {}
    template <class T>
    T operator()(T x) const
    {
        return x < T(0) ? static_cast<T>(alpha) * x : x;
    }
};

struct Elu {
    double alpha;
    explicit Elu(const Node& node) : alpha(node.floatAttribute("alpha", 1.0)) {}
    template <class T>
    T operator()(T x) const
    {
        return x < T(0) ? static_cast<T>(alpha) * std::expm1(x) : x;
    }
};

struct Celu {
    double alpha;
    explicit Celu(const Node& node) : alpha(node.floatAttribute("alpha", 1.0)) {}
    template <class T>
    T operator()(T x) const
    {
        const T a = static_cast<T>(alpha);
        return std::max(T(0), x) + std::min(T(0), a * std::expm1(x / a));
    }
};

struct Selu {
    double alpha;
    double gamma;
    explicit Selu(const Node& node)
        : alpha(node.floatAttribute("alpha", 1.67326319217681884765625)),
          gamma(node.floatAttribute("gamma", 1.05070102214813232421875))
    {
    }
    template <class T>
    T operator()(T x) const
    {
        return static_cast<T>(gamma) * (x > T(0) ? x : static_cast<T>(alpha) * std::expm1(x));
    }
};

template <class T>
T sigmoid(T x)
{
    if (x >= T(0)) {
        return T(1) / (T(1) + std::exp(-x));
    }
    const T e = std::exp(x);
    return e / (T(1) + e);
}

struct Sigmoid {
    explicit Sigmoid(const Node&) {}
    template <class T>
    T operator()(T x) const
    {
        return sigmoid(x);
    }
};

struct HardSigmoid {
    double alpha;
    double beta;
    explicit HardSigmoid(const Node& node)
        : alpha(node.floatAttribute("alpha", 0.2F)), beta(node.floatAttribute("beta", 0.5))
    {
    }
    template <class T>
    T operator()(T x) const
    {
        return std::max(T(0), std::min(T(1), static_cast<T>(alpha) * x + static_cast<T>(beta)));
    }
};

struct HardSwish {
    explicit HardSwish(const Node&) {}
    template <class T>
    T operator()(T x) const
    {
        // The slope is the float32 nearest to 1/6 in both types: it is what the op's definition says.
        return x * std::max(T(0), std::min(T(1), x * static_cast<T>(1.0F / 6.0F) + T(0.5)));
    }
};

struct Softplus {
    explicit Softplus(const Node&) {}
    template <class T>
    T operator()(T x) const
    {
        return x > T(0) ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
    }
};

struct Softsign {
    explicit Softsign(const Node&) {}
    template <class T>
    T operator()(T x) const
    {
        return x / (T(1) + std::abs(x));
    }
};

struct Mish {
    explicit Mish(const Node& node) : softplus(node) {}
    Softplus softplus;
    template <class T>
    T operator()(T x) const
    {
        return x * std::tanh(softplus(x));
    }
};

struct Gelu {
    bool approximate;
    explicit Gelu(const Node& node) : approximate(node.stringAttribute("approximate", "none") == "tanh") {}
    template <class T>
    T operator()(T x) const
    {
        if (approximate) {
            const T inner = static_cast<T>(0.7978845608028654) * (x + static_cast<T>(0.044715) * x * x * x);
            return T(0.5) * x * (T(1) + std::tanh(inner));
        }
        return T(0.5) * x * (T(1) + std::erf(x / static_cast<T>(std::numbers::sqrt2)));
    }
};

struct Swish {
    double alpha;
    explicit Swish(const Node& node) : alpha(node.floatAttribute("alpha", 1.0)) {}
    template <class T>
    T operator()(T x) const
    {
        return x * sigmoid(static_cast<T>(alpha) * x);
    }
};

struct ThresholdedRelu {
    double alpha;
    explicit ThresholdedRelu(const Node& node) : alpha(node.floatAttribute("alpha", 1.0)) {}
    template <class T>
    T operator()(T x) const
    {
        return x > static_cast<T>(alpha) ? x : T(0);
    }
};

struct Shrink {
    double bias;
    double lambd;
    explicit Shrink(const Node& node) : bias(node.floatAttribute("bias", 0.0)), lambd(node.floatAttribute("lambd", 0.5))
    {
    }
    template <class T>
    T operator()(T x) const
    {
        if (x < static_cast<T>(-lambd)) {
            return x + static_cast<T>(bias);
        }
        return x > static_cast<T>(lambd) ? x - static_cast<T>(bias) : T(0);
    }
};

template <class Op>
Outputs withAttributes(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const Op op(context.node);
    Tensor y;
    const bool done = dispatchFloat(x.type(), [&]<class T>(std::type_identity<T>) {
        y = mapped<T, T>(x, x.type(), [op](T value) { return op(value); });
    });
    return done ? one(std::move(y)) : notClaimed(context, fmt::format("elements of {}", longName(x.type())));
}

/// A function of <cmath> as a type.
template <auto asFloat, auto asDouble>
Outputs cmath(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    if (x.type() == ElementType::Float32) {
        return one(mapped<float, float>(x, x.type(), [](float value) { return asFloat(value); }));
    }
    if (x.type() == ElementType::Float64) {
        return one(mapped<double, double>(x, x.type(), [](double value) { return asDouble(value); }));
    }
    return notClaimed(context, fmt::format("elements of {}", longName(x.type())));
}

template <class T>
T reciprocal(T x)
{
    return T(1) / x;
}

/// Every number type (float16 arrives as float32); integers wrap.
template <class F>
Outputs mapNumbers(const KernelContext& context, F f)
{
    const Tensor& x = context.input(0);
    Tensor y;
    dispatchNumeric(x.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (!std::is_same_v<T, Half> && !std::is_same_v<T, BFloat16> && !std::is_same_v<T, bool>) {
            y = mapped<T, T>(x, x.type(), f);
        }
    });
    return y.valid() ? one(std::move(y)) : notClaimed(context, fmt::format("elements of {}", longName(x.type())));
}

Outputs relu(const KernelContext& context)
{
    return mapNumbers(context, []<class T>(T x) { return x < T(0) ? T(0) : x; });
}

Outputs absolute(const KernelContext& context)
{
    return mapNumbers(context, []<class T>(T x) {
        if constexpr (std::is_floating_point_v<T>) {
            return std::abs(x);
        } else {
            return x < T(0) ? static_cast<T>(T(0) - static_cast<std::make_unsigned_t<T>>(x)) : x;
        }
    });
}

Outputs negate(const KernelContext& context)
{
    return mapNumbers(context, []<class T>(T x) {
        if constexpr (std::is_floating_point_v<T>) {
            return -x;
        } else {
            return static_cast<T>(T(0) - static_cast<std::make_unsigned_t<T>>(x));
        }
    });
}

Outputs sign(const KernelContext& context)
{
    return mapNumbers(
        context, []<class T>(T x) { return x > T(0) ? T(1) : (x < T(0) ? static_cast<T>(-1) : (x != x ? x : T(0))); });
}

Outputs bitwiseNot(const KernelContext& context)
{
    return mapNumbers(context, []<class T>(T x) {
        if constexpr (std::is_floating_point_v<T>) {
            return x;
        } else {
            return static_cast<T>(~x);
        }
    });
}

Outputs logicalNot(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    if (x.type() != ElementType::Bool) {
        return notClaimed(context, fmt::format("elements of {}", longName(x.type())));
    }
    return one(mapped<bool, bool>(x, ElementType::Bool, [](bool value) { return !value; }));
}

template <class F>
Outputs floatsToBool(const KernelContext& context, F f)
{
    const Tensor& x = context.input(0);
    Tensor y;
    const bool done =
        dispatchFloat(x.type(), [&]<class T>(std::type_identity<T>) { y = mapped<T, bool>(x, ElementType::Bool, f); });
    return done ? one(std::move(y)) : notClaimed(context, fmt::format("elements of {}", longName(x.type())));
}

Outputs isNaN(const KernelContext& context)
{
    return floatsToBool(context, []<class T>(T x) { return std::isnan(x); });
}

Outputs isInf(const KernelContext& context)
{
    const bool negative = context.node.intAttribute("detect_negative", 1) != 0;
    const bool positive = context.node.intAttribute("detect_positive", 1) != 0;
    return floatsToBool(context, [=]<class T>(T x) { return std::isinf(x) && (x > T(0) ? positive : negative); });
}

/// min(max(x, lo), hi): where lo > hi, hi.
Outputs clip(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    for (std::size_t slot = 1; slot < 3; ++slot) {
        if (context.has(slot) && (context.input(slot).size() != 1 || context.input(slot).type() != x.type())) {
            return badNode(context, fmt::format("a bound of {} elements of {}", context.input(slot).size(),
                                                longName(context.input(slot).type())));
        }
    }
    Tensor y;
    dispatchNumeric(x.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (!std::is_same_v<T, Half> && !std::is_same_v<T, BFloat16> && !std::is_same_v<T, bool>) {
            const bool hasLow = context.has(1);
            const bool hasHigh = context.has(2);
            const T low = hasLow ? context.input(1).data<T>()[0] : T(0);
            const T high = hasHigh ? context.input(2).data<T>()[0] : T(0);
            if (hasLow && hasHigh) {
                y = mapped<T, T>(x, x.type(), [=](T value) {
                    const T raised = value < low ? low : value;
                    return raised > high ? high : raised;
                });
            } else if (hasLow) {
                y = mapped<T, T>(x, x.type(), [=](T value) { return value < low ? low : value; });
            } else if (hasHigh) {
                y = mapped<T, T>(x, x.type(), [=](T value) { return value > high ? high : value; });
            } else {
                y = x;
            }
        }
    });
    return y.valid() ? one(std::move(y)) : notClaimed(context, fmt::format("elements of {}", longName(x.type())));
}

template <class T>
T rounded(T x)
{
    return std::nearbyint(x); // the default rounding mode: half to even
}

constexpr auto rows = std::to_array<KernelRow>({
    {"Relu", "", relu},
    {"LeakyRelu", "", withAttributes<LeakyRelu>},
    {"Elu", "", withAttributes<Elu>},
    {"Celu", "", withAttributes<Celu>},
    {"Selu", "", withAttributes<Selu>},
    {"Sigmoid", "", withAttributes<Sigmoid>},
    {"HardSigmoid", "", withAttributes<HardSigmoid>},
    {"HardSwish", "", withAttributes<HardSwish>},
    {"Softplus", "", withAttributes<Softplus>},
    {"Softsign", "", withAttributes<Softsign>},
    {"Mish", "", withAttributes<Mish>},
    {"Gelu", "", withAttributes<Gelu>},
    {"Swish", "", withAttributes<Swish>},
    {"ThresholdedRelu", "", withAttributes<ThresholdedRelu>},
    {"Shrink", "", withAttributes<Shrink>},
    {"Clip", "", clip},
    {"Tanh", "", cmath<::tanhf, ::tanh>},
    {"Erf", "", cmath<::erff, ::erf>},
    {"Exp", "", cmath<::expf, ::exp>},
    {"Log", "", cmath<::logf, ::log>},
    {"Sqrt", "", cmath<::sqrtf, ::sqrt>},
    {"Reciprocal", "", cmath<reciprocal<float>, reciprocal<double>>},
    {"Abs", "", absolute},
    {"Neg", "", negate},
    {"Sign", "", sign},
    {"Round", "", cmath<rounded<float>, rounded<double>>},
    {"Floor", "", cmath<::floorf, ::floor>},
    {"Ceil", "", cmath<::ceilf, ::ceil>},
    {"Sin", "", cmath<::sinf, ::sin>},
    {"Cos", "", cmath<::cosf, ::cos>},
    {"Tan", "", cmath<::tanf, ::tan>},
    {"Asin", "", cmath<::asinf, ::asin>},
    {"Acos", "", cmath<::acosf, ::acos>},
    {"Atan", "", cmath<::atanf, ::atan>},
    {"Sinh", "", cmath<::sinhf, ::sinh>},
    {"Cosh", "", cmath<::coshf, ::cosh>},
    {"Asinh", "", cmath<::asinhf, ::asinh>},
    {"Acosh", "", cmath<::acoshf, ::acosh>},
    {"Atanh", "", cmath<::atanhf, ::atanh>},
    {"Not", "", logicalNot},
    {"BitwiseNot", "", bitwiseNot},
    {"IsNaN", "", isNaN},
    {"IsInf", "", isInf},
});

} // namespace

std::span<const KernelRow> unaryKernels()
{
    return rows;
}

} // namespace crease
