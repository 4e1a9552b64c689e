// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/layout/free_space.h"

#include <algorithm>
#include <cmath>

namespace crease::layout {

namespace {

Rect around(Point centre, const PlaceWish& wish)
{
    return {centre.x - wish.width / 2 - wish.gapX / 2, centre.y - wish.height / 2 - wish.gapY / 2,
            centre.x + wish.width / 2 + wish.gapX / 2, centre.y + wish.height / 2 + wish.gapY / 2};
}

} // namespace

Point findPlace(const RectIndex& taken, const PlaceWish& wish)
{
    const double least = wish.top + wish.height / 2;
    const double most = wish.bottom - wish.height / 2;
    const bool fits = most >= least;
    // Where the wished rows are too low, below its producers is better than above its consumers.
    const Point start{wish.at.x, fits ? std::clamp(wish.at.y, least, most) : std::max(wish.at.y, least)};
    if (taken.isFree(around(start, wish)))
        return start;
    const double stepX = (wish.width + wish.gapX) / 2;
    const double stepY = wish.height / 2 + wish.gapY / 2;
    // Rings around the wish: the nearest free place of the first ring that has one, and of one ring more.
    std::optional<Point> best;
    double bestCost = 0;
    constexpr int kRings = 400;
    int last = kRings;
    for (int ring = 1; ring <= last; ++ring) {
        for (int i = -ring; i <= ring; ++i) {
            for (int j = -ring; j <= ring; ++j) {
                if (std::abs(i) != ring && std::abs(j) != ring)
                    continue;
                const Point at{start.x + j * stepX, start.y + i * stepY};
                const double outside = std::max({0.0, least - at.y, fits ? at.y - most : 0.0});
                // Right before left where both are free, so that the choice is the same every time.
                const double cost =
                    std::abs(at.x - start.x) + 2 * std::abs(at.y - start.y) + 6 * outside + (at.x < start.x ? 1 : 0);
                if (best && cost >= bestCost)
                    continue;
                if (taken.isFree(around(at, wish))) {
                    if (!best)
                        last = std::min(kRings, ring + 2);
                    best = at;
                    bestCost = cost;
                }
            }
        }
    }
    return best.value_or(Point{start.x + (kRings + 1) * stepX, start.y});
}

} // namespace crease::layout
