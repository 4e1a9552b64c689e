// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/picture.h"

#include <QStringList>

namespace crease {

/// The words beside a float island: "float island" and its reason below.
struct IslandLabel {
    static constexpr double kWidth = 156;
    static constexpr double kHeadHeight = 17;
    static constexpr double kLineHeight = 15;

    QRectF area;       // in the scene; null where nothing is free beside the island
    QStringList lines; // of the reason; where not all of it fits, the last one ends in an ellipsis
};

QRectF islandHull(const Picture& picture, const SceneIsland& island);
IslandLabel islandLabel(const Picture& picture, const SceneIsland& island);

} // namespace crease
