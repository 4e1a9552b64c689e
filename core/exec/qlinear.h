// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/kernel.h"

namespace crease {

inline constexpr std::string_view contribDomain = "com.microsoft";

// The integer operators of ONNX and com.microsoft with the arithmetic of ONNX Runtime's CPU kernels: float32
// multipliers, and a rounding after the zero point was added where ONNX Runtime does so (formats.md §1.4, §1.5).
// Both precisions give the same codes.
Result<std::vector<Tensor>> qLinearConv(const KernelContext& context);
Result<std::vector<Tensor>> qLinearMatMul(const KernelContext& context);
Result<std::vector<Tensor>> convInteger(const KernelContext& context);
Result<std::vector<Tensor>> matMulInteger(const KernelContext& context);
Result<std::vector<Tensor>> qGemm(const KernelContext& context);
Result<std::vector<Tensor>> matMulIntegerToFloat(const KernelContext& context);
Result<std::vector<Tensor>> dynamicQuantizeMatMul(const KernelContext& context);
Result<std::vector<Tensor>> qLinearAdd(const KernelContext& context);
Result<std::vector<Tensor>> qLinearMul(const KernelContext& context);
Result<std::vector<Tensor>> qLinearConcat(const KernelContext& context);
Result<std::vector<Tensor>> qLinearLeakyRelu(const KernelContext& context);
Result<std::vector<Tensor>> qLinearSigmoid(const KernelContext& context);
Result<std::vector<Tensor>> qLinearSoftmax(const KernelContext& context);
Result<std::vector<Tensor>> qLinearWhere(const KernelContext& context);
Result<std::vector<Tensor>> qLinearAveragePool(const KernelContext& context);
Result<std::vector<Tensor>> qLinearGlobalAveragePool(const KernelContext& context);

/// y, scale, zero point of DynamicQuantizeLinear; x is float32 or float64.
Result<std::vector<Tensor>> dynamicQuantization(const Tensor& x);

/// The kernel on a first input and an output that are [batch, spatial ..., channels], where the node says
/// channels_last.
Result<std::vector<Tensor>> withChannelsLast(const KernelContext& context, Kernel kernel);

/// A scale input of one element, in float32.
Result<float> scaleInput(const KernelContext& context, std::size_t slot);
/// A zero point input of one element; 0 where it is absent.
Result<std::int32_t> zeroPointInput(const KernelContext& context, std::size_t slot);

} // namespace crease
