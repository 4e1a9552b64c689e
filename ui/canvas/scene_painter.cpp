// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/paint_context.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace crease {

namespace {

using look::Level;

double blockShare(const SceneNode& node)
{
    if (node.kind != SceneNode::Kind::Op)
        return 0.5;
    return node.look == SceneClass::Elementwise ? 0.5 : node.look == SceneClass::Movement ? 5.0 / 6 : 1.0;
}

QColor blockColour(const PaintContext& context, const SceneNode& node)
{
    if (!context.picture.hasDiff() || !context.state.showDiff)
        return context.colour(node);
    return context.diff(node) == Diff::Same ? context.colour(Token::Quiet)
                                            : context.colour(look::diffToken(context.diff(node)));
}

QRect block(const PaintContext& context, const QRectF& scene, double share, bool isDiff)
{
    const QPointF centre = context.map(scene.center());
    const double height = std::max(scene.height() * context.zoom(), isDiff ? 3.0 : 1.0);
    const double width = std::max(scene.width() * context.zoom() * share, isDiff ? 3.0 : 1.0);
    return {static_cast<int>(std::lround(centre.x() - width / 2)),
            static_cast<int>(std::lround(centre.y() - height / 2)), static_cast<int>(std::ceil(width)),
            static_cast<int>(std::ceil(height))};
}

void paintBands(const PaintContext& context)
{
    const auto& fold = context.camera.fold;
    if (!fold)
        return;
    QPainter& p = context.painter;
    const QFont plain = uiFont(11);
    const QFont bold = uiFont(11, QFont::DemiBold);
    const auto screen = [&](double x, double y) { return context.camera.foldedToScreen({x, y}, context.view); };
    int column = -1;
    QPointF corner;
    double room = 0;
    for (const Fold::Slice& slice : fold->slices()) {
        const bool isHead = slice.column != column;
        if (isHead) {
            column = slice.column;
            const QRectF area = fold->column(column).adjusted(-12, -8, 12, 8);
            corner = screen(area.left(), area.top());
            room = area.width() * context.zoom();
            p.fillRect(QRectF(corner, screen(area.right(), area.bottom())), context.colour(Token::Band));
        }
        if (slice.section < 0 || (!isHead && !slice.startsSection) ||
            static_cast<std::size_t>(slice.section) >= fold->sections().size())
            continue;
        const QString& name = fold->sections()[static_cast<std::size_t>(slice.section)];
        const bool starts = slice.startsSection;
        const QFontMetricsF metrics(starts ? bold : plain);
        if (metrics.horizontalAdvance(name) > room)
            continue;
        const QPointF at(corner.x(), screen(0, slice.top + slice.dy).y());
        if (!isHead) {
            const double gap = 96 * context.zoom();
            if (gap < 14)
                continue;
            p.fillRect(QRectF(at.x(), at.y() - gap + 2, room, gap - 4), context.colour(Token::Canvas));
        }
        p.setFont(starts ? bold : plain);
        p.setPen(context.colour(starts ? Token::Text : Token::Text2));
        p.drawText(QPointF(at.x() + 2, at.y() - (isHead ? 12 : 5)), name);
    }
}

QRectF sceneView(const PaintContext& context)
{
    const double margin = 120;
    return QRectF(context.camera.toScene({0, 0}, context.view),
                  context.camera.toScene({context.view.width(), context.view.height()}, context.view))
        .adjusted(-margin, -margin, margin, margin);
}

} // namespace

QColor nodeColour(const SceneNode& node, const ViewState& state, const Theme& theme)
{
    constexpr double kWorstSteps = 2;
    constexpr double kWorstShare = 0.05;
    switch (state.colourBy) {
    case ColourBy::OpClass:
        return theme[look::classToken(node.look)];
    case ColourBy::Precision:
        return theme[look::precisionToken(node.precision)];
    case ColourBy::Error:
    case ColourBy::Saturation:
        break;
    }
    SceneFigures figures;
    if (state.figures) {
        if (const auto known = state.figures->find(node.id); known != state.figures->end())
            figures = known->second;
    }
    return state.colourBy == ColourBy::Error ? look::heatColour(figures.error, kWorstSteps, theme)
                                             : look::heatColour(figures.saturation, kWorstShare, theme);
}

/// One straight piece of an edge. Between two columns it leaves the one at the bottom and enters the other at the top.
void addFarPiece(const PaintContext& context, layout::Point a, layout::Point b, std::vector<QLineF>& lines)
{
    const QPointF from = context.map(a);
    const QPointF to = context.map(b);
    const auto& fold = context.camera.fold;
    const int first = fold ? fold->columnOf(a.y) : 0;
    const int last = fold ? fold->columnOf(b.y) : 0;
    if (first == last) {
        if (to.y() >= from.y() - 1)
            lines.emplace_back(from, to);
        return;
    }
    if (first > last)
        return;
    const double end = context.camera.foldedToScreen({0, fold->column(first).bottom()}, context.view).y();
    const double start = context.camera.foldedToScreen({0, fold->column(last).top()}, context.view).y();
    lines.emplace_back(from, QPointF(from.x(), std::max(from.y(), end)));
    lines.emplace_back(QPointF(to.x(), std::min(to.y(), start)), to);
}

void paintFar(const PaintContext& context, const std::vector<std::uint32_t>& nodes,
              const std::vector<std::uint32_t>& edges)
{
    QPainter& p = context.painter;
    const Scene& scene = context.picture.scene();
    const double height = look::kNodeHeight * context.zoom();
    paintBands(context);
    p.setRenderHint(QPainter::Antialiasing, false);
    if (height >= 8) {
        std::vector<QLineF> lines;
        lines.reserve(edges.size());
        for (std::uint32_t e : edges) {
            const auto& points = context.picture.layout().paths[e].points;
            for (std::size_t i = 1; i < points.size(); ++i)
                addFarPiece(context, points[i - 1], points[i], lines);
        }
        p.setPen(QPen(context.colour(Token::Edge), 1));
        p.drawLines(lines.data(), static_cast<int>(lines.size()));
    }
    const QRect view = QRectF(QPointF(), context.view).toAlignedRect();
    std::vector<std::uint32_t> marked;
    for (std::uint32_t n : nodes) {
        const SceneNode& node = scene.nodes[n];
        if (context.diff(node) != Diff::Same) {
            marked.push_back(n);
            continue;
        }
        const QRect r = block(context, context.picture.rect(n), blockShare(node), false);
        if (r.intersects(view))
            p.fillRect(r, blockColour(context, node));
    }
    if (height >= 8) {
        p.setPen(QPen(context.colour(Token::NodeLine), 1));
        p.setBrush(Qt::NoBrush);
        for (std::uint32_t n : nodes) {
            const QRect r = block(context, context.picture.rect(n), blockShare(scene.nodes[n]), false);
            if (r.intersects(view))
                p.drawRect(r.adjusted(0, 0, -1, -1));
        }
    }
    p.setBrush(Qt::NoBrush);
    if (context.state.showDiff) {
        for (const Ghost& ghost : context.picture.ghosts()) {
            const QRect r = block(context, ghost.rect, 1, true);
            if (!r.intersects(view))
                continue;
            p.setPen(look::dashed(context.colour(Token::Removed), 1, {2, 2}));
            p.drawRect(r.adjusted(0, 0, -1, -1));
        }
    }
    for (std::uint32_t n : marked) {
        const SceneNode& node = scene.nodes[n];
        const QRect r = block(context, context.picture.rect(n), blockShare(node), true);
        if (!r.intersects(view))
            continue;
        const QColor colour = blockColour(context, node);
        if (context.diff(node) == Diff::Removed) {
            p.setPen(QPen(colour, 1));
            p.drawRect(r.adjusted(0, 0, -1, -1));
            continue;
        }
        p.fillRect(r, colour);
        if (context.diff(node) == Diff::Changed && height >= 6)
            p.fillRect(QRect(r.left(), r.center().y(), r.width(), 1), context.colour(Token::Canvas));
    }
    p.setRenderHint(QPainter::Antialiasing, true);
    for (const auto& id : {context.state.selected, context.state.hovered}) {
        if (!id)
            continue;
        if (const auto node = context.picture.find(*id)) {
            p.setPen(QPen(context.colour(Token::Accent), 2));
            p.drawRect(block(context, context.picture.rect(*node), 1, true).adjusted(-3, -3, 3, 3));
        }
    }
}

void paintPicture(PaintContext& context)
{
    context.level = look::levelOf(context.zoom());
    context.painter.setRenderHint(QPainter::Antialiasing, true);
    context.painter.setRenderHint(QPainter::SmoothPixmapTransform, true);
    const Scene& scene = context.picture.scene();
    std::vector<std::uint32_t> nodes;
    std::vector<std::uint32_t> edges;
    const QRectF area = context.camera.fold ? context.picture.bounds() : sceneView(context);
    if (area.contains(context.picture.bounds()) || context.camera.fold) {
        nodes.resize(scene.nodes.size());
        for (std::uint32_t n = 0; n < nodes.size(); ++n)
            nodes[n] = n;
        if (look::kNodeHeight * context.zoom() >= 8) {
            edges.resize(scene.edges.size());
            for (std::uint32_t e = 0; e < edges.size(); ++e)
                edges[e] = e;
        }
    } else {
        nodes = context.picture.nodesIn(area);
        if (look::kNodeHeight * context.zoom() >= 8)
            edges = context.picture.edgesIn(area);
    }
    if (context.level == Level::Far) {
        paintFar(context, nodes, edges);
        paintBrackets(context);
        return;
    }
    paintIslands(context);
    paintEdges(context, edges);
    paintSitesBelow(context);
    if (context.state.showDiff) {
        for (const Ghost& ghost : context.picture.ghosts()) {
            if (ghost.rect.intersects(area))
                paintGhost(context, ghost);
        }
    }
    for (std::uint32_t n : nodes)
        paintNode(context, n);
    paintBadges(context, edges, nodes);
    paintChips(context);
    paintSitesAbove(context);
    paintBrackets(context);
}

} // namespace crease
