// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/onnx_types.h"

#include <array>
#include <utility>

namespace crease {

namespace {

using Type = ElementType;
constexpr std::array numbers = {
    Type::Undefined,      Type::Float32,    Type::UInt8,          Type::Int8,       Type::UInt16,   Type::Int16,
    Type::Int32,          Type::Int64,      Type::String,         Type::Bool,       Type::Float16,  Type::Float64,
    Type::UInt32,         Type::UInt64,     Type::Complex64,      Type::Complex128, Type::BFloat16, Type::Float8E4M3FN,
    Type::Float8E4M3FNUZ, Type::Float8E5M2, Type::Float8E5M2FNUZ, Type::UInt4,      Type::Int4,     Type::Float4E2M1,
    Type::Float8E8M0,     Type::UInt2,      Type::Int2,
};

} // namespace

ElementType elementTypeFromOnnx(std::int64_t number)
{
    return number >= 0 && std::cmp_less(number, numbers.size()) ? numbers[static_cast<std::size_t>(number)]
                                                                : Type::Undefined;
}

ElementType quantizedType(ElementType zeroPoint, std::int64_t outputType)
{
    if (zeroPoint != ElementType::Undefined) {
        return zeroPoint;
    }
    return outputType == 0 ? ElementType::UInt8 : elementTypeFromOnnx(outputType);
}

std::int64_t onnxNumber(ElementType type)
{
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] == type) {
            return static_cast<std::int64_t>(i);
        }
    }
    return 0;
}

} // namespace crease
