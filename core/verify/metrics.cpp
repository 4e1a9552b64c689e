// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/metrics.h"

#include "core/verify/grid_codes.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace crease {

void MetricSums::addReal(double reference, double actual)
{
    ++m_elements;
    if (std::isnan(reference) || std::isnan(actual)) {
        m_nan = true;
        return;
    }
    if (reference == actual && std::isinf(reference)) {
        return;
    }
    m_low = std::min(m_low, reference);
    m_high = std::max(m_high, reference);
    const double difference = actual - reference;
    m_maxAbs = std::max(m_maxAbs, std::abs(difference));
    m_difference2 += difference * difference;
    m_reference2 += reference * reference;
    m_actual2 += actual * actual;
    m_product += reference * actual;
}

void MetricSums::addCodes(std::span<const std::int32_t> reference, std::span<const std::int32_t> actual,
                          const Grid& grid, const Dims& dims)
{
    m_steps = true;
    const ChannelMap channels(dims, grid.axis);
    for (std::size_t i = 0; i < reference.size(); ++i) {
        const std::size_t c = channels.of(i);
        const double scale = grid.scale(c);
        const auto zero = static_cast<double>(grid.zeroPoint(c));
        const std::int64_t steps = std::abs(std::int64_t{actual[i]} - std::int64_t{reference[i]});
        ++counts.offBy[static_cast<std::size_t>(std::min<std::int64_t>(steps, 3))];
        counts.maxSteps = std::max(counts.maxSteps, steps);
        m_steps2 += static_cast<double>(steps) * static_cast<double>(steps);
        m_saturated += actual[i] <= grid.qmin || actual[i] >= grid.qmax ? 1 : 0;
        addReal(scale * (reference[i] - zero), scale * (actual[i] - zero));
    }
}

void MetricSums::addReals(std::span<const double> reference, std::span<const double> actual)
{
    for (std::size_t i = 0; i < reference.size(); ++i) {
        addReal(reference[i], actual[i]);
    }
}

void MetricSums::addExact(const Tensor& reference, const Tensor& actual)
{
    const auto countable = [](const Tensor& tensor) {
        return isInteger(tensor.type()) || tensor.type() == ElementType::Bool;
    };
    if (!countable(reference) || !countable(actual)) {
        const bool equal = reference.identical(actual);
        const auto size = static_cast<std::int64_t>(reference.size());
        m_elements += size;
        counts.offBy[equal ? 0 : 3] += size;
        counts.unexplained += equal ? 0 : size;
        return;
    }
    addReals(reference.toDoubles(), actual.toDoubles());
    for (std::size_t i = 0; i < reference.size(); ++i) {
        const bool equal = reference.asInt(i) == actual.asInt(i);
        ++counts.offBy[equal ? 0 : 3];
        counts.unexplained += equal ? 0 : 1;
    }
}

void MetricSums::merge(const MetricSums& other)
{
    counts.add(other.counts);
    exactTies += other.exactTies;
    m_low = std::min(m_low, other.m_low);
    m_high = std::max(m_high, other.m_high);
    m_steps = m_steps || other.m_steps;
    m_nan = m_nan || other.m_nan;
    m_elements += other.m_elements;
    m_saturated += other.m_saturated;
    m_steps2 += other.m_steps2;
    m_difference2 += other.m_difference2;
    m_reference2 += other.m_reference2;
    m_actual2 += other.m_actual2;
    m_product += other.m_product;
    m_maxAbs = std::max(m_maxAbs, other.m_maxAbs);
}

Metrics MetricSums::finish() const
{
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Metrics metrics;
    metrics.counts = counts;
    metrics.elements = m_elements;
    metrics.saturated = m_saturated;
    if (m_nan) {
        metrics.rmseOverScale = metrics.sqnrDb = metrics.cosine = metrics.maxAbs = metrics.relative = nan;
        return metrics;
    }
    metrics.rmseOverScale =
        m_steps ? std::sqrt(m_steps2 / static_cast<double>(std::max<std::int64_t>(m_elements, 1))) : nan;
    metrics.maxAbs = m_maxAbs;
    metrics.sqnrDb =
        m_difference2 == 0.0 && m_maxAbs == 0.0 ? infinity : 10.0 * std::log10(m_reference2 / m_difference2);
    if (m_reference2 == 0.0 || m_actual2 == 0.0) {
        metrics.cosine = m_reference2 == m_actual2 ? 1.0 : 0.0;
    } else {
        metrics.cosine = std::clamp(m_product / (std::sqrt(m_reference2) * std::sqrt(m_actual2)), -1.0, 1.0);
    }
    const double range = m_high > m_low ? m_high - m_low : m_high == m_low ? std::abs(m_high) : 0.0;
    metrics.relative = m_maxAbs == 0.0 ? 0.0 : range > 0.0 ? m_maxAbs / range : infinity;
    return metrics;
}

Metrics compareReals(std::span<const double> reference, std::span<const double> actual)
{
    MetricSums sums;
    sums.addReals(reference, actual);
    return sums.finish();
}

} // namespace crease
