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

QTEST_GUILESS_MAIN(TestOnnxRoundtrip)
#include "tst_onnx_roundtrip.moc"
