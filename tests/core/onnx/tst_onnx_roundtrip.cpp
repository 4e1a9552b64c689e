// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/equal.h"
#include "core/onnx/importer.h"
#include "core/onnx/writer.h"

#include <QDirIterator>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace crease;

namespace {

QStringList modelsBelow(const QString& folder)
{
    QStringList files;
    QDirIterator it(folder, {"*.onnx"}, QDir::Files, QDirIterator::Subdirectories);
    while (it.hasNext()) {
        files << it.next();
    }
    files.sort();
    return files;
}

QString modelsFolder()
{
    const QByteArray given = qgetenv("CREASE_MODELS");
    return given.isEmpty() ? QDir::cleanPath(QStringLiteral(CREASE_SOURCE_DIR "/../shared/models"))
                           : QString::fromLocal8Bit(given);
}

/// Import, export, import: empty where the two graphs are equal, else what differs.
QString roundTrip(const QString& file, const QString& written)
{
    const auto first = importModel(file.toStdString(), {}, {});
    if (!first) {
        return QString::fromStdString(describe(first.error()));
    }
    if (const auto result = writeModel(first->graph, written.toStdString()); !result) {
        return QString::fromStdString(describe(result.error()));
    }
    const auto second = importModel(written.toStdString(), {}, {});
    if (!second) {
        return QString::fromStdString(describe(second.error()));
    }
    std::string why;
    return equalGraphs(first->graph, second->graph, &why) ? QString() : QString::fromStdString(why);
}

} // namespace

class TestOnnxRoundtrip : public QObject {
    Q_OBJECT

private slots:
    void modelsSurvive_data();
    void modelsSurvive();
    void nodeTestsSurvive();
    void meaningSurvives_data();
    void meaningSurvives();

private:
    QTemporaryDir m_folder;
};

void TestOnnxRoundtrip::modelsSurvive_data()
{
    QTest::addColumn<QString>("file");
    for (const QString& root : {modelsFolder(), QStringLiteral(CREASE_SOURCE_DIR "/samples")}) {
        const QStringList files = modelsBelow(root);
        for (const QString& file : files) {
            QTest::addRow("%s", qPrintable(QDir(root).relativeFilePath(file))) << file;
        }
        if (files.isEmpty()) {
            QTest::addRow("missing %s", qPrintable(root)) << QString();
        }
    }
}

void TestOnnxRoundtrip::modelsSurvive()
{
    QFETCH(QString, file);
    if (file.isEmpty()) {
        QSKIP("no models in this folder: set CREASE_MODELS");
    }
    QCOMPARE(roundTrip(file, m_folder.filePath("written.onnx")), QString());
}

void TestOnnxRoundtrip::nodeTestsSurvive()
{
    const QStringList files = modelsBelow("/usr/share/libonnx-testdata/data");
    if (files.isEmpty()) {
        QSKIP("libonnx-testdata is not installed");
    }
    QStringList failures;
    int refused = 0;
    for (const QString& file : files) {
        const QString why = roundTrip(file, m_folder.filePath("written.onnx"));
        if (why.contains("is older than 7")) {
            ++refused;
        } else if (!why.isEmpty()) {
            failures << file + ": " + why;
        }
    }
    qInfo("%d models, %d of an opset below 7", int(files.size()), refused);
    QVERIFY(files.size() > refused + 900);
    QVERIFY2(failures.isEmpty(), qPrintable(failures.join('\n')));
}

void TestOnnxRoundtrip::meaningSurvives_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<int>("least"); // models whose results are compared
    QTest::newRow("models of others") << modelsFolder() << 35;
    QTest::newRow("samples") << QStringLiteral(CREASE_SOURCE_DIR "/samples") << 4;
    QTest::newRow("node tests") << QStringLiteral("/usr/share/libonnx-testdata/data/node") << 700;
}

/// onnx's checker and ONNX Runtime judge what was written.
void TestOnnxRoundtrip::meaningSurvives()
{
    QFETCH(QString, folder);
    QFETCH(int, least);
    const QStringList files = modelsBelow(folder);
    if (files.isEmpty()) {
        QSKIP("no models in this folder");
    }
    const QString python = qEnvironmentVariable("CREASE_PYTHON", "python3");
    if (QProcess::execute(python, {"-c", "import onnx, onnxruntime"}) != 0) {
        QSKIP("no Python with onnx and onnxruntime (CREASE_PYTHON)");
    }
    QByteArray pairs;
    for (const QString& file : files) {
        const auto model = importModel(file.toStdString(), {}, {});
        const QString written = m_folder.filePath(QString("pair%1.onnx").arg(pairs.size()));
        if (file.contains("/test_training_") || !model || !writeModel(model->graph, written.toStdString())) {
            continue;
        }
        pairs += QFile::encodeName(file) + '\t' + QFile::encodeName(written) + '\n';
    }
    QProcess judge;
    judge.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    judge.start(python, {QStringLiteral(CREASE_SOURCE_DIR "/tests/core/onnx/data/compare_models.py")});
    QVERIFY(judge.waitForStarted());
    judge.write(pairs);
    judge.closeWriteChannel();
    QVERIFY(judge.waitForFinished(250'000));
    const QString verdict = QString::fromUtf8(judge.readAllStandardOutput()).trimmed();
    QCOMPARE(judge.exitCode(), 0);
    QVERIFY2(!verdict.contains("fault: "), qPrintable(verdict));
    const int compared = verdict.section(' ', -1).toInt();
    qInfo("%d models give the same bits in ONNX Runtime", compared);
    QVERIFY(compared >= least);
}

QTEST_GUILESS_MAIN(TestOnnxRoundtrip)
#include "tst_onnx_roundtrip.moc"
