// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include "core/export/version.h"
#include "ui/canvas/draw.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/support/icons.h"
#include "ui/support/words.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QSaveFile>
#include <QToolBar>

namespace crease {

QAction* MainWindow::addAction(const QString& name, const QString& text, const QString& icon,
                               const QList<QKeySequence>& keys, std::function<void()> run)
{
    auto* action = new QAction(text, this);
    action->setObjectName(name);
    action->setShortcuts(keys);
    action->setData(icon);
    QString plain = text;
    plain.remove('&').remove("…");
    action->setToolTip(keys.isEmpty()
                           ? plain.trimmed()
                           : tr("%1 (%2)").arg(plain.trimmed(), keys.front().toString(QKeySequence::NativeText)));
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    QMainWindow::addAction(action);
    return action;
}

void MainWindow::makeActions()
{
    const auto shortcut = [](const char* text) { return QList<QKeySequence>{QKeySequence(text)}; };
    addAction("open", tr("&Open …"), "open", QKeySequence::keyBindings(QKeySequence::Open), [this] { openDialog(); });
    addAction("reload", tr("&Reload"), "recent", shortcut("F5"), [this] { m_document->reload(); });
    addAction("close", tr("&Close"), "cancel", QKeySequence::keyBindings(QKeySequence::Close), [this] {
        if (mayClose()) {
            m_document->close();
        }
    });
    addAction("openRecipe", tr("Open r&ecipe …"), "open", shortcut("Ctrl+Shift+O"), [this] {
        const QString file = QFileDialog::getOpenFileName(this, tr("Open a recipe"), {}, tr("Recipes (*.json)"));
        if (!file.isEmpty()) {
            m_document->openRecipe(file);
        }
    });
    addAction("saveRecipe", tr("&Save recipe …"), "save", QKeySequence::keyBindings(QKeySequence::Save), [this] {
        const QString file =
            QFileDialog::getSaveFileName(this, tr("Save the recipe"), m_document->recipeFile(), tr("Recipes (*.json)"));
        if (!file.isEmpty()) {
            m_document->saveRecipe(file);
        }
    });
    addAction("samples", tr("Sa&mples …"), "samples", shortcut("Ctrl+M"),
              [this] { SamplesDialog(*m_document, this).exec(); });
    addAction("export", tr("&Export …"), "export", shortcut("Ctrl+E"), [this] {
        ExportDialog dialog(*m_document, m_settings->exportFolder.get(), this);
        if (dialog.exec() == QDialog::Accepted) {
            m_settings->exportFolder.set(QFileInfo(dialog.file()).absolutePath());
        }
    });
    addAction("pictureView", tr("Picture of the &view …"), "picture", shortcut("Ctrl+P"),
              [this] { exportPicture(false); });
    addAction("pictureAll", tr("Picture of the whole &graph …"), "picture", shortcut("Ctrl+Shift+P"),
              [this] { exportPicture(true); });
    addAction("quit", tr("&Quit"), "cancel", QKeySequence::keyBindings(QKeySequence::Quit), [this] { close(); });

    QAction* undo = m_document->undoStack().createUndoAction(this, tr("&Undo"));
    undo->setObjectName("undo");
    undo->setShortcuts(QKeySequence::Undo);
    undo->setData("undo");
    QAction* redo = m_document->undoStack().createRedoAction(this, tr("&Redo"));
    redo->setObjectName("redo");
    redo->setShortcuts(QKeySequence::Redo);
    redo->setData("redo");
    QMainWindow::addAction(undo);
    QMainWindow::addAction(redo);
    addAction("copyName", tr("&Copy name"), "copy", QKeySequence::keyBindings(QKeySequence::Copy),
              [this] { QApplication::clipboard()->setText(m_node->nodeName()); });
    addAction("copyJson", tr("Copy as &JSON"), "copy", shortcut("Ctrl+Shift+C"),
              [this] { QApplication::clipboard()->setText(QString::fromUtf8(m_node->nodeJson())); });
    addAction("copyCommand", tr("Copy as command &line"), "copy", shortcut("Ctrl+Alt+C"),
              [this] { QApplication::clipboard()->setText(m_document->commandLine()); });
    addAction("find", tr("&Find …"), "search", QKeySequence::keyBindings(QKeySequence::Find), [this] {
        m_search->setFocus();
        m_search->selectAll();
    });
    addAction("findNext", tr("Find &next"), "search", QKeySequence::keyBindings(QKeySequence::FindNext),
              [this] { search(1); });
    addAction("findPrevious", tr("Find pre&vious"), "search", QKeySequence::keyBindings(QKeySequence::FindPrevious),
              [this] { search(-1); });

    addAction("run", tr("&Run all passes"), "run", shortcut("Ctrl+Return"), [this] {
        m_document->refold();
        m_document->showWhole();
    });
    addAction("stepBack", tr("Step &back"), "step-back", shortcut("Alt+Left"), [this] { m_document->stepBack(); });
    addAction("stepForward", tr("Step &forward"), "step-forward", shortcut("Alt+Right"),
              [this] { m_document->stepForward(); });
    addAction("first", tr("&Original"), "first", shortcut("Alt+Home"), [this] { m_document->setStage(0); });
    addAction("last", tr("&Final beside original"), "last", shortcut("Alt+End"), [this] { m_document->showWhole(); });
    addAction("nextSite", tr("&Next site"), "site-next", shortcut("N"), [this] { m_canvas->stepSite(1); });
    addAction("previousSite", tr("&Previous site"), "site-previous", shortcut("Shift+N"),
              [this] { m_canvas->stepSite(-1); });
    addAction("keepFloat", tr("&Keep the selected node in float"), "class-float", shortcut("Ctrl+K"), [this] {
        const auto& trace = m_document->trace();
        if (trace == nullptr || !trace->graph(m_selection->stage()).contains(m_selection->node())) {
            return;
        }
        for (const NodeId id : counterparts(*trace, m_selection->node(), m_selection->stage(), 0)) {
            const std::string& name = trace->original.node(id).name;
            if (!name.empty()) {
                m_document->setKeepFloat(QString::fromStdString(name), !m_document->recipe().keepFloat.contains(name));
                return;
            }
        }
        m_strip->showInfo(tr("This node cannot be kept in float"),
                          tr("It has no named node of the file behind it. Select one of the original graph."));
    });
    addAction("verify", tr("&Verify"), "verify", shortcut("Ctrl+R"), [this] { m_document->verify(); });
    addAction("worst", tr("&Worst layer"), "worst", shortcut("W"), [this] {
        m_tables->setCurrentPage(m_layers);
        m_layers->showWorst();
    });
    addAction("cancel", tr("&Cancel the running job"), "cancel", shortcut("Esc"), [this] { m_document->cancelJobs(); });

    auto* modes = new QActionGroup(this);
    for (const auto& [name, text, icon, key, mode] :
         {std::tuple("modeSide", tr("&Side by side"), "mode-side", "1", CanvasMode::SideBySide),
          std::tuple("modeOverlay", tr("&Overlay"), "mode-overlay", "2", CanvasMode::Overlay),
          std::tuple("modeSingle", tr("S&ingle"), "mode-single", "3", CanvasMode::Single)}) {
        QAction* action =
            addAction(name, text, icon, shortcut(key), [this, mode = mode] { m_canvas->panes().setMode(mode); });
        action->setCheckable(true);
        action->setChecked(mode == CanvasMode::SideBySide);
        modes->addAction(action);
    }
    QAction* lens = addAction("lens", tr("Quant &lens"), "lens", shortcut("L"),
                              [this] { m_canvas->panes().setLens(action("lens")->isChecked(), m_lensNodes); });
    lens->setCheckable(true);
    QAction* lensNodes =
        addAction("lensNodes", tr("Quantizers within the lens"), "class-quantizer", shortcut("Shift+L"), [this] {
            m_lensNodes = action("lensNodes")->isChecked();
            m_canvas->panes().setLens(action("lens")->isChecked(), m_lensNodes);
        });
    lensNodes->setCheckable(true);
    addAction("fit", tr("&Fit"), "fit", shortcut("F"), [this] { m_canvas->panes().fit(); });
    addAction("zoomIn", tr("Zoom &in"), "zoom-in", QKeySequence::keyBindings(QKeySequence::ZoomIn),
              [this] { m_canvas->panes().zoomStep(1); });
    addAction("zoomOut", tr("Zoom &out"), "zoom-out", QKeySequence::keyBindings(QKeySequence::ZoomOut),
              [this] { m_canvas->panes().zoomStep(-1); });
    addAction("actualSize", tr("&100 %"), "zoom-in", shortcut("Ctrl+0"), [this] { m_canvas->panes().actualSize(); });
    QAction* legend = addAction("legend", tr("L&egend"), "legend", shortcut("G"), [this] {
        m_settings->legend.set(action("legend")->isChecked());
        m_canvas->panes().setLegendVisible(action("legend")->isChecked());
    });
    legend->setCheckable(true);
    legend->setChecked(m_settings->legend.get());
    QAction* minimap = addAction("minimap", tr("&Minimap"), "minimap", shortcut("M"), [this] {
        m_settings->minimap.set(action("minimap")->isChecked());
        m_canvas->panes().setMinimapVisible(action("minimap")->isChecked());
    });
    minimap->setCheckable(true);
    minimap->setChecked(m_settings->minimap.get());
    auto* themes = new QActionGroup(this);
    for (const auto& [name, text] : {std::pair("system", tr("Theme of the &desktop")), std::pair("light", tr("L&ight")),
                                     std::pair("dark", tr("D&ark"))}) {
        QAction* choice = addAction(QString("theme-") + name, text, "theme", {}, [this, name = QString(name)] {
            m_settings->theme.set(name);
            applyTheme();
        });
        choice->setCheckable(true);
        choice->setChecked(m_settings->theme.get() == name);
        themes->addAction(choice);
    }
    addAction("help", tr("&Keys"), "help", QKeySequence::keyBindings(QKeySequence::HelpContents),
              [this] { HelpSheet(actions(), this).exec(); });
    addAction("about", tr("&About Crease"), "info", {}, [this] {
        const std::string_view version = creaseVersion();
        QMessageBox::about(this, tr("About Crease"),
                           tr("Crease %1\n\nFolds fake-quantized networks to integers, one proven pass at a "
                              "time.\n\nGPL-3.0-or-later. Made with Qt, QCustomPlot, Graphviz, onnx, Eigen and {fmt}.")
                               .arg(QString::fromUtf8(version.data(), static_cast<qsizetype>(version.size()))));
    });
}

void MainWindow::makeMenus()
{
    const auto fill = [this](QMenu* menu, const QStringList& names) {
        for (const QString& name : names) {
            if (name.isEmpty()) {
                menu->addSeparator();
            } else {
                menu->addAction(action(name));
            }
        }
    };
    QMenu* file = menuBar()->addMenu(tr("&File"));
    fill(file, {"open"});
    m_recentMenu = file->addMenu(tr("Open &recent"));
    fill(file,
         {"reload", "close", "", "openRecipe", "saveRecipe", "", "export", "pictureView", "pictureAll", "", "quit"});
    fill(menuBar()->addMenu(tr("&Edit")),
         {"undo", "redo", "", "copyName", "copyJson", "copyCommand", "", "find", "findNext", "findPrevious"});
    QMenu* view = menuBar()->addMenu(tr("&View"));
    fill(view, {"modeSide", "modeOverlay", "modeSingle", "", "lens", "lensNodes", "", "fit", "zoomIn", "zoomOut",
                "actualSize", "", "legend", "minimap", ""});
    fill(view->addMenu(tr("&Theme")), {"theme-system", "theme-light", "theme-dark"});
    view->addSeparator();
    for (QDockWidget* dock : m_docks) {
        view->addAction(dock->toggleViewAction());
    }
    fill(menuBar()->addMenu(tr("&Passes")),
         {"run", "stepBack", "stepForward", "first", "last", "", "nextSite", "previousSite", "", "keepFloat"});
    fill(menuBar()->addMenu(tr("&Verify")), {"samples", "verify", "worst", "", "cancel"});
    fill(menuBar()->addMenu(tr("&Help")), {"help", "about"});
}

void MainWindow::makeToolBar()
{
    QToolBar* bar = addToolBar(tr("Toolbar"));
    bar->setObjectName("toolbar");
    bar->setMovable(false);
    bar->setFixedHeight(36);
    bar->setIconSize({16, 16});
    const auto caption = [bar](const QString& text) {
        auto* label = new QLabel(text, bar);
        label->setContentsMargins(6, 0, 4, 0);
        return label;
    };
    const auto add = [&](const QString& name, bool word) {
        bar->addAction(action(name));
        auto* button = qobject_cast<QToolButton*>(bar->widgetForAction(action(name)));
        button->setToolButtonStyle(word ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
        if (word) {
            QString text = action(name)->text();
            text.remove('&').remove("…");
            action(name)->setIconText(name == "run" ? tr("Run") : name == "lens" ? tr("Lens") : text.trimmed());
        }
    };
    add("open", true);
    add("samples", true);
    bar->addSeparator();
    m_target = new QComboBox(bar);
    for (const Target& target : shippedTargets()) {
        m_target->addItem(QString::fromStdString(target.name));
        m_target->setItemData(m_target->count() - 1, QString::fromStdString(target.summary), Qt::ToolTipRole);
    }
    bar->addWidget(caption(tr("Target")));
    m_target->setAccessibleName(tr("Target"));
    m_target->setToolTip(tr("Target: where the folded model is to run"));
    connect(m_target, &QComboBox::textActivated, m_document, &Document::setTarget);
    bar->addWidget(m_target);
    bar->addSeparator();
    add("run", true);
    add("stepBack", false);
    add("stepForward", false);
    bar->addSeparator();
    add("verify", true);
    add("export", true);
    bar->addSeparator();
    add("modeSide", false);
    add("modeOverlay", false);
    add("modeSingle", false);
    bar->addSeparator();
    add("lens", true);
    bar->addWidget(caption(tr("Colour by")));
    m_colourBy = new QComboBox(bar);
    m_colourBy->addItems({tr("Op class"), tr("Precision"), tr("Error"), tr("Saturation")});
    m_colourBy->setToolTip(tr("Colour by"));
    m_colourBy->setAccessibleName(tr("Colour by"));
    connect(m_colourBy, &QComboBox::activated, this,
            [this](int index) { m_canvas->panes().setColourBy(static_cast<ColourBy>(index)); });
    bar->addWidget(m_colourBy);
    bar->addSeparator();
    add("previousSite", false);
    add("nextSite", false);
    add("worst", false);
    add("fit", false);
    auto* space = new QWidget(bar);
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    m_search = new SearchBox(*m_theme, bar);
    connect(m_search, &QLineEdit::returnPressed, this, [this] { search(1); });
    bar->addWidget(m_search);
}

void MainWindow::search(int direction)
{
    if (!m_search->error().isEmpty()) {
        statusBar()->showMessage(m_search->error(), 8000);
        m_search->setFocus();
        return;
    }
    const int hits = m_canvas->find(m_search->text(), direction);
    m_search->showHits(hits);
    statusBar()->showMessage(hits == 0   ? tr("No node matches %1").arg(m_search->text())
                             : hits == 1 ? tr("1 node matches")
                                         : tr("%1 match").arg(counted(hits, tr("node"), tr("nodes"))),
                             4000);
}

void MainWindow::openDialog()
{
    const QString folder = m_document->isOpen() ? QFileInfo(m_document->fileName()).absolutePath() : QString();
    const QString file = QFileDialog::getOpenFileName(this, tr("Open a model"), folder,
                                                      tr("ONNX models (*.onnx);;Recipes (*.json);;All files (*)"));
    if (!file.isEmpty()) {
        open(file);
    }
}

void MainWindow::exportPicture(bool wholeGraph)
{
    const PicturePtr picture = m_canvas->currentPicture();
    if (picture == nullptr) {
        return;
    }
    const QString file = QFileDialog::getSaveFileName(this, tr("Save the picture"),
                                                      QFileInfo(m_document->fileName()).completeBaseName() + ".svg",
                                                      tr("Pictures (*.svg *.png *.pdf *.dot)"));
    const auto format = pictureFormat(file);
    if (file.isEmpty()) {
        return;
    }
    if (!format) {
        m_strip->showError(
            tr("The picture was not saved"),
            {ErrorKind::Usage, "picture-format", "the name must end in .svg, .png, .pdf or .dot", file.toStdString()});
        return;
    }
    DrawOptions options;
    CanvasView& view = m_canvas->panes().current();
    options.state = view.state();
    options.dark = m_theme->isDark();
    if (!wholeGraph) {
        options.view = m_canvas->panes().camera().view();
        options.size = view.canvasSize();
    }
    const QByteArray bytes = pictureFile(*picture, options, *format);
    QSaveFile target(file);
    if (bytes.isEmpty() || !target.open(QIODevice::WriteOnly) || target.write(bytes) != bytes.size() ||
        !target.commit()) {
        m_strip->showError(tr("The picture was not saved"),
                           {ErrorKind::Output, "cannot-write",
                            bytes.isEmpty() ? "the picture is too large for this format; save it as .svg or .pdf"
                                            : target.errorString().toStdString(),
                            file.toStdString()});
        return;
    }
    m_strip->showInfo(tr("The picture was saved"), file);
}

} // namespace crease
