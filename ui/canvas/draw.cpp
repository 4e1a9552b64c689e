// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/draw.h"

#include "core/export/replacing.h"
#include "ui/canvas/overlay_painter.h"

#include <QBuffer>
#include <QImage>
#include <QPdfWriter>
#include <QSvgGenerator>

#include <algorithm>
#include <cmath>

namespace crease {

namespace {

constexpr double kMargin = 24;
constexpr QSizeF kAroundSize{1200, 800};

const Theme& themeOf(const DrawOptions& options)
{
    return options.dark ? Theme::dark() : Theme::light();
}

CameraView cameraFor(const Picture& picture, const DrawOptions& options, QSizeF size)
{
    if (options.view)
        return *options.view;
    if (options.around) {
        if (const auto node = picture.find(*options.around))
            return {picture.rect(*node).center(), 1, nullptr};
    }
    const QRectF bounds = picture.bounds().adjusted(-kMargin, -kMargin, kMargin, kMargin);
    const double zoom = std::min(size.width() / bounds.width(), size.height() / bounds.height());
    if (!options.size.isEmpty() && zoom < Camera::kFarZoom && picture.scene().nodes.size() > 1) {
        // Too small to read: in columns, as the window shows it.
        const auto fold = std::make_shared<const Fold>(picture, size - QSizeF(2 * kMargin, 2 * kMargin));
        return {fold->bounds().center(),
                std::min({Camera::kFarZoom * 0.98, (size.width() - 2 * kMargin) / fold->bounds().width(),
                          (size.height() - 2 * kMargin) / fold->bounds().height()}),
                fold};
    }
    return {bounds.center(), std::min(zoom, 1.0), nullptr};
}

/// By which a picture of ours is known again.
QByteArray mark()
{
    return {pictureMark.data(), static_cast<qsizetype>(pictureMark.size())};
}

QByteArray quoted(const QString& text)
{
    QByteArray out = text.toUtf8();
    out.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    return '"' + out + '"';
}

const char* dotShape(const SceneNode& node)
{
    if (node.kind != SceneNode::Kind::Op)
        return "cds";
    switch (node.look) {
    case SceneClass::Quantizer:
        return "octagon";
    case SceneClass::Elementwise:
        return "ellipse";
    case SceneClass::Constant:
        return "note";
    default:
        return "box";
    }
}

} // namespace

QSizeF drawingSize(const Picture& picture, const DrawOptions& options)
{
    if (!options.size.isEmpty())
        return options.size;
    if (options.around)
        return kAroundSize;
    const QRectF bounds = picture.bounds().adjusted(-kMargin, -kMargin, kMargin, kMargin);
    return {std::ceil(std::max(bounds.width(), 200.0)), std::ceil(std::max(bounds.height(), 120.0))};
}

void drawScene(const Picture& picture, const DrawOptions& options, QPaintDevice& device)
{
    const Theme& theme = themeOf(options);
    const QSizeF size = drawingSize(picture, options);
    QPainter painter(&device);
    const bool isRaster = dynamic_cast<QImage*>(&device) != nullptr;
    if (!isRaster)
        painter.setRenderHint(QPainter::Antialiasing);
    // A device may be smaller (a capped image) or finer (a PDF page) than the drawing.
    const double scale = std::min(device.width() / size.width(), device.height() / size.height());
    painter.scale(scale, scale);
    painter.fillRect(QRectF(QPointF(), size), theme[Token::Canvas]);
    PaintContext context{painter, picture, theme, options.state, cameraFor(picture, options, size), size, 1, true};
    paintPicture(context);
    const QSizeF legend = legendSize(picture, options.state);
    const bool fits = legend.width() + 40 < size.width() && legend.height() + 40 < size.height();
    if (options.legend && !legend.isEmpty() && fits)
        paintLegend(context, {size.width() - legend.width() - 10, size.height() - legend.height() - 10});
}

QByteArray dotText(const Picture& picture, const DrawOptions& options)
{
    const Theme& theme = themeOf(options);
    QByteArray out =
        "digraph crease {\n  // " + mark() +
        "\n"
        "  graph [rankdir=TB, bgcolor=" +
        quoted(theme[Token::Canvas].name()) +
        "];\n  node [style=filled, fillcolor=" + quoted(theme[Token::Node].name()) +
        ", fontcolor=" + quoted(theme[Token::Text].name()) +
        ", fontname=\"sans-serif\", fontsize=11];\n  edge [fontcolor=" + quoted(theme[Token::Text2].name()) +
        ", fontsize=9];\n";
    const auto& nodes = picture.scene().nodes;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        const SceneNode& node = nodes[n];
        QString label = node.op.isEmpty() ? node.name : node.op + "\n" + node.shortName;
        const bool isDiff = options.state.showDiff && node.diff != Diff::Same;
        const QColor colour = isDiff ? theme[look::diffToken(node.diff)] : nodeColour(node, options.state, theme);
        out += "  n" + QByteArray::number(static_cast<qulonglong>(n)) + " [label=" + quoted(label) +
               ", shape=" + dotShape(node) + ", color=" + quoted(colour.name()) + (isDiff ? ", penwidth=2" : "") +
               "];\n";
    }
    std::size_t g = 0;
    for (const Ghost& ghost : picture.ghosts()) {
        if (options.state.showDiff)
            out += "  g" + QByteArray::number(static_cast<qulonglong>(g++)) +
                   " [label=" + quoted(ghost.op + "\n" + ghost.name) +
                   ", shape=box, style=dashed, color=" + quoted(theme[Token::Removed].name()) + "];\n";
    }
    for (const SceneEdge& edge : picture.scene().edges) {
        const QColor colour = options.state.lens ? theme[look::precisionToken(edge.precision)] : theme[Token::Edge];
        out += "  n" + QByteArray::number(edge.from) + " -> n" + QByteArray::number(edge.to) +
               " [color=" + quoted(colour.name());
        if (edge.badge)
            out += ", label=" + quoted(edge.badge->cell + " " + edge.badge->rest);
        out += "];\n";
    }
    return out + "}\n";
}

std::optional<PictureFormat> pictureFormat(const QString& fileName)
{
    const QString name = fileName.toLower();
    if (name.endsWith(".svg"))
        return PictureFormat::Svg;
    if (name.endsWith(".png"))
        return PictureFormat::Png;
    if (name.endsWith(".pdf"))
        return PictureFormat::Pdf;
    if (name.endsWith(".dot") || name.endsWith(".gv"))
        return PictureFormat::Dot;
    return std::nullopt;
}

QByteArray pictureFile(const Picture& picture, const DrawOptions& options, PictureFormat format)
{
    if (format == PictureFormat::Dot)
        return dotText(picture, options);
    QSizeF size = drawingSize(picture, options);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (format == PictureFormat::Png) {
        const double pixels = size.width() * size.height();
        const double longest = std::max(size.width(), size.height());
        const double scale = std::min({1.0, std::sqrt(kMaxPixels / pixels), 32000 / longest});
        QImage image((size * scale).toSize().expandedTo({1, 1}), QImage::Format_RGB32);
        if (image.isNull())
            return {};
        image.setText("Comment", mark());
        drawScene(picture, options, image);
        return image.save(&buffer, "PNG") ? bytes : QByteArray();
    }
    if (format == PictureFormat::Svg) {
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setSize(size.toSize());
        generator.setViewBox(QRectF(QPointF(), size));
        generator.setTitle("Crease");
        generator.setDescription(mark());
        drawScene(picture, options, generator);
        return bytes;
    }
    QPdfWriter writer(&buffer);
    constexpr double kMaxPage = 14000; // PDF readers stop at 200 inches
    const double scale = std::min(1.0, kMaxPage / std::max(size.width(), size.height()));
    writer.setPageSize(QPageSize(size * scale, QPageSize::Point, QString(), QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF());
    writer.setResolution(144);
    drawScene(picture, options, writer);
    return bytes + '%' + mark() + '\n'; // a comment behind the end
}

} // namespace crease
