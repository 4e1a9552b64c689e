// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/kernel.h"

#include <initializer_list>

namespace crease {

/// For each element of `to`, the index of the element of a dense tensor of `dims` that is broadcast to it.
std::vector<std::size_t> broadcastIndices(const Dims& dims, const Dims& to);

/// An error where one of these inputs is there and not of the type.
Result<void> checkTypes(const KernelContext& context, std::initializer_list<std::size_t> slots, ElementType type);

/// The tensors, all of one type, one after the other along an axis.
Result<Tensor> concatenated(const KernelContext& context, const std::vector<Tensor>& parts, std::int64_t axis);

/// The tensor with its last axis moved to place 1, or its axis 1 moved to the end.
Tensor channelsFirst(const Tensor& tensor);
Tensor channelsLast(const Tensor& tensor);

} // namespace crease
