// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/element_number.h"

#include <array>

namespace crease {

namespace {

using enum ElementType;

constexpr std::array<ElementType, 27> byNumber{
    Undefined,      Float32,    UInt8,          Int8,   UInt16, Int16,      Int32,      Int64,    String,
    Bool,           Float16,    Float64,        UInt32, UInt64, Complex64,  Complex128, BFloat16, Float8E4M3FN,
    Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ, UInt4,  Int4,   Float4E2M1, Float8E8M0, UInt2,    Int2};

} // namespace

std::optional<ElementType> elementTypeOfNumber(int number)
{
    if (number <= 0 || static_cast<std::size_t>(number) >= byNumber.size()) {
        return std::nullopt;
    }
    return byNumber[static_cast<std::size_t>(number)];
}

int numberOfElementType(ElementType type)
{
    for (std::size_t i = 0; i < byNumber.size(); ++i) {
        if (byNumber[i] == type) {
            return static_cast<int>(i);
        }
    }
    return 0;
}

} // namespace crease
