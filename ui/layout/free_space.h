// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/layout/rect_index.h"

#include <optional>

namespace crease::layout {

/// What the search for a place wants: near `at`, and, where that can be, not above `top` nor below `bottom`.
struct PlaceWish {
    Point at;
    double width = 0;
    double height = 0;
    double top = 0;
    double bottom = 0;
    double gapX = 16;
    double gapY = 10;
};

/// The centre of the nearest free place; moving sideways counts half as much as leaving the wished rows.
Point findPlace(const RectIndex& taken, const PlaceWish& wish);

} // namespace crease::layout
