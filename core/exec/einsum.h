// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/kernel.h"

namespace crease {

Result<std::vector<Tensor>> einsum(const KernelContext& context);

} // namespace crease
