// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/camera.h"
#include "ui/canvas/paint_context.h"

#include <QPixmap>
#include <QWidget>

namespace crease {

/// One pane: a head, the picture of a stage under a camera, legend and minimap. Ids are those of SceneNode::id.
class CanvasView : public QWidget {
    Q_OBJECT

public:
    static constexpr int kHeadHeight = 26;
    enum class Direction { Up, Down, Left, Right };

    /// The camera is shared between panes and must outlive the view.
    explicit CanvasView(Camera& camera, QWidget* parent = nullptr);

    void setPicture(PicturePtr picture);
    const PicturePtr& picture() const { return m_picture; }
    void setTheme(const Theme& theme);
    /// Stage in semibold, what it is in text-2, and something at the right end.
    void setHead(const QString& stage, const QString& text, const QString& right);
    void setEmptyText(const QString& sentence, const QString& hint);

    const ViewState& state() const { return m_state; }
    void setLens(bool on, bool showsNodes);
    void setColourBy(ColourBy by);
    void setFigures(std::shared_ptr<const std::unordered_map<std::uint64_t, SceneFigures>> figures);
    /// The mark of panes that move together.
    void setLinked(bool linked);
    void setDiffVisible(bool visible);
    void setActiveSite(int site);
    void setCounterparts(std::set<std::uint64_t> ids, bool isNone);
    void select(std::optional<std::uint64_t> id);
    void setHoveredFromOutside(std::optional<std::uint64_t> id);
    void setLegendVisible(bool visible);
    void setMinimapVisible(bool visible);

    QSizeF canvasSize() const { return {static_cast<double>(width()), static_cast<double>(height() - kHeadHeight)}; }
    std::optional<std::uint64_t> nodeAt(QPointF position) const;
    /// Index of the chip of a long edge, or -1.
    int chipAt(QPointF position) const;
    int siteAt(QPointF position) const;
    /// What the tooltip says at a position; empty over nothing.
    QString toolTipAt(QPointF position) const;

    void fit();
    void zoomStep(int steps);
    void actualSize();
    void centreOn(std::uint64_t id);
    void walk(Direction direction);

signals:
    void hovered(quint64 id);
    void hoverEnded();
    void selected(quint64 id);
    void selectionCleared();
    void activated(quint64 id);
    void siteClicked(int site);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    QPointF onCanvas(QPointF position) const { return position - QPointF(0, kHeadHeight); }
    QPointF sceneAt(QPointF position) const { return m_camera->view().toScene(onCanvas(position), canvasSize()); }
    void paintHead(QPainter& painter);
    void paintEmpty(QPainter& painter);
    void paintOverlays(QPainter& painter);
    void paintMinimap(QPainter& painter);
    void stateChanged();
    PaintContext context(QPainter& painter) const;
    QRectF minimapRect() const;
    bool showsMinimap() const;
    void panMinimap(QPointF position);
    void jumpAlong(int chip);
    void updateHover(QPointF position);

    Camera* m_camera;
    const Theme* m_theme = &Theme::light();
    PicturePtr m_picture;
    ViewState m_state;
    QString m_stage, m_text, m_right, m_emptySentence, m_emptyHint;
    bool m_legend = true;
    bool m_minimap = true;
    bool m_noCounterpart = false;
    bool m_linked = false;
    enum class Drag { None, Pan, Minimap } m_drag = Drag::None;
    QPointF m_pressed, m_last;
    bool m_moved = false;
    std::size_t m_nextJump = 0;
    std::shared_ptr<const Fold> m_mapFold;
    QPixmap m_map, m_legendMap;
    std::optional<QSizeF> m_legendSize; // once measured
};

} // namespace crease
