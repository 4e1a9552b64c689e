// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/pass.h"

namespace crease {

/// Every quantizer of the file becomes the one form of its kind: FakeQuant on floats, Dequantize on constant codes and
/// integer inputs, Quantize before integer outputs. What cannot be recognised is left and named.
Result<Stage> runRecognise(const Graph& before, const PassContext& context, const Job& job);

} // namespace crease
