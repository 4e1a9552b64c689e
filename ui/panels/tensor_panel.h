// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/document/document.h"
#include "ui/document/selection.h"
#include "ui/panels/plot.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>

namespace crease {

/// The constants of the selected node: codes with their histogram, scales per channel, values as a table; saved as
/// .npy.
class TensorPanel : public QWidget {
    Q_OBJECT

public:
    TensorPanel(Document& document, Selection& selection, const Theme& theme, QWidget* parent = nullptr);
    void setTheme(const Theme& theme);
    QString summaryText() const { return m_summary->text(); }

signals:
    void saveRequested(const crease::Tensor& tensor, const QString& name);

private:
    void refresh();
    void showValue();
    void showTable(const Tensor& tensor);

    Document* m_document;
    Selection* m_selection;
    QComboBox* m_values;
    QLabel* m_summary;
    Plot* m_histogram;
    Plot* m_scales;
    QTableWidget* m_table;
    QPushButton* m_save;
    std::vector<ValueId> m_ids;
};

} // namespace crease
