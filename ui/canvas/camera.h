// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/fold.h"

#include <QObject>
#include <QPropertyAnimation>

namespace crease {

/// What two panes look at together: the point of the scene in the middle of the view, and the zoom. In doubles, since
/// a scene can be millions of pixels tall. `fold` is set while everything is shown in columns; then the centre is a
/// point of the folded drawing.
struct CameraView {
    QPointF centre;
    double zoom = 1;
    std::shared_ptr<const Fold> fold;

    QPointF toScreen(QPointF scene, QSizeF view) const { return foldedToScreen(fold ? fold->map(scene) : scene, view); }
    /// Of a point of the folded drawing.
    QPointF foldedToScreen(QPointF p, QSizeF view) const
    {
        return {(p.x() - centre.x()) * zoom + view.width() / 2, (p.y() - centre.y()) * zoom + view.height() / 2};
    }
    QPointF toScene(QPointF screen, QSizeF view) const
    {
        const QPointF p{(screen.x() - view.width() / 2) / zoom + centre.x(),
                        (screen.y() - view.height() / 2) / zoom + centre.y()};
        return fold ? fold->unmap(p) : p;
    }
};

class Camera : public QObject {
    Q_OBJECT
    Q_PROPERTY(double progress READ progress WRITE setProgress)

public:
    static constexpr double kMinZoom = 0.0003;
    static constexpr double kMaxZoom = 3.5;
    /// Below this height a node is a block (look.md); a fold opens up above it.
    static constexpr double kFarZoom = 12.0 / 34.0;

    explicit Camera(QObject* parent = nullptr);

    const CameraView& view() const { return m_view; }
    double zoom() const { return m_view.zoom; }
    bool isFolded() const { return m_view.fold != nullptr; }

    void pan(QPointF screenDelta);
    /// Keeps the point of the scene under `anchor` where it is.
    void zoomBy(double factor, QPointF anchor, QSizeF view);
    void setZoom(double zoom);
    /// The whole of a picture: in columns where it would be too small otherwise.
    void fit(const Picture& picture, QSizeF view);
    void fitRect(const QRectF& scene, QSizeF view);
    void centreOn(QPointF scene);
    void setView(const CameraView& view);
    bool isAnimated() const { return m_animated; }
    void setAnimated(bool animated) { m_animated = animated; }

signals:
    void changed();

private:
    double progress() const { return m_progress; }
    void setProgress(double progress);
    void moveTo(CameraView target);

    CameraView m_view, m_from, m_to;
    double m_progress = 1;
    bool m_animated = true;
    QPropertyAnimation m_animation;
};

} // namespace crease
