// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/trace_canvas.h"
#include "ui/models/layer_model.h"
#include "ui/models/pass_model.h"
#include "ui/models/rewrite_model.h"
#include "ui/panels/inspector.h"
#include "ui/panels/layers_panel.h"
#include "ui/panels/passes_panel.h"
#include "ui/panels/search_box.h"
#include "ui/panels/tensor_panel.h"
#include "ui/support/message_strip.h"
#include "ui/support/settings.h"
#include "ui/support/tab_dock.h"

#include <QComboBox>
#include <QDockWidget>
#include <QMainWindow>
#include <QPlainTextEdit>
#include <QProgressBar>

namespace crease {

/// The window: menu, toolbar, passes, two canvases, inspector, tables and the status bar, over one document.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(Settings& settings, QWidget* parent = nullptr);
    ~MainWindow() override;

    Document& document() { return *m_document; }
    TraceCanvas& canvas() { return *m_canvas; }
    QAction* action(const QString& name) const; // by object name, for tests
    QString statusText() const;
    QString messageText() const { return m_strip->text(); }
    void open(const QString& file);

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QAction* addAction(const QString& name, const QString& text, const QString& icon, const QList<QKeySequence>& keys,
                       std::function<void()> run);
    void makeActions();
    void makeMenus();
    void makeToolBar();
    void makeDocks();
    void makeStatusBar();
    void connectDocument();
    void applyTheme();
    void updateActions();
    void updateStatus();
    void updateRecent();
    void showJob(JobRunner& runner);
    void openDialog();
    void exportPicture(bool wholeGraph);
    void search(int direction);
    void warnOfOrder();
    void keepSelection(Document::Change what);
    bool mayClose();
    bool isOtherModel(const QString& file) const;

    Settings* m_settings;
    const Theme* m_theme;
    Document* m_document;
    Selection* m_selection;
    PassModel* m_passModel;
    RewriteModel* m_rewriteModel;
    MissedModel* m_missedModel;
    LayerModel* m_layerModel;
    DiagnosticModel* m_diagnosticModel;
    MessageStrip* m_strip;
    TraceCanvas* m_canvas;
    PassesPanel* m_passes = nullptr;
    NodePanel* m_node = nullptr;
    TensorPanel* m_tensor = nullptr;
    SitesPanel* m_sites = nullptr;
    TablePanel* m_missed = nullptr;
    TablePanel* m_diagnostics = nullptr;
    LayersPanel* m_layers = nullptr;
    QPlainTextEdit* m_log = nullptr;
    TabDock* m_inspector = nullptr;
    TabDock* m_tables = nullptr;
    QList<QDockWidget*> m_docks;
    QMenu* m_recentMenu = nullptr;
    QComboBox* m_target = nullptr;
    QComboBox* m_colourBy = nullptr;
    SearchBox* m_search = nullptr;
    QLabel* m_statusFile = nullptr;
    QLabel* m_statusTarget = nullptr;
    QLabel* m_statusMark = nullptr;
    QLabel* m_statusSentence = nullptr;
    QLabel* m_jobText = nullptr;
    QProgressBar* m_jobBar = nullptr;
    QToolButton* m_jobCancel = nullptr;
    std::shared_ptr<const Trace> m_selectedIn; // that the selection's ids belong to
    QStringList m_orderWarnings;
    QString m_droppedSamples; // that wait for the model dropped with them
    bool m_lensNodes = false;
};

} // namespace crease
