// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/matrix_shapes.h"
#include "core/exec/scale_layout.h"

#include <initializer_list>
#include <memory>
#include <vector>

namespace crease {

/// Integer codes, and the zero points to subtract, laid out on them.
struct CodedOperand {
    Tensor codes;
    std::vector<std::int64_t> zeroPoints{0};
    ScaleLayout layout{};
};

/// An error where one of these inputs holds no integers of 32 bits or fewer.
Result<void> checkCodes(const KernelContext& context, std::initializer_list<std::size_t> slots);
/// One zero point for all.
CodedOperand coded(const Tensor& codes, std::int64_t zeroPoint);
/// One zero point for all, or one per index of `axis`.
Result<CodedOperand> coded(const KernelContext& context, const Tensor& codes, std::vector<std::int64_t> zeroPoints,
                           int axis);

/// The second operand of a product of integers, made ready: codes minus zero points as floating point numbers.
struct PreparedOperand {
    std::vector<std::int64_t> zeroPoints;
    std::vector<float> single;
    std::vector<double> wide; // only where a product may need it
    double reach = 0.0;       // the largest sum of magnitudes that one output element adds up
};

PreparedOperand preparedWeight(const CodedOperand& w, const ConvolutionShape& shape, bool transposed,
                               const CodedOperand& x);
PreparedOperand preparedMatrix(const CodedOperand& b, const MatrixProduct& product, const CodedOperand& a);

/// `make()` through the node's cache, made again where the zero points are others than those it was made with.
template <class Make>
std::shared_ptr<const PreparedOperand> preparedOnce(const KernelContext& context, const CodedOperand& operand,
                                                    Make make)
{
    const auto cached = context.cached<PreparedOperand>(operand.codes, make);
    return cached->zeroPoints == operand.zeroPoints ? cached : std::make_shared<const PreparedOperand>(make());
}

/// Exact integer sums, held in float where the bound reach * max|x - zx| is below 2^24, else in double (2^53).
struct Sums {
    std::vector<float> single;
    std::vector<double> wide;
    bool isWide = false;

    template <class F>
    void visit(F&& f) const
    {
        if (isWide) {
            f(std::span<const double>(wide));
        } else {
            f(std::span<const float>(single));
        }
    }
};

Result<Sums> convolveCodes(const KernelContext& context, const ConvolutionShape& shape, bool transposed,
                           const CodedOperand& x, const PreparedOperand& w);
Result<Sums> multiplyCodes(const KernelContext& context, const MatrixProduct& product, const CodedOperand& a,
                           const PreparedOperand& b);

} // namespace crease
