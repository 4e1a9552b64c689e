// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/paint_context.h"

namespace crease {

/// Size of a legend of what is in the picture; empty where there is nothing to explain.
QSizeF legendSize(const Picture& picture, const ViewState& state);
void paintLegend(const PaintContext& context, QPointF topLeft);

inline constexpr QSizeF kMinimapSize{148, 166};
/// The whole picture in columns, without the frame of the view.
void paintMinimapBlocks(const PaintContext& context, const Fold& fold, QSizeF size);
/// Where a rectangle of the scene lies on the minimap: one rectangle a column.
std::vector<QRectF> minimapFrames(const Fold& fold, const QRectF& scene, QSizeF size);
QPointF minimapToScene(const Fold& fold, QPointF position, QSizeF size);

} // namespace crease
