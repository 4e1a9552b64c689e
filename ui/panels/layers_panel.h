// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/document/selection.h"
#include "ui/models/layer_model.h"
#include "ui/panels/plot.h"
#include "ui/panels/table_panel.h"

namespace crease {

/// The error of every compared tensor as a table and along the depth of the network.
class LayersPanel : public QWidget {
    Q_OBJECT

public:
    LayersPanel(Document& document, LayerModel& model, Selection& selection, const Theme& theme,
                QWidget* parent = nullptr);
    void setTheme(const Theme& theme);
    void showWorst();
    TablePanel& table() { return *m_table; }

private:
    void refresh();

    Document* m_document;
    LayerModel* m_model;
    Selection* m_selection;
    TablePanel* m_table;
    Plot* m_plot;
};

/// The sites of the pass, and for the selected one the scales of its weight before and after.
class SitesPanel : public QWidget {
    Q_OBJECT

public:
    SitesPanel(Document& document, QAbstractItemModel& model, Selection& selection, const Theme& theme,
               QWidget* parent = nullptr);
    void setTheme(const Theme& theme);
    TablePanel& table() { return *m_table; }

private:
    void showSite();

    Document* m_document;
    Selection* m_selection;
    TablePanel* m_table;
    Plot* m_plot;
};

} // namespace crease
