// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/codes.h"

#include "core/exec/arithmetic.h"
#include "core/ir/integer_nodes.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace crease {

namespace {

struct Arithmetic {
    Rounding rounding = Rounding::HalfEven;
    bool zeroPointFirst = false; // order B, C: round(x / s + z)
    bool reciprocal = false;
    std::int64_t lo = 0;
    std::int64_t hi = 0;
};

Arithmetic arithmeticOf(const Node& fakeQuant)
{
    const Grid& grid = *fakeQuant.gridAttribute(nodes::grid);
    const std::string order = fakeQuant.stringAttribute(nodes::order, "A");
    Arithmetic arithmetic;
    arithmetic.rounding = roundingFromName(fakeQuant.stringAttribute(nodes::rounding));
    arithmetic.zeroPointFirst = order == "B" || order == "C";
    arithmetic.reciprocal = fakeQuant.stringAttribute(nodes::divide) == "reciprocal";
    arithmetic.lo = std::max(grid.qmin, fakeQuant.intAttribute(nodes::lo, grid.qmin));
    arithmetic.hi = std::min(grid.qmax, fakeQuant.intAttribute(nodes::hi, grid.qmax));
    return arithmetic;
}

std::int64_t saturated(double value, std::int64_t lo, std::int64_t hi)
{
    if (!(value > static_cast<double>(lo))) {
        return lo;
    }
    return value >= static_cast<double>(hi) ? hi : static_cast<std::int64_t>(value);
}

std::int64_t codeOf(float x, double scale, std::int64_t zeroPoint, const Arithmetic& arithmetic)
{
    const auto step = static_cast<float>(scale);
    const float quotient = arithmetic.reciprocal ? x * (1.0F / step) : x / step;
    if (arithmetic.zeroPointFirst) {
        const float moved = quotient + static_cast<float>(zeroPoint);
        return saturated(roundTo(static_cast<double>(moved), arithmetic.rounding), arithmetic.lo, arithmetic.hi);
    }
    const double rounded = roundTo(static_cast<double>(quotient), arithmetic.rounding);
    return saturated(rounded + static_cast<double>(zeroPoint), arithmetic.lo, arithmetic.hi);
}

std::int64_t codeOf(double x, double scale, std::int64_t zeroPoint, const Arithmetic& arithmetic)
{
    if (arithmetic.zeroPointFirst) {
        return saturated(roundTo(x / scale + static_cast<double>(zeroPoint), arithmetic.rounding), arithmetic.lo,
                         arithmetic.hi);
    }
    return quantizeValue(x, scale, zeroPoint, arithmetic.lo, arithmetic.hi, arithmetic.rounding);
}

template <class Code>
Tensor codesOf(const Dims& dims, const Node& fakeQuant, Code code)
{
    const Grid& grid = *fakeQuant.gridAttribute(nodes::grid);
    const Arithmetic arithmetic = arithmeticOf(fakeQuant);
    const ChannelLayout layout = channelLayout(dims, grid.axis);
    std::vector<std::int64_t> codes(static_cast<std::size_t>(elementCount(dims).value()));
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const std::size_t channel = layout.channel(i);
        codes[i] = code(i, grid.scale(channel), grid.zeroPoint(channel), arithmetic);
    }
    return tensorOfInts(grid.storage, dims, codes);
}

} // namespace

ChannelLayout channelLayout(const Dims& dims, std::optional<int> axis)
{
    ChannelLayout layout;
    if (!axis) {
        layout.inner = std::max<std::size_t>(1, static_cast<std::size_t>(elementCount(dims).value_or(1)));
        return layout;
    }
    assert(static_cast<std::size_t>(*axis) < dims.size());
    const auto at = static_cast<std::size_t>(*axis);
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const auto dim = static_cast<std::size_t>(dims[i]);
        (i < at ? layout.outer : i == at ? layout.channels : layout.inner) *= dim;
    }
    layout.inner = std::max<std::size_t>(1, layout.inner);
    layout.channels = std::max<std::size_t>(1, layout.channels);
    return layout;
}

std::vector<double> dequantized(const Tensor& codes, const Grid& grid)
{
    const ChannelLayout layout = channelLayout(codes.dims(), grid.axis);
    const std::vector<std::int64_t> integers = codes.toInts();
    std::vector<double> reals(integers.size());
    for (std::size_t i = 0; i < reals.size(); ++i) {
        const std::size_t channel = layout.channel(i);
        reals[i] = grid.scale(channel) * static_cast<double>(integers[i] - grid.zeroPoint(channel));
    }
    return reals;
}

Tensor quantizedCodes(const Tensor& reals, const Node& fakeQuant)
{
    if (reals.type() == ElementType::Float64) {
        return quantizedCodes(reals.toDoubles(), reals.dims(), fakeQuant);
    }
    const Tensor floats = reals.type() == ElementType::Float32 ? reals : reals.converted(ElementType::Float32);
    const std::span<const float> data = floats.data<float>();
    return codesOf(reals.dims(), fakeQuant,
                   [&](std::size_t i, double scale, std::int64_t zeroPoint, const Arithmetic& arithmetic) {
                       return codeOf(data[i], scale, zeroPoint, arithmetic);
                   });
}

Tensor quantizedCodes(std::span<const double> reals, const Dims& dims, const Node& fakeQuant)
{
    return codesOf(dims, fakeQuant,
                   [&](std::size_t i, double scale, std::int64_t zeroPoint, const Arithmetic& arithmetic) {
                       return codeOf(reals[i], scale, zeroPoint, arithmetic);
                   });
}

std::optional<CodesAndGrid> negated(const Tensor& codes, const Grid& grid, const std::vector<bool>& flip)
{
    const ChannelLayout layout = channelLayout(codes.dims(), grid.axis);
    const std::int64_t mirror = isSigned(grid.storage) ? 0 : lowest(grid.storage) + highest(grid.storage);
    std::vector<std::int64_t> integers = codes.toInts();
    CodesAndGrid result{{}, grid};
    std::vector<int> flipped(layout.channels, -1); // not seen, kept, flipped
    for (std::size_t i = 0; i < integers.size(); ++i) {
        const std::size_t channel = grid.zeroPoints.size() == 1 ? 0 : layout.channel(i);
        const int now = flip[i] ? 1 : 0;
        const bool moves = mirror != 0 || grid.zeroPoint(channel) != 0;
        if (moves && flipped[channel] >= 0 && flipped[channel] != now) {
            return std::nullopt;
        }
        if (moves && flipped[channel] < 0 && now == 1) {
            result.grid.zeroPoints[channel] = mirror - grid.zeroPoint(channel);
        }
        flipped[channel] = now;
        if (flip[i]) {
            integers[i] = mirror - integers[i];
        }
    }
    for (const std::int64_t code : integers) {
        result.grid.qmin = std::min(result.grid.qmin, code);
        result.grid.qmax = std::max(result.grid.qmax, code);
    }
    std::int64_t low = result.grid.qmin;
    std::int64_t high = result.grid.qmax;
    for (const std::int64_t zeroPoint : result.grid.zeroPoints) {
        low = std::min(low, zeroPoint);
        high = std::max(high, zeroPoint);
    }
    for (const ElementType wider :
         {grid.storage, ElementType::Int4, ElementType::Int8, ElementType::Int16, ElementType::Undefined}) {
        if (wider == ElementType::Undefined) {
            return std::nullopt;
        }
        if (low >= lowest(wider) && high <= highest(wider)) {
            result.grid.storage = wider;
            break;
        }
    }
    result.codes = tensorOfInts(result.grid.storage, codes.dims(), integers);
    return result;
}

Tensor retyped(const Tensor& tensor, ElementType type)
{
    assert(byteWidth(type) == byteWidth(tensor.type()));
    const auto owner = std::make_shared<const Tensor>(tensor);
    return Tensor::view(type, tensor.dims(), owner, owner->raw());
}

} // namespace crease
