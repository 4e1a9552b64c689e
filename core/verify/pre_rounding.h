// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/verify/element_walk.h"

namespace crease {

/// Where a value on a grid was rounded: what has to be known of a run to compute the real numbers, in steps of the grid
/// and without its zero point, that its codes were rounded from.
class PreRounding {
public:
    /// Nothing where the value does not come from quantizers through nodes that only move elements or clamp.
    static std::optional<PreRounding> of(const Graph& graph, ValueId value);

    /// Values of the run that steps() needs (constants aside).
    const std::vector<ValueId>& needs() const { return m_needs; }
    /// One number for each element of the value; `tensorOf` gives the needed values.
    Result<std::vector<double>> steps(const Graph& graph, const TensorOf& tensorOf, const Job& job) const;

private:
    ValueId m_value;
    std::vector<ValueId> m_needs;
};

} // namespace crease
