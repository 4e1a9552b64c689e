// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/element_type.h"

#include <array>

namespace crease {

namespace {

struct Row {
    ElementType type;
    std::string_view shortName;
    std::string_view longName;
    std::size_t bytes;
    int bits;
};

constexpr std::array rows{
    Row{ElementType::Undefined, "?", "undefined", 0, 0},
    Row{ElementType::Float32, "f32", "float32", 4, 32},
    Row{ElementType::Float16, "f16", "float16", 2, 16},
    Row{ElementType::BFloat16, "bf16", "bfloat16", 2, 16},
    Row{ElementType::Float64, "f64", "float64", 8, 64},
    Row{ElementType::Int2, "s2", "int2", 1, 2},
    Row{ElementType::Int4, "s4", "int4", 1, 4},
    Row{ElementType::Int8, "s8", "int8", 1, 8},
    Row{ElementType::Int16, "s16", "int16", 2, 16},
    Row{ElementType::Int32, "s32", "int32", 4, 32},
    Row{ElementType::Int64, "s64", "int64", 8, 64},
    Row{ElementType::UInt2, "u2", "uint2", 1, 2},
    Row{ElementType::UInt4, "u4", "uint4", 1, 4},
    Row{ElementType::UInt8, "u8", "uint8", 1, 8},
    Row{ElementType::UInt16, "u16", "uint16", 2, 16},
    Row{ElementType::UInt32, "u32", "uint32", 4, 32},
    Row{ElementType::UInt64, "u64", "uint64", 8, 64},
    Row{ElementType::Bool, "b1", "bool", 1, 1},
    Row{ElementType::Float8E4M3FN, "f8e4m3fn", "float8e4m3fn", 1, 8},
    Row{ElementType::Float8E4M3FNUZ, "f8e4m3fnuz", "float8e4m3fnuz", 1, 8},
    Row{ElementType::Float8E5M2, "f8e5m2", "float8e5m2", 1, 8},
    Row{ElementType::Float8E5M2FNUZ, "f8e5m2fnuz", "float8e5m2fnuz", 1, 8},
    Row{ElementType::Float8E8M0, "f8e8m0", "float8e8m0", 1, 8},
    Row{ElementType::Float4E2M1, "f4e2m1", "float4e2m1", 1, 4},
    Row{ElementType::String, "str", "string", 0, 0},
    Row{ElementType::Complex64, "c64", "complex64", 8, 64},
    Row{ElementType::Complex128, "c128", "complex128", 16, 128},
};

const Row& rowOf(ElementType type)
{
    return rows[static_cast<std::size_t>(type)];
}

constexpr bool rowsAreInOrder()
{
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (static_cast<std::size_t>(rows[i].type) != i) {
            return false;
        }
    }
    return true;
}
static_assert(rowsAreInOrder());

} // namespace

std::string_view shortName(ElementType type)
{
    return rowOf(type).shortName;
}

std::string_view longName(ElementType type)
{
    return rowOf(type).longName;
}

std::optional<ElementType> elementTypeFromName(std::string_view name)
{
    for (const Row& row : rows) {
        if (row.shortName == name || row.longName == name) {
            return row.type;
        }
    }
    return std::nullopt;
}

std::size_t byteWidth(ElementType type)
{
    return rowOf(type).bytes;
}

int bitWidth(ElementType type)
{
    return rowOf(type).bits;
}

bool isFloat(ElementType type)
{
    return type >= ElementType::Float32 && type <= ElementType::Float64;
}

bool isFloat8(ElementType type)
{
    return type >= ElementType::Float8E4M3FN && type <= ElementType::Float4E2M1;
}

bool isInteger(ElementType type)
{
    return type >= ElementType::Int2 && type <= ElementType::UInt64;
}

bool isSigned(ElementType type)
{
    return isFloat(type) || (type >= ElementType::Int2 && type <= ElementType::Int64);
}

std::int64_t lowest(ElementType type)
{
    if (!isInteger(type) || !isSigned(type)) {
        return 0;
    }
    return type == ElementType::Int64 ? std::numeric_limits<std::int64_t>::min()
                                      : -(std::int64_t{1} << (bitWidth(type) - 1));
}

std::int64_t highest(ElementType type)
{
    if (type == ElementType::Bool) {
        return 1;
    }
    if (!isInteger(type)) {
        return 0;
    }
    const int bits = isSigned(type) ? bitWidth(type) - 1 : bitWidth(type);
    return bits >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << bits) - 1;
}

} // namespace crease
