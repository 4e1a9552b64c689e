// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/canvas_view.h"

#include "ui/canvas/islands.h"
#include "ui/canvas/overlay_painter.h"
#include "ui/support/icons.h"

#include <QFontMetricsF>
#include <QGestureEvent>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace crease {

namespace {

constexpr double kOverlayGap = 10;
constexpr double kDragStart = 4;

} // namespace

CanvasView::CanvasView(Camera& camera, QWidget* parent) : QWidget(parent), m_camera(&camera)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(120, 120);
    setAttribute(Qt::WA_OpaquePaintEvent);
    grabGesture(Qt::PinchGesture);
    connect(m_camera, &Camera::changed, this, qOverload<>(&QWidget::update));
}

void CanvasView::setPicture(PicturePtr picture)
{
    m_picture = std::move(picture);
    m_state.hoveredChip = -1;
    if (m_picture) {
        if (m_state.activeSite >= static_cast<int>(m_picture->scene().sites.size()))
            m_state.activeSite = -1;
        m_mapFold = std::make_shared<const Fold>(*m_picture, kMinimapSize - QSizeF(16, 12));
    }
    stateChanged();
}

void CanvasView::setTheme(const Theme& theme)
{
    m_theme = &theme;
    stateChanged();
}

void CanvasView::stateChanged()
{
    m_map = {};
    m_legendMap = {};
    m_legendSize.reset();
    update();
}

void CanvasView::setHead(const QString& stage, const QString& text, const QString& right)
{
    m_stage = stage;
    m_text = text;
    m_right = right;
    update();
}

void CanvasView::setEmptyText(const QString& sentence, const QString& hint)
{
    m_emptySentence = sentence;
    m_emptyHint = hint;
    update();
}

void CanvasView::setLens(bool on, bool showsNodes)
{
    m_state.lens = on;
    m_state.lensShowsNodes = showsNodes;
    stateChanged();
}

void CanvasView::setColourBy(ColourBy by)
{
    m_state.colourBy = by;
    stateChanged();
}

void CanvasView::setFigures(std::shared_ptr<const std::unordered_map<std::uint64_t, SceneFigures>> figures)
{
    m_state.figures = std::move(figures);
    stateChanged();
}

void CanvasView::setLinked(bool linked)
{
    m_linked = linked;
    update();
}

void CanvasView::setDiffVisible(bool visible)
{
    m_state.showDiff = visible;
    stateChanged();
}

void CanvasView::setActiveSite(int site)
{
    const int count = m_picture ? static_cast<int>(m_picture->scene().sites.size()) : 0;
    m_state.activeSite = site < count ? site : -1;
    stateChanged();
}

void CanvasView::setCounterparts(std::set<std::uint64_t> ids, bool isNone)
{
    m_state.counterparts = std::move(ids);
    m_noCounterpart = isNone;
    update();
}

void CanvasView::select(std::optional<std::uint64_t> id)
{
    m_state.selected = id;
    update();
}

void CanvasView::setHoveredFromOutside(std::optional<std::uint64_t> id)
{
    m_state.hovered = id;
    update();
}

void CanvasView::setLegendVisible(bool visible)
{
    m_legend = visible;
    update();
}

void CanvasView::setMinimapVisible(bool visible)
{
    m_minimap = visible;
    update();
}

std::optional<std::uint64_t> CanvasView::nodeAt(QPointF position) const
{
    if (!m_picture || position.y() < kHeadHeight)
        return std::nullopt;
    const QPointF scene = sceneAt(position);
    // At small scales a node is still to be hit.
    const double reach = std::max(0.5, 2 / m_camera->zoom());
    const QRectF area(scene.x() - reach, scene.y() - reach, 2 * reach, 2 * reach);
    const auto found = m_picture->nodesIn(area);
    std::optional<std::uint64_t> best;
    double nearest = 0;
    for (std::uint32_t n : found) {
        const QPointF d = m_picture->rect(n).center() - scene;
        const double distance = QPointF::dotProduct(d, d);
        if (!best || distance < nearest) {
            best = m_picture->scene().nodes[n].id;
            nearest = distance;
        }
    }
    return best;
}

int CanvasView::chipAt(QPointF position) const
{
    if (!m_picture || position.y() < kHeadHeight || look::levelOf(m_camera->zoom()) == look::Level::Far)
        return -1;
    const QPointF scene = sceneAt(position);
    const auto& chips = m_picture->layout().chips;
    for (std::size_t c = 0; c < chips.size(); ++c) {
        const layout::Rect& r = chips[c].rect;
        if (scene.x() >= r.left && scene.x() <= r.right && scene.y() >= r.top && scene.y() <= r.bottom)
            return static_cast<int>(c);
    }
    return -1;
}

int CanvasView::siteAt(QPointF position) const
{
    const auto id = nodeAt(position);
    if (!id)
        return -1;
    const std::uint32_t node = *m_picture->find(*id);
    const auto& sites = m_picture->scene().sites;
    for (std::size_t s = 0; s < sites.size(); ++s) {
        if (std::ranges::find(sites[s].members, node, &SceneRole::node) != sites[s].members.end())
            return static_cast<int>(s);
    }
    return -1;
}

QString CanvasView::toolTipAt(QPointF position) const
{
    if (!m_picture || position.y() < kHeadHeight)
        return {};
    const auto line = [](const QString& text) { return text.toHtmlEscaped(); };
    if (const int chip = chipAt(position); chip >= 0) {
        const layout::StubChip& stub = m_picture->layout().chips[static_cast<std::size_t>(chip)];
        QStringList names;
        for (layout::Index e : stub.edges) {
            const SceneEdge& edge = m_picture->scene().edges[e];
            if (names.size() < 12)
                names.push_back(line(m_picture->scene().nodes[stub.atSource ? edge.to : edge.from].name));
        }
        const QString tensor = line(m_picture->scene().edges[stub.edges.front()].name);
        return QString("<b>%1</b><br><tt>%2</tt><br>%3")
            .arg(stub.atSource ? "goes to" : "comes from", names.join("<br>"), tensor);
    }
    const auto id = nodeAt(position);
    if (!id) {
        const QPointF scene = sceneAt(position);
        for (const Ghost& ghost : m_picture->ghosts()) {
            if (m_state.showDiff && ghost.rect.contains(scene))
                return QString("<b>%1</b><br><tt>%2</tt><br>removed by this pass")
                    .arg(line(ghost.op), line(ghost.name));
        }
        if (look::levelOf(m_camera->zoom()) == look::Level::Far)
            return {};
        for (const SceneIsland& island : m_picture->scene().islands) {
            if (islandHull(*m_picture, island).contains(scene) || islandLabel(*m_picture, island).area.contains(scene))
                return QString("<b>float island</b>, %1 node(s)<br>%2")
                    .arg(island.nodes.size())
                    .arg(line(island.reason));
        }
        return {};
    }
    const std::uint32_t index = *m_picture->find(*id);
    const SceneNode& node = m_picture->scene().nodes[index];
    QString text = QString("<b>%1</b><br><tt>%2</tt>")
                       .arg(line(node.op.isEmpty() ? QStringLiteral("tensor") : node.op), line(node.name));
    if (!node.note.isEmpty())
        text += "<br>" + line(node.note);
    if (m_state.figures) {
        const auto known = m_state.figures->find(node.id);
        if (known != m_state.figures->end() && !known->second.says.isEmpty())
            text += "<br>" + line(known->second.says);
    }
    for (const SceneIsland& island : m_picture->scene().islands) {
        if (std::ranges::find(island.nodes, index) != island.nodes.end())
            text += "<br>in float: " + line(island.reason);
    }
    for (const SceneSite& site : m_picture->scene().sites) {
        if (site.nearMiss && std::ranges::find(site.members, index, &SceneRole::node) != site.members.end())
            text += "<br>near-miss: " + line(site.failed);
    }
    if (m_noCounterpart && m_state.hovered == id)
        text += "<br>no counterpart";
    return text;
}

void CanvasView::fit()
{
    if (m_picture)
        m_camera->fit(*m_picture, canvasSize());
}

void CanvasView::zoomStep(int steps)
{
    m_camera->zoomBy(std::pow(1.25, steps), QPointF(canvasSize().width(), canvasSize().height()) / 2, canvasSize());
}

void CanvasView::actualSize()
{
    m_camera->setZoom(1);
}

void CanvasView::centreOn(std::uint64_t id)
{
    if (!m_picture)
        return;
    if (const auto node = m_picture->find(id)) {
        m_camera->centreOn(m_picture->rect(*node).center());
        return;
    }
    const auto ghost = std::ranges::find(m_picture->ghosts(), id, &Ghost::id);
    if (ghost != m_picture->ghosts().end())
        m_camera->centreOn(ghost->rect.center());
}

void CanvasView::walk(Direction direction)
{
    if (!m_picture || m_picture->scene().nodes.empty())
        return;
    const auto current = m_state.selected ? m_picture->find(*m_state.selected) : std::nullopt;
    std::optional<std::uint32_t> next;
    if (!current) {
        next = 0;
    } else {
        const Scene& scene = m_picture->scene();
        const QPointF here = m_picture->rect(*current).center();
        double best = 0;
        const auto offer = [&](std::uint32_t node, double cost) {
            if (!next || cost < best) {
                next = node;
                best = cost;
            }
        };
        if (direction == Direction::Down) {
            for (std::uint32_t e : m_picture->outputsOf(*current))
                offer(scene.edges[e].to, std::abs(m_picture->rect(scene.edges[e].to).center().x() - here.x()));
        } else if (direction == Direction::Up) {
            for (std::uint32_t e : m_picture->inputsOf(*current))
                offer(scene.edges[e].from, std::abs(m_picture->rect(scene.edges[e].from).center().x() - here.x()));
        } else {
            // Sideways: the siblings that share an end with this node, else what stands beside it.
            constexpr double kReach = 1200;
            const double low = direction == Direction::Right ? here.x() + 1 : here.x() - kReach;
            for (std::uint32_t n : m_picture->nodesIn(QRectF(low, here.y() - 80, kReach - 1, 160))) {
                const QPointF there = m_picture->rect(n).center();
                const double dx = (there.x() - here.x()) * (direction == Direction::Right ? 1 : -1);
                if (n != *current && dx > 1)
                    offer(n, dx + 3 * std::abs(there.y() - here.y()));
            }
        }
    }
    if (!next)
        return;
    const std::uint64_t id = m_picture->scene().nodes[*next].id;
    select(id);
    const QRectF shown = QRectF(0, kHeadHeight, canvasSize().width(), canvasSize().height()).adjusted(60, 40, -60, -40);
    const QPointF at =
        m_camera->view().toScreen(m_picture->rect(*next).center(), canvasSize()) + QPointF(0, kHeadHeight);
    if (!shown.contains(at))
        m_camera->centreOn(m_picture->rect(*next).center());
    emit selected(id);
}

void CanvasView::jumpAlong(int chip)
{
    const layout::StubChip& stub = m_picture->layout().chips[static_cast<std::size_t>(chip)];
    const SceneEdge& edge = m_picture->scene().edges[stub.edges[m_nextJump++ % stub.edges.size()]];
    const std::uint64_t id = m_picture->scene().nodes[stub.atSource ? edge.to : edge.from].id;
    select(id);
    centreOn(id);
    emit selected(id);
}

void CanvasView::updateHover(QPointF position)
{
    const auto id = nodeAt(position);
    const int chip = chipAt(position);
    setCursor(chip >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (chip != m_state.hoveredChip) {
        m_state.hoveredChip = chip;
        m_nextJump = 0;
        update();
    }
    if (id == m_state.hovered)
        return;
    m_state.hovered = id;
    m_noCounterpart = false;
    update();
    if (id)
        emit hovered(*id);
    else
        emit hoverEnded();
}

void CanvasView::mousePressEvent(QMouseEvent* event)
{
    m_pressed = m_last = event->position();
    m_moved = false;
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return;
    if (showsMinimap() && minimapRect().contains(event->position())) {
        m_drag = Drag::Minimap;
        panMinimap(event->position());
    } else if (event->position().y() >= kHeadHeight) {
        m_drag = Drag::Pan;
    }
}

void CanvasView::mouseMoveEvent(QMouseEvent* event)
{
    const QPointF position = event->position();
    if (m_drag == Drag::None) {
        updateHover(position);
        return;
    }
    if (!m_moved && QLineF(m_pressed, position).length() < kDragStart)
        return;
    m_moved = true;
    if (m_drag == Drag::Minimap)
        panMinimap(position);
    else
        m_camera->pan(position - m_last);
    m_last = position;
}

void CanvasView::mouseReleaseEvent(QMouseEvent* event)
{
    const Drag drag = m_drag;
    m_drag = Drag::None;
    if (drag != Drag::Pan || m_moved || event->button() != Qt::LeftButton || !m_picture)
        return;
    if (const int chip = chipAt(event->position()); chip >= 0) {
        jumpAlong(chip);
        return;
    }
    const auto id = nodeAt(event->position());
    select(id);
    if (!id) {
        emit selectionCleared();
        return;
    }
    emit selected(*id);
    if (const int site = siteAt(event->position()); site >= 0)
        emit siteClicked(site);
}

void CanvasView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const auto id = nodeAt(event->position()))
        emit activated(*id);
}

void CanvasView::wheelEvent(QWheelEvent* event)
{
    event->accept();
    const QPointF angle = event->angleDelta();
    if (event->modifiers() & Qt::ControlModifier) {
        m_camera->zoomBy(std::pow(2.0, angle.y() / 480.0), onCanvas(event->position()), canvasSize());
        return;
    }
    QPointF delta = event->pixelDelta().isNull() ? angle * 0.6 : QPointF(event->pixelDelta());
    if (event->modifiers() & Qt::ShiftModifier)
        delta = {delta.y(), delta.x()};
    m_camera->pan(delta);
}

void CanvasView::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Up:
        walk(Direction::Up);
        return;
    case Qt::Key_Down:
        walk(Direction::Down);
        return;
    case Qt::Key_Left:
        walk(Direction::Left);
        return;
    case Qt::Key_Right:
        walk(Direction::Right);
        return;
    case Qt::Key_F:
        fit();
        return;
    case Qt::Key_Plus:
        zoomStep(1);
        return;
    case Qt::Key_Minus:
        zoomStep(-1);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_state.selected)
            emit activated(*m_state.selected);
        return;
    case Qt::Key_Escape:
        if (m_state.selected) {
            select(std::nullopt);
            emit selectionCleared();
            return;
        }
        break;
    default:
        break;
    }
    QWidget::keyPressEvent(event);
}

void CanvasView::leaveEvent(QEvent*)
{
    m_state.hoveredChip = -1;
    if (m_state.hovered) {
        m_state.hovered = std::nullopt;
        emit hoverEnded();
    }
    update();
}

bool CanvasView::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString text = toolTipAt(help->pos());
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    if (event->type() == QEvent::Gesture) {
        if (const auto* pinch =
                static_cast<QPinchGesture*>(static_cast<QGestureEvent*>(event)->gesture(Qt::PinchGesture))) {
            m_camera->zoomBy(pinch->scaleFactor(), onCanvas(mapFromGlobal(pinch->centerPoint())), canvasSize());
            return true;
        }
    }
    return QWidget::event(event);
}

void CanvasView::resizeEvent(QResizeEvent*)
{
    update();
}

PaintContext CanvasView::context(QPainter& painter) const
{
    return {painter, *m_picture, *m_theme, m_state, m_camera->view(), canvasSize(), devicePixelRatioF()};
}

void CanvasView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), (*m_theme)[Token::Canvas]);
    if (m_picture && !m_picture->scene().nodes.empty()) {
        painter.save();
        painter.setClipRect(0, kHeadHeight, width(), height() - kHeadHeight);
        painter.translate(0, kHeadHeight);
        PaintContext c = context(painter);
        paintPicture(c);
        painter.restore();
        paintOverlays(painter);
    } else {
        paintEmpty(painter);
    }
    paintHead(painter);
}

void CanvasView::paintHead(QPainter& painter)
{
    const Theme& t = *m_theme;
    painter.fillRect(QRect(0, 0, width(), kHeadHeight), t[Token::Header]);
    painter.setPen(QPen(t[Token::Line], 1));
    painter.drawLine(QPointF(0, kHeadHeight - 0.5), QPointF(width(), kHeadHeight - 0.5));
    const QFont bold = uiFont(12, QFont::DemiBold);
    const QFont plain = uiFont(12);
    const QFontMetricsF boldMetrics(bold);
    const QFontMetricsF plainMetrics(plain);
    constexpr double kBase = 17;
    double x = 8;
    painter.setFont(bold);
    painter.setPen(t[Token::Text]);
    painter.drawText(QPointF(x, kBase), m_stage);
    x += boldMetrics.horizontalAdvance(m_stage) + 8;
    QString right = m_right;
    if (m_picture && !m_picture->scene().nodes.empty()) {
        const QString zoom = m_camera->zoom() >= 0.01 ? QString("%1 %").arg(std::lround(m_camera->zoom() * 100))
                                                      : QString("%1 %").arg(m_camera->zoom() * 100, 0, 'f', 2);
        right += (right.isEmpty() ? "" : ", ") +
                 (m_camera->isFolded() ? QStringLiteral("everything in view, ") : QString()) + zoom;
    }
    const double rightWidth = plainMetrics.horizontalAdvance(right);
    painter.setFont(plain);
    painter.setPen(t[Token::Text2]);
    const double room = width() - 8 - rightWidth - 28 - x;
    if (room > 40)
        painter.drawText(QPointF(x, kBase), plainMetrics.elidedText(m_text, Qt::ElideMiddle, room));
    painter.drawText(QPointF(width() - 8 - rightWidth, kBase), right);
    if (m_linked) {
        const QPixmap link = iconPixmap("link-panes", t[Token::Text2], t[Token::MarkGlyph], 14, devicePixelRatioF());
        painter.drawPixmap(QPointF(width() - 8 - rightWidth - 20, 6), link);
    }
}

void CanvasView::paintEmpty(QPainter& painter)
{
    painter.setFont(uiFont(14, QFont::DemiBold));
    painter.setPen((*m_theme)[Token::Text]);
    const QRect area = rect().adjusted(0, kHeadHeight, 0, 0);
    painter.drawText(area.adjusted(0, -24, 0, -24), Qt::AlignCenter, m_emptySentence);
    painter.setFont(uiFont(12));
    painter.setPen((*m_theme)[Token::Text2]);
    painter.drawText(area, Qt::AlignCenter, m_emptyHint);
}

bool CanvasView::showsMinimap() const
{
    if (!m_minimap || !m_picture || m_camera->isFolded() || !m_mapFold || m_mapFold->isEmpty())
        return false;
    if (width() < 2.5 * kMinimapSize.width() || height() < 2 * kMinimapSize.height())
        return false;
    const QRectF shown(sceneAt({0, kHeadHeight}),
                       sceneAt({static_cast<double>(width()), static_cast<double>(height())}));
    return !shown.contains(m_picture->bounds());
}

QRectF CanvasView::minimapRect() const
{
    return {width() - kOverlayGap - kMinimapSize.width(), height() - kOverlayGap - kMinimapSize.height(),
            kMinimapSize.width(), kMinimapSize.height()};
}

void CanvasView::paintOverlays(QPainter& painter)
{
    const bool hasMap = showsMinimap();
    if (m_legend) {
        if (!m_legendSize)
            m_legendSize = legendSize(*m_picture, m_state);
        const QSizeF size = *m_legendSize;
        if (!size.isEmpty() && size.width() + 80 < width() && size.height() + 80 < height()) {
            if (m_legendMap.isNull()) {
                const double ratio = devicePixelRatioF();
                m_legendMap = QPixmap((size * ratio).toSize());
                m_legendMap.setDevicePixelRatio(ratio);
                QPainter p(&m_legendMap);
                p.setRenderHint(QPainter::Antialiasing);
                paintLegend(context(p), {0, 0});
            }
            const double right = hasMap ? minimapRect().left() - 8 : width() - kOverlayGap;
            painter.drawPixmap(QPointF(right - size.width(), height() - kOverlayGap - size.height()), m_legendMap);
        }
    }
    if (hasMap)
        paintMinimap(painter);
}

void CanvasView::paintMinimap(QPainter& painter)
{
    const QRectF frame = minimapRect();
    const Theme& t = *m_theme;
    if (m_map.isNull()) {
        const double ratio = devicePixelRatioF();
        m_map = QPixmap((kMinimapSize * ratio).toSize());
        m_map.setDevicePixelRatio(ratio);
        m_map.fill(t[Token::Panel]);
        QPainter p(&m_map);
        paintMinimapBlocks(context(p), *m_mapFold, kMinimapSize);
        p.setPen(QPen(t[Token::Line], 1));
        p.setBrush(Qt::NoBrush);
        p.drawRect(QRectF(QPointF(), kMinimapSize).adjusted(0.5, 0.5, -0.5, -0.5));
    }
    painter.drawPixmap(frame.topLeft(), m_map);
    const QRectF shown(sceneAt({0, kHeadHeight}),
                       sceneAt({static_cast<double>(width()), static_cast<double>(height())}));
    QColor fill = t[Token::Accent];
    fill.setAlphaF(0.10f);
    painter.setPen(QPen(t[Token::Accent], 1.5));
    painter.setBrush(fill);
    for (const QRectF& part : minimapFrames(*m_mapFold, shown.intersected(m_picture->bounds()), kMinimapSize))
        painter.drawRect(part.translated(frame.topLeft()));
}

void CanvasView::panMinimap(QPointF position)
{
    CameraView view = m_camera->view();
    view.centre = minimapToScene(*m_mapFold, position - minimapRect().topLeft(), kMinimapSize);
    m_camera->setView(view);
}

} // namespace crease
