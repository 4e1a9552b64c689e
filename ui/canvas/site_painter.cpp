// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/paint_context.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace crease {

namespace {

using look::Level;

constexpr double kHalo = 6;

QRectF halo(const PaintContext& context, std::uint32_t node)
{
    const double out = kHalo * std::clamp(context.zoom(), 0.5, 1.65);
    return context.mapBox(context.picture.rect(node)).adjusted(-out, -out, out, out);
}

/// 45° lines inside a rectangle, as lines: clip paths and pattern brushes are lost in SVG.
std::vector<QLineF> hatch(const QRectF& r, double step)
{
    std::vector<QLineF> lines;
    for (double c = r.left() + r.top() + step; c < r.right() + r.bottom(); c += step) {
        // x + y = c
        const double left = std::max(r.left(), c - r.bottom());
        const double right = std::min(r.right(), c - r.top());
        if (left < right)
            lines.emplace_back(left, c - left, right, c - right);
    }
    return lines;
}

void paintHalo(const PaintContext& context, const QRectF& rect, bool isActive)
{
    QPainterPath outline;
    outline.addRoundedRect(rect, 6, 6);
    if (isActive) {
        QColor fill = context.colour(Token::Site);
        fill.setAlphaF(0.10f);
        context.painter.fillPath(outline, fill);
    }
    context.painter.setBrush(Qt::NoBrush);
    context.painter.setPen(QPen(context.colour(Token::Site), isActive ? 1.5 : 1));
    context.painter.drawPath(outline);
}

void paintNearMiss(const PaintContext& context, const QRectF& rect)
{
    QPainter& p = context.painter;
    const auto lines = hatch(rect.adjusted(1, 1, -1, -1), 6 * std::sqrt(2.0));
    p.setPen(QPen(context.colour(Token::Hatch), 1.5));
    p.drawLines(lines.data(), static_cast<int>(lines.size()));
    p.setPen(look::dashed(context.colour(Token::Hatch), 1.25, {5, 3}));
    p.setBrush(Qt::NoBrush);
    p.drawRoundedRect(rect, 6, 6);
}

void paintTag(const PaintContext& context, const QRectF& node, const QString& text, bool isMiss)
{
    QPainter& p = context.painter;
    const double scale = std::clamp(context.zoom(), 0.7, 1.65);
    const QFont font = uiFont(10, QFont::DemiBold);
    const double width = QFontMetricsF(font).horizontalAdvance(text) + 10;
    p.save();
    if (isMiss)
        p.translate(node.left(), node.bottom() - 2 * scale);
    else
        p.translate(node.right() - (8 + width) * scale, node.bottom() - 1 * scale);
    p.scale(scale, scale);
    const QRectF tag(0, 0, width, 14);
    QPainterPath outline;
    outline.addRoundedRect(tag, 2, 2);
    p.fillPath(outline, context.colour(isMiss ? Token::Node : Token::Site));
    if (isMiss) {
        p.setPen(QPen(context.colour(Token::Hatch), 1));
        p.drawPath(outline);
    }
    p.setFont(font);
    p.setPen(context.colour(isMiss ? Token::Text : Token::OnSite));
    p.drawText(QPointF(5, 10.5), text);
    p.restore();
}

template <class Visit>
void eachSite(const PaintContext& context, Visit&& visit)
{
    const auto& sites = context.picture.scene().sites;
    if (!context.state.showSites || context.level == Level::Far)
        return;
    const QRectF view(QPointF(), context.view);
    for (std::size_t s = 0; s < sites.size(); ++s) {
        for (const SceneRole& member : sites[s].members) {
            if (halo(context, member.node).intersects(view))
                visit(sites[s], static_cast<int>(s) == context.state.activeSite, member);
        }
    }
}

} // namespace

void paintSitesBelow(const PaintContext& context)
{
    eachSite(context, [&](const SceneSite& site, bool isActive, const SceneRole& member) {
        if (site.nearMiss)
            paintNearMiss(context, halo(context, member.node));
        else
            paintHalo(context, halo(context, member.node), isActive);
    });
}

void paintSitesAbove(const PaintContext& context)
{
    if (context.level == Level::Middle)
        return;
    eachSite(context, [&](const SceneSite& site, bool isActive, const SceneRole& member) {
        const QRectF node = context.mapBox(context.picture.rect(member.node));
        if (site.nearMiss) {
            if (member.node == site.members.back().node)
                paintTag(context, node, QStringLiteral("near-miss"), true);
        } else if (isActive && !member.role.isEmpty()) {
            paintTag(context, node, member.role, false);
        }
    });
}

void paintBrackets(const PaintContext& context)
{
    constexpr double kArm = 8;
    constexpr double kOut = 5;
    std::set<std::uint64_t> ids = context.state.counterparts;
    if (context.state.hovered)
        ids.insert(*context.state.hovered);
    QPainter& p = context.painter;
    p.setPen(QPen(context.colour(Token::Accent), 2.5, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    p.setBrush(Qt::NoBrush);
    for (std::uint64_t id : ids) {
        QRectF rect;
        if (const auto node = context.picture.find(id)) {
            rect = context.picture.rect(*node);
        } else {
            const auto ghost = std::ranges::find(context.picture.ghosts(), id, &Ghost::id);
            if (ghost == context.picture.ghosts().end())
                continue;
            rect = ghost->rect;
        }
        const QRectF r = context.mapBox(rect).adjusted(-kOut, -kOut, kOut, kOut);
        const double arm = std::min(kArm, r.height() / 3);
        for (const auto& [corner, sx, sy] :
             {std::tuple(r.topLeft(), 1.0, 1.0), std::tuple(r.topRight(), -1.0, 1.0),
              std::tuple(r.bottomLeft(), 1.0, -1.0), std::tuple(r.bottomRight(), -1.0, -1.0)})
            p.drawPolyline(
                QPolygonF({{corner.x() + sx * arm, corner.y()}, corner, {corner.x(), corner.y() + sy * arm}}));
    }
}

} // namespace crease
