// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor/tensor.h"

#include <utility>

namespace crease {

/// Calls f with a value of the C++ type that stores `type` (std::type_identity<T>); false where it is string, complex
/// or undefined. float8 and float4 types are not dispatched.
template <class F>
bool dispatchNumeric(ElementType type, F&& f)
{
    switch (type) {
    case ElementType::Float32:
        f(std::type_identity<float>{});
        return true;
    case ElementType::Float64:
        f(std::type_identity<double>{});
        return true;
    case ElementType::Float16:
        f(std::type_identity<Half>{});
        return true;
    case ElementType::BFloat16:
        f(std::type_identity<BFloat16>{});
        return true;
    case ElementType::Int2:
    case ElementType::Int4:
    case ElementType::Int8:
        f(std::type_identity<std::int8_t>{});
        return true;
    case ElementType::Int16:
        f(std::type_identity<std::int16_t>{});
        return true;
    case ElementType::Int32:
        f(std::type_identity<std::int32_t>{});
        return true;
    case ElementType::Int64:
        f(std::type_identity<std::int64_t>{});
        return true;
    case ElementType::UInt2:
    case ElementType::UInt4:
    case ElementType::UInt8:
        f(std::type_identity<std::uint8_t>{});
        return true;
    case ElementType::UInt16:
        f(std::type_identity<std::uint16_t>{});
        return true;
    case ElementType::UInt32:
        f(std::type_identity<std::uint32_t>{});
        return true;
    case ElementType::UInt64:
        f(std::type_identity<std::uint64_t>{});
        return true;
    case ElementType::Bool:
        f(std::type_identity<bool>{});
        return true;
    default:
        return false;
    }
}

} // namespace crease
