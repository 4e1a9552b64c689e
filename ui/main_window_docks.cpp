// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include "core/samples/npy.h"

#include <QFileDialog>
#include <QSaveFile>

namespace crease {

void MainWindow::makeDocks()
{
    const auto dock = [this](QDockWidget* result, const QString& name, Qt::DockWidgetArea area, int size) {
        result->setObjectName(name);
        result->setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetFloatable |
                            QDockWidget::DockWidgetClosable);
        addDockWidget(area, result);
        resizeDocks({result}, {size}, area == Qt::BottomDockWidgetArea ? Qt::Vertical : Qt::Horizontal);
        m_docks << result;
    };
    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);

    m_passes = new PassesPanel(*m_document, *m_passModel, *m_theme, this);
    auto* passes = new QDockWidget(tr("Passes"), this);
    passes->setWidget(m_passes);
    dock(passes, "passes", Qt::LeftDockWidgetArea, 300);

    m_inspector = new TabDock(tr("Inspector"), this);
    m_node = new NodePanel(*m_document, *m_selection, *m_theme, m_inspector);
    m_tensor = new TensorPanel(*m_document, *m_selection, *m_theme, m_inspector);
    m_inspector->addPage(m_node, tr("Node"));
    m_inspector->addPage(m_tensor, tr("Tensor"));
    dock(m_inspector, "inspector", Qt::RightDockWidgetArea, 312);
    connect(m_tensor, &TensorPanel::saveRequested, this, [this](const Tensor& tensor, const QString& name) {
        QString base = name;
        base.replace('/', '_').replace(':', '_');
        const QString file =
            QFileDialog::getSaveFileName(this, tr("Save the tensor"), base + ".npy", tr("NumPy arrays (*.npy)"));
        if (file.isEmpty()) {
            return;
        }
        const auto bytes = npyFromTensor(tensor);
        if (!bytes) {
            m_strip->showError(tr("The tensor was not saved"), bytes.error());
            return;
        }
        QSaveFile target(file);
        const auto size = static_cast<qint64>(bytes->size());
        if (!target.open(QIODevice::WriteOnly) || target.write(bytes->data(), size) != size || !target.commit()) {
            m_strip->showError(
                tr("The tensor was not saved"),
                {ErrorKind::Output, "cannot-write", target.errorString().toStdString(), file.toStdString()});
        }
    });

    m_tables = new TabDock(tr("Details"), this);
    m_sites = new SitesPanel(*m_document, *m_rewriteModel, *m_selection, *m_theme, m_tables);
    m_missed = new TablePanel(*m_missedModel, *m_theme, tr("Nothing stayed in float."),
                              tr("Each quantizer or op that stays in float is listed here with the reason."), m_tables);
    m_diagnostics =
        new TablePanel(*m_diagnosticModel, *m_theme, tr("Nothing was found."),
                       tr("Findings of the import, of the passes and of the samples are listed here."), m_tables);
    m_layers = new LayersPanel(*m_document, *m_layerModel, *m_selection, *m_theme, m_tables);
    m_log = new QPlainTextEdit(m_tables);
    m_log->setReadOnly(true);
    m_log->setFont(monoFont(11.5));
    m_tables->addPage(m_sites, tr("Rewrites"), m_sites->table().filterField());
    m_tables->addPage(m_missed, tr("Missed"), m_missed->filterField());
    m_tables->addPage(m_diagnostics, tr("Diagnostics"), m_diagnostics->filterField());
    m_tables->addPage(m_layers, tr("Layers"), m_layers->table().filterField());
    m_tables->addPage(m_log, tr("Log"));
    dock(m_tables, "tables", Qt::BottomDockWidgetArea, 229);

    m_missed->setColumnWidths({130, 260, 400, 180}, MissedModel::Reason);
    m_diagnostics->setColumnWidths({64, 130, 420, 260, 180}, DiagnosticModel::Text);
    const auto count = [this](QWidget* panel, const QString& title) {
        return [this, panel, title](int rows) {
            m_tables->setPageTitle(panel, rows == 0 ? title : QString("%1  %2").arg(title).arg(rows));
        };
    };
    connect(&m_sites->table(), &TablePanel::countChanged, this, count(m_sites, tr("Rewrites")));
    connect(m_missed, &TablePanel::countChanged, this, count(m_missed, tr("Missed")));
    connect(m_diagnostics, &TablePanel::countChanged, this, count(m_diagnostics, tr("Diagnostics")));
    connect(&m_layers->table(), &TablePanel::countChanged, this, count(m_layers, tr("Layers")));
    connect(&m_sites->table(), &TablePanel::rowSelected, this,
            [this](int row) { m_selection->setSite(m_rewriteModel->row(row).site); });
    connect(m_selection, &Selection::siteChanged, this, [this] {
        const int row = m_rewriteModel->rowOfSite(m_selection->site());
        if (row >= 0) {
            m_sites->table().selectRow(row);
        }
    });
    // The rows come anew with each run and each certificate; the selected site stays selected.
    connect(m_rewriteModel, &QAbstractItemModel::modelReset, this, [this] {
        const int row = m_rewriteModel->rowOfSite(m_selection->site());
        if (row >= 0) {
            m_sites->table().selectRow(row);
        }
    });
    connect(m_missed, &TablePanel::rowSelected, this, [this](int row) {
        const MissedRow& missed = m_missedModel->row(row);
        if (missed.node.valid()) {
            m_document->setStage(missed.stage);
            m_selection->reveal(missed.stage, missed.node);
        }
    });
    connect(m_diagnostics, &TablePanel::rowSelected, this, [this](int row) {
        const DiagnosticRow& finding = m_diagnosticModel->row(row);
        if (finding.node.valid()) {
            m_document->setStage(finding.stage);
            m_selection->reveal(finding.stage, finding.node);
        }
    });
}

} // namespace crease
