// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/kernel_families.h"
#include "core/exec/kernel_support.h"
#include "core/tensor/onnx_types.h"

#include <array>
#include <fmt/format.h>

namespace crease {

namespace {

using Outputs = Result<std::vector<Tensor>>;

template <class From, class To>
Tensor convertedFast(const Tensor& x, ElementType type)
{
    TensorWriter<To> writer(x.dims());
    const From* from = x.data<From>().data();
    To* __restrict to = writer.data().data();
    for (std::size_t i = 0; i < x.size(); ++i) {
        to[i] = static_cast<To>(from[i]);
    }
    return std::move(writer).finish(type);
}

/// The conversions that models are full of, where static_cast is what Tensor::converted does.
Tensor fastConversion(const Tensor& x, ElementType type)
{
    using enum ElementType;
    switch (x.type()) {
    case Int8:
        return type == Float32 ? convertedFast<std::int8_t, float>(x, type)
               : type == Int32 ? convertedFast<std::int8_t, std::int32_t>(x, type)
                               : Tensor{};
    case UInt8:
        return type == Float32 ? convertedFast<std::uint8_t, float>(x, type)
               : type == Int32 ? convertedFast<std::uint8_t, std::int32_t>(x, type)
                               : Tensor{};
    case Int32:
        return type == Float32   ? convertedFast<std::int32_t, float>(x, type)
               : type == Float64 ? convertedFast<std::int32_t, double>(x, type)
               : type == Int64   ? convertedFast<std::int32_t, std::int64_t>(x, type)
                                 : Tensor{};
    case Float32:
        return type == Float64 ? convertedFast<float, double>(x, type) : Tensor{};
    case Float64:
        return type == Float32 ? convertedFast<double, float>(x, type) : Tensor{};
    default:
        return {};
    }
}

bool isComputed(ElementType type)
{
    return isFloat(type) || isInteger(type) || type == ElementType::Bool;
}

Outputs castTo(const KernelContext& context, ElementType declared)
{
    const Tensor& x = context.input(0);
    if (!isComputed(x.type()) || !isComputed(declared)) {
        return notClaimed(context, fmt::format("{} to {}", longName(x.type()), longName(declared)));
    }
    const ElementType type = computedType(context, declared);
    if (Tensor fast = fastConversion(x, type)) {
        return one(std::move(fast));
    }
    return one(x.converted(type));
}

Outputs cast(const KernelContext& context)
{
    return castTo(context, elementTypeFromOnnx(context.node.intAttribute("to", 0)));
}

Outputs castLike(const KernelContext& context)
{
    return castTo(context, context.input(1).type());
}

Outputs bitCast(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const ElementType type = elementTypeFromOnnx(context.node.intAttribute("to", 0));
    const bool floatsInExact = context.exact() && (isFloat(x.type()) || isFloat(type));
    if (!isComputed(x.type()) || !isComputed(type) || byteWidth(type) != byteWidth(x.type()) || floatsInExact ||
        bitWidth(type) < 8) {
        return notClaimed(context, fmt::format("{} to {}", longName(x.type()), longName(type)));
    }
    auto owner = std::make_shared<const Tensor>(x);
    const void* data = owner->raw();
    return one(Tensor::view(type, x.dims(), std::move(owner), data));
}

constexpr auto rows = std::to_array<KernelRow>({
    {"Cast", "", cast, HalfTypes::AsIs},
    {"CastLike", "", castLike, HalfTypes::AsIs},
    {"BitCast", "", bitCast, HalfTypes::AsIs},
});

} // namespace

std::span<const KernelRow> castKernels()
{
    return rows;
}

} // namespace crease
