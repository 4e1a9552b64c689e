// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/shape.h"

namespace crease {

namespace {

std::string joined(const std::vector<std::string>& parts)
{
    if (parts.empty()) {
        return "scalar";
    }
    std::string text = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i) {
        text += "x" + parts[i];
    }
    return text;
}

} // namespace

std::optional<std::int64_t> elementCount(const Dims& dims)
{
    std::int64_t count = 1; // without the dimensions that are 0: kernels walk them, and strides are their products
    bool overflow = false;
    bool empty = false;
    for (const std::int64_t dim : dims) {
        if (dim < 0) {
            return std::nullopt;
        }
        empty = empty || dim == 0;
        overflow |= dim != 0 && __builtin_mul_overflow(count, dim, &count);
    }
    constexpr std::int64_t most = std::int64_t{1} << 56; // so that the bytes of any type fit, too
    constexpr std::int64_t mostOfEmpty = std::int64_t{1} << 31;
    if (overflow || count > (empty ? mostOfEmpty : most)) {
        return std::nullopt;
    }
    return empty ? 0 : count;
}

std::string toText(const Dims& dims)
{
    std::vector<std::string> parts;
    for (const std::int64_t dim : dims) {
        parts.push_back(std::to_string(dim));
    }
    return joined(parts);
}

Shape shapeOf(const Dims& dims)
{
    Shape shape;
    for (const std::int64_t dim : dims) {
        shape.push_back({dim, {}});
    }
    return shape;
}

std::optional<Dims> knownDims(const Shape& shape)
{
    Dims dims;
    for (const Dim& dim : shape) {
        if (!dim.known()) {
            return std::nullopt;
        }
        dims.push_back(dim.value);
    }
    return dims;
}

std::string toText(const Shape& shape)
{
    std::vector<std::string> parts;
    for (const Dim& dim : shape) {
        parts.push_back(dim.known() ? std::to_string(dim.value) : dim.symbol.empty() ? "?" : dim.symbol);
    }
    return joined(parts);
}

std::optional<int> normalizedAxis(std::int64_t axis, std::size_t rank)
{
    const auto signedRank = static_cast<std::int64_t>(rank);
    if (axis < -signedRank || axis >= signedRank) {
        return std::nullopt;
    }
    return static_cast<int>(axis < 0 ? axis + signedRank : axis);
}

} // namespace crease
