// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/pass.h"

#include <vector>

namespace crease {

/// Forms integer units: linear ops on codes with an accumulator, one exact rounding for two-input and pooling ops, data
/// movement on codes, Requantize between grids. What stays in float stands between Dequantize and Quantize, with a miss
/// that says why.
Result<Stage> runLower(const Graph& before, const PassContext& context, const Job& job);
std::vector<Rule> lowerRules();

/// Families of lower's rules, a file each.
std::vector<Rule> lowerQuantizerRules();  // FakeQuant -> Quantize, Dequantize; Requantize
std::vector<Rule> lowerLinearRules();     // Conv, ConvTranspose, Gemm, MatMul
std::vector<Rule> lowerMovementRules();   // data movement, monotone ops, clamps, indices
std::vector<Rule> lowerArithmeticRules(); // Add, Mul, Concat, AveragePool ...

} // namespace crease
