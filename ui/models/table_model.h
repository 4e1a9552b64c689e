// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>

#include <vector>

namespace crease {

/// What views ask beside Qt's own roles.
enum TableRole {
    SortRole = Qt::UserRole, // a number or text to sort by
    DimRole,                 // the row says that nothing happened
    CertificateRole,         // icon name of a certificate mark
    MonoRole,                // numbers, names, shapes
    SideIconRole,            // icon name drawn at the right end of the cell
};

/// A table of rows that arrive whole. Sorting and filtering are done by proxies.
template <class Row>
class TableModel : public QAbstractTableModel {
public:
    using QAbstractTableModel::QAbstractTableModel;

    void setRows(std::vector<Row> rows)
    {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
    }

    const Row& row(int index) const { return m_rows[static_cast<std::size_t>(index)]; }
    const std::vector<Row>& rows() const { return m_rows; }

    int rowCount(const QModelIndex& parent = {}) const final
    {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }
    int columnCount(const QModelIndex& parent = {}) const final
    {
        return parent.isValid() ? 0 : static_cast<int>(headers().size());
    }

    QVariant headerData(int section, Qt::Orientation orientation, int role) const final
    {
        if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= headers().size()) {
            return {};
        }
        return headers()[section];
    }

    QVariant data(const QModelIndex& index, int role) const final
    {
        return index.isValid() ? cell(index.column(), role, row(index.row())) : QVariant();
    }

    bool setData(const QModelIndex& index, const QVariant& value, int role) final
    {
        return index.isValid() && edit(index.column(), role, row(index.row()), value);
    }

    Qt::ItemFlags flags(const QModelIndex& index) const override
    {
        return index.isValid() ? cellFlags(index.column(), row(index.row())) : Qt::NoItemFlags;
    }

protected:
    virtual QStringList headers() const = 0;
    virtual QVariant cell(int column, int role, const Row& row) const = 0;
    /// Turns an edit into a command on the document; the model never changes its rows itself.
    virtual bool edit(int, int, const Row&, const QVariant&) { return false; }
    virtual Qt::ItemFlags cellFlags(int, const Row&) const
    {
        return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    }

private:
    std::vector<Row> m_rows;
};

} // namespace crease
