// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/scene.h"
#include "ui/support/theme.h"

#include <QPainterPath>
#include <QPen>

/// look.md §3 in code: which colour, silhouette, glyph and pen stands for what, and how much is drawn at which zoom.
namespace crease::look {

inline constexpr double kNodeHeight = 34;

/// By the drawn height of a node.
enum class Level : std::uint8_t { Far, Middle, Near, Close };
Level levelOf(double zoom);

Token classToken(SceneClass look);
QString classIcon(SceneClass look);
QString className(SceneClass look);
Token precisionToken(Precision precision);
QString precisionName(Precision precision);
Token diffToken(Diff diff);
QString diffIcon(Diff diff);

/// The outline of a node of a class in a rectangle; the corner sizes are those at 100 %.
QPainterPath silhouette(SceneClass look, const QRectF& rect);
/// The chip of a long edge, of an input or an output.
QPainterPath pentagon(const QRectF& rect);
double stripWidth(SceneClass look);

/// Width and dash of an edge while the lens is on.
QPen precisionPen(Precision precision, const Theme& theme, double scale);

/// Dashes given in pixels, as QPen wants them in pen widths.
QPen dashed(const QColor& colour, double width, std::initializer_list<double> dashes);

/// From good to bad, quiet where nothing is known.
QColor heatColour(std::optional<double> value, double worst, const Theme& theme);

} // namespace crease::look
