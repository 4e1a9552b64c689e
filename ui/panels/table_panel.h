// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/panels/table_delegate.h"

#include <QAbstractItemModel>
#include <QLabel>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QStackedLayout>
#include <QTableView>

namespace crease {

/// A table with a filter and an empty state under it: what the docks at the bottom are made of.
class TablePanel : public QWidget {
    Q_OBJECT

public:
    TablePanel(QAbstractItemModel& model, const Theme& theme, const QString& emptySentence, const QString& emptyHint,
               QWidget* parent = nullptr);

    QTableView& view() { return *m_view; }
    /// The field of the filter; it stands over the table until somebody gives it another place.
    QLineEdit* filterField() { return m_filter; }
    void setTheme(const Theme& theme);
    void setEmptyText(const QString& sentence, const QString& hint);
    void setFilter(const QString& text);
    QString filter() const;
    /// Row of the model, not of the proxy.
    void selectRow(int row);
    int currentRow() const;
    void setColumnWidths(const QList<int>& widths, int stretched);

signals:
    void rowSelected(int row);
    void rowActivated(int row);
    void countChanged(int count);

private:
    void updateEmpty();
    int sourceRow(const QModelIndex& index) const;

    QSortFilterProxyModel* m_proxy;
    QTableView* m_view;
    QWidget* m_empty;
    QLabel* m_sentence;
    QLabel* m_hint;
    QLineEdit* m_filter;
    QStackedLayout* m_stack;
    TableDelegate* m_delegate;
};

} // namespace crease
