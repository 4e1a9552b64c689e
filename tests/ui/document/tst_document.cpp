// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/wait_for.h"
#include "ui/document/document.h"
#include "ui/document/selection.h"
#include "ui/models/layer_model.h"
#include "ui/models/pass_model.h"
#include "ui/models/rewrite_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace crease;

namespace {

const QString model = QStringLiteral(CREASE_SAMPLES "/residual_cnn.onnx");

bool isIdle(Document& document)
{
    return !document.isBusy();
}

/// The final graph that the document's recipe gives when it is folded from the start.
std::size_t freshCount(Document& document)
{
    const auto trace = runPipeline(document.model().graph, document.recipe(), *document.target(), {});
    return trace ? trace->final().nodeCount() : 0;
}

QString siteOf(const Document& document, const std::string& pass)
{
    for (const Stage& stage : document.trace()->stages) {
        if (stage.pass == pass && !stage.rewrites.empty()) {
            return QString::fromStdString(stage.rewrites.front().site);
        }
    }
    return {};
}

QStringList rowText(const QAbstractItemModel& table, int row)
{
    QStringList cells;
    for (int column = 0; column < table.columnCount(); ++column) {
        cells << table.index(row, column).data().toString();
    }
    return cells;
}

} // namespace

class TestDocument : public QObject {
    Q_OBJECT

private slots:
    void opensAndFolds();
    void missingFileIsAFailureThatNamesIt();
    void switchingASiteOffIsUndone();
    void switchingAPassOffTakesItsStage();
    void verifiesWithSamples();
    void exportsAndKeepsAnOldFileOnFailure();
    void recipesAreSavedAndOpened();
    void commandLineSaysTheRecipe();
    void modelsShowTheTrace();
    void editsInQuickSuccessionAllCount();
    void no_exportOfGraphsThatAreNotTheRecipes();
    void verifyWaitsForTheFold();
    void passesAreMovedAndTheOrderIsChecked();
    void anotherModelStartsWithAnotherRecipe();
    void no_recipeWithAnUnknownPass();
    void randomSamplesHaveALimit();
    void selectionFollowsItsNode();
};

void TestDocument::editsInQuickSuccessionAllCount()
{
    Document document;
    document.open(model);
    WAIT_FOR(isIdle(document) && document.stageCount() > 0);
    const QString early = siteOf(document, "fold-batch-norm");
    const QString late = siteOf(document, "fuse");
    QVERIFY(!early.isEmpty() && !late.isEmpty());
    const std::size_t nodes = document.trace()->final().nodeCount();
    document.setSiteOn(early, false); // outdated before it ran
    document.setSiteOn(late, false);
    WAIT_FOR(isIdle(document));
    QVERIFY(!document.isStale());
    const std::size_t both = freshCount(document);
    QVERIFY(both > nodes);
    QCOMPARE(document.trace()->final().nodeCount(), both);
    document.undoStack().undo();
    document.undoStack().undo();
    WAIT_FOR(isIdle(document));
    QCOMPARE(document.trace()->final().nodeCount(), nodes);
}

void TestDocument::no_exportOfGraphsThatAreNotTheRecipes()
{
    QTemporaryDir folder;
    Document document;
    document.open(model);
    WAIT_FOR(isIdle(document) && document.stageCount() > 0);
    document.setPassOn("fuse", false);
    document.cancelJobs();
    WAIT_FOR(isIdle(document));
    QVERIFY(document.isStale());
    std::optional<Document::Failure> seen;
    connect(&document, &Document::failed, &document, [&](const Document::Failure& failure) { seen = failure; });
    document.exportTo(folder.filePath("out.onnx"), true);
    QVERIFY(seen.has_value());
    QCOMPARE(seen->error.id, std::string("not-folded"));
    document.refold();
    WAIT_FOR(isIdle(document));
    QVERIFY(!document.isStale());
    QCOMPARE(document.trace()->final().nodeCount(), freshCount(document));
    document.setIo("integer"); // the graphs stay what they are
    QVERIFY(isIdle(document));
    QVERIFY(!document.isStale());
}

void TestDocument::verifyWaitsForTheFold()
{
    Document document;
    document.open(model);
    WAIT_FOR(isIdle(document) && document.stageCount() > 0);
    document.useRandomSamples(3, 7);
    document.verify();
    WAIT_FOR(document.verification() != nullptr);
    QCOMPARE(document.verification()->whole.samples, std::int64_t{3}); // not the default ones
    document.setPassOn("tabulate", false);
    document.verify();
    WAIT_FOR(isIdle(document) && document.verification() != nullptr);
    QCOMPARE(document.verification()->stages.size(), document.stageCount());
    // A cancelled wait is forgotten.
    document.setPassOn("tabulate", true);
    document.verify();
    document.cancelJobs();
    WAIT_FOR(isIdle(document));
    QTest::qWait(50);
    QVERIFY(isIdle(document));
}

void TestDocument::passesAreMovedAndTheOrderIsChecked()
{
    Document document;
    document.open(model);
    WAIT_FOR(isIdle(document) && document.stageCount() > 0);
    QVERIFY(document.orderWarnings().isEmpty());
    const auto place = document.passOrder().indexOf("lower");
    document.setStage(static_cast<std::size_t>(place) + 1);
    document.movePass("lower", 0);
    WAIT_FOR(isIdle(document));
    QCOMPARE(document.passOrder().first(), QString("lower"));
    QVERIFY2(document.orderWarnings().join('\n').contains("lower runs before recognise"),
             qPrintable(document.orderWarnings().join('\n')));
    QCOMPARE(document.stage(), std::size_t{1}); // still that of the pass
    document.movePass("lower", static_cast<int>(place));
    WAIT_FOR(isIdle(document));
    QVERIFY(document.recipe().passes.empty());
    QVERIFY(document.orderWarnings().isEmpty());
    QCOMPARE(document.stage(), static_cast<std::size_t>(place) + 1);
    document.movePass("no such pass", 0);
    QVERIFY(isIdle(document));
    QVERIFY(document.recipe().passes.empty());
}

void TestDocument::anotherModelStartsWithAnotherRecipe()
{
    Document document;
    document.open(model);
    WAIT_FOR(isIdle(document) && document.stageCount() > 0);
    document.setTarget("onnxruntime-qdq");
    document.setPassOn("tabulate", false);
    WAIT_FOR(isIdle(document));
    document.reload();
    WAIT_FOR(isIdle(document) && document.stageCount() > 0);
    QVERIFY(document.recipe().passesOff.contains("tabulate"));
    QVERIFY(!document.undoStack().isClean());
    document.open(QStringLiteral(CREASE_SAMPLES "/mlp.onnx"));
    WAIT_FOR(isIdle(document) && document.stageCount() > 0);
    QVERIFY(document.recipe().passesOff.empty());
    QCOMPARE(document.recipe().target, std::string("onnxruntime-qdq"));
    QVERIFY(document.undoStack().isClean());
    QVERIFY(!document.isStale());
    // A failed opening takes nothing.
    document.setPassOn("tabulate", false);
    WAIT_FOR(isIdle(document));
    document.open("/nowhere/other.onnx");
    WAIT_FOR(isIdle(document));
    QVERIFY(document.recipe().passesOff.contains("tabulate"));
    document.close();
    QVERIFY(document.recipe().passesOff.empty());
    QVERIFY(!document.isOpen());
}

void TestDocument::no_recipeWithAnUnknownPass()
{
    QTemporaryDir folder;
    QFile recipe(folder.filePath("recipe.json"));
    QVERIFY(recipe.open(QIODevice::WriteOnly));
    recipe.write(R"({"passes_off": ["tabulat"]})");
    recipe.close();
    Document document;
    std::optional<Document::Failure> seen;
    connect(&document, &Document::failed, &document, [&](const Document::Failure& failure) { seen = failure; });
    document.openRecipe(recipe.fileName());
    QVERIFY(seen.has_value());
    QVERIFY(QString::fromStdString(describe(seen->error)).contains("'tabulat'; did you mean 'tabulate'?"));
    QVERIFY(document.recipe() == Recipe{});
    QVERIFY(document.recipeFile().isEmpty());
}

void TestDocument::randomSamplesHaveALimit()
{
    Document document;
    document.open(model);
    WAIT_FOR(isIdle(document) && document.stageCount() > 0);
    std::optional<Document::Failure> seen;
    connect(&document, &Document::failed, &document, [&](const Document::Failure& failure) { seen = failure; });
    document.useRandomSamples(2'000'000'000, 1);
    WAIT_FOR(isIdle(document));
    QVERIFY(seen.has_value());
    QCOMPARE(seen->error.id, std::string("too-many-samples"));
    QVERIFY(document.samples() == nullptr);
}

void TestDocument::selectionFollowsItsNode()
{
    Document document;
    document.open(model);
    WAIT_FOR(isIdle(document) && document.stageCount() > 0);
    const auto before = document.trace();
    const auto lastOf = [](const Graph& graph) { return graph.order().back(); };
    Selection selection;
    const std::size_t stage = before->stages.size();
    selection.select(stage, lastOf(before->final()));
    const std::string op = before->final().node(selection.node()).op;
    document.setPassOn("fold-batch-norm", false); // ids shift
    WAIT_FOR(isIdle(document));
    selection.follow(before.get(), document.trace().get());
    QVERIFY(selection.node().valid());
    QCOMPARE(selection.stage(), document.stageCount());
    QCOMPARE(document.trace()->final().node(selection.node()).op, op);
    // Of a pass that is gone nothing is selected.
    document.undoStack().undo();
    WAIT_FOR(isIdle(document));
    const auto whole = document.trace();
    for (std::size_t i = 0; i < whole->stages.size(); ++i) {
        if (whole->stages[i].pass == "fold-batch-norm") {
            selection.select(i + 1, lastOf(whole->stages[i].after));
        }
    }
    document.undoStack().redo();
    WAIT_FOR(isIdle(document));
    selection.follow(whole.get(), document.trace().get());
    QVERIFY(!selection.node().valid());
    // Along the stages: to what the node became.
    selection.select(0, document.trace()->original.order().front());
    selection.followTo(*document.trace(), document.stageCount());
    QVERIFY(!selection.node().valid() || selection.stage() == document.stageCount());
}

void TestDocument::opensAndFolds()
{
    Document document;
    document.open(model);
    WAIT_FOR(isIdle(document) && document.stageCount() > 0);
    QCOMPARE(document.report().integerLinearOps, document.report().quantizedLinearOps);
    QVERIFY(document.report().quantizedLinearOps > 0);
    document.setStage(1000);
    QCOMPARE(document.stage(), document.stageCount());
}

void TestDocument::missingFileIsAFailureThatNamesIt()
{
    Document document;
    std::optional<Document::Failure> seen;
    connect(&document, &Document::failed, &document, [&](const Document::Failure& failure) { seen = failure; });
    document.open("/nowhere/model.onnx");
    WAIT_FOR(isIdle(document));
    QVERIFY(seen.has_value());
    QVERIFY(seen->error.kind == ErrorKind::Input);
    QVERIFY(QString::fromStdString(describe(seen->error)).contains("/nowhere/model.onnx"));
    QVERIFY(!document.isOpen());
}

void TestDocument::switchingASiteOffIsUndone()
{
    Document document;
    document.open(model);
    WAIT_FOR(isIdle(document) && document.stageCount() > 0);
    const std::size_t nodes = document.trace()->final().nodeCount();
    QString site;
    for (const Stage& stage : document.trace()->stages) {
        if (stage.pass == "fold-batch-norm") {
            site = QString::fromStdString(stage.rewrites.at(0).site);
        }
    }
    QVERIFY(!site.isEmpty());
    document.setSiteOn(site, false);
    WAIT_FOR(isIdle(document));
    QVERIFY(document.recipe().sitesOff.contains(site.toStdString()));
    QVERIFY(document.trace()->final().nodeCount() > nodes);
    document.undoStack().undo();
    WAIT_FOR(isIdle(document));
    QVERIFY(document.recipe().sitesOff.empty());
    QCOMPARE(document.trace()->final().nodeCount(), nodes);
    document.undoStack().redo();
    WAIT_FOR(isIdle(document));
    QVERIFY(document.trace()->final().nodeCount() > nodes);
}

void TestDocument::switchingAPassOffTakesItsStage()
{
    Document document;
    document.open(model);
    WAIT_FOR(isIdle(document) && document.stageCount() > 0);
    const std::size_t stages = document.stageCount();
    document.setPassOn("absorb-activations", false);
    WAIT_FOR(isIdle(document));
    QCOMPARE(document.stageCount(), stages - 1);
    document.setPassOn("absorb-activations", true);
    WAIT_FOR(isIdle(document));
    QCOMPARE(document.stageCount(), stages);
}

void TestDocument::verifiesWithSamples()
{
    Document document;
    document.open(model);
    WAIT_FOR(isIdle(document) && document.stageCount() > 0);
    QCOMPARE(document.stageCertificate(1).verdict, Verdict::NotChecked);
    document.useRandomSamples(2, 7);
    document.verify();
    WAIT_FOR(isIdle(document) && document.verification() != nullptr);
    QVERIFY(document.verification()->whole.verdict != Verdict::Failed);
    QVERIFY(document.verification()->whole.verdict != Verdict::NotChecked);
    QCOMPARE(document.verification()->whole.samples, std::int64_t{2});
}

void TestDocument::exportsAndKeepsAnOldFileOnFailure()
{
    Document document;
    document.open(model);
    WAIT_FOR(isIdle(document) && document.stageCount() > 0);
    QTemporaryDir folder;
    const QString file = folder.filePath("out.onnx");
    QSignalSpy exported(&document, &Document::exported);
    document.exportTo(file, true);
    WAIT_FOR(isIdle(document));
    QCOMPARE(exported.size(), 1);
    QVERIFY(QFileInfo(file).size() > 0);
    QSignalSpy failed(&document, &Document::failed);
    document.exportTo("/nowhere/at/all/out.onnx", true);
    WAIT_FOR(isIdle(document));
    QCOMPARE(failed.size(), 1);
    // The trained model itself is never replaced, by whatever path.
    const QString copy = folder.filePath("model.onnx");
    QVERIFY(QFile::copy(model, copy));
    document.open(copy);
    WAIT_FOR(isIdle(document) && document.stageCount() > 0);
    const qint64 size = QFileInfo(copy).size();
    document.exportTo(folder.path() + "/../" + QFileInfo(folder.path()).fileName() + "/model.onnx", true);
    WAIT_FOR(isIdle(document));
    QCOMPARE(failed.size(), 2);
    QCOMPARE(QFileInfo(copy).size(), size);
    QVERIFY(document.isSource(copy));
    QVERIFY(!document.isSource(file));
    QCOMPARE(exported.size(), 1);
}

void TestDocument::recipesAreSavedAndOpened()
{
    QTemporaryDir folder;
    const QString file = folder.filePath("recipe.json");
    Document document;
    document.setPassOn("tabulate", false);
    document.saveRecipe(file);
    QVERIFY(document.undoStack().isClean());
    Document other;
    other.openRecipe(file);
    QVERIFY(other.recipe() == document.recipe());
    QSignalSpy failed(&other, &Document::failed);
    QFile broken(folder.filePath("broken.json"));
    QVERIFY(broken.open(QIODevice::WriteOnly));
    broken.write("{\"target\": 3}");
    broken.close();
    other.openRecipe(broken.fileName());
    QCOMPARE(failed.size(), 1);
    QVERIFY(other.recipe() == document.recipe());
}

void TestDocument::commandLineSaysTheRecipe()
{
    Document document;
    document.open(model);
    WAIT_FOR(isIdle(document) && document.stageCount() > 0);
    document.setPassOn("tabulate", false);
    const QString line = document.commandLine();
    QVERIFY2(line.startsWith("crease-cli fold "), qPrintable(line));
    QVERIFY2(line.contains("--without-pass tabulate"), qPrintable(line));
    WAIT_FOR(isIdle(document));
}

void TestDocument::modelsShowTheTrace()
{
    Document document;
    PassModel passes(document);
    RewriteModel rewrites(document);
    LayerModel layers(document);
    MissedModel missed(document);
    DiagnosticModel diagnostics(document);
    for (QAbstractItemModel* table :
         std::initializer_list<QAbstractItemModel*>{&passes, &rewrites, &layers, &missed, &diagnostics}) {
        new QAbstractItemModelTester(table, QAbstractItemModelTester::FailureReportingMode::Fatal, table);
    }
    QCOMPARE(passes.rowCount(), 0);
    document.open(model);
    WAIT_FOR(isIdle(document) && document.stageCount() > 0);
    QCOMPARE(passes.rowCount(), static_cast<int>(passCatalogue().size()) + 2);
    QCOMPARE(rowText(passes, 0)[0], QString("Original"));
    QCOMPARE(rowText(passes, 0)[1], QString::number(document.trace()->original.nodeCount()));
    const int row = passes.rowOfStage(1);
    QCOMPARE(rowText(passes, row)[0], QString("Recognise"));
    document.setStage(1);
    QCOMPARE(rewrites.rewriteCount(), static_cast<int>(document.trace()->stages[0].rewrites.size()));
    QVERIFY(rowText(rewrites, 0)[RewriteModel::Rule].startsWith("recognise"));
    const QModelIndex box = rewrites.index(0, RewriteModel::On);
    QCOMPARE(box.data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Checked));
    QVERIFY(rewrites.setData(box, Qt::Unchecked, Qt::CheckStateRole));
    WAIT_FOR(isIdle(document));
    QCOMPARE(document.recipe().sitesOff.size(), std::size_t{1});
    QVERIFY(!rewrites.setData(rewrites.index(0, RewriteModel::Text), "x", Qt::EditRole));
    document.verify();
    WAIT_FOR(isIdle(document) && document.verification() != nullptr);
    QVERIFY(layers.rowCount() > 0);
    QVERIFY(layers.worst() >= 0);
    document.close();
    QCOMPARE(passes.rowCount(), 0);
    QCOMPARE(layers.rowCount(), 0);
}

QTEST_MAIN(TestDocument)
#include "tst_document.moc"
