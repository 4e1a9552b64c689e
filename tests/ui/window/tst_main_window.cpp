// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/wait_for.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/main_window.h"

#include <QClipboard>
#include <QDropEvent>
#include <QMimeData>
#include <QTemporaryDir>

#include <set>

using namespace crease;

namespace {

const QString model = QStringLiteral(CREASE_SAMPLES "/residual_cnn.onnx");

bool isIdle(MainWindow& window)
{
    Document& document = window.document();
    return !document.foldJob().isRunning() && !document.verifyJob().isRunning() && !document.exportJob().isRunning();
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
    QVERIFY(!m_window->action("stepForward")->isEnabled());
    m_window->action("stepBack")->trigger();
    QCOMPARE(document.stage(), document.stageCount() - 1);
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
