// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/paint_context.h"

#include <QPaintDevice>

namespace crease {

enum class PictureFormat : std::uint8_t { Svg, Png, Pdf, Dot };

struct DrawOptions {
    ViewState state;
    bool dark = false;
    bool legend = true;
    /// Empty: the whole picture at 100 %, a raster one scaled down where it would exceed kMaxPixels.
    QSizeF size;
    /// Shows this node in the middle at 100 % (within `size`, or 1200 × 800 without one).
    std::optional<std::uint64_t> around;
    /// What a window shows, for "export the view".
    std::optional<CameraView> view;
};

inline constexpr double kMaxPixels = 64e6;

/// The size in device-independent pixels that a drawing gets.
QSizeF drawingSize(const Picture& picture, const DrawOptions& options);

/// Draws a picture onto a device; needs no window, only a QGuiApplication (the offscreen platform will do).
void drawScene(const Picture& picture, const DrawOptions& options, QPaintDevice& device);

/// The graph in the DOT language, with the colours and shapes of the classes.
QByteArray dotText(const Picture& picture, const DrawOptions& options);

/// By the end of a file name: svg, png, pdf, dot.
std::optional<PictureFormat> pictureFormat(const QString& fileName);

/// The whole file. Empty where the device cannot be painted on.
QByteArray pictureFile(const Picture& picture, const DrawOptions& options, PictureFormat format);

} // namespace crease
