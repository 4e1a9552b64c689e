// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/support/theme.h"

#include <QTableView>

namespace crease {

/// A table whose rows can be dragged to another place with the mouse. A line shows where; it moves nothing itself but
/// says what was asked for. Only rows with Qt::ItemIsDragEnabled move, and only between such rows. Escape, or letting
/// go outside, changes nothing.
class PassList : public QTableView {
    Q_OBJECT

public:
    explicit PassList(const Theme& theme, QWidget* parent = nullptr);
    void setTheme(const Theme& theme);
    bool isDragging() const { return m_dragging; }
    /// The row before which the dragged one would be put; -1 where letting go changes nothing.
    int dropPlace() const { return m_place; }
    void reset() override;

signals:
    /// `place` counts the rows as they stand before the move.
    void rowMoved(int row, int place);

protected:
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    bool isMovable(int row) const;
    int placeAt(QPoint position) const;
    void endDrag();

    const Theme* m_theme;
    QPoint m_pressed;
    int m_row = -1; // pressed, movable
    int m_place = -1;
    bool m_dragging = false;
};

} // namespace crease
