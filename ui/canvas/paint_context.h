// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/camera.h"
#include "ui/canvas/look.h"

#include <QPainter>

#include <set>

namespace crease {

/// What a view shows beside the picture itself.
struct ViewState {
    ColourBy colourBy = ColourBy::OpClass;
    bool lens = false;
    bool lensShowsNodes = false; // the second key: quantizers come back as nodes
    bool showDiff = true;        // ghosts, outlines and marks of what the pass did
    bool showSites = true;
    std::optional<std::uint64_t> hovered;
    std::optional<std::uint64_t> selected;
    std::set<std::uint64_t> counterparts; // of what is hovered in the other pane
    int activeSite = -1;
    /// By node id; may be null.
    std::shared_ptr<const std::unordered_map<std::uint64_t, SceneFigures>> figures;
    int hoveredChip = -1;
};

QColor nodeColour(const SceneNode& node, const ViewState& state, const Theme& theme);

/// Everything the painters share while one frame or page is drawn.
struct PaintContext {
    QPainter& painter;
    const Picture& picture;
    const Theme& theme;
    const ViewState& state;
    CameraView camera;
    QSizeF view;
    double pixelRatio = 1;
    bool vector = false; // a picture to be saved: icons as vectors, no snapping to pixels
    look::Level level = look::Level::Near;

    double zoom() const { return camera.zoom; }
    QPointF map(QPointF scene) const { return camera.toScreen(scene, view); }
    QPointF map(const layout::Point& p) const { return camera.toScreen({p.x, p.y}, view); }
    /// A box of the scene on the screen, at whole pixels so that its lines are sharp.
    QRectF mapBox(const QRectF& scene) const
    {
        const QPointF centre = map(scene.center());
        const QSizeF size(scene.width() * zoom(), scene.height() * zoom());
        QPointF corner(centre.x() - size.width() / 2, centre.y() - size.height() / 2);
        // Lines of odd width are sharp in the middle of a pixel.
        if (!vector)
            corner = {(std::floor(corner.x() * pixelRatio) + 0.5) / pixelRatio,
                      (std::floor(corner.y() * pixelRatio) + 0.5) / pixelRatio};
        return {corner, size};
    }
    const QColor& colour(Token token) const { return theme[token]; }
    /// What Colour by makes of a node.
    QColor colour(const SceneNode& node) const { return nodeColour(node, state, theme); }
    void icon(const QString& name, const QRectF& rect, const QColor& colour) const;
    /// What a verification said of a node; null where it said nothing.
    const SceneFigures* figures(const SceneNode& node) const
    {
        if (!state.figures)
            return nullptr;
        const auto known = state.figures->find(node.id);
        return known == state.figures->end() ? nullptr : &known->second;
    }
    Diff diff(const SceneNode& node) const { return state.showDiff ? node.diff : Diff::Same; }
    bool hidden(const SceneNode& node) const { return state.lens && !state.lensShowsNodes && node.lensHides; }
};

/// A badge around a centre, in the units of the painter's transform; its width.
double badgeWidth(const SceneBadge& badge, bool withShape);
void paintBadge(const PaintContext& context, const SceneBadge& badge, QPointF centre, bool withShape);

void paintEdges(const PaintContext& context, const std::vector<std::uint32_t>& edges);
void paintBadges(const PaintContext& context, const std::vector<std::uint32_t>& edges,
                 const std::vector<std::uint32_t>& nodes);
void paintChips(const PaintContext& context);
void paintNode(const PaintContext& context, std::uint32_t node);
void paintGhost(const PaintContext& context, const Ghost& ghost);
void paintIslands(const PaintContext& context);
void paintSitesBelow(const PaintContext& context);
void paintSitesAbove(const PaintContext& context);
void paintBrackets(const PaintContext& context);
void paintFar(const PaintContext& context, const std::vector<std::uint32_t>& nodes,
              const std::vector<std::uint32_t>& edges);

/// All of it: the canvas colour is not filled.
void paintPicture(PaintContext& context);

} // namespace crease
