// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/cli/program_run.h"

#include <QDir>
#include <QFileInfo>
#include <QImage>
#include <QTemporaryDir>
#include <QTest>

using crease::test::ProgramRun;

namespace {

const QString sample = QStringLiteral(CREASE_SAMPLES "/residual_cnn.onnx");

ProgramRun window(const QStringList& arguments)
{
    return crease::test::runProgram(QStringLiteral(CREASE_WINDOW), arguments);
}

} // namespace

class TestDraw : public QObject {
    Q_OBJECT

private slots:
    void drawsEveryFormat_data();
    void drawsEveryFormat();
    void diffAndThemeChangeThePicture();
    void onlyPicturesOfOursAreReplaced_data();
    void onlyPicturesOfOursAreReplaced();
    void errorsHaveTheirCodes_data();
    void errorsHaveTheirCodes();
};

void TestDraw::drawsEveryFormat_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("start");
    QTest::newRow("svg") << "out.svg" << QByteArray("<?xml");
    QTest::newRow("png") << "out.png" << QByteArray("\x89PNG");
    QTest::newRow("pdf") << "out.pdf" << QByteArray("%PDF");
    QTest::newRow("dot") << "out.dot" << QByteArray("digraph");
}

void TestDraw::drawsEveryFormat()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, start);
    QTemporaryDir folder;
    const ProgramRun run = window({"--draw", folder.filePath(name), sample, "--stage", "final"});
    QVERIFY2(run.code == 0, run.err.constData());
    QFile file(folder.filePath(name));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.read(16).startsWith(start));
}

void TestDraw::diffAndThemeChangeThePicture()
{
    QTemporaryDir folder;
    const auto draw = [&](const QString& name, const QStringList& more) {
        const ProgramRun run = window(QStringList{"--draw", folder.filePath(name), sample, "--size", "800x600"} + more);
        return run.code == 0 ? QImage(folder.filePath(name)) : QImage();
    };
    const QImage plain = draw("plain.png", {"--stage", "fold-batch-norm"});
    const QImage diff = draw("diff.png", {"--diff", "fold-batch-norm"});
    const QImage dark = draw("dark.png", {"--stage", "fold-batch-norm", "--theme", "dark"});
    const QImage lens = draw("lens.png", {"--stage", "fold-batch-norm", "--lens"});
    for (const QImage& image : {plain, diff, dark, lens}) {
        QCOMPARE(image.size(), QSize(800, 600));
    }
    QVERIFY(plain != diff);
    QVERIFY(plain != lens);
    QVERIFY(dark.pixelColor(2, 2).lightness() < 128);
    QVERIFY(plain.pixelColor(2, 2).lightness() > 128);
}

void TestDraw::onlyPicturesOfOursAreReplaced_data()
{
    drawsEveryFormat_data();
}

void TestDraw::onlyPicturesOfOursAreReplaced()
{
    QFETCH(QString, name);
    QTemporaryDir folder;
    const QString out = folder.filePath(name);
    const auto draw = [&](const QStringList& more) { return window(QStringList{"--draw", out, sample} + more).code; };
    QCOMPARE(draw({}), 0);
    QCOMPARE(draw({"--stage", "final"}), 0); // Crease drew it
    QFile file(out);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("mine");
    file.close();
    QCOMPARE(draw({}), 5);
    QCOMPARE(file.size(), 4);
    QCOMPARE(draw({"--force"}), 0);
    QVERIFY(file.size() > 100);
    QVERIFY(QFile::remove(out));
    QVERIFY(QFile::copy(sample, out)); // a model that is called like a picture
    const qint64 size = file.size();
    QCOMPARE(window({"--draw", out, out, "--force"}).code, 2);
    QCOMPARE(file.size(), size);
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList(name));
}

void TestDraw::errorsHaveTheirCodes_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::newRow("no model") << QStringList{"--draw", "x.svg"} << 2;
    QTest::newRow("format") << QStringList{"--draw", "x.gif", sample} << 2;
    QTest::newRow("pass") << QStringList{"--draw", "x.svg", sample, "--stage", "nothing"} << 2;
    QTest::newRow("stage and diff") << QStringList{"--draw", "x.svg", sample, "--stage", "lower", "--diff", "lower"}
                                    << 2;
    QTest::newRow("node") << QStringList{"--draw", "x.svg", sample, "--around", "nothing"} << 2;
    QTest::newRow("size") << QStringList{"--draw", "x.svg", sample, "--size", "0x9"} << 2;
    QTest::newRow("missing") << QStringList{"--draw", "x.svg", "/nowhere/x.onnx"} << 3;
    QTest::newRow("unwritable") << QStringList{"--draw", "/nowhere/x.svg", sample} << 5;
}

void TestDraw::errorsHaveTheirCodes()
{
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    const ProgramRun run = window(arguments);
    QVERIFY(!run.crashed);
    QCOMPARE(run.code, code);
    QCOMPARE(run.err.count('\n'), 1);
}

QTEST_GUILESS_MAIN(TestDraw)
#include "tst_draw.moc"
