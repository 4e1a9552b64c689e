// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstdint>

namespace crease {

/// What Resize makes of a dimension by a scale: floor of their product in float32, as exporters, the shape inference of
/// ONNX and ONNX Runtime compute it (10 * 0.7 is 7, although 0.7 as a float is below it); -1 where that is no
/// dimension.
inline std::int64_t resizedLength(std::int64_t length, double scale)
{
    const float product = std::floor(static_cast<float>(length) * static_cast<float>(scale));
    return product >= 0.0F && product < 0x1p62F ? static_cast<std::int64_t>(product) : -1;
}

} // namespace crease
