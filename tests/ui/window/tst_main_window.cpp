// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/wait_for.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/main_window.h"

#include <QAbstractButton>
#include <QClipboard>
#include <QDockWidget>
#include <QDropEvent>
#include <QLabel>
#include <QMessageBox>
#include <QMimeData>
#include <QTemporaryDir>
#include <QTimer>

#include <set>

using namespace crease;

namespace {

const QString model = QStringLiteral(CREASE_SAMPLES "/residual_cnn.onnx");

bool isIdle(MainWindow& window)
{
    return !window.document().isBusy();
}

void sendMouse(QWidget& widget, QEvent::Type type, QPointF at, Qt::MouseButton button, Qt::MouseButtons buttons)
{
    QMouseEvent event(type, at, widget.mapToGlobal(at), button, buttons, Qt::NoModifier);
    QApplication::sendEvent(&widget, &event);
}

/// Presses on the row of a pass and moves to a place of the list; the button is still held.
void startDrag(PassList& list, int row, QPointF to)
{
    QWidget& area = *list.viewport();
    const QPointF from = list.visualRect(list.model()->index(row, PassModel::Sites)).center();
    sendMouse(area, QEvent::MouseButtonPress, from, Qt::LeftButton, Qt::LeftButton);
    sendMouse(area, QEvent::MouseMove, from + QPointF(2, 1), Qt::NoButton, Qt::LeftButton);
    sendMouse(area, QEvent::MouseMove, to, Qt::NoButton, Qt::LeftButton);
}

void letGo(PassList& list, QPointF at)
{
    sendMouse(*list.viewport(), QEvent::MouseButtonRelease, at, Qt::LeftButton, Qt::NoButton);
}

/// Gives the question that is asked next its answer.
void answerWith(QMessageBox::StandardButton answer, bool* wasAsked)
{
    QTimer::singleShot(0, [answer, wasAsked] {
        if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget())) {
            *wasAsked = true;
            box->button(answer)->click();
        }
    });
}

} // namespace

class TestMainWindow : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void startsEmptyAndSaysWhatToDo();
    void opensAModelAndShowsBothGraphs();
    void stepsThroughThePasses();
    void selectionShowsTheNode();
    void sitesAreSteppedAndHighlighted();
    void findGoesToTheNode();
    void verifyFillsMarksAndLayers();
    void errorsAreShownInTheStrip();
    void everyActionIsInAMenuWithItsText();
    void exportDialogSaysWhatIsWritten();
    void modesLensAndThemesRepaint();
    void droppedFilesAreOpened();
    void no_lockedDownActionsWithoutAModel();
    void passesAreDraggedToAnotherPlace();
    void no_dragThatEndsOutsideOrInEscape();
    void marksComeWithAVerification();
    void searchMarksAnInvalidExpression();
    void selectionKeepsToItsNode();
    void escapeClearsTheSelection();
    void docksComeBackWithAModel();
    void unsavedRecipesAreAskedFor();
    void closesWithUnsavedChangesAndRunningJobs();
    void helpNamesEveryKey();

private:
    void openModel();

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

void TestMainWindow::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_settings = std::make_unique<Settings>(m_folder->filePath("settings.ini"));
    m_window = std::make_unique<MainWindow>(*m_settings);
    m_window->resize(1480, 920);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
}

void TestMainWindow::cleanup()
{
    m_window.reset();
    m_settings.reset();
}

void TestMainWindow::openModel()
{
    m_window->open(model);
    WAIT_FOR(isIdle(*m_window) && m_window->document().stageCount() > 0 &&
             m_window->canvas().currentPicture() != nullptr);
}

void TestMainWindow::startsEmptyAndSaysWhatToDo()
{
    QCOMPARE(m_window->windowTitle(), QString("Crease"));
    QVERIFY(m_window->statusText().startsWith("no file"));
    QVERIFY(!m_window->canvas().isShown());
}

void TestMainWindow::opensAModelAndShowsBothGraphs()
{
    openModel();
    QVERIFY(m_window->windowTitle().startsWith("residual_cnn.onnx"));
    QVERIFY2(m_window->statusText().contains("quantized linear ops integer"), qPrintable(m_window->statusText()));
    QVERIFY(m_window->canvas().isShown());
    CanvasPair& panes = m_window->canvas().panes();
    QVERIFY(panes.before().picture() != nullptr);
    QVERIFY(panes.after().picture() != nullptr);
    QVERIFY(panes.before().picture()->scene().nodes.size() > panes.after().picture()->scene().nodes.size());
    QCOMPARE(m_settings->recentFiles.get().size(), 1);
}

void TestMainWindow::stepsThroughThePasses()
{
    openModel();
    Document& document = m_window->document();
    m_window->action("first")->trigger();
    QCOMPARE(document.stage(), std::size_t{0});
    for (std::size_t stage = 1; stage <= document.stageCount(); ++stage) {
        m_window->action("stepForward")->trigger();
        QCOMPARE(document.stage(), stage);
        const PicturePtr picture = m_window->canvas().panes().after().picture();
        QVERIFY(picture->scene().nodes.size() >= document.trace()->graph(stage).nodeCount());
    }
    // The last step sets the final graph beside the original one; the step back is to the last pass.
    const auto nodesBefore = [&] { return m_window->canvas().panes().before().picture()->scene().nodes.size(); };
    const std::size_t ofLastPass = nodesBefore();
    m_window->action("stepForward")->trigger();
    QVERIFY(document.showsWhole());
    QCOMPARE(document.stage(), document.stageCount());
    QVERIFY(nodesBefore() > ofLastPass);
    QVERIFY(nodesBefore() >= document.trace()->original.nodeCount());
    QVERIFY(!m_window->action("stepForward")->isEnabled());
    m_window->action("nextSite")->trigger(); // there is none: sites belong to a pass
    QVERIFY(m_window->findChild<Selection*>()->site().isEmpty());
    m_window->action("stepBack")->trigger();
    QVERIFY(!document.showsWhole());
    QCOMPARE(document.stage(), document.stageCount());
    QCOMPARE(nodesBefore(), ofLastPass);
    m_window->action("stepBack")->trigger();
    QCOMPARE(document.stage(), document.stageCount() - 1);
    m_window->action("last")->trigger();
    QVERIFY(document.showsWhole());
    document.setPassOn("tabulate", false); // a new run keeps what is looked at
    WAIT_FOR(isIdle(*m_window));
    QVERIFY(document.showsWhole());
    QCOMPARE(document.stage(), document.stageCount());
}

void TestMainWindow::selectionShowsTheNode()
{
    openModel();
    Document& document = m_window->document();
    document.setStage(0);
    const Graph& graph = document.trace()->original;
    const auto conv = std::ranges::find_if(graph.order(), [&](NodeId id) { return graph.node(id).op == "Conv"; });
    QVERIFY(conv != graph.order().end());
    auto* panel = m_window->findChild<NodePanel*>();
    auto* selection = m_window->findChild<Selection*>();
    QVERIFY(panel != nullptr && selection != nullptr);
    selection->reveal(0, *conv);
    QVERIFY2(panel->text().contains("Conv"), qPrintable(panel->text()));
    QVERIFY(panel->text().contains("kernel_shape"));
    QVERIFY(panel->text().contains("Becomes"));
    m_window->action("copyName")->trigger();
    QCOMPARE(QApplication::clipboard()->text(), panel->nodeName());
    m_window->action("copyJson")->trigger();
    QVERIFY(QApplication::clipboard()->text().contains("\"op\": \"Conv\""));
    selection->clear();
    QVERIFY(panel->text().contains("Nothing is selected"));
}

void TestMainWindow::sitesAreSteppedAndHighlighted()
{
    openModel();
    m_window->document().setStage(1);
    auto* selection = m_window->findChild<Selection*>();
    m_window->action("nextSite")->trigger();
    const QString first = selection->site();
    QVERIFY(!first.isEmpty());
    m_window->action("nextSite")->trigger();
    QVERIFY(selection->site() != first);
    m_window->action("previousSite")->trigger();
    QCOMPARE(selection->site(), first);
}

void TestMainWindow::findGoesToTheNode()
{
    openModel();
    m_window->document().setStage(0);
    QVERIFY(m_window->canvas().find("conv", 1) > 0);
    auto* selection = m_window->findChild<Selection*>();
    QVERIFY(selection->node().valid());
    const NodeId first = selection->node();
    m_window->canvas().find("conv", 1);
    QVERIFY(selection->node() != first);
    QCOMPARE(m_window->canvas().find("no such node anywhere", 1), 0);
    QVERIFY(m_window->canvas().find("[unclosed", 1) == 0);
}

void TestMainWindow::verifyFillsMarksAndLayers()
{
    openModel();
    QVERIFY(m_window->statusText().contains("not checked"));
    m_window->action("verify")->trigger();
    WAIT_FOR(isIdle(*m_window) && m_window->document().verification() != nullptr);
    QVERIFY2(!m_window->statusText().contains("not checked"), qPrintable(m_window->statusText()));
    QVERIFY(m_window->action("worst")->isEnabled());
    m_window->action("worst")->trigger();
    QVERIFY(m_window->findChild<Selection*>()->node().valid());
}

void TestMainWindow::errorsAreShownInTheStrip()
{
    m_window->open("/nowhere/missing.onnx");
    WAIT_FOR(isIdle(*m_window));
    QVERIFY2(m_window->messageText().contains("missing.onnx could not be opened"), qPrintable(m_window->messageText()));
    QVERIFY(m_window->messageText().contains("/nowhere/missing.onnx"));
    openModel();
    QVERIFY(m_window->messageText().isEmpty());
}

void TestMainWindow::everyActionIsInAMenuWithItsText()
{
    std::set<const QAction*> inMenus;
    for (const QMenu* menu : m_window->findChildren<QMenu*>()) {
        for (const QAction* action : menu->actions()) {
            inMenus.insert(action);
        }
    }
    for (const QAction* action : m_window->actions()) {
        QVERIFY2(!action->text().isEmpty(), qPrintable(action->objectName()));
        QVERIFY2(inMenus.contains(action), qPrintable(action->objectName()));
    }
}

void TestMainWindow::exportDialogSaysWhatIsWritten()
{
    openModel();
    ExportDialog dialog(m_window->document(), m_folder->path());
    QVERIFY2(dialog.previewText().contains("quantized linear ops are integer"), qPrintable(dialog.previewText()));
    QVERIFY(dialog.file().endsWith("residual_cnn.int8.onnx"));
    m_window->document().exportTo(dialog.file(), true);
    WAIT_FOR(isIdle(*m_window));
    QVERIFY(QFileInfo::exists(dialog.file()));
    QVERIFY2(m_window->messageText().contains("Exported"), qPrintable(m_window->messageText()));
}

void TestMainWindow::modesLensAndThemesRepaint()
{
    openModel();
    m_window->document().setStage(m_window->document().stageCount());
    const QImage plain = m_window->grab().toImage();
    m_window->action("lens")->trigger();
    QTest::qWait(50);
    const QImage lens = m_window->grab().toImage();
    QVERIFY(plain != lens);
    m_window->action("modeOverlay")->trigger();
    QCOMPARE(m_window->canvas().panes().mode(), CanvasMode::Overlay);
    m_window->action("theme-dark")->trigger();
    QTest::qWait(50);
    const QImage dark = m_window->grab().toImage();
    QVERIFY(dark.pixelColor(dark.width() / 2, dark.height() / 2).lightness() < 128);
    m_window->action("theme-light")->trigger();
    QTest::qWait(50);
    const QImage light = m_window->grab().toImage();
    QVERIFY(light.pixelColor(4, light.height() / 2).lightness() > 128);
}

void TestMainWindow::droppedFilesAreOpened()
{
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(model)});
    QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &drop);
    WAIT_FOR(isIdle(*m_window) && m_window->document().stageCount() > 0);
}

void TestMainWindow::passesAreDraggedToAnotherPlace()
{
    m_window->resize(1480, 1300); // all rows in view
    openModel();
    Document& document = m_window->document();
    auto& list = *m_window->findChild<PassList*>();
    const QStringList order = document.passOrder();
    const int from = static_cast<int>(order.indexOf("absorb-activations")) + 1;
    const int to = static_cast<int>(order.indexOf("fold-batch-norm")) + 1;
    const QRect target = list.visualRect(list.model()->index(to, 0));
    const QPointF above(60, target.top() + 3);
    const QImage rest = list.viewport()->grab().toImage();
    startDrag(list, from, above);
    QVERIFY(list.isDragging());
    QCOMPARE(list.dropPlace(), to);
    const QImage dragged = list.viewport()->grab().toImage();
    QVERIFY(rest.pixelColor(60, target.top()) != Theme::light()[Token::Accent]);
    QCOMPARE(dragged.pixelColor(60, target.top()), Theme::light()[Token::Accent]);
    letGo(list, above);
    QVERIFY(!list.isDragging());
    WAIT_FOR(isIdle(*m_window));
    QStringList moved = order;
    moved.move(from - 1, to - 1);
    QCOMPARE(document.passOrder(), moved);
    QVERIFY2(m_window->messageText().contains("destroys a pattern"), qPrintable(m_window->messageText()));
    QVERIFY(m_window->messageText().contains("runs before fold-batch-norm"));
    QVERIFY(m_window->findChild<PassesPanel*>()->summaryText().contains("runs before fold-batch-norm"));
    m_window->action("undo")->trigger();
    WAIT_FOR(isIdle(*m_window));
    QCOMPARE(document.passOrder(), order);
    QVERIFY(m_window->messageText().isEmpty());
    m_window->action("redo")->trigger();
    WAIT_FOR(isIdle(*m_window));
    QCOMPARE(document.passOrder(), moved);
}

void TestMainWindow::no_dragThatEndsOutsideOrInEscape()
{
    m_window->resize(1480, 1300); // all rows in view
    openModel();
    Document& document = m_window->document();
    auto& list = *m_window->findChild<PassList*>();
    const QStringList order = document.passOrder();
    const QPointF place(60, list.visualRect(list.model()->index(6, 0)).top() + 2.0);
    startDrag(list, 2, {-80, place.y()}); // outside
    QCOMPARE(list.dropPlace(), -1);
    letGo(list, {-80, place.y()});
    startDrag(list, 2, place);
    QVERIFY(list.isDragging());
    QTest::keyClick(&list, Qt::Key_Escape);
    QVERIFY(!list.isDragging());
    letGo(list, place);
    startDrag(list, 2, QPointF(60, list.visualRect(list.model()->index(3, 0)).top() + 2.0)); // where it stands
    QCOMPARE(list.dropPlace(), -1);
    letGo(list, QPointF(60, list.visualRect(list.model()->index(3, 0)).top() + 2.0));
    startDrag(list, 0, place); // Original is no pass
    QVERIFY(!list.isDragging());
    letGo(list, place);
    QVERIFY(isIdle(*m_window));
    QCOMPARE(document.passOrder(), order);
    QVERIFY(document.recipe().passes.empty());
    QVERIFY(document.undoStack().isClean());
    // Above Original is the first place behind it; below Final the last before it.
    startDrag(list, 2, {60, 1});
    QCOMPARE(list.dropPlace(), 1);
    sendMouse(*list.viewport(), QEvent::MouseMove, {60, list.viewport()->height() - 1.0}, Qt::NoButton, Qt::LeftButton);
    QCOMPARE(list.dropPlace(), list.model()->rowCount() - 1);
    letGo(list, {60, 1});
    WAIT_FOR(isIdle(*m_window));
    QCOMPARE(document.passOrder().first(), order[1]);
    QCOMPARE(list.model()->index(0, 0).data().toString(), QString("Original"));
}

void TestMainWindow::marksComeWithAVerification()
{
    openModel();
    Document& document = m_window->document();
    document.setStage(document.stageCount());
    const auto& after = m_window->canvas().panes().after();
    auto* panel = m_window->findChild<NodePanel*>();
    const NodeId last = document.trace()->final().order().back();
    m_window->findChild<Selection*>()->reveal(document.stageCount(), last);
    QVERIFY(after.state().figures == nullptr);
    QVERIFY(!panel->text().contains("Certificate"));
    m_window->action("verify")->trigger();
    WAIT_FOR(isIdle(*m_window) && document.verification() != nullptr);
    const auto figures = after.state().figures;
    QVERIFY(figures != nullptr);
    int marked = 0;
    for (const auto& [id, own] : *figures) {
        marked += own.mark.isEmpty() ? 0 : 1;
        QCOMPARE(own.mark.isEmpty(), own.says.isEmpty());
    }
    QVERIFY(marked > 0);
    QVERIFY2(panel->text().contains("Certificate"), qPrintable(panel->text()));
    auto& list = *m_window->findChild<PassList*>();
    int marks = 0;
    for (int row = 0; row < list.model()->rowCount(); ++row) {
        const QString icon = list.model()->index(row, PassModel::Mark).data(CertificateRole).toString();
        marks += icon.isEmpty() || icon == "cert-unchecked" ? 0 : 1;
    }
    QVERIFY(marks >= 2);
    document.setStage(0);
    for (const auto& [id, own] : *after.state().figures) {
        QVERIFY(own.mark.isEmpty()); // the original was not made by a pass
    }
    document.setPassOn("tabulate", false); // another fold: nothing of it is checked
    WAIT_FOR(isIdle(*m_window) && document.verification() == nullptr);
    WAIT_FOR(after.state().figures == nullptr);
}

void TestMainWindow::searchMarksAnInvalidExpression()
{
    openModel();
    m_window->document().setStage(0);
    auto& box = *m_window->findChild<SearchBox*>();
    box.setText("conv|gemm");
    QVERIFY(box.error().isEmpty());
    QVERIFY(box.styleSheet().isEmpty());
    box.setText("conv(");
    QVERIFY(!box.error().isEmpty());
    QVERIFY2(box.toolTip().contains("Not a valid regular expression"), qPrintable(box.toolTip()));
    QVERIFY(box.styleSheet().contains(Theme::light()[Token::Failed].name()));
    auto* selection = m_window->findChild<Selection*>();
    QTest::keyClick(&box, Qt::Key_Return);
    QVERIFY(!selection->node().valid()); // not searched as plain text either
    box.setText("conv");
    QVERIFY(box.error().isEmpty());
    QVERIFY(box.styleSheet().isEmpty());
    QVERIFY(box.toolTip().contains("regular expression"));
    QTest::keyClick(&box, Qt::Key_Return);
    QVERIFY(selection->node().valid());
    const NodeId first = selection->node();
    m_window->action("findNext")->trigger();
    QVERIFY(selection->node() != first);
    m_window->action("findPrevious")->trigger();
    QCOMPARE(selection->node(), first);
}

void TestMainWindow::selectionKeepsToItsNode()
{
    openModel();
    Document& document = m_window->document();
    auto* selection = m_window->findChild<Selection*>();
    auto* panel = m_window->findChild<NodePanel*>();
    document.setStage(0);
    const Graph& graph = document.trace()->original;
    const auto conv = std::ranges::find_if(graph.order(), [&](NodeId id) { return graph.node(id).op == "Conv"; });
    selection->reveal(0, *conv);
    const QString name = panel->nodeName();
    document.setStage(5);
    QCOMPARE(selection->stage(), std::size_t{5});
    QCOMPARE(panel->nodeName(), name);
    document.setPassOn("canonicalise", false);
    WAIT_FOR(isIdle(*m_window));
    QVERIFY(document.trace()->graph(selection->stage()).contains(selection->node()));
    QCOMPARE(panel->nodeName(), name);
}

void TestMainWindow::escapeClearsTheSelection()
{
    openModel();
    Document& document = m_window->document();
    document.setStage(0);
    auto* selection = m_window->findChild<Selection*>();
    selection->reveal(0, document.trace()->original.order().front());
    QVERIFY(!m_window->action("cancel")->isEnabled());
    m_window->canvas().panes().after().setFocus();
    CanvasView& view = m_window->canvas().panes().after();
    QVERIFY(view.state().selected.has_value());
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!selection->node().valid());
    QVERIFY(!view.state().selected.has_value());
    m_window->action("verify")->trigger();
    QVERIFY(m_window->action("cancel")->isEnabled());
    WAIT_FOR(isIdle(*m_window));
}

void TestMainWindow::docksComeBackWithAModel()
{
    // Closed without a model: what is remembered are the docks as they are with one.
    QVERIFY(m_window->close());
    m_window = std::make_unique<MainWindow>(*m_settings);
    m_window->show();
    for (QDockWidget* dock : m_window->findChildren<QDockWidget*>()) {
        QVERIFY2(dock->isHidden(), qPrintable(dock->objectName()));
    }
    openModel();
    for (QDockWidget* dock : m_window->findChildren<QDockWidget*>()) {
        QVERIFY2(dock->isVisibleTo(m_window.get()), qPrintable(dock->objectName()));
    }
    // One that was closed by hand stays closed.
    m_window->findChild<QDockWidget*>("tables")->close();
    QVERIFY(m_window->close());
    m_window = std::make_unique<MainWindow>(*m_settings);
    m_window->show();
    openModel();
    QVERIFY(m_window->findChild<QDockWidget*>("passes")->isVisibleTo(m_window.get()));
    QVERIFY(m_window->findChild<QDockWidget*>("tables")->isHidden());
}

void TestMainWindow::unsavedRecipesAreAskedFor()
{
    const QString other = QStringLiteral(CREASE_SAMPLES "/mlp.onnx");
    openModel();
    Document& document = m_window->document();
    bool asked = false;
    document.setPassOn("tabulate", false);
    WAIT_FOR(isIdle(*m_window));
    answerWith(QMessageBox::Cancel, &asked);
    m_window->open(other);
    QVERIFY(asked);
    QVERIFY(isIdle(*m_window));
    QVERIFY(document.fileName().endsWith("residual_cnn.onnx"));
    asked = false;
    answerWith(QMessageBox::Cancel, &asked);
    m_window->action("close")->trigger();
    QVERIFY(asked);
    QVERIFY(document.isOpen());
    asked = false;
    answerWith(QMessageBox::Discard, &asked);
    m_window->open(other);
    QVERIFY(asked);
    WAIT_FOR(isIdle(*m_window) && document.stageCount() > 0);
    QVERIFY(document.fileName().endsWith("mlp.onnx"));
    asked = false; // nothing is unsaved now: nothing is asked
    answerWith(QMessageBox::Cancel, &asked);
    m_window->open(model);
    QVERIFY(!asked);
    WAIT_FOR(isIdle(*m_window) && document.fileName().endsWith("residual_cnn.onnx"));
}

void TestMainWindow::closesWithUnsavedChangesAndRunningJobs()
{
    openModel();
    m_window->action("verify")->trigger();
    m_window->document().setPassOn("tabulate", false);
    QVERIFY(!m_window->document().undoStack().isClean());
    QVERIFY(!isIdle(*m_window));
    m_window.reset(); // neither the jobs nor the undo stack speak to what is gone
    QTest::qWait(50);
}

void TestMainWindow::helpNamesEveryKey()
{
    HelpSheet sheet(m_window->actions());
    QStringList words;
    for (const QLabel* label : sheet.findChildren<QLabel*>()) {
        words << label->text();
    }
    const QString text = words.join('\n');
    for (const QAction* action : m_window->actions()) {
        if (!action->shortcut().isEmpty()) {
            QVERIFY2(text.contains(action->shortcut().toString(QKeySequence::NativeText)),
                     qPrintable(action->objectName()));
        }
    }
    for (const char* key : {"Arrows", "Home, End", "Alt+Up", "dragging it with the mouse", "Wheel", "Drop"}) {
        QVERIFY2(text.contains(key), key);
    }
    for (const char* later : {"Memory", "Partition", "bisect", "HTML"}) { // of a later version
        QVERIFY2(!text.contains(later, Qt::CaseInsensitive), later);
    }
}

void TestMainWindow::no_lockedDownActionsWithoutAModel()
{
    for (const char* name : {"verify", "export", "stepForward", "stepBack", "fit", "saveRecipe"}) {
        QVERIFY2(!m_window->action(name)->isEnabled(), name);
    }
    for (const char* name : {"open", "quit", "help", "openRecipe"}) {
        QVERIFY2(m_window->action(name)->isEnabled(), name);
    }
}

QTEST_MAIN(TestMainWindow)
#include "tst_main_window.moc"
