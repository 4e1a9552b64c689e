// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/paint_context.h"
#include "ui/support/icons.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <map>

namespace crease {

namespace {

using look::Level;

/// Silhouette and strip at 100 %, the same for all nodes of a class and size.
struct Shape {
    QPainterPath outline;
    QPainterPath inner;
    QPainterPath strip;
};

const Shape& shapeOf(SceneClass look, double width, double height)
{
    using Key = std::tuple<SceneClass, int, int>;
    thread_local std::map<Key, Shape> shapes;
    const Key key(look, static_cast<int>(std::lround(width * 4)), static_cast<int>(std::lround(height * 4)));
    const auto known = shapes.find(key);
    if (known != shapes.end())
        return known->second;
    Shape shape;
    const QRectF rect(0, 0, width, height);
    shape.outline = look::silhouette(look, rect);
    shape.inner = look::silhouette(look, rect.adjusted(3, 3, -3, -3));
    QPainterPath band;
    band.addRect(0, 0, look::stripWidth(look), height);
    shape.strip = shape.outline.intersected(band);
    if (shapes.size() > 512)
        shapes.clear();
    return shapes.emplace(key, std::move(shape)).first->second;
}

QPen outlinePen(const PaintContext& context, const SceneNode& node)
{
    if (context.diff(node) != Diff::Same)
        return {context.colour(look::diffToken(context.diff(node))), 1.5};
    if (node.look == SceneClass::FloatIsland)
        return look::dashed(context.colour(Token::NodeLine), 1.5, {1.5, 2.5});
    return {context.colour(Token::NodeLine), 1};
}

struct NodeFonts {
    QFont op = uiFont(12, QFont::DemiBold);
    QFont mono = monoFont(10);
    QFont small = uiFont(11);
    QFont title = uiFont(14, QFont::DemiBold);
    QFont fact = monoFont(11);
};

const NodeFonts& fonts()
{
    thread_local const NodeFonts all;
    return all;
}

void paintRing(const PaintContext& context, const SceneNode& node, const QRectF& rect)
{
    if (context.state.selected != node.id)
        return;
    context.painter.setPen(QPen(context.colour(Token::Accent), 2));
    context.painter.setBrush(Qt::NoBrush);
    const QRectF ring = rect.adjusted(-3.5, -3.5, 3.5, 3.5);
    context.painter.drawPath(node.kind == SceneNode::Kind::Op ? look::silhouette(node.look, ring)
                                                              : look::pentagon(ring));
}

void paintTerminal(const PaintContext& context, const SceneNode& node, const QRectF& rect, const QString& label)
{
    QPainter& p = context.painter;
    const bool isHovered = context.state.hovered == node.id;
    p.setPen(
        QPen(context.colour(context.diff(node) == Diff::Same ? Token::NodeLine : look::diffToken(context.diff(node))),
             1.25));
    p.setBrush(context.colour(isHovered ? Token::Hover : Token::Node));
    p.drawPath(look::pentagon(rect));
    p.setFont(fonts().mono);
    p.setPen(context.colour(Token::Text));
    p.drawText(QPointF(rect.left() + 8, rect.center().y() + 3.5), label);
}

QString certificateOf(const PaintContext& context, const SceneNode& node)
{
    const SceneFigures* figures = context.figures(node);
    return figures != nullptr ? figures->mark : QString();
}

void paintMark(const PaintContext& context, const SceneNode& node, const QRectF& rect)
{
    if (context.diff(node) != Diff::Same)
        context.icon(look::diffIcon(context.diff(node)), {rect.right() - 8 - 11, rect.center().y() - 5.5, 11, 11},
                     context.colour(look::diffToken(context.diff(node))));
}

void paintNear(const PaintContext& context, std::uint32_t index, const SceneNode& node, const QRectF& rect)
{
    QPainter& p = context.painter;
    const QRectF box(0, 0, rect.width() / context.zoom(), rect.height() / context.zoom());
    p.save();
    p.translate(rect.topLeft());
    p.scale(context.zoom(), context.zoom());
    if (node.kind != SceneNode::Kind::Op) {
        paintTerminal(context, node, box, context.picture.label(index));
        paintRing(context, node, box);
        p.restore();
        return;
    }
    const Shape& shape = shapeOf(node.look, box.width(), box.height());
    const QColor colour = context.colour(node);
    const bool isHovered = context.state.hovered == node.id;
    p.fillPath(shape.outline, context.colour(isHovered ? Token::Hover : Token::Node));
    p.fillPath(shape.strip, colour);
    p.setBrush(Qt::NoBrush);
    p.setPen(outlinePen(context, node));
    p.drawPath(shape.outline);
    if (context.diff(node) == Diff::Added) {
        p.setPen(QPen(context.colour(Token::Added), 1));
        p.drawPath(shape.inner);
    }
    const double glyphX = node.look == SceneClass::Elementwise ? 14 : 10;
    context.icon(look::classIcon(node.look), {glyphX, box.center().y() - 6, 12, 12}, colour);
    p.setFont(fonts().op);
    p.setPen(context.colour(Token::Text));
    p.drawText(QPointF(28, 14), node.op);
    p.setFont(fonts().mono);
    p.setPen(context.colour(Token::Text2));
    p.drawText(QPointF(28, 27), context.picture.label(index));
    if (!node.detail.isEmpty()) {
        const double width = QFontMetricsF(fonts().mono).horizontalAdvance(node.detail);
        const double right = box.right() - 8 - (context.diff(node) == Diff::Same ? 0 : 15);
        if (right - width > 28 + QFontMetricsF(fonts().op).horizontalAdvance(node.op) + 4)
            p.drawText(QPointF(right - width, 14), node.detail);
    }
    paintMark(context, node, box);
    // Close up every mark is shown; from here on only that of a node that is wrong.
    if (const QString mark = certificateOf(context, node); mark == "cert-failed") {
        const double left = box.right() - 8 - 11 - (context.diff(node) == Diff::Same ? 0 : 15);
        p.fillRect(QRectF(left - 2, box.bottom() - 17, 15, 14), context.colour(isHovered ? Token::Hover : Token::Node));
        context.icon(mark, {left, box.bottom() - 5 - 11, 11, 11}, context.colour(markToken(mark)));
    }
    paintRing(context, node, box);
    p.restore();
}

void paintMiddle(const PaintContext& context, const SceneNode& node, const QRectF& rect)
{
    QPainter& p = context.painter;
    const bool isHovered = context.state.hovered == node.id;
    const QColor outline = context.colour(look::diffToken(context.diff(node)));
    p.setRenderHint(QPainter::Antialiasing, false);
    p.fillRect(rect, context.colour(isHovered ? Token::Hover : Token::Node));
    p.fillRect(QRectF(rect.left(), rect.top(), 4, rect.height()), context.colour(node));
    p.setPen(QPen(outline, context.diff(node) == Diff::Same ? 1 : 2));
    p.setBrush(Qt::NoBrush);
    p.drawRect(rect);
    p.setRenderHint(QPainter::Antialiasing, true);
    static const QFontMetricsF metrics(fonts().small);
    const QString& text = node.kind == SceneNode::Kind::Op ? node.op : node.name;
    if (rect.height() >= 13 && metrics.horizontalAdvance(text) + 12 <= rect.width()) {
        p.setFont(fonts().small);
        p.setPen(context.colour(Token::Text));
        p.drawText(QPointF(rect.left() + 8, rect.center().y() + 4), text);
    }
    paintRing(context, node, rect);
}

void paintClose(const PaintContext& context, const SceneNode& node, const QRectF& rect)
{
    QPainter& p = context.painter;
    if (node.kind != SceneNode::Kind::Op) {
        paintTerminal(context, node, rect, node.name);
        paintRing(context, node, rect);
        return;
    }
    const QPainterPath outline = look::silhouette(node.look, rect);
    const QColor colour = context.colour(node);
    const bool isHovered = context.state.hovered == node.id;
    p.fillPath(outline, context.colour(isHovered ? Token::Hover : Token::Node));
    QPainterPath band;
    band.addRect(rect.left(), rect.top(), look::stripWidth(node.look), rect.height());
    p.fillPath(outline.intersected(band), colour);
    p.setPen(outlinePen(context, node));
    p.setBrush(Qt::NoBrush);
    p.drawPath(outline);
    if (context.diff(node) == Diff::Added) {
        p.setPen(QPen(context.colour(Token::Added), 1));
        p.drawPath(look::silhouette(node.look, rect.adjusted(3, 3, -3, -3)));
    }
    context.icon(look::classIcon(node.look), {rect.left() + 16, rect.top() + 13, 12, 12}, colour);
    p.setFont(fonts().title);
    p.setPen(context.colour(Token::Text));
    p.drawText(QPointF(rect.left() + 36, rect.top() + 24), node.op);
    const double nameX = rect.left() + 36 + QFontMetricsF(fonts().title).horizontalAdvance(node.op) + 8;
    const QString mark = certificateOf(context, node);
    const double diffWidth = context.diff(node) == Diff::Same ? 0 : 20;
    const double right = rect.right() - 12 - (mark.isEmpty() ? 0 : 20) - diffWidth;
    const QFontMetricsF mono(fonts().fact);
    p.setFont(fonts().fact);
    p.setPen(context.colour(Token::Text2));
    p.drawText(QPointF(nameX, rect.top() + 24), mono.elidedText(node.name, Qt::ElideMiddle, right - nameX));
    if (!mark.isEmpty())
        context.icon(mark, {rect.right() - 24 - diffWidth, rect.top() + 12, 14, 14}, context.colour(markToken(mark)));
    paintMark(context, node, QRectF(rect.left(), rect.top(), rect.width(), 38));
    double y = rect.top() + 46;
    for (const SceneFact& fact : node.facts) {
        if (y > rect.bottom() - 6)
            break;
        p.setFont(fonts().small);
        p.setPen(context.colour(Token::Text2));
        p.drawText(QPointF(rect.left() + 16, y), fact.key);
        p.setFont(fonts().fact);
        p.setPen(context.colour(Token::Text));
        p.drawText(QPointF(rect.left() + 90, y),
                   mono.elidedText(fact.value, Qt::ElideRight, rect.right() - 12 - rect.left() - 90));
        y += 17;
    }
    paintRing(context, node, rect);
}

/// While the lens is on, a quantizer is its badge on a line that runs on.
void paintThrough(const PaintContext& context, std::uint32_t index, const SceneNode& node, const QRectF& rect)
{
    QPainter& p = context.painter;
    QPen pen = look::precisionPen(node.precision, context.theme, std::min(1.0, context.zoom()));
    p.setPen(pen);
    p.setRenderHint(QPainter::Antialiasing, true);
    const bool isSource = context.picture.inputsOf(index).empty();
    p.drawLine(QPointF(rect.center().x(), isSource ? rect.center().y() : rect.top()),
               QPointF(rect.center().x(), rect.bottom()));
    if (context.level == Level::Near || context.level == Level::Close) {
        if (node.grid) {
            p.save();
            p.translate(rect.center());
            if (context.level == Level::Near)
                p.scale(context.zoom(), context.zoom());
            paintBadge(context, *node.grid, {0, 0}, context.level == Level::Close);
            p.restore();
        }
        if (context.state.selected == node.id) {
            p.setPen(QPen(context.colour(Token::Accent), 2));
            p.setBrush(Qt::NoBrush);
            p.drawRoundedRect(QRectF(rect.center().x() - 60, rect.center().y() - 12, 120, 24), 3, 3);
        }
    }
}

} // namespace

void PaintContext::icon(const QString& name, const QRectF& rect, const QColor& tint) const
{
    if (vector) {
        drawIcon(painter, rect, name, tint, theme[Token::MarkGlyph]);
        return;
    }
    const double scale = painter.transform().m11();
    const QPixmap pixmap = iconPixmap(name, tint, theme[Token::MarkGlyph], rect.width() * scale, pixelRatio);
    painter.drawPixmap(rect, pixmap, QRectF(QPointF(), QSizeF(pixmap.size())));
}

void paintNode(const PaintContext& context, std::uint32_t index)
{
    const SceneNode& node = context.picture.scene().nodes[index];
    const QRectF rect = context.mapBox(context.picture.rect(index));
    if (context.hidden(node)) {
        paintThrough(context, index, node, rect);
        return;
    }
    switch (context.level) {
    case Level::Near:
        paintNear(context, index, node, rect);
        break;
    case Level::Close:
        paintClose(context, node, rect);
        break;
    case Level::Middle:
        paintMiddle(context, node, rect);
        break;
    case Level::Far:
        break;
    }
}

void paintGhost(const PaintContext& context, const Ghost& ghost)
{
    QPainter& p = context.painter;
    const QRectF rect = context.mapBox(ghost.rect);
    const bool isMiddle = context.level == Level::Middle;
    p.save();
    p.translate(rect.topLeft());
    const double scale = context.level == Level::Near ? context.zoom() : 1;
    p.scale(scale, scale);
    const QRectF box(0, 0, rect.width() / scale, rect.height() / scale);
    p.setPen(look::dashed(context.colour(Token::Removed), 1, {4, 3}));
    p.setBrush(Qt::NoBrush);
    p.drawPath(look::silhouette(ghost.look, box));
    const QFontMetricsF metrics(fonts().small);
    const double width = metrics.horizontalAdvance(ghost.op);
    const double plate = width + 11 + 4 + 12;
    if (plate <= box.width() && box.height() >= 16 && !isMiddle) {
        const QRectF area(box.center().x() - plate / 2, box.center().y() - 8, plate, 16);
        p.fillRect(area, context.colour(Token::Canvas));
        context.icon("diff-removed", {area.left() + 6, area.top() + 2.5, 11, 11}, context.colour(Token::Removed));
        p.setFont(fonts().small);
        p.setPen(context.colour(Token::Text2));
        p.drawText(QPointF(area.left() + 6 + 11 + 4, area.center().y() + 4), ghost.op);
    }
    p.restore();
}

} // namespace crease
