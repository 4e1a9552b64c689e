// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/cli/program_run.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <unistd.h>

using crease::test::ProgramRun;

namespace {

const QString sample = QStringLiteral(CREASE_SAMPLES "/residual_cnn.onnx");
const QString digits = QStringLiteral(CREASE_SAMPLES "/digits.npz");

ProgramRun cli(const QStringList& arguments)
{
    return crease::test::runProgram(QStringLiteral(CREASE_CLI), arguments);
}

QJsonObject objectOf(const ProgramRun& run)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(run.out, &error);
    if (error.error != QJsonParseError::NoError) {
        qWarning("%s", run.err.constData());
    }
    return document.object();
}

QStringList missingKeys(const QJsonObject& object, const QStringList& keys)
{
    QStringList missing;
    for (const QString& key : keys) {
        if (!object.contains(key)) {
            missing << key;
        }
    }
    return missing;
}

#define HAS_KEYS(object, ...) QCOMPARE(missingKeys(object, QStringList{__VA_ARGS__}), QStringList())

} // namespace

class TestCli : public QObject {
    Q_OBJECT

private slots:
    void infoHasItsKeys();
    void passesAndTargetsAreListed();
    void foldHasItsKeys();
    void verifyHasItsKeys();
    void explainDiffAndRunHaveTheirKeys();
    void usageErrors_data();
    void usageErrors();
    void badFiles_data();
    void badFiles();
    void unwritableOutputIsFive();
    void foreignFilesAreKeptWithoutForce();
    void requireIntegerIsOneWhereSomethingStaysFloat();
    void recipesAreReplayed();
    void switchedOffSitesStay();
    void interruptIs130AndLeavesNoFile();
    void severalModelsEndWithASummary();
    void everyCommandHasHelpWithExamples();
    void explainTakesANode();
    void anUnknownCommandIsNamed();
    void aSwitchedOffSiteIsTheReason();
    void outputsNeverStandOnInputs();
    void failuresHaveAnErrorObject();
    void recipesThatLeaveFuseOutAreWritten();
};

void TestCli::infoHasItsKeys()
{
    const ProgramRun run = cli({"info", sample, "--json"});
    QCOMPARE(run.code, 0);
    const QJsonObject object = objectOf(run);
    HAS_KEYS(object, "schema", "crease", "diagnostics", "model");
    QCOMPARE(object["schema"].toInt(), 1);
    const QJsonObject model = object["model"].toObject();
    HAS_KEYS(model, "file", "bytes", "sha256", "ir_version", "opsets", "producer", "nodes", "ops", "dialects",
             "quantizers", "inputs", "outputs", "parameters", "external_data");
    QCOMPARE(model["sha256"].toString().size(), 64);
    QCOMPARE(model["bytes"].toInteger(), QFileInfo(sample).size());
    QVERIFY(model["quantizers"].toInt() > 0);
    HAS_KEYS(model["inputs"].toArray()[0].toObject(), "name", "type", "shape");
}

void TestCli::passesAndTargetsAreListed()
{
    const QJsonObject object = objectOf(cli({"passes", "--json"}));
    HAS_KEYS(object, "schema", "crease", "diagnostics", "passes", "targets");
    QCOMPARE(object["passes"].toArray().size(), 15);
    QCOMPARE(object["passes"].toArray()[0].toObject()["id"].toString(), QString("recognise"));
    QCOMPARE(object["passes"].toArray()[14].toObject()["id"].toString(), QString("eliminate-dead"));
    QVERIFY(object["targets"].toArray().size() >= 2);
    QVERIFY(cli({"passes", "--targets"}).out.contains("onnxruntime-qdq"));
}

void TestCli::foldHasItsKeys()
{
    QTemporaryDir folder;
    const QString file = folder.filePath("out.onnx");
    const ProgramRun run = cli({"fold", sample, "-o", file, "--samples", digits, "--limit", "20", "--json"});
    QVERIFY2(run.code == 0, run.err.constData());
    const QJsonObject object = objectOf(run);
    HAS_KEYS(object, "schema", "crease", "diagnostics", "model", "target", "stages", "quantizers", "islands", "samples",
             "certificate", "output", "correspondence", "accuracy");
    for (const QJsonValue& value : object["stages"].toArray()) {
        HAS_KEYS(value.toObject(), "pass", "nodes_before", "nodes_after", "rewrites", "milliseconds", "seconds",
                 "certificate", "missed", "diagnostics");
        for (const QJsonValue& rewrite : value.toObject()["rewrites"].toArray()) {
            HAS_KEYS(rewrite.toObject(), "site", "rule", "fidelity", "nodes", "on");
        }
    }
    for (const QJsonValue& value : object["quantizers"].toArray()) {
        const QJsonObject quantizer = value.toObject();
        HAS_KEYS(quantizer, "name", "state", "role");
        QVERIFY(quantizer.contains(quantizer["state"].toString() == "folded" ? "site" : "reason"));
    }
    HAS_KEYS(object["certificate"].toObject()["off_by"].toObject(), "0", "1", "2", "more");
    HAS_KEYS(object["certificate"].toObject(), "verdict", "samples", "tensors", "max_steps", "off_by", "ties", "noise",
             "bias", "unexplained");
    QCOMPARE(object["certificate"].toObject()["samples"].toInt(), 20);
    QCOMPARE(object["certificate"].toObject()["unexplained"].toInt(), 0);
    HAS_KEYS(object["output"].toObject(), "file", "format", "bytes", "nodes", "ops");
    QCOMPARE(object["output"].toObject()["bytes"].toInteger(), QFileInfo(file).size());
    QVERIFY(!object["correspondence"].toArray().isEmpty());
    HAS_KEYS(object["correspondence"].toArray()[0].toObject(), "value", "source", "relation", "scale", "zero_point",
             "axis");
    HAS_KEYS(object["accuracy"].toObject(), "before", "after", "flips", "count");
    HAS_KEYS(object["samples"].toObject(), "source", "count", "seed");
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList("out.onnx"));
}

void TestCli::verifyHasItsKeys()
{
    const QJsonObject object = objectOf(cli({"verify", sample, "--random", "2", "--json"}));
    HAS_KEYS(object, "model", "target", "stages", "quantizers", "islands", "samples", "certificate", "tensors");
    QVERIFY(!object.contains("output"));
    QVERIFY(!object["tensors"].toArray().isEmpty());
    const QJsonObject tensor = object["tensors"].toArray()[0].toObject();
    HAS_KEYS(tensor, "name", "stage", "local", "accumulated");
    for (const char* metrics : {"local", "accumulated"}) {
        HAS_KEYS(tensor[metrics].toObject(), "max_steps", "off_by", "ties", "noise", "bias", "unexplained",
                 "rmse_over_scale", "sqnr_db", "cosine", "max_abs", "saturated");
        HAS_KEYS(tensor[metrics].toObject()["off_by"].toObject(), "0", "1", "2", "more");
    }
    const ProgramRun same = cli({"verify", sample, "--against", sample, "--random", "1", "--json"});
    QCOMPARE(same.code, 0);
    const QJsonObject against = objectOf(same);
    QCOMPARE(against["certificate"].toObject()["verdict"].toString(), QString("exact"));
    HAS_KEYS(against, "schema", "crease", "diagnostics", "model", "against", "samples", "tensors");
    HAS_KEYS(against["tensors"].toArray()[0].toObject(), "name", "stage", "local", "accumulated");
    const QJsonObject labelled =
        objectOf(cli({"verify", sample, "--against", sample, "--samples", digits, "--limit", "5", "--json"}));
    HAS_KEYS(labelled["accuracy"].toObject(), "before", "after", "flips", "count");
}

void TestCli::explainDiffAndRunHaveTheirKeys()
{
    const QString partly = QStringLiteral(CREASE_SAMPLES "/transformer.onnx");
    const QJsonObject explained = objectOf(cli({"explain", partly, "--json"}));
    HAS_KEYS(explained, "schema", "crease", "diagnostics", "quantizers", "islands", "model", "sites");
    QVERIFY(!explained["islands"].toArray().isEmpty());
    HAS_KEYS(explained["islands"].toArray()[0].toObject(), "nodes", "reason");
    for (const QJsonValue& quantizer : explained["quantizers"].toArray()) {
        if (quantizer.toObject()["state"] == "kept") {
            HAS_KEYS(quantizer.toObject()["reason"].toObject(), "id", "text", "node");
        }
    }
    for (const QJsonValue& stage : explained["sites"].toArray()) {
        for (const QJsonValue& rewrite : stage.toObject()["rewrites"].toArray()) {
            HAS_KEYS(rewrite.toObject()["nodes"].toArray()[0].toObject(), "node", "role");
        }
    }
    const QJsonObject diff = objectOf(cli({"diff", sample, "--pass", "fold-batch-norm", "--json"}));
    HAS_KEYS(diff, "schema", "crease", "diagnostics", "added", "removed", "changed");
    HAS_KEYS(diff["removed"].toArray()[0].toObject(), "node", "op", "became");
    QVERIFY(!diff["removed"].toArray().isEmpty());
    QVERIFY(cli({"diff", sample, "--pass", "fold-batch-norm"}).out.contains("BatchNormalization"));
    QTemporaryDir folder;
    const QString file = folder.filePath("out.npz");
    const QJsonObject run = objectOf(cli({"run", sample, "--random", "3", "-o", file, "--json"}));
    HAS_KEYS(run, "schema", "crease", "diagnostics", "model", "outputs", "samples");
    HAS_KEYS(run["diagnostics"].toArray()[0].toObject(), "severity", "id", "text", "node",
             "value"); // the guessed shape
    HAS_KEYS(run["outputs"].toArray()[0].toObject(), "name", "type", "shape", "file");
    QCOMPARE(run["outputs"].toArray()[0].toObject()["shape"].toArray()[0].toInt(), 3);
    QVERIFY(QFileInfo(file).size() > 0);
}

void TestCli::usageErrors_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("nothing") << QStringList{};
    QTest::newRow("unknown command") << QStringList{"foldd"};
    QTest::newRow("unknown flag") << QStringList{"info", sample, "--jsn"};
    QTest::newRow("no output") << QStringList{"fold", sample};
    QTest::newRow("unknown target") << QStringList{"fold", sample, "--dry-run", "--target", "onnxruntime-qdqq"};
    QTest::newRow("unknown pass") << QStringList{"diff", sample, "--pass", "fold-bn"};
    QTest::newRow("bad shape") << QStringList{"run", sample, "--shape", "input=axb"};
    QTest::newRow("bad size") << QStringList{"info", sample, "--memory-limit", "lots"};
    QTest::newRow("samples twice") << QStringList{"verify", sample, "--samples", digits, "--random", "2"};
    QTest::newRow("bad border") << QStringList{"fold", sample, "--dry-run", "--io", "complex"};
}

void TestCli::usageErrors()
{
    QFETCH(QStringList, arguments);
    const ProgramRun run = cli(arguments);
    QCOMPARE(run.code, 2);
    QVERIFY(!run.err.isEmpty() || !run.out.isEmpty());
}

void TestCli::badFiles_data()
{
    QTest::addColumn<QByteArray>("contents");
    QFile file(sample);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray whole = file.readAll();
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("html") << QByteArray("<html><body>not found</body></html>");
    QTest::newRow("git lfs") << QByteArray("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
    QTest::newRow("cut") << whole.left(whole.size() / 2);
    QTest::newRow("first bytes") << whole.left(2);
    QTest::newRow("noise") << QByteArray(4096, '\xA5');
    QTest::newRow("zip") << QByteArray("PK\x03\x04rest of an archive");
}

void TestCli::badFiles()
{
    QFETCH(QByteArray, contents);
    QTemporaryDir folder;
    const QString name = folder.filePath("bad.onnx");
    QFile file(name);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(contents);
    file.close();
    for (const QStringList& command :
         {QStringList{"info", name}, QStringList{"fold", name, "-o", folder.filePath("out.onnx")},
          QStringList{"verify", name}}) {
        const ProgramRun run = cli(command);
        QVERIFY(!run.crashed);
        QCOMPARE(run.code, 3);
        QVERIFY2(run.err.contains("bad.onnx"), run.err.constData());
        QCOMPARE(run.err.count('\n'), 1);
    }
    QVERIFY(!QFileInfo::exists(folder.filePath("out.onnx")));
    const QJsonObject object = objectOf(cli({"info", name, "--json"}));
    HAS_KEYS(object, "error");
    HAS_KEYS(object["error"].toObject(), "id", "text", "file", "node", "value");
}

void TestCli::unwritableOutputIsFive()
{
    const ProgramRun missing = cli({"fold", sample, "--no-verify", "-o", "/nowhere/out.onnx"});
    QCOMPARE(missing.code, 5);
    QVERIFY2(missing.err.contains("/nowhere/out.onnx"), missing.err.constData());
    if (geteuid() != 0) {
        QTemporaryDir folder;
        QVERIFY(QFile::setPermissions(folder.path(), QFileDevice::ReadOwner | QFileDevice::ExeOwner));
        const ProgramRun readOnly = cli({"fold", sample, "--no-verify", "-o", folder.filePath("out.onnx")});
        QCOMPARE(readOnly.code, 5);
        QFile::setPermissions(folder.path(), QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ExeOwner);
    }
}

void TestCli::foreignFilesAreKeptWithoutForce()
{
    QTemporaryDir folder;
    const QString name = folder.filePath("out.onnx");
    QVERIFY(QFile::copy(sample, name));
    const qint64 size = QFileInfo(name).size();
    QCOMPARE(cli({"fold", sample, "--no-verify", "-o", name}).code, 5);
    QCOMPARE(QFileInfo(name).size(), size);
    QCOMPARE(cli({"fold", sample, "--no-verify", "-o", name, "--force"}).code, 0);
    QVERIFY(QFileInfo(name).size() != size);
    QCOMPARE(cli({"fold", sample, "--no-verify", "-o", name}).code, 0); // Crease wrote it
}

void TestCli::requireIntegerIsOneWhereSomethingStaysFloat()
{
    const QString transformer = QStringLiteral(CREASE_SAMPLES "/transformer.onnx");
    QCOMPARE(cli({"fold", transformer, "--dry-run", "--no-verify"}).code, 0);
    const ProgramRun run = cli({"fold", transformer, "--dry-run", "--no-verify", "--require-integer"});
    QCOMPARE(run.code, 1);
    QVERIFY(!run.err.isEmpty());
    QCOMPARE(cli({"fold", sample, "--dry-run", "--no-verify", "--require-integer"}).code, 0);
}

void TestCli::recipesAreReplayed()
{
    QTemporaryDir folder;
    const QString recipe = folder.filePath("recipe.json");
    const ProgramRun first = cli({"fold", sample, "--dry-run", "--no-verify", "--without-pass", "absorb-activations",
                                  "--save-recipe", recipe, "--json"});
    QCOMPARE(first.code, 0);
    const ProgramRun second = cli({"fold", sample, "--dry-run", "--no-verify", "--recipe", recipe, "--json"});
    QCOMPARE(second.code, 0);
    QCOMPARE(objectOf(second)["stages"].toArray().size(), 14);
    QCOMPARE(objectOf(first)["stages"].toArray().size(), 14);
    QCOMPARE(cli({"fold", sample, "--dry-run", "--recipe", folder.filePath("none.json")}).code, 3);
}

void TestCli::switchedOffSitesStay()
{
    const QJsonObject plain = objectOf(cli({"fold", sample, "--dry-run", "--no-verify", "--json"}));
    QString site;
    for (const QJsonValue& stage : plain["stages"].toArray()) {
        if (stage.toObject()["pass"] == "fold-batch-norm") {
            site = stage.toObject()["rewrites"].toArray()[0].toObject()["site"].toString();
        }
    }
    QVERIFY(!site.isEmpty());
    const QJsonObject off =
        objectOf(cli({"fold", sample, "--dry-run", "--no-verify", "--json", "--without-site", site}));
    for (const QJsonValue& stage : off["stages"].toArray()) {
        for (const QJsonValue& rewrite : stage.toObject()["rewrites"].toArray()) {
            if (rewrite.toObject()["site"].toString() == site) {
                QVERIFY(!rewrite.toObject()["on"].toBool());
            }
        }
    }
    QVERIFY(off["linear_ops"].toObject()["integer"].toInt() <= plain["linear_ops"].toObject()["integer"].toInt());
}

void TestCli::interruptIs130AndLeavesNoFile()
{
    QTemporaryDir folder;
    QProcess process;
    process.start(QStringLiteral(CREASE_CLI),
                  {"fold", sample, "-o", folder.filePath("out.onnx"), "--random", "200000"});
    QVERIFY(process.waitForStarted());
    QTest::qWait(300);
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(20000));
    QCOMPARE(process.exitCode(), 130);
    QVERIFY(QDir(folder.path()).entryList(QDir::Files).isEmpty());
}

void TestCli::severalModelsEndWithASummary()
{
    const ProgramRun run = cli({"info", sample, "/nowhere/x.onnx"});
    QCOMPARE(run.code, 3);
    QVERIFY2(run.out.contains("summary of 2 models"), run.out.constData());
    QTemporaryDir folder;
    const ProgramRun fold =
        cli({"fold", sample, QStringLiteral(CREASE_SAMPLES "/mlp.onnx"), "--no-verify", "-o", folder.path()});
    QVERIFY2(fold.code == 0, fold.err.constData());
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), (QStringList{"mlp.onnx", "residual_cnn.onnx"}));
}

void TestCli::everyCommandHasHelpWithExamples()
{
    for (const char* command : {"info", "passes", "fold", "verify", "explain", "diff", "run", "completion"}) {
        const ProgramRun run = cli({command, "--help"});
        QCOMPARE(run.code, 0);
        QVERIFY2(run.out.contains("Examples:"), command);
        QVERIFY2(run.out.contains(QByteArray("crease-cli ") + command), command);
    }
    QCOMPARE(cli({"--version"}).code, 0);
    QVERIFY(cli({"completion", "bash"}).out.contains("complete"));
}

void TestCli::explainTakesANode()
{
    const QJsonObject all = objectOf(cli({"explain", sample, "--json"}));
    const QString name = all["quantizers"].toArray()[0].toObject()["name"].toString();
    const ProgramRun run = cli({"explain", sample, name});
    QCOMPARE(run.code, 0);
    QVERIFY(run.out.contains(name.toUtf8()));
    const ProgramRun conv = cli({"explain", sample, "node_Conv_169"}); // folded, and no quantizer
    QCOMPARE(conv.code, 0);
    QVERIFY(conv.out.contains("nothing stayed in float because of it"));
    const ProgramRun unknown = cli({"explain", sample, "no such node"});
    QCOMPARE(unknown.code, 2);
    QVERIFY(unknown.err.contains("no node and no value 'no such node'"));
}

void TestCli::anUnknownCommandIsNamed()
{
    const ProgramRun run = cli({"fodl", sample});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("no command 'fodl'") && run.err.contains("fold, "), run.err.constData());
    QCOMPARE(cli({"info", sample}).code, 0);
}

void TestCli::aSwitchedOffSiteIsTheReason()
{
    const QJsonObject all = objectOf(cli({"explain", sample, "--json"}));
    QVERIFY(all["islands"].toArray().isEmpty());
    const ProgramRun run = cli({"explain", sample, "--without-site", "fold-batch-norm/affine@conv2d_1"});
    QCOMPARE(run.code, 0);
    QVERIFY2(run.out.contains("is switched off by the recipe [switched-off]"), run.out.constData());
    QVERIFY(run.out.contains("fold-batch-norm"));
}

void TestCli::outputsNeverStandOnInputs()
{
    QTemporaryDir folder;
    const QString copy = folder.filePath("copy.onnx");
    QVERIFY(QFile::copy(sample, copy));
    const qint64 size = QFileInfo(copy).size();
    const QString out = folder.filePath("out.onnx");
    QCOMPARE(cli({"fold", copy, "-o", out, "--no-verify", "--report", copy}).code, 2);
    QCOMPARE(cli({"fold", copy, "-o", out, "--no-verify", "--save-recipe", copy}).code, 2);
    QCOMPARE(cli({"fold", copy, "-o", out, "--no-verify", "--report", out}).code, 2);
    QCOMPARE(cli({"run", copy, "--random", "1", "-o", copy}).code, 5);
    QCOMPARE(QFileInfo(copy).size(), size);
    QVERIFY(QDir(folder.path()).mkdir("b"));
    const QString second = folder.filePath("b/copy.onnx");
    QVERIFY(QFile::copy(sample, second));
    QCOMPARE(cli({"fold", copy, second, "-o", folder.path(), "--no-verify"}).code, 2);
    QFile foreign(folder.filePath("report.json"));
    QVERIFY(foreign.open(QIODevice::WriteOnly));
    foreign.write("mine");
    foreign.close();
    QCOMPARE(cli({"fold", copy, "-o", out, "--no-verify", "--report", foreign.fileName()}).code, 5);
    QVERIFY(!QFileInfo::exists(out));
    QCOMPARE(cli({"fold", copy, "-o", out, "--no-verify", "--report", foreign.fileName(), "--force"}).code, 0);
    QCOMPARE(cli({"fold", copy, "-o", out, "--no-verify", "--report", foreign.fileName()}).code, 0);
}

void TestCli::failuresHaveAnErrorObject()
{
    for (const QStringList& arguments :
         {QStringList{"fold", sample, "--nosuch", "--json"}, QStringList{"nosuch", "--json"},
          QStringList{"fold", sample, "--dry-run", "--keep-float", "nosuch", "--json"},
          QStringList{"verify", sample, "--random", "-1", "--json"},
          QStringList{"verify", sample, "--random", "1000000", "--memory-limit", "1M", "--json"}}) {
        const ProgramRun run = cli(arguments);
        QCOMPARE(run.code, 2);
        HAS_KEYS(objectOf(run)["error"].toObject(), "id", "text");
    }
}

void TestCli::recipesThatLeaveFuseOutAreWritten()
{
    QTemporaryDir folder;
    const QString out = folder.filePath("out.onnx");
    const ProgramRun run = cli({"fold", sample, "-o", out, "--random", "2", "--without-pass", "fuse"});
    QVERIFY2(run.code == 0, run.err.constData());
    const ProgramRun weights = cli({"fold", sample, "-o", out, "--random", "2", "--without-pass", "fold-weights"});
    QVERIFY2(weights.code == 0, weights.err.constData());
}

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
