// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/grid.h"

#include "core/support/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace crease {

Grid Grid::perTensor(double scale, std::int64_t zeroPoint, ElementType storage)
{
    return perTensor(scale, zeroPoint, storage, lowest(storage), highest(storage));
}

Grid Grid::perTensor(double scale, std::int64_t zeroPoint, ElementType storage, std::int64_t qmin, std::int64_t qmax)
{
    return {{scale}, {zeroPoint}, std::nullopt, storage, qmin, qmax};
}

Grid Grid::perChannel(std::vector<double> scales, std::vector<std::int64_t> zeroPoints, int axis, ElementType storage)
{
    return {std::move(scales), std::move(zeroPoints), axis, storage, lowest(storage), highest(storage)};
}

Grid Grid::accumulator(std::vector<double> scales, std::optional<int> axis, ElementType storage)
{
    std::vector<std::int64_t> zeroPoints(scales.size(), 0);
    return {std::move(scales), std::move(zeroPoints), axis, storage, lowest(storage), highest(storage)};
}

std::string toText(const Grid& grid)
{
    std::string text(shortName(grid.storage));
    if (grid.isPerTensor()) {
        text += fmt::format(" · {} · z {}", shortest(grid.scale()), grid.zeroPoint());
    } else {
        text += fmt::format(" · {} scales · axis {}", grid.scales.size(), *grid.axis);
        if (std::ranges::any_of(grid.zeroPoints, [](std::int64_t z) { return z != 0; })) {
            text += " · zero points";
        }
    }
    if (!grid.isFullRange()) {
        text += fmt::format(" · {} … {}", grid.qmin, grid.qmax);
    }
    return text;
}

} // namespace crease
