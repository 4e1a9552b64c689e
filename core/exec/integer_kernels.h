// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/kernel.h"

namespace crease {

// Nodes of core/ir/integer_nodes.h: the crease domain, and ONNX ops whose inputs carry codes.
Result<std::vector<Tensor>> fakeQuant(const KernelContext& context);
Result<std::vector<Tensor>> quantizeToGrid(const KernelContext& context);
Result<std::vector<Tensor>> dequantizeFromGrid(const KernelContext& context);
Result<std::vector<Tensor>> requantize(const KernelContext& context);
Result<std::vector<Tensor>> lookUpTable(const KernelContext& context);
Result<std::vector<Tensor>> clampCodes(const KernelContext& context);

Result<std::vector<Tensor>> integerConv(const KernelContext& context);
Result<std::vector<Tensor>> integerConvTranspose(const KernelContext& context);
Result<std::vector<Tensor>> integerGemm(const KernelContext& context);
Result<std::vector<Tensor>> integerMatMul(const KernelContext& context);

Result<std::vector<Tensor>> integerAdd(const KernelContext& context); // also Sum
Result<std::vector<Tensor>> integerSub(const KernelContext& context);
Result<std::vector<Tensor>> integerMul(const KernelContext& context);
Result<std::vector<Tensor>> integerDiv(const KernelContext& context);
Result<std::vector<Tensor>> integerMax(const KernelContext& context);
Result<std::vector<Tensor>> integerMin(const KernelContext& context);
Result<std::vector<Tensor>> integerWhere(const KernelContext& context);
Result<std::vector<Tensor>> integerConcat(const KernelContext& context);
Result<std::vector<Tensor>> integerRelu(const KernelContext& context);
Result<std::vector<Tensor>> integerPad(const KernelContext& context);

Result<std::vector<Tensor>> integerAveragePool(const KernelContext& context);
Result<std::vector<Tensor>> integerGlobalAveragePool(const KernelContext& context);
Result<std::vector<Tensor>> integerReduceMean(const KernelContext& context);
Result<std::vector<Tensor>> integerReduceSum(const KernelContext& context);
Result<std::vector<Tensor>> integerResize(const KernelContext& context);

} // namespace crease
