// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/layers_panel.h"

#include "ui/models/rewrite_model.h"

#include <QHBoxLayout>

#include <algorithm>
#include <cmath>

namespace crease {

namespace {

/// The scales of the first quantized constant that a node reads, directly or behind one node.
std::vector<double> weightScales(const Graph& graph, NodeId id)
{
    if (!graph.contains(id)) {
        return {};
    }
    for (const ValueId input : graph.node(id).inputs) {
        if (!input.valid()) {
            continue;
        }
        const Value& value = graph.value(input);
        const std::optional<Grid>& grid = value.codes ? value.codes : value.liesOn;
        const bool constant =
            value.isConstant() ||
            (graph.producer(input).valid() && graph.value(graph.node(graph.producer(input)).input(0)).isConstant());
        if (constant && grid && grid->scales.size() > 1) {
            return grid->scales;
        }
    }
    return {};
}

std::vector<double> firstScales(const Graph& graph, const std::vector<NodeId>& nodes)
{
    for (const NodeId id : nodes) {
        std::vector<double> scales = weightScales(graph, id);
        if (!scales.empty()) {
            return scales;
        }
    }
    return {};
}

} // namespace

LayersPanel::LayersPanel(Document& document, LayerModel& model, Selection& selection, const Theme& theme,
                         QWidget* parent)
    : QWidget(parent), m_document(&document), m_model(&model), m_selection(&selection),
      m_table(new TablePanel(model, theme, tr("No layer was compared yet."),
                             tr("Press Verify (Ctrl+R) to run the model on samples and compare every tensor."), this)),
      m_plot(new Plot(theme, this))
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_table, 3);
    layout->addWidget(m_plot, 1);
    m_table->setColumnWidths({36, 220, 110, 66, 66, 56, 56, 76, 92, 76, 86, 116}, LayerModel::Name);
    connect(m_table, &TablePanel::rowSelected, this, [this](int row) {
        const LayerRow& layer = m_model->row(row);
        if (layer.node.valid()) {
            m_document->setStage(m_document->stageCount());
            m_selection->reveal(m_document->stageCount(), layer.node);
        }
    });
    connect(&model, &QAbstractItemModel::modelReset, this, &LayersPanel::refresh);
    refresh();
}

void LayersPanel::setTheme(const Theme& theme)
{
    m_table->setTheme(theme);
    m_plot->setTheme(theme);
    refresh();
}

void LayersPanel::refresh()
{
    std::vector<double> local;
    std::vector<double> accumulated;
    for (const LayerRow& row : m_model->rows()) {
        if (!std::isnan(row.tensor.local.rmseOverScale)) {
            local.push_back(row.tensor.local.rmseOverScale);
            accumulated.push_back(
                std::isnan(row.tensor.accumulated.rmseOverScale) ? 0.0 : row.tensor.accumulated.rmseOverScale);
        }
    }
    m_plot->setVisible(!local.empty());
    if (!local.empty()) {
        m_plot->showPairs(local, accumulated, tr("local"), tr("accumulated"));
        m_plot->addReference(0.289, tr("0.289: a uniform rounding"));
    }
}

void LayersPanel::showWorst()
{
    const int worst = m_model->worst();
    if (worst >= 0) {
        m_table->selectRow(worst);
    }
}

SitesPanel::SitesPanel(Document& document, QAbstractItemModel& model, Selection& selection, const Theme& theme,
                       QWidget* parent)
    : QWidget(parent), m_document(&document), m_selection(&selection),
      m_table(new TablePanel(model, theme, tr("This pass rewrote nothing."),
                             tr("Step to another pass with the arrow keys in the list of passes."), this)),
      m_plot(new Plot(theme, this))
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_table, 3);
    layout->addWidget(m_plot, 1);
    m_table->setColumnWidths({30, 36, 190, 150, 46, 300, 60, 80, 44}, RewriteModel::Text);
    m_plot->hide();
    connect(&selection, &Selection::siteChanged, this, &SitesPanel::showSite);
    connect(&model, &QAbstractItemModel::modelReset, this, &SitesPanel::showSite);
}

void SitesPanel::setTheme(const Theme& theme)
{
    m_table->setTheme(theme);
    m_plot->setTheme(theme);
    showSite();
}

void SitesPanel::showSite()
{
    m_plot->hide();
    if (m_document->showsWhole()) {
        m_table->setEmptyText(tr("This is the whole fold: the original graph and the final one."),
                              tr("Choose a pass in the list of passes to see its rewrites."));
    } else {
        m_table->setEmptyText(tr("This pass rewrote nothing."),
                              tr("Step to another pass with the arrow keys in the list of passes."));
    }
    const auto& trace = m_document->trace();
    const std::size_t stage = m_document->stage();
    if (trace == nullptr || stage == 0 || stage > trace->stages.size()) {
        return;
    }
    const std::string site = m_selection->site().toStdString();
    const auto& rewrites = trace->stages[stage - 1].rewrites;
    const auto found = std::ranges::find(rewrites, site, &Rewrite::site);
    if (found == rewrites.end()) {
        return;
    }
    std::vector<NodeId> before;
    for (const Role& role : found->roles) {
        before.push_back(role.node);
    }
    const std::vector<double> old = firstScales(trace->graph(stage - 1), before);
    const std::vector<double> now = firstScales(trace->graph(stage), found->added);
    if (!old.empty() && !now.empty()) {
        m_plot->show();
        m_plot->showPairs(old, now, tr("weight scale before"), tr("weight scale after"));
        m_plot->setToolTip(tr("Weight scale per channel: hollow before, filled after"));
    }
}

} // namespace crease
