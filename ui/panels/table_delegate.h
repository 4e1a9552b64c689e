// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/support/theme.h"

#include <QStyledItemDelegate>

namespace crease {

/// Rows of look.md: 22 high, no grid, dim rows in text-3, numbers and names in mono, certificate marks as icons, names
/// cut in the middle.
class TableDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    explicit TableDelegate(const Theme& theme, QObject* parent = nullptr);
    void setTheme(const Theme& theme) { m_theme = &theme; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

private:
    const Theme* m_theme;
};

} // namespace crease
