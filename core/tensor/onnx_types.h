// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor/element_type.h"

#include <cstdint>

namespace crease {

/// The type that a TensorProto.DataType number names, as the attributes `to` and `dtype` hold it (formats.md §1.6);
/// Undefined for a number that is none of them.
ElementType elementTypeFromOnnx(std::int64_t number);
std::int64_t onnxNumber(ElementType type);
/// What a QuantizeLinear makes: the type of its zero point, without one (Undefined) that of output_dtype, and uint8
/// where that is 0 as well.
ElementType quantizedType(ElementType zeroPoint, std::int64_t outputType);

} // namespace crease
