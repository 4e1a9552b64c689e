// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/kernel.h"

namespace crease {

/// Runs the kernel on inputs that it may count on: required ones are there, none holds strings (Identity, Shape and
/// Size may), half types are as the row wants them. Memory that cannot be had is an error of kind Unsupported.
Result<std::vector<Tensor>> runKernel(const KernelRow& row, const KernelContext& context);

} // namespace crease
