// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include "core/export/text_report.h"
#include "core/support/text.h"
#include "ui/support/icons.h"
#include "ui/support/words.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QStatusBar>
#include <QVBoxLayout>

namespace crease {

MainWindow::MainWindow(Settings& settings, QWidget* parent)
    : QMainWindow(parent), m_settings(&settings), m_theme(&Theme::light()), m_document(new Document(this)),
      m_selection(new Selection(this)), m_passModel(new PassModel(*m_document, this)),
      m_rewriteModel(new RewriteModel(*m_document, this)), m_missedModel(new MissedModel(*m_document, this)),
      m_layerModel(new LayerModel(*m_document, this)), m_diagnosticModel(new DiagnosticModel(*m_document, this)),
      m_strip(new MessageStrip(*m_theme, this)), m_canvas(new TraceCanvas(*m_document, *m_selection, this))
{
    setWindowTitle("Crease");
    setAcceptDrops(true);
    setDockNestingEnabled(true);
    auto* centre = new QWidget(this);
    auto* layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_strip);
    layout->addWidget(m_canvas, 1);
    setCentralWidget(centre);
    makeActions();
    makeDocks();
    makeMenus();
    makeToolBar();
    makeStatusBar();
    connectDocument();
    m_canvas->panes().setLegendVisible(settings.legend.get());
    m_canvas->panes().setMinimapVisible(settings.minimap.get());
    resize(1480, 920);
    if (!settings.geometry.get().isEmpty()) {
        restoreGeometry(settings.geometry.get());
        restoreState(settings.docks.get());
    }
    applyTheme();
    updateRecent();
    updateActions();
    updateStatus();
}

MainWindow::~MainWindow()
{
    // What shows the document goes before it; the undo stack still speaks while it is destroyed.
    m_document->undoStack().disconnect(this);
    m_document->disconnect(this);
    qDeleteAll(m_docks);
    delete takeCentralWidget();
}

QAction* MainWindow::action(const QString& name) const
{
    for (QAction* candidate : actions()) {
        if (candidate->objectName() == name) {
            return candidate;
        }
    }
    Q_ASSERT_X(false, "MainWindow::action", qPrintable(name));
    return nullptr;
}

void MainWindow::connectDocument()
{
    connect(m_document, &Document::changed, this, [this](Document::Change what) {
        if (what == Document::Change::Model) {
            m_strip->hide();
            m_orderWarnings.clear();
            m_selection->clear();
            if (m_document->isOpen()) {
                m_settings->addRecent(m_document->fileName());
                updateRecent();
                if (!m_droppedSamples.isEmpty()) {
                    m_document->readSamples(std::exchange(m_droppedSamples, {}));
                }
            }
        }
        if (what == Document::Change::Messages) {
            m_log->setPlainText(m_document->log().join('\n'));
        }
        keepSelection(what);
        if (what == Document::Change::Trace) {
            warnOfOrder();
        }
        updateActions();
        updateStatus();
    });
    connect(m_document, &Document::failed, this, [this](const Document::Failure& failure) {
        m_droppedSamples.clear();
        m_strip->showError(failure.what, failure.error);
    });
    connect(m_document, &Document::exported, this, [this](const ExportResult& result) {
        m_strip->showInfo(tr("Exported %1").arg(QFileInfo(QString::fromStdString(result.file)).fileName()),
                          tr("%1, %2, read back and equal to the final graph; certificate of the fold: %4. %3")
                              .arg(QString::fromStdString(byteSize(result.bytes)),
                                   counted(static_cast<qlonglong>(result.nodes), tr("node"), tr("nodes")),
                                   QString::fromStdString(result.file),
                                   QString::fromStdString(std::string(verdictName(
                                       m_document->verification() != nullptr ? m_document->verification()->whole.verdict
                                                                             : Verdict::NotChecked)))));
    });
    connect(&m_document->undoStack(), &QUndoStack::cleanChanged, this, [this](bool) { updateStatus(); });
    for (JobRunner* runner : m_document->jobs()) {
        connect(runner, &JobRunner::started, this, [this, runner] { showJob(*runner); });
        connect(runner, &JobRunner::finished, this, [this, runner] { showJob(*runner); });
        connect(runner, &JobRunner::progressed, this, [this](double fraction, const QString& what) {
            m_jobText->setText(what);
            m_jobBar->setValue(static_cast<int>(fraction * 100));
        });
    }
}

bool MainWindow::isOtherModel(const QString& file) const
{
    return m_document->isOpen() && QFileInfo(file).absoluteFilePath() != m_document->fileName();
}

void MainWindow::open(const QString& file)
{
    if (file.endsWith(".json", Qt::CaseInsensitive)) {
        m_document->openRecipe(file);
    } else if (!isOtherModel(file) || mayClose()) { // another model starts with another recipe
        m_document->open(file);
    }
}

/// The selection names a node by stage and id: these change with a new run, and stepping leaves the stage behind.
void MainWindow::keepSelection(Document::Change what)
{
    const auto& trace = m_document->trace();
    if (what == Document::Change::Trace) {
        m_selection->follow(m_selectedIn.get(), trace.get());
        m_selectedIn = trace;
    } else if (what == Document::Change::Stage && trace != nullptr && m_selection->stage() != m_canvas->afterStage() &&
               m_selection->stage() != m_canvas->beforeStage()) {
        m_selection->followTo(*trace, m_canvas->afterStage());
    }
}

/// Says once that an order destroys a pattern, and takes it back when the order is right again.
void MainWindow::warnOfOrder()
{
    const QStringList warnings = m_document->orderWarnings();
    if (warnings == m_orderWarnings) {
        return;
    }
    if (warnings.isEmpty()) {
        m_strip->hide();
    } else {
        const QString more = warnings.size() > 1 ? tr(" (and %1 more, see Diagnostics)").arg(warnings.size() - 1) : "";
        m_strip->showWarning(tr("This order of passes destroys a pattern"),
                             warnings.front() + more + tr(". Ctrl+Z takes the move back."));
    }
    m_orderWarnings = warnings;
}

void MainWindow::applyTheme()
{
    QApplication::setPalette(QPalette()); // the desktop's own again, to look at it
    m_theme = &Theme::chosen(m_settings->theme.get(), QApplication::palette());
    QApplication::setPalette(m_theme->palette());
    const Theme& theme = *m_theme;
    const auto hex = [&](Token token) { return theme[token].name(); };
    setStyleSheet(
        QString("QMainWindow, QMenuBar, QToolBar, QStatusBar, QDialog { background: %1; color: %11; }"
                "QLabel, QToolButton, QCheckBox, QRadioButton, QMenu, QTabBar, QDockWidget { color: %11; }"
                "QToolButton:disabled { color: %12; }"
                "QToolBar { border: 0; border-bottom: 1px solid %2; spacing: 2px; padding: 0 6px; }"
                "QStatusBar { border-top: 1px solid %2; }"
                "QStatusBar::item { border: 0; }"
                "QDockWidget { font-weight: 600; titlebar-close-icon: none; }"
                "QDockWidget::title { background: %3; padding: 5px 8px; border-bottom: 1px solid %2; }"
                "QWidget#dockBar { background: %3; border-bottom: 1px solid %2; } QTabBar { background: transparent; }"
                "QTabBar::tab { background: %3; padding: 5px 12px; border: 0; border-bottom: 2px solid transparent; }"
                "QTabBar::tab:selected { background: %4; border-bottom: 2px solid %5; }"
                "QHeaderView::section { font-weight: normal; color: %11; background: %3; border: 0; border-bottom: 1px "
                "solid %2; padding: 0 6px; }"
                "QTableView, QScrollArea, QPlainTextEdit { background: %4; color: %11; border: 0; }"
                "QLineEdit, QComboBox, QSpinBox { color: %11; background: %6; border: 1px solid %7; border-radius: "
                "3px; padding: 1px 6px; }"
                "QMainWindow::separator { background: %2; width: 1px; height: 1px; }"
                "QToolButton { padding: 3px 6px; border: 1px solid transparent; border-radius: 3px; }"
                "QToolButton:hover { background: %8; }"
                "QToolButton:checked { background: %9; border-color: %5; }"
                "QToolTip { background: %10; color: %11; border: 1px solid %7; }"
                "QTableView::indicator, QCheckBox::indicator { width: 12px; height: 12px; border: 1px solid %7; "
                "border-radius: 2px; background: %6; }"
                "QTableView::indicator:checked, QCheckBox::indicator:checked { border-color: %5; background: %5; "
                "image: url(:/themes/check-%13.svg); }"
                "QTableView::indicator:disabled, QCheckBox::indicator:disabled { background: %1; }")
            .arg(hex(Token::Window), hex(Token::Line), hex(Token::Header), hex(Token::Panel), hex(Token::Accent),
                 hex(Token::Field), hex(Token::NodeLine), hex(Token::Hover), hex(Token::Selection))
            .arg(hex(Token::Tip), hex(Token::Text), hex(Token::Text3), theme.isDark() ? "dark" : "light"));
    for (QAction* each : actions()) {
        each->setIcon(themedIcon(each->data().toString(), theme));
    }
    m_strip->setTheme(theme);
    m_search->setTheme(theme);
    m_canvas->panes().setTheme(theme);
    m_passes->setTheme(theme);
    m_node->setTheme(theme);
    m_tensor->setTheme(theme);
    m_sites->setTheme(theme);
    m_missed->setTheme(theme);
    m_diagnostics->setTheme(theme);
    m_layers->setTheme(theme);
    m_inspector->setTheme(theme);
    m_tables->setTheme(theme);
    m_jobCancel->setIcon(themedIcon("cancel", theme));
    updateStatus();
}

void MainWindow::makeStatusBar()
{
    const auto add = [this](int stretch) {
        auto* label = new QLabel(this);
        label->setFont(uiFont(12));
        label->setContentsMargins(6, 0, 6, 0);
        label->setTextInteractionFlags(Qt::NoTextInteraction);
        statusBar()->addWidget(label, stretch);
        return label;
    };
    statusBar()->setSizeGripEnabled(false);
    statusBar()->setFixedHeight(24);
    m_statusFile = add(0);
    m_statusTarget = add(0);
    m_statusMark = add(0);
    m_statusSentence = add(1);
    m_jobText = new QLabel(this);
    m_jobText->setFont(uiFont(12));
    m_jobBar = new QProgressBar(this);
    m_jobBar->setFixedSize(140, 6);
    m_jobBar->setTextVisible(false);
    m_jobBar->setRange(0, 100);
    m_jobCancel = new QToolButton(this);
    m_jobCancel->setText(tr("Cancel"));
    m_jobCancel->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_jobCancel->setToolTip(tr("Cancel the running job (Esc)"));
    connect(m_jobCancel, &QToolButton::clicked, this, [this] { m_document->cancelJobs(); });
    for (QWidget* widget :
         {static_cast<QWidget*>(m_jobText), static_cast<QWidget*>(m_jobBar), static_cast<QWidget*>(m_jobCancel)}) {
        statusBar()->addPermanentWidget(widget);
        widget->hide();
    }
}

void MainWindow::showJob(JobRunner& runner)
{
    const bool running = m_document->isBusy();
    if (runner.isRunning()) {
        m_jobText->setText(runner.what());
        m_jobBar->setValue(0);
    }
    for (QWidget* widget :
         {static_cast<QWidget*>(m_jobText), static_cast<QWidget*>(m_jobBar), static_cast<QWidget*>(m_jobCancel)}) {
        widget->setVisible(running);
    }
    updateActions();
    updateStatus();
}

void MainWindow::updateActions()
{
    const bool open = m_document->isOpen();
    const bool folded = m_document->stageCount() > 0;
    for (const char* name :
         {"reload", "close", "samples", "saveRecipe", "copyCommand", "find", "findNext", "findPrevious", "copyName",
          "copyJson", "fit", "zoomIn", "zoomOut", "actualSize", "pictureView", "pictureAll"}) {
        action(name)->setEnabled(open);
    }
    action("run")->setEnabled(open);
    action("cancel")->setEnabled(m_document->isBusy()); // else Escape belongs to what has the focus
    for (const char* name :
         {"stepBack", "stepForward", "first", "last", "nextSite", "previousSite", "verify", "export", "keepFloat"}) {
        action(name)->setEnabled(folded);
    }
    action("stepBack")->setEnabled(folded && m_document->stage() > 0);
    action("stepForward")->setEnabled(folded && !m_document->showsWhole());
    action("worst")->setEnabled(!m_layerModel->rows().empty());
    if (m_target != nullptr) {
        m_target->setCurrentText(QString::fromStdString(m_document->recipe().target));
    }
    for (QDockWidget* dock : m_docks) {
        if (!open && !dock->property("wasVisible").isValid()) {
            dock->setProperty("wasVisible", dock->isVisibleTo(this));
            dock->hide();
        } else if (open && dock->property("wasVisible").isValid()) {
            dock->setVisible(dock->property("wasVisible").toBool());
            dock->setProperty("wasVisible", {});
        }
    }
}

void MainWindow::updateStatus()
{
    if (m_statusFile == nullptr || m_statusMark == nullptr) {
        return;
    }
    const bool open = m_document->isOpen();
    const auto& verification = m_document->verification();
    const Certificate whole = verification != nullptr ? verification->whole : Certificate{};
    m_statusFile->setText(open ? QFileInfo(m_document->fileName()).fileName() : tr("no file"));
    m_statusTarget->setText(open ? QString::fromStdString(m_document->recipe().target) : QString());
    const bool isStale = m_document->isStale() && !m_document->foldJob().isRunning();
    const QString mark = isStale ? QString("warning") : certificateIcon(whole.verdict);
    m_statusMark->setPixmap(
        open ? iconPixmap(mark, (*m_theme)[markToken(mark)], (*m_theme)[Token::MarkGlyph], 14, devicePixelRatioF())
             : QPixmap());
    m_statusSentence->setText(isStale ? tr("These graphs are not those of the recipe: press Run (Ctrl+Return)")
                              : open && m_document->stageCount() > 0
                                  ? tr("Whole fold: %1 · %2 of %3 quantized linear ops integer")
                                        .arg(QString::fromStdString(sentence(whole)))
                                        .arg(m_document->report().integerLinearOps)
                                        .arg(m_document->report().quantizedLinearOps)
                                  : QString());
    m_statusSentence->setToolTip(m_statusSentence->text());
    setWindowTitle(open ? QFileInfo(m_document->fileName()).fileName() +
                              (m_document->undoStack().isClean() ? "" : " *") + " - Crease"
                        : "Crease");
}

QString MainWindow::statusText() const
{
    return QStringList{m_statusFile->text(), m_statusTarget->text(), m_statusSentence->text()}.join(" | ");
}

void MainWindow::updateRecent()
{
    m_recentMenu->clear();
    for (const QString& file : m_settings->recentFiles.get()) {
        m_recentMenu->QWidget::addAction(m_recentMenu->addAction(file, this, [this, file] { open(file); }));
    }
    m_recentMenu->setEnabled(!m_recentMenu->isEmpty());
}

bool MainWindow::mayClose()
{
    if (m_document->undoStack().isClean() || !m_document->isOpen()) {
        return true;
    }
    const auto answer =
        QMessageBox::question(this, tr("Save the recipe?"), tr("The recipe has changes that are not saved."),
                              QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save);
    if (answer == QMessageBox::Save) {
        action("saveRecipe")->trigger();
        return m_document->undoStack().isClean();
    }
    return answer == QMessageBox::Discard;
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!mayClose()) {
        event->ignore();
        return;
    }
    m_document->cancelJobs();
    // Docks that only wait for a model are remembered as they will be with one.
    for (QDockWidget* dock : m_docks) {
        if (dock->property("wasVisible").toBool()) {
            dock->show();
        }
        dock->setProperty("wasVisible", {});
    }
    m_settings->geometry.set(saveGeometry());
    m_settings->docks.set(saveState());
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls()) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event)
{
    event->acceptProposedAction();
    QString samples;
    QString model;
    for (const QUrl& url : event->mimeData()->urls()) {
        const QString file = url.toLocalFile();
        if (file.endsWith(".npz") || file.endsWith(".npy") || file.endsWith(".pb") || QFileInfo(file).isDir()) {
            samples = file;
        } else if (file.endsWith(".json", Qt::CaseInsensitive)) {
            open(file);
        } else if (!file.isEmpty()) {
            model = file;
        }
    }
    if (!model.isEmpty()) {
        m_droppedSamples = samples;
        open(model);
        if (!m_document->foldJob().isRunning()) {
            m_droppedSamples.clear(); // the answer was to keep the model before
        }
    } else if (!samples.isEmpty()) {
        m_document->readSamples(samples);
    }
}

void MainWindow::changeEvent(QEvent* event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::ThemeChange && m_settings->theme.get() == "system") {
        applyTheme();
    }
}

} // namespace crease
