// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/support/theme.h"

#include <QIcon>
#include <QPixmap>
#include <QRectF>

class QPainter;

namespace crease {

/// The SVG of an icon of resources/icons (without .svg) with its colours put in; empty for an unknown name.
QByteArray iconSvg(const QString& name, const QColor& colour, const QColor& glyph);

/// Draws it as vectors, for pictures that are saved.
void drawIcon(QPainter& painter, const QRectF& rect, const QString& name, const QColor& colour, const QColor& glyph);

/// A picture of size x size device-independent pixels, rendered at the device pixel ratio and remembered.
QPixmap iconPixmap(const QString& name, const QColor& colour, const QColor& glyph, double size, double pixelRatio);

/// The colour of a certificate's mark, of a warning or an error, by its icon.
Token markToken(const QString& icon);

/// For buttons and actions: text-2, accent when on, text-3 when disabled.
QIcon themedIcon(const QString& name, const Theme& theme);

} // namespace crease
