// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/arithmetic.h"
#include "core/exec/kernel_support.h"
#include "core/exec/scale_layout.h"

#include <array>

namespace crease {

/// Where codes are rounded to: a grid and the bounds that an absorbed clamp left of its range.
struct CodeTarget {
    Grid grid;
    std::int64_t lo = 0;
    std::int64_t hi = 0;
};

/// The grid of the node's output, with the node's attributes lo and hi.
Result<CodeTarget> targetOf(const KernelContext& context);
/// The same for the grid of a FakeQuant.
CodeTarget targetWith(const Node& node, const Grid& grid);
/// The grid of an input that carries codes; an error where it does not.
Result<Grid> gridOf(const KernelContext& context, std::size_t slot);
/// The same, per tensor.
Result<Grid> tensorGridOf(const KernelContext& context, std::size_t slot);
Result<CodeTarget> tensorTargetOf(const KernelContext& context);

/// clamp(rne((n * a * b + bias) / scale) + zero point, lo, hi) of a whole number n, decided exactly.
class CodeRounder {
public:
    CodeRounder(double a, double b, double bias, const Divisor& divisor, std::int64_t zeroPoint, std::int64_t lo,
                std::int64_t hi)
        : m_a(a), m_b(b), m_bias(bias), m_divisor(divisor), m_zeroPoint(zeroPoint), m_lo(lo), m_hi(hi)
    {
        const double scale = divisor.scale * divisor.other * divisor.count;
        m_factor = a * b / scale;
        m_offset = bias / scale;
    }

    std::int64_t operator()(double n) const
    {
        const double product = n * m_factor;
        std::array<ExactTerm, 2> terms;
        return roundedCode(product + m_offset, std::fabs(product) + std::fabs(m_offset), m_divisor, m_zeroPoint, m_lo,
                           m_hi, [&] {
                               terms = {ExactTerm{n, m_a, m_b}, ExactTerm{m_bias, 1.0, 1.0}};
                               return std::span<const ExactTerm>(terms);
                           });
    }

private:
    double m_a;
    double m_b;
    double m_bias;
    Divisor m_divisor;
    std::int64_t m_zeroPoint;
    std::int64_t m_lo;
    std::int64_t m_hi;
    double m_factor;
    double m_offset;
};

/// The rounder of real numbers s * n to a channel of the target.
CodeRounder rounderTo(const CodeTarget& target, double scale, std::size_t channel = 0);

/// Codes minus their zero point.
std::vector<double> centredCodes(const Tensor& codes, std::int64_t zeroPoint);

/// The codes of one tensor brought to the target, exactly rounded; both per tensor.
Tensor requantizedTensor(const Tensor& codes, const Grid& from, const CodeTarget& target);

/// Calls f with a pointer to the codes, of the type that stores them.
template <class F>
void visitCodes(const Tensor& codes, F&& f)
{
    dispatchNumeric(codes.type(), [&]<class In>(std::type_identity<In>) {
        if constexpr (std::is_integral_v<In> && !std::is_same_v<In, bool>) {
            f(codes.data<In>().data());
        }
    });
}

/// A tensor of codes whose elements are f(index).
template <class F>
Tensor makeCodes(ElementType type, const Dims& dims, F&& f)
{
    Tensor result;
    dispatchNumeric(type, [&]<class Out>(std::type_identity<Out>) {
        if constexpr (std::is_integral_v<Out>) {
            TensorWriter<Out> out(dims);
            for (std::size_t i = 0; i < out.size(); ++i) {
                out[i] = static_cast<Out>(f(i));
            }
            result = std::move(out).finish(type);
        }
    });
    return result;
}

} // namespace crease
