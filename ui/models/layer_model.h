// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/document/document.h"
#include "ui/models/table_model.h"

namespace crease {

struct LayerRow {
    int depth = 0;
    TensorReport tensor;
    NodeId node; // that makes it, in the final graph
};

/// Every compared tensor with its error, local and accumulated.
class LayerModel : public TableModel<LayerRow> {
    Q_OBJECT

public:
    enum Column {
        Depth,
        Name,
        Pass,
        OffBy1,
        OffBy2,
        More,
        Ties,
        Saturated,
        Rmse,
        Sqnr,
        Cosine,
        Accumulated,
        ColumnCount
    };

    explicit LayerModel(Document& document, QObject* parent = nullptr);
    /// Row of the largest local error, or -1.
    int worst() const;

protected:
    QStringList headers() const override;
    QVariant cell(int column, int role, const LayerRow& row) const override;

private:
    void refresh();
    Document* m_document;
};

struct DiagnosticRow {
    QString where; // pass or file
    Diagnostic diagnostic;
    std::size_t stage = 0;
    NodeId node;
};

/// Findings of the import, of every pass and of the samples.
class DiagnosticModel : public TableModel<DiagnosticRow> {
    Q_OBJECT

public:
    enum Column { Severity, Where, Text, Place, Id, ColumnCount };
    explicit DiagnosticModel(Document& document, QObject* parent = nullptr);

protected:
    QStringList headers() const override;
    QVariant cell(int column, int role, const DiagnosticRow& row) const override;

private:
    void refresh();
    Document* m_document;
};

} // namespace crease
