// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/grid_codes.h"

#include "core/tensor/dispatch.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace crease {

namespace {

std::int32_t clampedToInt32(double code)
{
    constexpr double low = std::numeric_limits<std::int32_t>::min();
    constexpr double high = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(std::clamp(code, low, high));
}

} // namespace

ChannelMap::ChannelMap(const Dims& dims, std::optional<int> axis)
{
    const auto at = axis ? normalizedAxis(*axis, dims.size()) : std::nullopt;
    if (at) {
        m_channels = static_cast<std::size_t>(dims[static_cast<std::size_t>(*at)]);
        for (std::size_t i = static_cast<std::size_t>(*at) + 1; i < dims.size(); ++i) {
            m_inner *= static_cast<std::size_t>(dims[i]);
        }
    }
}

std::vector<std::int32_t> toInt32(const Tensor& tensor)
{
    std::vector<std::int32_t> result(tensor.size());
    dispatchNumeric(tensor.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_integral_v<T>) {
            std::ranges::transform(tensor.data<T>(), result.begin(),
                                   [](T value) { return static_cast<std::int32_t>(value); });
        }
    });
    return result;
}

std::vector<double> realsOf(const Value& value, const Tensor& tensor)
{
    std::vector<double> reals = tensor.toDoubles();
    if (value.codes) {
        const Grid& grid = *value.codes;
        const ChannelMap channels(tensor.dims(), grid.axis);
        for (std::size_t i = 0; i < reals.size(); ++i) {
            const std::size_t c = channels.of(i);
            reals[i] = grid.scale(c) * (reals[i] - static_cast<double>(grid.zeroPoint(c)));
        }
    }
    return reals;
}

Codes codesOf(const Value& value, const Tensor& tensor, const Grid& grid)
{
    const bool own = value.codes && value.codes->scales == grid.scales && value.codes->zeroPoints == grid.zeroPoints &&
                     value.codes->axis == grid.axis;
    if (own || (!value.codes && !isFloat(tensor.type()))) {
        return {tensor};
    }
    const std::vector<double> reals = realsOf(value, tensor);
    const ChannelMap channels(tensor.dims(), grid.axis);
    Codes result;
    TensorWriter<std::int32_t> writer(tensor.dims());
    for (std::size_t i = 0; i < reals.size(); ++i) {
        const std::size_t c = channels.of(i);
        const double exact = reals[i] / grid.scale(c);
        const double code = std::nearbyint(exact);
        if (!(std::abs(exact - code) <= 1e-6 * std::max(1.0, std::abs(code)))) { // also NaN
            ++result.offGrid;
        }
        writer[i] = std::isnan(code) ? 0 : clampedToInt32(code + static_cast<double>(grid.zeroPoint(c)));
    }
    result.codes = std::move(writer).finish();
    return result;
}

Tensor tensorForValue(const Value& value, const Tensor& codes, const Grid& grid, const Dims& dims)
{
    if (!isFloat(value.type) || value.codes) {
        const ElementType type = value.type;
        if (codes.type() == type) {
            return codes.reshaped(dims);
        }
        std::vector<std::int64_t> ints = codes.toInts();
        for (std::int64_t& code : ints) {
            code = std::clamp(code, lowest(type), highest(type));
        }
        return tensorOfInts(type, dims, ints);
    }
    const std::vector<std::int32_t> ints = toInt32(codes);
    const ChannelMap channels(dims, grid.axis);
    TensorWriter<double> writer(dims);
    for (std::size_t i = 0; i < ints.size(); ++i) {
        const std::size_t c = channels.of(i);
        writer[i] = grid.scale(c) * (static_cast<double>(ints[i]) - static_cast<double>(grid.zeroPoint(c)));
    }
    return std::move(writer).finish();
}

} // namespace crease
