// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/camera.h"

#include <algorithm>
#include <cmath>

namespace crease {

namespace {

constexpr int kMotion = 120;
constexpr double kMargin = 24;

double zoomFor(const QRectF& scene, QSizeF view)
{
    const double width = std::max(1.0, view.width() - 2 * kMargin);
    const double height = std::max(1.0, view.height() - 2 * kMargin);
    return std::min(width / std::max(1.0, scene.width()), height / std::max(1.0, scene.height()));
}

} // namespace

Camera::Camera(QObject* parent) : QObject(parent), m_animation(this, "progress")
{
    m_animation.setDuration(kMotion);
    m_animation.setEasingCurve(QEasingCurve::OutCubic);
    m_animation.setStartValue(0.0);
    m_animation.setEndValue(1.0);
}

void Camera::setView(const CameraView& view)
{
    m_animation.stop();
    m_view = view;
    m_view.zoom = std::clamp(view.zoom, kMinZoom, kMaxZoom);
    emit changed();
}

void Camera::moveTo(CameraView target)
{
    m_animation.stop();
    target.zoom = std::clamp(target.zoom, kMinZoom, kMaxZoom);
    // Between a folded and an unfolded drawing there is no way to move along.
    if (!m_animated || target.fold != m_view.fold) {
        m_view = target;
        emit changed();
        return;
    }
    m_from = m_view;
    m_to = target;
    m_animation.start();
}

void Camera::setProgress(double progress)
{
    m_progress = progress;
    m_view.zoom = m_from.zoom * std::pow(m_to.zoom / m_from.zoom, progress);
    m_view.centre = m_from.centre + (m_to.centre - m_from.centre) * progress;
    if (progress >= 1)
        m_view = m_to;
    emit changed();
}

void Camera::pan(QPointF screenDelta)
{
    m_animation.stop();
    m_view.centre -= screenDelta / m_view.zoom;
    emit changed();
}

void Camera::zoomBy(double factor, QPointF anchor, QSizeF view)
{
    m_animation.stop();
    const QPointF kept = m_view.toScene(anchor, view);
    m_view.zoom = std::clamp(m_view.zoom * factor, kMinZoom, kMaxZoom);
    if (m_view.fold && m_view.zoom >= kFarZoom)
        m_view.fold = nullptr;
    const QPointF at = m_view.fold ? m_view.fold->map(kept) : kept;
    m_view.centre = at - (anchor - QPointF(view.width(), view.height()) / 2) / m_view.zoom;
    emit changed();
}

void Camera::setZoom(double zoom)
{
    CameraView target = m_view;
    if (target.fold && zoom >= kFarZoom) {
        target.centre = target.fold->unmap(target.centre);
        target.fold = nullptr;
    }
    target.zoom = zoom;
    moveTo(target);
}

void Camera::fitRect(const QRectF& scene, QSizeF view)
{
    moveTo({scene.center(), std::min(1.0, zoomFor(scene, view)), nullptr});
}

void Camera::fit(const Picture& picture, QSizeF view)
{
    const QRectF bounds = picture.bounds();
    if (zoomFor(bounds, view) >= kFarZoom || picture.scene().nodes.size() < 2) {
        fitRect(bounds, view);
        return;
    }
    const auto fold =
        std::make_shared<const Fold>(picture, QSizeF(view.width() - 2 * kMargin, view.height() - 2 * kMargin));
    const double zoom = std::min(kFarZoom * 0.98, zoomFor(fold->bounds(), view));
    moveTo({fold->bounds().center(), zoom, fold});
}

void Camera::centreOn(QPointF scene)
{
    CameraView target = m_view;
    // What one jumps to is to be read: never land in the far view.
    if (target.zoom < kFarZoom) {
        target.fold = nullptr;
        target.zoom = 1;
    }
    target.centre = target.fold ? target.fold->map(scene) : scene;
    moveTo(target);
}

} // namespace crease
