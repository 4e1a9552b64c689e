// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor/element_type.h"

#include <optional>

namespace crease {

/// TensorProto.DataType by number: types that the installed onnx header does not know are there too (formats.md §1.6).
std::optional<ElementType> elementTypeOfNumber(int number);
int numberOfElementType(ElementType type);

} // namespace crease
