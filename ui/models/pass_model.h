// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/document/document.h"
#include "ui/document/node_marks.h"
#include "ui/models/table_model.h"

namespace crease {

struct PassRow {
    QString id; // empty for Original and Final
    QString title;
    int stage = -1; // number of the graph after it; -1: switched off
    int nodes = 0;  // change; for Original and Final the count
    int sites = 0;
    double milliseconds = 0;
    Certificate certificate;
    bool isBorder = false;
    bool isPending = false; // not run yet
    QString summary;
    bool isOn = true;
    QStringList warnings; // what its place in the order destroys
};

/// The stages of the trace between Original and Final; passes that are off as well, without a stage.
class PassModel : public TableModel<PassRow> {
    Q_OBJECT

public:
    enum Column { Title, Nodes, Sites, Time, Mark, ColumnCount };

    explicit PassModel(Document& document, QObject* parent = nullptr);
    /// Row whose stage is shown, or -1.
    int rowOfStage(std::size_t stage) const;
    int rowOfWhole() const; // the last one, Final; -1 before there is one

protected:
    QStringList headers() const override;
    QVariant cell(int column, int role, const PassRow& row) const override;
    bool edit(int column, int role, const PassRow& row, const QVariant& value) override;
    Qt::ItemFlags cellFlags(int column, const PassRow& row) const override;

private:
    void refresh();
    Document* m_document;
};

} // namespace crease
