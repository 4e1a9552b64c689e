// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/kernel.h"
#include "core/exec/window.h"

namespace crease {

/// Pairs of matrices to multiply: pair i is a at offsetsA[i] (rows x depth) and b at offsetsB[i] (depth x columns), its
/// result is at i * rows * columns.
struct MatrixProduct {
    std::int64_t rows = 0;
    std::int64_t depth = 0;
    std::int64_t columns = 0;
    bool transA = false;
    bool transB = false;
    std::vector<std::int64_t> offsetsA;
    std::vector<std::int64_t> offsetsB;
    Dims outDims;
};

/// MatMul of any ranks. Several matrices times one are one product with more rows.
Result<MatrixProduct> matrixProduct(const KernelContext& context, const Dims& a, const Dims& b);
/// Gemm, with transA and transB of the node.
Result<MatrixProduct> gemmProduct(const KernelContext& context, const Dims& a, const Dims& b);

struct ConvolutionShape {
    Window window;
    std::int64_t groups = 1;
    std::int64_t outChannels = 1;
};

/// Conv, or ConvTranspose where `transposed`, of an input and a weight of these dimensions.
Result<ConvolutionShape> convolutionShape(const KernelContext& context, const Dims& x, const Dims& w, bool transposed);

} // namespace crease
