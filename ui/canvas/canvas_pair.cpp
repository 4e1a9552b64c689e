// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/canvas_pair.h"

#include <QHBoxLayout>

namespace crease {

CanvasPair::CanvasPair(QWidget* parent)
    : QWidget(parent), m_splitter(new QSplitter(Qt::Horizontal, this)), m_before(new CanvasView(m_camera, m_splitter)),
      m_after(new CanvasView(m_camera, m_splitter))
{
    auto* box = new QHBoxLayout(this);
    box->setContentsMargins(0, 0, 0, 0);
    box->addWidget(m_splitter);
    m_splitter->setHandleWidth(1);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->addWidget(m_before);
    m_splitter->addWidget(m_after);
    m_splitter->setSizes({1000, 1000});
    setFocusProxy(m_after);
    connectPane(*m_before, *m_after, Pane::Before);
    connectPane(*m_after, *m_before, Pane::After);
    showMode();
}

void CanvasPair::connectPane(CanvasView& view, CanvasView& other, Pane pane)
{
    connect(&view, &CanvasView::hovered, this, [this, &view, &other, pane](quint64 id) {
        const Counterparts& map = pane == Pane::Before ? m_toAfter : m_toBefore;
        if (map) {
            const auto ids = map(id);
            other.setCounterparts({ids.begin(), ids.end()}, false);
            view.setCounterparts({}, ids.empty() && m_mode == CanvasMode::SideBySide);
        }
        emit hovered(pane, id);
    });
    connect(&view, &CanvasView::hoverEnded, this, [this, &other] {
        other.setCounterparts({}, false);
        emit hoverEnded();
    });
    connect(&view, &CanvasView::selected, this, [this, &other, pane](quint64 id) {
        other.select(std::nullopt);
        emit selected(pane, id);
    });
    connect(&view, &CanvasView::selectionCleared, this, [this, &other] {
        other.select(std::nullopt);
        emit selectionCleared();
    });
    connect(&view, &CanvasView::activated, this, [this, pane](quint64 id) { emit activated(pane, id); });
    connect(&view, &CanvasView::siteClicked, this, &CanvasPair::siteClicked);
}

void CanvasPair::setPictures(PicturePtr before, PicturePtr after, Counterparts toAfter, Counterparts toBefore)
{
    m_toAfter = std::move(toAfter);
    m_toBefore = std::move(toBefore);
    m_before->setCounterparts({}, false);
    m_after->setCounterparts({}, false);
    m_before->setPicture(std::move(before));
    m_after->setPicture(std::move(after));
    showMode();
    fitPending();
}

void CanvasPair::clear()
{
    m_before->setPicture(nullptr);
    m_after->setPicture(nullptr);
    m_toAfter = nullptr;
    m_toBefore = nullptr;
    m_fitPending = true;
    showMode();
}

void CanvasPair::setMode(CanvasMode mode)
{
    if (mode == m_mode)
        return;
    m_mode = mode;
    showMode();
}

void CanvasPair::showMode()
{
    const bool isPair = m_mode == CanvasMode::SideBySide && m_before->picture();
    m_before->setVisible(isPair);
    m_after->setDiffVisible(m_mode != CanvasMode::Single);
    m_before->setLegendVisible(m_legend);
    m_after->setLegendVisible(m_legend && !isPair);
    m_after->setLinked(isPair);
    m_before->setMinimapVisible(false);
    m_after->setMinimapVisible(m_minimap);
}

void CanvasPair::setTheme(const Theme& theme)
{
    m_before->setTheme(theme);
    m_after->setTheme(theme);
    m_splitter->setStyleSheet(QString("QSplitter::handle { background: %1; }").arg(theme[Token::Line].name()));
}

void CanvasPair::setLens(bool on, bool showsNodes)
{
    m_before->setLens(on, showsNodes);
    m_after->setLens(on, showsNodes);
}

void CanvasPair::setColourBy(ColourBy by)
{
    m_before->setColourBy(by);
    m_after->setColourBy(by);
}

void CanvasPair::setFigures(Pane pane, std::shared_ptr<const std::unordered_map<std::uint64_t, SceneFigures>> figures)
{
    (pane == Pane::Before ? m_before : m_after)->setFigures(std::move(figures));
}

void CanvasPair::setActiveSite(int site)
{
    m_before->setActiveSite(site);
}

void CanvasPair::setLegendVisible(bool visible)
{
    m_legend = visible;
    showMode();
}

void CanvasPair::setMinimapVisible(bool visible)
{
    m_minimap = visible;
    showMode();
}

void CanvasPair::setReducedMotion(bool reduced)
{
    m_camera.setAnimated(!reduced);
}

void CanvasPair::fit()
{
    current().fit();
}

void CanvasPair::zoomStep(int steps)
{
    current().zoomStep(steps);
}

void CanvasPair::actualSize()
{
    m_camera.setZoom(1);
}

void CanvasPair::select(Pane pane, std::optional<std::uint64_t> id)
{
    (pane == Pane::Before ? m_before : m_after)->select(id);
    (pane == Pane::Before ? m_after : m_before)->select(std::nullopt);
}

void CanvasPair::reveal(Pane pane, std::uint64_t id)
{
    (pane == Pane::Before ? m_before : m_after)->centreOn(id);
}

CanvasPair::Pane CanvasPair::currentPane() const
{
    return m_before->isVisible() && m_before->hasFocus() ? Pane::Before : Pane::After;
}

CanvasView& CanvasPair::current()
{
    return currentPane() == Pane::Before ? *m_before : *m_after;
}

void CanvasPair::fitPending()
{
    if (!m_fitPending || !isVisible() || !m_before->picture() || m_before->picture()->scene().nodes.empty() ||
        m_after->canvasSize().height() < 100)
        return;
    m_fitPending = false;
    // A picture whose names could not be read is opened at its beginning instead.
    constexpr double kReadable = 24 / look::kNodeHeight;
    const Picture& picture = *m_before->picture();
    const QRectF bounds = picture.bounds();
    const QSizeF view = m_after->canvasSize();
    const bool wasAnimated = m_camera.isAnimated();
    m_camera.setAnimated(false);
    m_camera.fit(picture, view);
    m_camera.setAnimated(wasAnimated);
    if (m_camera.zoom() >= kReadable)
        return;
    const double middle = picture.rect(0).center().x();
    QRectF top = picture.rect(0);
    for (std::uint32_t n : picture.nodesIn({bounds.left(), bounds.top(), bounds.width(), view.height()}))
        top = top.united(picture.rect(n));
    const double x = top.width() <= view.width() ? top.center().x() : middle;
    m_camera.setView({{x, bounds.top() + view.height() / 2 - 24}, 1, nullptr});
}

void CanvasPair::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    fitPending();
}

void CanvasPair::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitPending();
}

} // namespace crease
