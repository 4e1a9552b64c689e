// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

namespace {

struct Board {
    int status = -1;
    QString output;
    QJsonArray rows;
};

QString python()
{
    return qEnvironmentVariable("CREASE_PYTHON", "python3");
}

bool hasJudges()
{
    QProcess process;
    process.start(python(), {"-c", "import onnx, onnxruntime, numpy"});
    return process.waitForFinished(60000) && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0;
}

/// Runs scripts/board/scoreboard.py --check on one model: its status is not 0 where the model misses what is promised.
Board scoreboard(const QString& model, const QString& cli = CREASE_CLI)
{
    const QTemporaryDir folder;
    const QString json = folder.filePath("board.json");
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(python(), {"-B", CREASE_SOURCE_DIR "/scripts/board/scoreboard.py", "--check", "--random", "4",
                             "--cli", cli, "--json", json, model});
    Board board;
    if (process.waitForFinished(600000) && process.exitStatus() == QProcess::NormalExit)
        board.status = process.exitCode();
    board.output = process.readAll();
    QFile file(json);
    if (file.open(QIODevice::ReadOnly))
        board.rows = QJsonDocument::fromJson(file.readAll()).array();
    return board;
}

QDir models()
{
    return QDir(qEnvironmentVariable("CREASE_MODELS", CREASE_SOURCE_DIR "/../shared/models"));
}

} // namespace

#define SKIP_WITHOUT_JUDGES()                                                                                          \
    if (!m_hasJudges)                                                                                                  \
    QSKIP("no Python with onnx, onnxruntime and numpy (CREASE_PYTHON)")

class tst_scoreboard : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void samples_data();
    void samples();
    void trained_networks_of_others_data();
    void trained_networks_of_others();
    void negative_a_program_that_does_nothing();
    void negative_a_corrupt_file();

private:
    bool m_hasJudges = false;
};

void tst_scoreboard::initTestCase()
{
    m_hasJudges = hasJudges();
}

void tst_scoreboard::samples_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("linearOps");
    const auto row = [](const char* name, int linearOps) {
        QTest::newRow(name) << QString(CREASE_SOURCE_DIR "/samples/%1.onnx").arg(name) << linearOps;
    };
    row("residual_cnn", 7);
    row("mlp", 3);
    row("separable_cnn", 8);
    row("transformer", 10);
}

void tst_scoreboard::samples()
{
    SKIP_WITHOUT_JUDGES();
    QFETCH(QString, model);
    QFETCH(int, linearOps);
    const Board board = scoreboard(model);
    QVERIFY2(board.status == 0, qPrintable(board.output));
    QCOMPARE(board.rows.size(), 1);
    QCOMPARE(board.rows[0].toObject()["quantized"].toInt(), linearOps);
    QCOMPARE(board.rows[0].toObject()["count"].toInt(), 500);
}

void tst_scoreboard::trained_networks_of_others_data()
{
    QTest::addColumn<QString>("model");
    const QDir folder(models().filePath("qat"));
    for (const QString& name : folder.entryList({"*.onnx"}, QDir::Files, QDir::Name))
        QTest::newRow(qPrintable(name)) << folder.filePath(name);
    for (const char* name : {"kws-qdq-ort", "kws-qdq-perchannel", "cnn-qcdq-brevitas", "qdq-multi-consumer-dq",
                             "qdq-multi-consumer-dq.fixed", "mlp-qdq-identity-chains", "qdq-cast-identity-chains/model",
                             "qdq-reshape-transpose", "qdq-multi-consumer-q-axis"}) {
        const QString file = models().filePath(QString("%1.onnx").arg(name));
        if (QFile::exists(file))
            QTest::newRow(name) << file;
    }
    if (!models().exists())
        QTest::newRow("none") << QString();
}

void tst_scoreboard::trained_networks_of_others()
{
    SKIP_WITHOUT_JUDGES();
    QFETCH(QString, model);
    if (model.isEmpty())
        QSKIP("no models (CREASE_MODELS)");
    const Board board = scoreboard(model);
    QVERIFY2(board.status == 0, qPrintable(board.output));
    QCOMPARE(board.rows.size(), 1);
}

void tst_scoreboard::negative_a_program_that_does_nothing()
{
    SKIP_WITHOUT_JUDGES();
    const Board board = scoreboard(CREASE_SOURCE_DIR "/samples/mlp.onnx", "/bin/true");
    QCOMPARE(board.status, 1);
}

void tst_scoreboard::negative_a_corrupt_file()
{
    SKIP_WITHOUT_JUDGES();
    const QTemporaryDir folder;
    const QString model = folder.filePath("broken.onnx");
    QFile whole(CREASE_SOURCE_DIR "/samples/mlp.onnx");
    QVERIFY(whole.open(QIODevice::ReadOnly));
    QFile half(model);
    QVERIFY(half.open(QIODevice::WriteOnly));
    half.write(whole.read(whole.size() / 2));
    half.close();
    const Board board = scoreboard(model);
    QVERIFY(board.status != 0);
}

QTEST_GUILESS_MAIN(tst_scoreboard)
#include "tst_scoreboard.moc"
