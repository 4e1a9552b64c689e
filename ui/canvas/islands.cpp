// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/islands.h"

#include "ui/canvas/paint_context.h"

#include <QFontMetricsF>
#include <QTextLayout>

#include <algorithm>

namespace crease {

namespace {

using look::Level;

/// A text in lines of the label's width, of which the last of `most` takes up the rest and is cut at its end.
QStringList wrapped(const QString& text, int most)
{
    const QFont font = uiFont(11);
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    QTextLayout layout(text, font);
    layout.setTextOption(option);
    layout.beginLayout();
    QStringList lines;
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(IslandLabel::kWidth);
        const bool isLast = lines.size() + 1 == most;
        const QString rest = text.mid(line.textStart());
        const bool isWhole = line.textStart() + line.textLength() >= text.size();
        if (isLast && !isWhole) {
            lines << QFontMetricsF(font).elidedText(rest, Qt::ElideRight, IslandLabel::kWidth);
            break;
        }
        lines << rest.left(line.textLength()).trimmed();
    }
    layout.endLayout();
    return lines;
}

/// One rectangle where no other node stands in it, else the union of the members' own.
QPainterPath hullPath(const PaintContext& context, const SceneIsland& island, const QRectF& hull)
{
    const auto inside = context.picture.nodesIn(hull);
    const bool isAlone = std::ranges::all_of(
        inside, [&](std::uint32_t n) { return std::ranges::find(island.nodes, n) != island.nodes.end(); });
    QPainterPath path;
    if (isAlone || context.picture.layout().paths.empty()) {
        path.addRoundedRect(QRectF(context.map(hull.topLeft()), context.map(hull.bottomRight())), 6, 6);
        return path;
    }
    for (std::uint32_t n : island.nodes) {
        QPainterPath one;
        const QRectF r = context.picture.rect(n).adjusted(-8, -8, 8, 8);
        one.addRoundedRect(QRectF(context.map(r.topLeft()), context.map(r.bottomRight())), 6, 6);
        path = path.united(one);
    }
    return path.simplified();
}

void paintLabel(const PaintContext& context, const SceneIsland& island)
{
    const IslandLabel label = islandLabel(context.picture, island);
    if (label.area.isNull())
        return;
    QPainter& p = context.painter;
    p.save();
    p.translate(context.map(label.area.topLeft()));
    const double scale = std::min(context.zoom(), 1.65);
    p.scale(scale, scale);
    p.setFont(uiFont(11, QFont::DemiBold));
    p.setPen(context.colour(Token::Text));
    p.drawText(QPointF(0, 12), QStringLiteral("float island"));
    p.setFont(uiFont(11));
    p.setPen(context.colour(Token::Text2));
    double y = IslandLabel::kHeadHeight + 11;
    for (const QString& line : label.lines) {
        p.drawText(QPointF(0, y), line);
        y += IslandLabel::kLineHeight;
    }
    p.restore();
}

} // namespace

QRectF islandHull(const Picture& picture, const SceneIsland& island)
{
    QRectF all;
    for (std::uint32_t n : island.nodes)
        all = all.united(picture.rect(n));
    return all.adjusted(-8, -8, 8, 8);
}

IslandLabel islandLabel(const Picture& picture, const SceneIsland& island)
{
    constexpr int kMostLines = 6;
    const QRectF hull = islandHull(picture, island);
    IslandLabel label;
    // Whole where there is room beside the hull, else shorter; over nothing that is drawn.
    for (int lines = static_cast<int>(wrapped(island.reason, kMostLines).size()); lines >= 1; --lines) {
        const QSizeF size(IslandLabel::kWidth, IslandLabel::kHeadHeight + lines * IslandLabel::kLineHeight);
        for (const QPointF& corner :
             {QPointF(hull.right() + 6, hull.top()), QPointF(hull.left() - 6 - size.width(), hull.top())}) {
            const QRectF place(corner, size);
            if (picture.nodesIn(place).empty() && picture.edgesIn(place).empty()) {
                label.area = place;
                label.lines = wrapped(island.reason, lines);
                return label;
            }
        }
    }
    return label;
}

void paintIslands(const PaintContext& context)
{
    const QRectF view(QPointF(), context.view);
    for (const SceneIsland& island : context.picture.scene().islands) {
        if (island.nodes.empty() || context.level == Level::Far)
            continue;
        const QRectF hull = islandHull(context.picture, island);
        if (!QRectF(context.map(hull.topLeft()), context.map(hull.bottomRight()))
                 .adjusted(-200, 0, 200, 0)
                 .intersects(view))
            continue;
        const QPainterPath path = hullPath(context, island, hull);
        QColor fill = context.colour(Token::Float32);
        fill.setAlphaF(0.08f);
        context.painter.fillPath(path, fill);
        context.painter.setBrush(Qt::NoBrush);
        context.painter.setPen(look::dashed(context.colour(Token::Float32), 1.5, {1.5, 2.5}));
        context.painter.drawPath(path);
        if (context.level == Level::Near || context.level == Level::Close)
            paintLabel(context, island);
    }
}

} // namespace crease
