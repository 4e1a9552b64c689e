// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/wait_for.h"
#include "ui/document/document.h"
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
    return !document.foldJob().isRunning() && !document.verifyJob().isRunning() && !document.exportJob().isRunning();
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
};

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
