// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/support/result.h"
#include "core/tensor/tensor.h"

#include <span>

namespace crease {

/// Tensors of one type joined along their first axis (scalars become a vector). Error (kind Input) where their other
/// dimensions differ.
Result<Tensor> stacked(std::span<const Tensor> tensors);

} // namespace crease
