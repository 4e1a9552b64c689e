// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace crease {

/// Element types of ONNX. 2- and 4-bit integers and float4 are held one element a byte in memory.
enum class ElementType : std::uint8_t {
    Undefined,
    Float32,
    Float16,
    BFloat16,
    Float64,
    Int2,
    Int4,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt2,
    UInt4,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Bool,
    Float8E4M3FN,
    Float8E4M3FNUZ,
    Float8E5M2,
    Float8E5M2FNUZ,
    Float8E8M0,
    Float4E2M1,
    String,
    Complex64,
    Complex128,
};

/// The short name of the text form and of the window: f32, s8, u4, i64 is s64, b1, str.
std::string_view shortName(ElementType type);
/// The name in --json and messages: float32, int8, uint4, bool, string.
std::string_view longName(ElementType type);
std::optional<ElementType> elementTypeFromName(std::string_view shortOrLong);

/// Bytes of one element in memory; 0 for String and Undefined.
std::size_t byteWidth(ElementType type);
/// Bits of one element by its name: 4 for int4.
int bitWidth(ElementType type);

bool isFloat(ElementType type);   // float16/32/64 and bfloat16
bool isFloat8(ElementType type);  // every float of 8 bits or fewer: kept, not computed
bool isInteger(ElementType type); // without bool
bool isSigned(ElementType type);

/// Smallest and largest value of an integer type (uint64's largest is clipped to int64's).
std::int64_t lowest(ElementType type);
std::int64_t highest(ElementType type);

} // namespace crease
