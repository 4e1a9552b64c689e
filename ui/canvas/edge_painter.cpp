// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/paint_context.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <map>

namespace crease {

namespace {

using layout::EdgePath;
using layout::PathShape;
using look::Level;

/// Text and badges keep their size in the close view and scale with the zoom below it.
double textScale(const PaintContext& context)
{
    return context.level == Level::Close ? 1.1 : context.zoom();
}

QPen edgePen(const PaintContext& context, const SceneEdge& edge)
{
    if (!context.state.lens)
        return {context.colour(Token::Edge), 1.25, Qt::SolidLine, Qt::FlatCap};
    return look::precisionPen(edge.precision, context.theme, 1);
}

/// Vertical lines of odd width in the middle of a pixel, of even width between two: so they are sharp.
QPointF sharp(const PaintContext& context, const layout::Point& point, double width)
{
    QPointF p = context.map(point);
    if (context.vector)
        return p;
    const double half = std::lround(width * context.pixelRatio) % 2 == 1 ? 0.5 : 0;
    p.setX((std::floor(p.x() * context.pixelRatio + 0.5 - half) + half) / context.pixelRatio);
    return p;
}

QPainterPath flowPath(const PaintContext& context, const EdgePath& path, double shorten, double width)
{
    QPainterPath out;
    QPointF from = sharp(context, path.points.front(), width);
    out.moveTo(from);
    for (std::size_t i = 1; i < path.points.size(); ++i) {
        QPointF to = sharp(context, path.points[i], width);
        if (i + 1 == path.points.size())
            to.ry() -= shorten;
        const double gap = (path.points[i].y - path.points[i - 1].y);
        if (std::abs(path.points[i].x - path.points[i - 1].x) < 0.5) {
            out.lineTo(to);
        } else {
            const double reach = std::min(18.0, 0.55 * gap) * context.zoom();
            out.cubicTo({from.x(), from.y() + reach}, {to.x(), to.y() - reach}, to);
        }
        from = to;
    }
    return out;
}

QPainterPath orthogonalPath(const PaintContext& context, const EdgePath& path, double shorten)
{
    constexpr double kRadius = 8;
    std::vector<QPointF> points;
    for (const layout::Point& p : path.points)
        points.push_back(context.map(p));
    points.back().ry() -= shorten;
    QPainterPath out(points.front());
    for (std::size_t i = 1; i + 1 < points.size(); ++i) {
        const QLineF in(points[i], points[i - 1]);
        const QLineF next(points[i], points[i + 1]);
        const double r = std::min({kRadius * context.zoom(), in.length() / 2, next.length() / 2});
        if (r < 0.5) {
            out.lineTo(points[i]);
            continue;
        }
        out.lineTo(in.pointAt(r / in.length()));
        out.quadTo(points[i], next.pointAt(r / next.length()));
    }
    out.lineTo(points.back());
    return out;
}

void paintHead(const PaintContext& context, QPointF tip, const QColor& colour, double width, double scale)
{
    QPainterPath head;
    const double length = 7 * scale;
    head.addPolygon(QPolygonF(
        {tip, {tip.x() - width * scale / 2, tip.y() - length}, {tip.x() + width * scale / 2, tip.y() - length}}));
    head.closeSubpath();
    context.painter.fillPath(head, colour);
}

bool siteEdge(const PaintContext& context, const SceneEdge& edge, const SceneSite*& site)
{
    if (context.state.activeSite < 0 || !context.state.showSites)
        return false;
    site = &context.picture.scene().sites[static_cast<std::size_t>(context.state.activeSite)];
    const auto member = [&](std::uint32_t node) {
        return std::ranges::any_of(site->members, [&](const SceneRole& r) { return r.node == node; });
    };
    return member(edge.from) && member(edge.to);
}

void paintEdge(const PaintContext& context, std::uint32_t e)
{
    const SceneEdge& edge = context.picture.scene().edges[e];
    const EdgePath& path = context.picture.layout().paths[e];
    if (path.points.size() < 2)
        return;
    const double scale = std::clamp(context.zoom(), 0.7, 1.65);
    QPen pen = edgePen(context, edge);
    double headWidth = edge.precision == Precision::Int32 && context.state.lens ? 9 : 7;
    const SceneSite* site = nullptr;
    if (siteEdge(context, edge, site)) {
        pen = site->nearMiss ? look::dashed(context.colour(Token::Hatch), 1.5, {5, 3})
                             : QPen(context.colour(Token::Site), 2, Qt::SolidLine, Qt::FlatCap);
    }
    const bool toHidden = context.hidden(context.picture.scene().nodes[edge.to]);
    const double shorten = toHidden ? 0 : 6 * scale;
    const QPainterPath line = path.shape == PathShape::Orthogonal ? orthogonalPath(context, path, shorten)
                                                                  : flowPath(context, path, shorten, pen.widthF());
    const auto& nodes = context.picture.scene().nodes;
    if (context.state.selected &&
        (nodes[edge.from].id == *context.state.selected || nodes[edge.to].id == *context.state.selected)) {
        QColor under = context.colour(Token::Accent);
        under.setAlphaF(0.28f);
        context.painter.strokePath(line, QPen(under, pen.widthF() + 5, Qt::SolidLine, Qt::FlatCap));
    }
    context.painter.strokePath(line, pen);
    if (!toHidden)
        paintHead(context, sharp(context, path.points.back(), pen.widthF()), pen.color(), headWidth, scale);
}

void paintPolylines(const PaintContext& context, const std::vector<std::uint32_t>& edges)
{
    QPainter& p = context.painter;
    p.setRenderHint(QPainter::Antialiasing, false);
    std::map<QRgb, std::vector<QLineF>> lines;
    for (std::uint32_t e : edges) {
        const SceneEdge& edge = context.picture.scene().edges[e];
        const auto& points = context.picture.layout().paths[e].points;
        const QColor colour =
            context.state.lens ? context.colour(look::precisionToken(edge.precision)) : context.colour(Token::Edge);
        auto& batch = lines[colour.rgb()];
        for (std::size_t i = 1; i < points.size(); ++i)
            batch.emplace_back(context.map(points[i - 1]), context.map(points[i]));
    }
    for (const auto& [colour, batch] : lines) {
        p.setPen(QPen(QColor(colour), 1));
        p.drawLines(batch.data(), static_cast<int>(batch.size()));
    }
    p.setRenderHint(QPainter::Antialiasing, true);
}

const QFont& badgeFont(bool bold)
{
    thread_local const QFont plain = monoFont(10);
    thread_local const QFont semibold = monoFont(10, QFont::DemiBold);
    return bold ? semibold : plain;
}

const QFontMetricsF& badgeMetrics(bool bold)
{
    thread_local const QFontMetricsF plain(badgeFont(false));
    thread_local const QFontMetricsF semibold(badgeFont(true));
    return bold ? semibold : plain;
}

QString badgeText(const SceneBadge& badge, bool withShape)
{
    if (!withShape || badge.shape.isEmpty() || badge.shape == badge.rest)
        return badge.rest;
    return badge.rest.isEmpty() ? badge.shape : badge.rest + QStringLiteral(" · ") + badge.shape;
}

QRectF badgeRect(const PaintContext& context, const SceneBadge& badge, QPointF centre)
{
    const double scale = textScale(context);
    const double width = badgeWidth(badge, context.level == Level::Close) * scale;
    return {centre.x() - width / 2, centre.y() - 8 * scale, width, 16 * scale};
}

void paintScaledBadge(const PaintContext& context, const SceneBadge& badge, QPointF centre)
{
    const double scale = textScale(context);
    context.painter.save();
    context.painter.translate(centre);
    context.painter.scale(scale, scale);
    paintBadge(context, badge, {0, 0}, context.level == Level::Close);
    context.painter.restore();
}

/// The stored weight of a linear op: at its left where there is room, else at its right, else its type alone, else
/// not at all.
void paintWeight(const PaintContext& context, const SceneNode& node, const QRectF& rect, std::vector<QRectF>& taken)
{
    constexpr double kGap = 26;
    const double scale = textScale(context);
    SceneBadge badge = *node.weight;
    QPainter& p = context.painter;
    for (const bool whole : {true, false}) {
        if (!whole)
            badge.rest.clear();
        const double width = badgeWidth(badge, whole && context.level == Level::Close) * scale;
        for (const double side : {-1.0, 1.0}) {
            const double edge = side < 0 ? rect.left() : rect.right();
            const QPointF centre(edge + side * (kGap * scale + width / 2), rect.center().y());
            const QRectF area(centre.x() - width / 2, centre.y() - 8 * scale, width, 16 * scale);
            const QPointF low = context.camera.toScene(area.topLeft(), context.view);
            const QPointF high = context.camera.toScene(area.bottomRight(), context.view);
            if (!context.picture.nodesIn(QRectF(low, high).adjusted(-3, 0, 3, 0)).empty() ||
                !context.picture.edgesIn(QRectF(low, high)).empty() ||
                std::ranges::any_of(taken, [&](const QRectF& r) { return r.intersects(area); }))
                continue;
            taken.push_back(area);
            const QColor colour = context.colour(look::precisionToken(badge.precision));
            p.setPen(QPen(colour, 1.5));
            p.drawLine(QPointF(centre.x() - side * width / 2, centre.y()),
                       QPointF(edge + side * 6 * scale, centre.y()));
            QPainterPath head;
            head.addPolygon(QPolygonF({{edge, centre.y()},
                                       {edge + side * 7 * scale, centre.y() - 3.5 * scale},
                                       {edge + side * 7 * scale, centre.y() + 3.5 * scale}}));
            p.fillPath(head, colour);
            p.save();
            p.translate(centre);
            p.scale(scale, scale);
            paintBadge(context, badge, {0, 0}, whole && context.level == Level::Close);
            p.restore();
            return;
        }
    }
}

} // namespace

double badgeWidth(const SceneBadge& badge, bool withShape)
{
    const QString text = badgeText(badge, withShape);
    const double rest = text.isEmpty() ? 0 : badgeMetrics(false).horizontalAdvance(text) + 8;
    return badgeMetrics(true).horizontalAdvance(badge.cell) + 8 + rest;
}

void paintBadge(const PaintContext& context, const SceneBadge& badge, QPointF centre, bool withShape)
{
    QPainter& p = context.painter;
    const QString text = badgeText(badge, withShape);
    const double cell = badgeMetrics(true).horizontalAdvance(badge.cell) + 8;
    const double width = badgeWidth(badge, withShape);
    const QRectF rect(centre.x() - width / 2, centre.y() - 8, width, 16);
    const bool isFilled = badge.style == BadgeStyle::Stored || (badge.style == BadgeStyle::Plain && context.state.lens);
    const bool isNeutral = badge.style == BadgeStyle::Plain && !context.state.lens;
    const QColor colour = context.colour(isNeutral ? Token::NodeLine : look::precisionToken(badge.precision));
    QPainterPath outline;
    outline.addRoundedRect(rect, 3, 3);
    p.fillPath(outline, context.colour(Token::Node));
    if (isFilled) {
        QPainterPath left;
        left.addRect(rect.left(), rect.top(), cell, rect.height());
        p.fillPath(text.isEmpty() ? outline : outline.intersected(left), colour);
    } else if (!text.isEmpty()) {
        p.setPen(QPen(colour, 1));
        p.drawLine(QPointF(rect.left() + cell, rect.top()), QPointF(rect.left() + cell, rect.bottom()));
    }
    p.setPen(QPen(colour, 1));
    p.setBrush(Qt::NoBrush);
    p.drawPath(outline);
    p.setFont(badgeFont(true));
    p.setPen(isFilled ? context.theme.textOn(colour) : isNeutral ? context.colour(Token::Text) : colour);
    p.drawText(QPointF(rect.left() + 4, centre.y() + 3.5), badge.cell);
    p.setFont(badgeFont(false));
    p.setPen(context.colour(Token::Text));
    p.drawText(QPointF(rect.left() + cell + 4, centre.y() + 3.5), text);
}

void paintEdges(const PaintContext& context, const std::vector<std::uint32_t>& edges)
{
    if (context.level == Level::Middle) {
        paintPolylines(context, edges);
        return;
    }
    for (std::uint32_t e : edges)
        paintEdge(context, e);
}

void paintBadges(const PaintContext& context, const std::vector<std::uint32_t>& edges,
                 const std::vector<std::uint32_t>& nodes)
{
    if (context.level != Level::Near && context.level != Level::Close)
        return;
    std::vector<QRectF> taken;
    const auto free = [&](const QRectF& area) {
        return std::ranges::none_of(taken, [&](const QRectF& r) { return r.intersects(area); });
    };
    for (std::uint32_t n : nodes) {
        const SceneNode& node = context.picture.scene().nodes[n];
        const QRectF rect = context.mapBox(context.picture.rect(n));
        taken.push_back(rect);
        if (node.weight)
            paintWeight(context, node, rect, taken);
    }
    for (std::uint32_t e : edges) {
        const SceneEdge& edge = context.picture.scene().edges[e];
        if (!context.picture.carriesBadge(e))
            continue;
        if (context.hidden(context.picture.scene().nodes[edge.from]))
            continue; // its own badge says the same
        const auto& points = context.picture.layout().paths[e].points;
        const double gap = std::min(points.back().y - points.front().y, 30.0);
        const QPointF centre = context.map(layout::Point{points.front().x, points.front().y + gap / 2 - 1});
        const QRectF area = badgeRect(context, *edge.badge, centre);
        if (!free(area.adjusted(1, 1, -1, -1)))
            continue;
        taken.push_back(area);
        paintScaledBadge(context, *edge.badge, centre);
    }
}

void paintChips(const PaintContext& context)
{
    const layout::LayoutResult& layout = context.picture.layout();
    const Scene& scene = context.picture.scene();
    QPainter& p = context.painter;
    if (context.level == Level::Far)
        return;
    for (std::size_t c = 0; c < layout.chips.size(); ++c) {
        const layout::StubChip& chip = layout.chips[c];
        const QRectF area(chip.rect.left, chip.rect.top, chip.rect.width(), chip.rect.height());
        const QRectF rect = context.mapBox(area);
        if (!rect.adjusted(-60, -60, 60, 60).intersects(QRectF(QPointF(), context.view)))
            continue;
        const SceneEdge& edge = scene.edges[chip.edges.front()];
        const QColor colour = edgePen(context, edge).color();
        const int hovered = context.state.hoveredChip;
        const bool isLit =
            hovered >= 0 && std::ranges::any_of(layout.chips[static_cast<std::size_t>(hovered)].edges, [&](auto e) {
                return std::ranges::find(chip.edges, e) != chip.edges.end();
            });
        p.setPen(QPen(isLit ? context.colour(Token::Accent) : colour, isLit ? 2 : 1.25));
        p.setBrush(Qt::NoBrush);
        const QPointF anchor = context.map(chip.anchor);
        QPainterPath line(anchor);
        if (chip.atSource) {
            const QPointF end(rect.left(), rect.center().y());
            const double bend = anchor.x() + std::min(8.0, std::max(0.0, end.x() - anchor.x()) / 2) * context.zoom();
            line.cubicTo({bend, anchor.y()}, {bend, end.y()}, end);
        } else {
            const QPointF start(rect.center().x(), rect.bottom());
            line = QPainterPath(start);
            const double reach = std::min(18 * context.zoom(), 0.55 * std::abs(anchor.y() - start.y()));
            line.cubicTo({start.x(), start.y() + reach}, {anchor.x(), anchor.y() - reach}, anchor);
        }
        p.drawPath(line);
        if (!chip.atSource)
            paintHead(context, anchor, colour, 7, std::clamp(context.zoom(), 0.7, 1.65));
        p.setBrush(context.colour(isLit ? Token::Hover : Token::Node));
        p.drawPath(look::pentagon(rect));
        if (context.level == Level::Middle)
            continue;
        const SceneNode& other = scene.nodes[chip.atSource ? edge.to : edge.from];
        QString text = other.shortName.isEmpty() ? other.op : other.shortName;
        if (chip.edges.size() > 1)
            text = QString("+ %1 more").arg(chip.edges.size());
        p.save();
        p.translate(rect.left(), rect.center().y());
        const double scale = rect.height() / 16;
        p.scale(scale, scale);
        p.setFont(badgeFont(false));
        p.setPen(context.colour(Token::Text));
        const double room = rect.width() / scale - 16;
        p.drawText(QPointF(5, 3.5), badgeMetrics(false).elidedText(text, Qt::ElideMiddle, room));
        p.restore();
    }
}

} // namespace crease
