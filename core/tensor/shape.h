// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace crease {

/// The dimensions of a tensor; empty for a scalar.
using Dims = std::vector<std::int64_t>;

/// The product of the dimensions, or nothing where one is negative or the product does not fit.
std::optional<std::int64_t> elementCount(const Dims& dims);

std::string toText(const Dims& dims); // 1x3x224x224, or "scalar"

/// One dimension of a value: known, or symbolic (dim_param), or unknown.
struct Dim {
    std::int64_t value = -1;
    std::string symbol{};

    bool known() const { return value >= 0; }
    bool operator==(const Dim&) const = default;
};

/// A shape of known rank.
using Shape = std::vector<Dim>;

Shape shapeOf(const Dims& dims);
std::optional<Dims> knownDims(const Shape& shape);
std::string toText(const Shape& shape); // Nx3x?x?

/// axis in [0, rank), or nothing where it is out of [-rank, rank).
std::optional<int> normalizedAxis(std::int64_t axis, std::size_t rank);

} // namespace crease
