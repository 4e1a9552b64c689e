// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/pass_list.h"

#include <QApplication>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

namespace crease {

PassList::PassList(const Theme& theme, QWidget* parent) : QTableView(parent), m_theme(&theme)
{
    setDragDropMode(QAbstractItemView::NoDragDrop);
}

void PassList::setTheme(const Theme& theme)
{
    m_theme = &theme;
    viewport()->update();
}

void PassList::reset()
{
    endDrag(); // the rows are others now
    QTableView::reset();
}

bool PassList::isMovable(int row) const
{
    return model() != nullptr && row >= 0 && row < model()->rowCount() &&
           (model()->flags(model()->index(row, 0)) & Qt::ItemIsDragEnabled) != 0;
}

int PassList::placeAt(QPoint position) const
{
    if (!viewport()->rect().contains(position))
        return -1;
    const int under = rowAt(position.y());
    int place = model()->rowCount();
    if (under >= 0) {
        const int middle = rowViewportPosition(under) + rowHeight(under) / 2;
        place = position.y() < middle ? under : under + 1;
    }
    // Before the first and behind the last movable row are the outermost places.
    while (place > 0 && !isMovable(place) && !isMovable(place - 1))
        --place;
    if (place == 0 && !isMovable(0))
        place = 1;
    return place == m_row || place == m_row + 1 ? -1 : place;
}

void PassList::endDrag()
{
    m_row = -1;
    m_place = -1;
    if (m_dragging) {
        m_dragging = false;
        viewport()->unsetCursor();
        viewport()->update();
    }
}

void PassList::mousePressEvent(QMouseEvent* event)
{
    if (m_dragging)
        return;
    QTableView::mousePressEvent(event);
    const int row = rowAt(event->pos().y());
    m_row = event->button() == Qt::LeftButton && isMovable(row) ? row : -1;
    m_pressed = event->pos();
}

void PassList::mouseMoveEvent(QMouseEvent* event)
{
    if (m_row < 0 || (event->buttons() & Qt::LeftButton) == 0) {
        QTableView::mouseMoveEvent(event);
        return;
    }
    if (!m_dragging && (event->pos() - m_pressed).manhattanLength() < QApplication::startDragDistance())
        return;
    if (!m_dragging) {
        m_dragging = true;
        setFocus();
    }
    constexpr int kEdge = 12;
    if (viewport()->rect().contains(event->pos())) {
        const int step = event->pos().y() < kEdge ? -1 : event->pos().y() > viewport()->height() - kEdge ? 1 : 0;
        verticalScrollBar()->setValue(verticalScrollBar()->value() + step);
    }
    m_place = placeAt(event->pos());
    viewport()->setCursor(viewport()->rect().contains(event->pos()) ? Qt::ClosedHandCursor : Qt::ForbiddenCursor);
    viewport()->update();
}

void PassList::mouseReleaseEvent(QMouseEvent* event)
{
    if (!m_dragging) {
        m_row = -1;
        QTableView::mouseReleaseEvent(event);
        return;
    }
    const int row = m_row;
    const int place = placeAt(event->pos());
    endDrag();
    if (place >= 0)
        emit rowMoved(row, place);
}

bool PassList::event(QEvent* event)
{
    // While a row is dragged, Escape is ours and not the window's.
    if (m_dragging && event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    return QTableView::event(event);
}

void PassList::keyPressEvent(QKeyEvent* event)
{
    if (m_dragging && event->key() == Qt::Key_Escape) {
        endDrag();
        return;
    }
    QTableView::keyPressEvent(event);
}

void PassList::paintEvent(QPaintEvent* event)
{
    QTableView::paintEvent(event);
    if (!m_dragging || m_place < 0)
        return;
    const int last = model()->rowCount() - 1;
    const int y = m_place <= last ? rowViewportPosition(m_place) : rowViewportPosition(last) + rowHeight(last);
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen((*m_theme)[Token::Accent], 2));
    painter.drawLine(QPointF(9, y), QPointF(viewport()->width(), y));
    painter.setBrush((*m_theme)[Token::Panel]);
    painter.drawEllipse(QPointF(5, y), 3, 3);
}

} // namespace crease
