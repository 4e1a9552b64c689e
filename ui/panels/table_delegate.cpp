// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table_delegate.h"

#include "ui/models/table_model.h"
#include "ui/support/icons.h"

#include <QApplication>
#include <QPainter>

namespace crease {

namespace {

constexpr int kRowHeight = 22;

} // namespace

TableDelegate::TableDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(&theme) {}

void TableDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    const bool dim = index.data(DimRole).toBool();
    option->font = index.data(MonoRole).toBool() ? monoFont(11.5) : uiFont(12.5);
    option->palette.setColor(QPalette::Text, (*m_theme)[dim ? Token::Text3 : Token::Text]);
    option->palette.setColor(QPalette::HighlightedText, (*m_theme)[dim ? Token::Text3 : Token::Text]);
    option->palette.setColor(QPalette::Highlight, (*m_theme)[Token::Selection]);
    option->textElideMode = index.data(MonoRole).toBool() ? Qt::ElideMiddle : Qt::ElideRight;
}

void TableDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyleOptionViewItem plain = option;
    plain.state &= ~QStyle::State_HasFocus;
    const QString side = index.data(SideIconRole).toString();
    if (!side.isEmpty()) {
        // The text ends before the icon; the row's colour runs on behind it.
        initStyleOption(&plain, index);
        const QStyle* style = option.widget != nullptr ? option.widget->style() : QApplication::style();
        style->drawPrimitive(QStyle::PE_PanelItemViewItem, &plain, painter, option.widget);
        plain = option;
        plain.state &= ~QStyle::State_HasFocus;
        plain.rect.adjust(0, 0, -20, 0);
    }
    QStyledItemDelegate::paint(painter, plain, index);
    constexpr double size = 14;
    const QRectF cell(option.rect);
    const auto draw = [&](const QString& icon, double left) {
        if (!icon.isEmpty()) {
            drawIcon(*painter, QRectF(left, cell.center().y() - size / 2, size, size), icon,
                     (*m_theme)[markToken(icon)], (*m_theme)[Token::MarkGlyph]);
        }
    };
    draw(index.data(CertificateRole).toString(), cell.center().x() - size / 2);
    draw(side, cell.right() - size - 4);
}

QSize TableDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.setHeight(kRowHeight);
    return size;
}

} // namespace crease
