// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/document/document.h"
#include "ui/models/table_model.h"

namespace crease {

struct RewriteRow {
    int number = 0;
    QString site;   // rule@value: the identity
    QString anchor; // what it is shown as
    QString rule;
    QString law;
    QString fidelity;
    QString text;
    QString nodes; // 3 → 2
    bool on = true;
    bool isMiss = false;
    Certificate certificate;
    std::size_t stage = 0; // of the graph after
    NodeId node;           // anchor, in the graph before
};

/// The sites of the pass that is shown, with near-misses at the end.
class RewriteModel : public TableModel<RewriteRow> {
    Q_OBJECT

public:
    enum Column { On, Number, Site, Rule, Class, Text, Nodes, Error, Mark, ColumnCount };

    explicit RewriteModel(Document& document, QObject* parent = nullptr);
    int rewriteCount() const;
    int rowOfSite(const QString& site) const;

protected:
    QStringList headers() const override;
    QVariant cell(int column, int role, const RewriteRow& row) const override;
    bool edit(int column, int role, const RewriteRow& row, const QVariant& value) override;
    Qt::ItemFlags cellFlags(int column, const RewriteRow& row) const override;

private:
    void refresh();
    Document* m_document;
};

struct MissedRow {
    QString pass;
    QString what; // quantizer, op or site
    QString reason;
    QString id;
    std::size_t stage = 0; // of the graph before
    NodeId node;
};

/// What stayed in float, of the whole trace, with the reason.
class MissedModel : public TableModel<MissedRow> {
    Q_OBJECT

public:
    enum Column { Pass, What, Reason, Id, ColumnCount };
    explicit MissedModel(Document& document, QObject* parent = nullptr);

protected:
    QStringList headers() const override;
    QVariant cell(int column, int role, const MissedRow& row) const override;

private:
    void refresh();
    Document* m_document;
};

} // namespace crease
