// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/support/result.h"
#include "core/tensor/tensor.h"

#include <string>
#include <string_view>

namespace crease {

/// An array in numpy's file format 1.0, 2.0 or 3.0: C and Fortran order, both byte orders. Objects, strings and
/// structured types are refused; so is anything that the header does not account for to the byte.
Result<Tensor> tensorFromNpy(std::string_view bytes);

/// The same format, version 1.0, little-endian, C order; bfloat16 (which numpy lacks) as float32, 2- and 4-bit integers
/// as 8-bit ones. Error (kind Output) for strings and 8-bit floats.
Result<std::string> npyFromTensor(const Tensor& tensor);

} // namespace crease
