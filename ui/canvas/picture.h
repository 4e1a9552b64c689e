// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/scene.h"
#include "ui/layout/layout.h"
#include "ui/layout/rect_index.h"

#include <QRectF>

#include <memory>
#include <unordered_map>

namespace crease {

/// A node of the stage before that is gone, drawn dashed where it stood.
struct Ghost {
    std::uint64_t id = 0;
    QString op;
    QString name;
    SceneClass look = SceneClass::Movement;
    QRectF rect;
};

/// A scene with the place of everything in it. Immutable once made, shared between the panes and threads.
class Picture {
public:
    Picture(Scene scene, layout::LayoutPtr layout, std::vector<Ghost> ghosts = {});

    const Scene& scene() const { return m_scene; }
    const layout::LayoutResult& layout() const { return *m_layout; }
    const layout::LayoutPtr& layoutPtr() const { return m_layout; }
    const std::vector<Ghost>& ghosts() const { return m_ghosts; }
    QRectF bounds() const;
    QRectF rect(std::uint32_t node) const;

    /// Index of the node with this id, or nothing.
    std::optional<std::uint32_t> find(std::uint64_t id) const;
    /// Indices of what touches an area of the scene, ascending.
    std::vector<std::uint32_t> nodesIn(const QRectF& area) const;
    std::vector<std::uint32_t> edgesIn(const QRectF& area) const;
    std::vector<std::uint32_t> edgesOf(std::uint32_t node) const;
    const std::vector<std::uint32_t>& inputsOf(std::uint32_t node) const { return m_in[node]; }
    const std::vector<std::uint32_t>& outputsOf(std::uint32_t node) const { return m_out[node]; }
    /// The short name, cut in the middle to what fits into the box.
    const QString& label(std::uint32_t node) const { return m_labels[node]; }
    /// Of the edges of one tensor, the one that carries its badge.
    bool carriesBadge(std::uint32_t edge) const { return m_badgeEdge[edge]; }
    bool hasDiff() const { return m_hasDiff; }

private:
    void chooseBadges();
    void cutLabels();

    Scene m_scene;
    layout::LayoutPtr m_layout;
    std::vector<Ghost> m_ghosts;
    std::unordered_map<std::uint64_t, std::uint32_t> m_byId;
    std::vector<std::vector<std::uint32_t>> m_in, m_out;
    std::vector<QString> m_labels;
    std::vector<bool> m_badgeEdge;
    layout::RectIndex m_nodeIndex{512};
    layout::RectIndex m_edgeIndex{512};
    bool m_hasDiff = false;
};

using PicturePtr = std::shared_ptr<const Picture>;

/// The boxes and edges that the layout needs, sized by the text in them.
layout::Graph layoutInput(const Scene& scene);

/// Lays a scene out from nothing; null when stopped.
PicturePtr makePicture(Scene scene, const layout::Options& options = {});

/// Lays a scene out on top of the picture of the stage before. Untouched nodes keep their place; what is gone and not
/// covered leaves a ghost; new nodes stand where their ancestors stood.
PicturePtr makeNextPicture(const Picture& before, Scene scene, std::span<const layout::Origin> origins,
                           const layout::Options& options = {});

} // namespace crease
