// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/kernel.h"

#include <functional>

namespace crease {

/// Runs the body that the attribute names on the inputs of that body.
using RunBody = std::function<Result<std::vector<Tensor>>(std::string_view attribute, const std::vector<Tensor>&)>;

/// If, Loop and Scan of ai.onnx.
bool isControlFlow(const Node& node);
Result<std::vector<Tensor>> runControlFlow(const KernelContext& context, const RunBody& runBody);

} // namespace crease
