// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/matrix_shapes.h"

#include "core/exec/kernel_support.h"

#include <fmt/format.h>

namespace crease {

namespace {

/// For each index of `batch`, the offset of its matrix in a tensor whose leading dimensions are `own`.
std::vector<std::int64_t> batchOffsets(const Dims& own, const Dims& batch, std::int64_t matrixSize)
{
    const auto strides = broadcastStrides(own, batch);
    std::vector<std::int64_t> offsets;
    const std::int64_t count = elementCount(batch).value_or(0);
    Dims at(batch.size(), 0);
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t offset = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            offset += at[axis] * strides[axis];
        }
        offsets.push_back(offset * matrixSize);
        for (std::size_t axis = at.size(); axis-- > 0;) {
            if (++at[axis] < batch[axis]) {
                break;
            }
            at[axis] = 0;
        }
    }
    return offsets;
}

} // namespace

Result<MatrixProduct> matrixProduct(const KernelContext& context, const Dims& a, const Dims& b)
{
    if (a.empty() || b.empty()) {
        return badNode(context, "a scalar operand");
    }
    Dims left = a;
    Dims right = b;
    if (a.size() == 1) {
        left.insert(left.begin(), 1);
    }
    if (b.size() == 1) {
        right.push_back(1);
    }
    MatrixProduct product;
    product.rows = left[left.size() - 2];
    product.depth = left.back();
    product.columns = right.back();
    if (right[right.size() - 2] != product.depth) {
        return badNode(context, fmt::format("operands of {} and {} do not multiply", toText(a), toText(b)));
    }
    const Dims batchA(left.begin(), left.end() - 2);
    const Dims batchB(right.begin(), right.end() - 2);
    const Dims batch = TRY(broadcastDims(context, batchA, batchB));
    product.outDims = batch;
    if (a.size() > 1) {
        product.outDims.push_back(product.rows);
    }
    if (b.size() > 1) {
        product.outDims.push_back(product.columns);
    }
    if (batchB.empty()) {
        product.rows *= elementCount(batchA).value_or(0);
        product.offsetsA = {0};
        product.offsetsB = {0};
        return product;
    }
    product.offsetsA = batchOffsets(batchA, batch, product.rows * product.depth);
    product.offsetsB = batchOffsets(batchB, batch, product.depth * product.columns);
    return product;
}

Result<MatrixProduct> gemmProduct(const KernelContext& context, const Dims& a, const Dims& b)
{
    if (a.size() != 2 || b.size() != 2) {
        return badNode(context, fmt::format("operands of {} and {} are no matrices", toText(a), toText(b)));
    }
    MatrixProduct product;
    product.transA = context.node.intAttribute("transA", 0) != 0;
    product.transB = context.node.intAttribute("transB", 0) != 0;
    product.rows = a[product.transA ? 1 : 0];
    product.depth = a[product.transA ? 0 : 1];
    product.columns = b[product.transB ? 0 : 1];
    if (b[product.transB ? 1 : 0] != product.depth) {
        return badNode(context, fmt::format("operands of {} and {} do not multiply", toText(a), toText(b)));
    }
    product.offsetsA = {0};
    product.offsetsB = {0};
    product.outDims = {product.rows, product.columns};
    return product;
}

Result<ConvolutionShape> convolutionShape(const KernelContext& context, const Dims& x, const Dims& w, bool transposed)
{
    if (x.size() != w.size() || x.size() < 3) {
        return badNode(context, fmt::format("an input of {} and a weight of {}", toText(x), toText(w)));
    }
    ConvolutionShape shape;
    shape.groups = context.node.intAttribute("group", 1);
    shape.window = TRY(windowOf(context, x, Dims(w.begin() + 2, w.end()), transposed));
    const std::int64_t inChannels = transposed ? w[0] : w[1] * shape.groups;
    shape.outChannels = transposed ? w[1] * shape.groups : w[0];
    Dims kernel;
    for (std::size_t i = 3 - static_cast<std::size_t>(shape.window.spatial); i < 3; ++i) {
        kernel.push_back(shape.window.kernel[i]);
    }
    if (shape.groups < 1 || inChannels != x[1] || x[1] % shape.groups != 0 || shape.outChannels % shape.groups != 0 ||
        kernel != Dims(w.begin() + 2, w.end())) {
        return badNode(context, fmt::format("a weight of {} in {} groups does not fit an input of {}", toText(w),
                                            shape.groups, toText(x)));
    }
    if (!elementCount(shape.window.outDims(shape.outChannels))) {
        return badNode(context, fmt::format("an output of {}", toText(shape.window.outDims(shape.outChannels))));
    }
    return shape;
}

} // namespace crease
