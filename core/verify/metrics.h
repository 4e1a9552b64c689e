// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/grid.h"
#include "core/tensor/tensor.h"
#include "core/verify/certificate.h"

#include <limits>
#include <span>

namespace crease {

/// Sums from which Metrics follow; sums of several samples are merged in the order of the samples, so that the result
/// does not depend on the number of threads.
class MetricSums {
public:
    Counts counts;
    std::int64_t exactTies = 0; // of counts.ties, those that are no matter of the reference's precision

    /// Codes of `grid`; `reference` and `actual` have the shape `dims`.
    void addCodes(std::span<const std::int32_t> reference, std::span<const std::int32_t> actual, const Grid& grid,
                  const Dims& dims);
    void addReals(std::span<const double> reference, std::span<const double> actual);
    /// Indices, booleans, strings: equal, or unexplained. Both have the same shape.
    void addExact(const Tensor& reference, const Tensor& actual);
    void merge(const MetricSums& other);
    Metrics finish() const;
    bool sawNan() const { return m_nan; }
    std::int64_t elements() const { return m_elements; }

private:
    void addReal(double reference, double actual);

    bool m_steps = false;
    bool m_nan = false;
    std::int64_t m_elements = 0;
    std::int64_t m_saturated = 0;
    double m_steps2 = 0.0;      // squared differences in steps
    double m_difference2 = 0.0; // and in real units
    double m_reference2 = 0.0;
    double m_actual2 = 0.0;
    double m_product = 0.0;
    double m_maxAbs = 0.0;
    double m_low = std::numeric_limits<double>::infinity(); // of the reference
    double m_high = -std::numeric_limits<double>::infinity();
};

/// Metrics of a float tensor against its reference.
Metrics compareReals(std::span<const double> reference, std::span<const double> actual);

} // namespace crease
