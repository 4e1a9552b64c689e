// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/canvas_view.h"

#include <QSplitter>

#include <functional>

namespace crease {

enum class CanvasMode : std::uint8_t { SideBySide, Overlay, Single };

/// The two panes: before and after under one camera. Hovering a node lights its counterparts in the other pane.
class CanvasPair : public QWidget {
    Q_OBJECT

public:
    using Counterparts = std::function<std::vector<std::uint64_t>(std::uint64_t)>;
    enum class Pane : std::uint8_t { Before, After };

    explicit CanvasPair(QWidget* parent = nullptr);

    CanvasView& before() { return *m_before; }
    CanvasView& after() { return *m_after; }
    Camera& camera() { return m_camera; }

    /// `toAfter` and `toBefore` give the descendants and ancestors of a node. The camera stays where it is, but for the
    /// first picture, which is fitted.
    void setPictures(PicturePtr before, PicturePtr after, Counterparts toAfter, Counterparts toBefore);
    void clear();
    void setMode(CanvasMode mode);
    CanvasMode mode() const { return m_mode; }
    void setTheme(const Theme& theme);
    void setLens(bool on, bool showsNodes);
    void setColourBy(ColourBy by);
    void setFigures(Pane pane, std::shared_ptr<const std::unordered_map<std::uint64_t, SceneFigures>> figures);
    void setActiveSite(int site);
    void setLegendVisible(bool visible);
    void setMinimapVisible(bool visible);
    void setReducedMotion(bool reduced);
    void fit();
    void zoomStep(int steps);
    void actualSize();
    /// Selects in that pane and the counterparts in the other one are lit while it is hovered.
    void select(Pane pane, std::optional<std::uint64_t> id);
    void reveal(Pane pane, std::uint64_t id);
    /// The pane that the keyboard speaks to.
    CanvasView& current();
    Pane currentPane() const;

signals:
    void hovered(crease::CanvasPair::Pane pane, quint64 id);
    void hoverEnded();
    void selected(crease::CanvasPair::Pane pane, quint64 id);
    void selectionCleared();
    void activated(crease::CanvasPair::Pane pane, quint64 id);
    void siteClicked(int site);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void connectPane(CanvasView& view, CanvasView& other, Pane pane);
    void showMode();
    void fitPending();

    Camera m_camera;
    QSplitter* m_splitter;
    CanvasView* m_before;
    CanvasView* m_after;
    Counterparts m_toAfter, m_toBefore;
    CanvasMode m_mode = CanvasMode::SideBySide;
    bool m_legend = true;
    bool m_minimap = true;
    bool m_fitPending = true;
};

} // namespace crease
