// SPDX-License-Identifier: GPL-3.0-or-later
// What a person does wrong, and files that are: each fault beside the form that is right.
#include "core/onnx/writer.h"
#include "core/samples/samples.h"
#include "tests/app/cli/program_run.h"
#include "tests/support/graph_text.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include <csignal>

#include <fmt/format.h>

using namespace crease;
using crease::test::graphOf;
using crease::test::ProgramRun;
using crease::test::runProgram;

namespace {

const QString sample = QStringLiteral(CREASE_SAMPLES "/residual_cnn.onnx");
const QString digits = QStringLiteral(CREASE_SAMPLES "/digits.npz");

ProgramRun cli(const QStringList& arguments)
{
    return runProgram(QStringLiteral(CREASE_CLI), arguments);
}

QJsonObject objectOf(const ProgramRun& run)
{
    return QJsonDocument::fromJson(run.out).object();
}

QJsonValue inside(const ProgramRun& run, const QString& outer, const QString& inner)
{
    return objectOf(run)[outer].toObject()[inner];
}

bool blocksSignals(qint64 process)
{
    QFile status(QStringLiteral("/proc/%1/status").arg(process));
    if (!status.open(QIODevice::ReadOnly)) {
        return false;
    }
    const QByteArray text = status.readAll();
    const qsizetype at = text.indexOf("SigBlk:");
    return at >= 0 && (text.mid(at + 7, 17).trimmed().toULongLong(nullptr, 16) & (1ULL << (SIGTERM - 1))) != 0;
}

/// A MatMul between quantizers, with the scales of its data, its weights (two channels) and its output.
std::string matMul(const std::string& data, const std::string& weights, const std::string& output)
{
    constexpr auto text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %xs: f32[] = [{}]
const %ws: f32[2] = [{}]
const %ys: f32[] = [{}]
const %z: s8[] = [0]
const %wz: s8[2] = [0, 0]
const %w: s8[2x2] = [3, -4, 5, 6]
%xq: s8[1x2] = QuantizeLinear(%x, %xs, %z) "qx"
%xd: f32[1x2] = DequantizeLinear(%xq, %xs, %z) "dx"
%wd: f32[2x2] = DequantizeLinear(%w, %ws, %wz) {{axis = 1}} "dw"
%m: f32[1x2] = MatMul(%xd, %wd) "mm"
%yq: s8[1x2] = QuantizeLinear(%m, %ys, %z) "qy"
%y: f32[1x2] = DequantizeLinear(%yq, %ys, %z) "dy"
output %y
)";
    return fmt::format(fmt::runtime(text), data, weights, output);
}

constexpr auto integerInput = R"(graph "g" ir 8 opset "" 13
input %x: s8[1x2]
const %s: f32[] = [0.5]
const %z: s8[] = [-3]
%y: f32[1x2] = DequantizeLinear(%x, %s, %z) "d"
output %y
)";

} // namespace

class TestCliFaults : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString path(const QString& name) const { return m_folder.filePath(name); }
    QString model(const QString& name, const std::string& text) const
    {
        const auto written = writeModel(graphOf(text), path(name).toStdString());
        if (!written) {
            qFatal("%s", describe(written.error()).c_str());
        }
        return path(name);
    }
    QString arrays(const QString& name, const std::vector<std::pair<std::string, Tensor>>& list) const
    {
        if (!writeNpz(path(name).toStdString(), list)) {
            qFatal("cannot write %s", qPrintable(name));
        }
        return path(name);
    }

private slots:
    void scales_that_cannot_be_are_the_reason_and_exit_1_data()
    {
        QTest::addColumn<QString>("data");
        QTest::addColumn<QString>("weights");
        QTest::addColumn<QString>("output");
        QTest::addColumn<QString>("names"); // what the messages name; empty: all is well
        QTest::newRow("good") << "0.5" << "0.25, 0.5" << "1.5" << "";
        QTest::newRow("negative weight scale") << "0.5" << "-0.25, 0.5" << "1.5" << "";
        QTest::newRow("data nan") << "nan" << "0.25, 0.5" << "1.5" << "'dx'";
        QTest::newRow("data zero") << "0" << "0.25, 0.5" << "1.5" << "'dx'";
        QTest::newRow("data negative") << "-0.5" << "0.25, 0.5" << "1.5" << "'dx'";
        QTest::newRow("data infinite") << "inf" << "0.25, 0.5" << "1.5" << "'dx'";
        QTest::newRow("weight nan") << "0.5" << "0.25, nan" << "1.5" << "'dw'";
        QTest::newRow("weight zero") << "0.5" << "0, 0.5" << "1.5" << "'dw'";
        QTest::newRow("weight infinite") << "0.5" << "0.25, inf" << "1.5" << "'dw'";
        QTest::newRow("output nan") << "0.5" << "0.25, 0.5" << "nan" << "'dy'";
        QTest::newRow("output zero") << "0.5" << "0.25, 0.5" << "0" << "'dy'";
        QTest::newRow("output negative") << "0.5" << "0.25, 0.5" << "-1.5" << "'dy'";
    }

    void scales_that_cannot_be_are_the_reason_and_exit_1()
    {
        QFETCH(QString, data);
        QFETCH(QString, weights);
        QFETCH(QString, output);
        QFETCH(QString, names);
        const QString file =
            model("scales.onnx", matMul(data.toStdString(), weights.toStdString(), output.toStdString()));
        const ProgramRun run = cli({"fold", file, "--dry-run", "--random", "2", "--json"});
        QVERIFY2(run.code == (names.isEmpty() ? 0 : 1), run.err.constData());
        const QJsonArray islands = objectOf(run)["islands"].toArray();
        QCOMPARE(islands.isEmpty(), names.isEmpty());
        for (const QJsonValue& island : islands) {
            QCOMPARE(island.toObject()["id"].toString(), QString("bad-scale"));
            QVERIFY2(island.toObject()["reason"].toString().contains(names),
                     qPrintable(island.toObject()["reason"].toString()));
        }
        for (const QJsonValue& quantizer : objectOf(run)["quantizers"].toArray()) {
            if (quantizer.toObject()["state"] == "kept") {
                QCOMPARE(quantizer.toObject()["reason"].toObject()["id"].toString(), QString("bad-scale"));
            }
        }
        QVERIFY2(run.err.contains(names.toUtf8()), run.err.constData());
        // Errors only is what --quiet leaves.
        const QByteArray quiet = cli({"fold", file, "--dry-run", "--random", "2", "-q"}).err;
        QVERIFY2(quiet.contains(names.toUtf8()) &&
                     quiet.count('\n') == (names.isEmpty() ? 0 : quiet.count("crease-cli:")),
                 quiet.constData());
    }

    void labels_that_fit_nothing_are_told()
    {
        const auto labelled = [&](const QString& name, const Tensor& labels) {
            return cli({"verify", model("m.onnx", matMul("0.5", "0.25, 0.5", "1.5")), "--json", "--samples",
                        arrays(name, {{"x", Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6})}, {"labels", labels}})});
        };
        const ProgramRun good = labelled("good.npz", Tensor::of<std::int64_t>({3}, {0, 1, 0}));
        QCOMPARE(good.code, 0);
        QCOMPARE(inside(good, "accuracy", "count").toInt(), 3);
        QVERIFY(!good.err.contains("label"));
        const ProgramRun count = labelled("count.npz", Tensor::of<std::int64_t>({6}, {0, 1, 0, 1, 0, 1}));
        QCOMPARE(count.code, 3);
        QVERIFY2(count.err.contains("3 samples and labels of shape 6"), count.err.constData());
        const ProgramRun hot = labelled("hot.npz", Tensor::of<std::int64_t>({3, 5}, std::vector<std::int64_t>(15, 0)));
        QCOMPARE(hot.code, 0);
        QVERIFY2(hot.err.contains("[labels-unused]"), hot.err.constData());
        QVERIFY(!objectOf(hot).contains("accuracy"));
        const ProgramRun beyond = labelled("beyond.npz", Tensor::of<std::int64_t>({3}, {0, 9, -1}));
        QCOMPARE(beyond.code, 0);
        QVERIFY2(beyond.err.contains("2 of 3 labels are no class"), beyond.err.constData());
        QVERIFY2(beyond.err.contains("label 9 of sample 1"), beyond.err.constData());
    }

    void what_was_done_to_samples_is_said()
    {
        const QString file = model("m.onnx", matMul("0.5", "0.25, 0.5", "1.5"));
        const QString other = arrays("other.npz", {{"pixels", Tensor::of<double>({2, 2}, {1, 2, 3, 4})}});
        const ProgramRun run = cli({"run", file, "--samples", other});
        QCOMPARE(run.code, 0);
        QVERIFY2(run.err.contains("array 'pixels' is taken for input 'x'"), run.err.constData());
        QVERIFY2(run.err.contains("converted from float64 to float32"), run.err.constData());
        QCOMPARE(cli({"run", file, "--samples", other, "-q"}).err, QByteArray());
        const QString named = arrays("named.npz", {{"x", Tensor::of<float>({2, 2}, {1, 2, 3, 4})}});
        QCOMPARE(cli({"run", file, "--samples", named}).err, QByteArray());
    }

    void floats_for_an_integer_input_are_quantized_by_its_grid()
    {
        const QString file = model("int.onnx", integerInput);
        const ProgramRun run =
            cli({"run", file, "--samples", arrays("f.npz", {{"x", Tensor::of<float>({1, 2}, {1.25F, 100.0F})}})});
        QCOMPARE(run.code, 0);
        QVERIFY2(run.err.contains("scale 0.5, zero point -3"), run.err.constData());
        QVERIFY2(run.err.contains("1 of 2 elements"), run.err.constData());
        std::string plain(integerInput);
        plain.replace(plain.find("DequantizeLinear(%x, %s, %z)"), 28, "Cast(%x) {to = 1}");
        const ProgramRun refused = cli({"run", model("plain.onnx", plain), "--samples", path("f.npz")});
        QCOMPARE(refused.code, 3);
        QVERIFY2(refused.err.contains("give the codes themselves"), refused.err.constData());
    }

    void files_that_compute_nothing_are_refused()
    {
        const auto put = [&](const QString& name, const QByteArray& bytes) {
            QFile file(path(name));
            return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
        };
        const QByteArray version("\x08\x08", 2);
        const QByteArray opset("\x42\x04\x0a\x00\x10\x0d", 6);                     // opset 13
        const QByteArray relu("\x0a\x0c\x0a\x01\x61\x12\x01\x62\x22\x04Relu", 14); // b = Relu(a)
        const QByteArray output("\x62\x03\x0a\x01\x62", 5);                        // b
        const QByteArray input("\x5a\x0f\x0a\x01\x61\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x02", 17);
        const auto graph = [](const QByteArray& contents) {
            return QByteArray("\x3a") + static_cast<char>(contents.size()) + contents;
        };
        QVERIFY(put("whole.onnx", version + graph(input + relu + output) + opset));
        QCOMPARE(cli({"info", path("whole.onnx")}).code, 0);
        const std::vector<std::pair<QByteArray, QByteArray>> bad{
            {version + graph(input + relu) + opset, "no output"},
            {version + graph(input + relu + output), "imports no version of ai.onnx"},
            {version + graph(QByteArray()), "no ONNX model"},
            {version, "no graph"}};
        for (const auto& [bytes, says] : bad) {
            QVERIFY(put("bad.onnx", bytes));
            const ProgramRun run = cli({"fold", path("bad.onnx"), "-o", path("none.onnx")});
            QCOMPARE(run.code, 3);
            QVERIFY2(run.err.contains(says), run.err.constData());
            QCOMPARE(run.err.count('\n'), 1);
            QVERIFY(!QFileInfo::exists(path("none.onnx")));
        }
    }

    void several_models_have_one_object()
    {
        const ProgramRun run = cli({"info", sample, "/nowhere/x.onnx", "--json"});
        QCOMPARE(run.code, 3);
        const QJsonObject object = objectOf(run);
        QCOMPARE(object["schema"].toInt(), 1);
        QVERIFY(object.contains("crease") && object.contains("diagnostics"));
        QCOMPARE(object["error"].toObject()["file"].toString(), QString("/nowhere/x.onnx"));
        QCOMPARE(object["summary"].toObject(), (QJsonObject{{"models", 2}, {"done", 1}, {"failed", 1}, {"exit", 3}}));
        const QJsonArray models = object["models"].toArray();
        QCOMPARE(models.size(), 2);
        QCOMPARE(models[0].toObject(), objectOf(cli({"info", sample, "--json"})));
        QCOMPARE(models[1].toObject(), objectOf(cli({"info", "/nowhere/x.onnx", "--json"})));
        const QJsonObject good = objectOf(cli({"info", sample, sample, "--json"}));
        QVERIFY(!good.contains("error"));
        QCOMPARE(good["summary"].toObject()["done"].toInt(), 2);
    }

    void limits_name_their_flag()
    {
        for (const auto& [flag, size] : {std::pair("--max-file", "10k"), {"--max-tensor", "64"}}) {
            const ProgramRun run = cli({"info", sample, flag, size});
            QCOMPARE(run.code, 3);
            QVERIFY2(run.err.contains(flag), run.err.constData());
            QCOMPARE(cli({"info", sample, flag, "1M"}).code, 0);
        }
        const QString zeros = arrays("zeros.npz", {{"input", Tensor::of<float>({1, 1, 8, 8}, std::vector<float>(64))}});
        QCOMPARE(cli({"run", sample, "--samples", zeros, "--max-expansion", "0"}).code, 2);
        QCOMPARE(cli({"run", sample, "--samples", zeros, "--max-expansion", "2"}).code, 0);
        QCOMPARE(cli({"info", sample, "-q", "-v"}).code, 2);
    }

    void a_flag_takes_one_word_and_leaves_the_model()
    {
        QCOMPARE(
            cli({"fold", "--dry-run", "--no-verify", "--without-pass", "fuse", "--without-pass", "tabulate", sample})
                .code,
            0);
        QCOMPARE(cli({"run", "--random", "1", "--shape", "input=2x1x8x8", sample}).code, 0);
        QCOMPARE(cli({"fold", "--dry-run", sample, "--without-pass"}).code, 2);
    }

    void recipes_say_what_they_mean_data()
    {
        QTest::addColumn<QByteArray>("recipe");
        QTest::addColumn<QStringList>("flags");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("says");
        const QStringList none;
        QTest::newRow("all") << QByteArray("{}") << none << 0 << QByteArray();
        QTest::newRow("two") << QByteArray(R"({"passes": ["recognise", "fold-weights"]})") << none << 0 << QByteArray();
        QTest::newRow("empty") << QByteArray(R"({"passes": []})") << none << 2 << QByteArray("empty list");
        QTest::newRow("twice") << QByteArray(R"({"passes": ["lower", "lower"]})") << none << 2 << QByteArray("twice");
        QTest::newRow("near") << QByteArray(R"({"passes": ["recognize"]})") << none << 2
                              << QByteArray("did you mean 'recognise'?");
        QTest::newRow("key") << QByteArray(R"({"pases_off": []})") << none << 2
                             << QByteArray("did you mean 'passes_off'?");
        QTest::newRow("site of another model") << QByteArray(R"({"sites_off": ["fold-batch-norm/x@nowhere"]})") << none
                                               << 0 << QByteArray("does not occur");
        QTest::newRow("site of a flag") << QByteArray("{}") << QStringList{"--without-site", "lower/nothing@nowhere"}
                                        << 2 << QByteArray("does not occur");
        QTest::newRow("far") << QByteArray("{}") << QStringList{"--without-pass", "xyzzy"} << 2
                             << QByteArray("no pass 'xyzzy'");
    }

    void recipes_say_what_they_mean()
    {
        QFETCH(QByteArray, recipe);
        QFETCH(QStringList, flags);
        QFETCH(int, code);
        QFETCH(QByteArray, says);
        QFile file(path("recipe.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(recipe);
        file.close();
        const ProgramRun run =
            cli(QStringList{"fold", sample, "--dry-run", "--no-verify", "--recipe", file.fileName()} + flags);
        QVERIFY2(run.code == code, run.err.constData());
        QVERIFY2(run.err.contains(says), run.err.constData());
        QVERIFY(!run.err.contains("xyzzy'; did you mean"));
    }

    void texts_name_the_file_that_is_at_fault()
    {
        const QString file = model("m.onnx", matMul("0.5", "0.25, 0.5", "1.5"));
        const ProgramRun none =
            cli({"run", file, "--samples", arrays("zero.npz", {{"x", Tensor::of<float>({0, 2}, {})}})});
        QCOMPARE(none.code, 3);
        QVERIFY2(none.err.contains("zero.npz") && none.err.contains("holds no samples"), none.err.constData());
        const ProgramRun against = cli({"verify", file, "--against", sample});
        QVERIFY2(against.code != 0 && against.err.contains("residual_cnn.onnx"), against.err.constData());
        QFile archive(digits);
        QVERIFY(archive.open(QIODevice::ReadOnly));
        QFile cut(path("cut.npz"));
        QVERIFY(cut.open(QIODevice::WriteOnly));
        cut.write(archive.read(archive.size() / 2));
        cut.close();
        const ProgramRun truncated = cli({"run", sample, "--samples", cut.fileName()});
        QCOMPARE(truncated.code, 3);
        QVERIFY2(truncated.err.contains("cut off"), truncated.err.constData());
    }

    void a_full_disk_is_told_of_the_file_that_was_asked_for()
    {
        QVERIFY(QDir(m_folder.path()).mkpath("full"));
        const QString out = path("full/out.onnx");
        const QString line = QStringLiteral("trap '' XFSZ; ulimit -f 8; exec \"$1\" fold \"$2\" --no-verify -o \"$3\"");
        const ProgramRun run = runProgram("/bin/sh", {"-c", line, "sh", CREASE_CLI, sample, out});
        QCOMPARE(run.code, 5);
        QVERIFY2(run.err.contains(out.toUtf8() + ":"), run.err.constData());
        QVERIFY2(!run.err.contains(".part"), run.err.constData());
        QVERIFY(QDir(path("full")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).isEmpty());
    }

    void a_standard_output_that_is_full_is_5()
    {
        for (const QByteArray where : {"/dev/full", "/dev/null"}) {
            const QString line =
                QStringLiteral("exec \"$1\" fold \"$2\" --dry-run --no-verify --json > ") + QString::fromUtf8(where);
            const ProgramRun run = runProgram("/bin/sh", {"-c", line, "sh", CREASE_CLI, sample});
            QVERIFY(!run.crashed);
            QCOMPARE(run.code, where == "/dev/full" ? 5 : 0);
            QCOMPARE(run.err.contains("standard output"), where == "/dev/full");
        }
    }

    void one_model_goes_into_a_folder_too_but_never_over_itself()
    {
        QVERIFY(QDir(m_folder.path()).mkpath("out"));
        QVERIFY(QFile::copy(sample, path("in.onnx")));
        QCOMPARE(cli({"fold", path("in.onnx"), "--no-verify", "-o", path("out")}).code, 0);
        QVERIFY(QFileInfo::exists(path("out/in.onnx")));
        const qint64 size = QFileInfo(path("in.onnx")).size();
        QCOMPARE(cli({"fold", path("in.onnx"), "--no-verify", "--force", "-o", m_folder.path()}).code, 2);
        QCOMPARE(cli({"run", path("in.onnx"), "--random", "1", "--force", "-o", path("in.onnx")}).code, 2);
        QCOMPARE(QFileInfo(path("in.onnx")).size(), size);
        const QStringList twice{"run", sample, "--random", "1", "-o", path("twice.npz")};
        QCOMPARE(cli(twice).code, 0);
        QCOMPARE(cli(twice).code, 0); // Crease wrote it
        QVERIFY(QFile::copy(digits, path("mine.npz")));
        QCOMPARE(cli({"run", sample, "--random", "1", "-o", path("mine.npz")}).code, 5);
    }

    void a_signal_is_heard_from_the_start()
    {
        // Main begins with blocking the signals for the thread that waits for them; from then on none is lost.
        for (const int signal : {SIGINT, SIGTERM}) {
            QProcess process;
            process.start(QStringLiteral(CREASE_CLI), {"fold", sample, "-o", path("never.onnx"), "--random", "100000"});
            QVERIFY(process.waitForStarted());
            QTRY_VERIFY_WITH_TIMEOUT(blocksSignals(process.processId()), 20000);
            ::kill(static_cast<pid_t>(process.processId()), signal);
            QVERIFY(process.waitForFinished(60000));
            QCOMPARE(process.exitStatus(), QProcess::NormalExit);
            QCOMPARE(process.exitCode(), 130);
            QVERIFY(!QFileInfo::exists(path("never.onnx")));
        }
    }

    void an_engine_is_compared_with_or_without_a_file()
    {
        const QString python = qEnvironmentVariable("CREASE_PYTHON", "python3");
        if (runProgram(python, {"-c", "import onnx, onnxruntime"}).code != 0) {
            QSKIP("no Python with onnxruntime");
        }
        for (const QStringList& command : {QStringList{"fold", sample, "-o", path("ort.onnx")},
                                           QStringList{"fold", sample, "--dry-run"}, QStringList{"verify", sample}}) {
            const ProgramRun run = cli(command + QStringList{"--engine", "onnxruntime", "--random", "2", "--json"});
            QVERIFY2(run.code == 0, run.err.constData());
            QCOMPARE(inside(run, "engine", "name").toString(), QString("onnxruntime"));
            QVERIFY(!inside(run, "engine", "version").toString().isEmpty());
            QVERIFY(inside(run, "engine", "certificate").toObject().contains("runtime"));
            QCOMPARE(objectOf(run).contains("output"), command.contains("-o"));
            QVERIFY(!objectOf(run).contains("error"));
        }
    }

    void an_engine_that_fails_costs_a_message_and_nothing_else_data()
    {
        QTest::addColumn<QByteArray>("argv");
        QTest::addColumn<QByteArray>("id");
        QTest::newRow("missing") << QByteArray(R"(["/nowhere/engine", "{model}", "{inputs}", "{outputs}"])")
                                 << QByteArray("engine-missing");
        QTest::newRow("crashing") << QByteArray(R"(["/bin/sh", "-c", "kill -SEGV $$", "{model}{inputs}{outputs}"])")
                                  << QByteArray("engine-crashed");
        QTest::newRow("hanging") << QByteArray(R"(["/bin/sh", "-c", "sleep 60", "{model}{inputs}{outputs}"])")
                                 << QByteArray("engine-timeout");
    }

    void an_engine_that_fails_costs_a_message_and_nothing_else()
    {
        QFETCH(QByteArray, argv);
        QFETCH(QByteArray, id);
        QVERIFY(QDir(m_folder.path()).mkpath("engines"));
        QFile description(path("engines/mine.json"));
        QVERIFY(description.open(QIODevice::WriteOnly));
        description.write(R"({"name": "mine", "argv": )" + argv + "}");
        description.close();
        const QStringList engine{"--engine", "mine", "--engines", path("engines"), "--engine-seconds", "1"};
        const QStringList few{"--random", "1", "--json"};
        for (const QStringList& command : {QStringList{"fold", sample, "-o", path("engine.onnx")},
                                           QStringList{"verify", sample}, QStringList{"run", sample}}) {
            const ProgramRun run = cli(command + engine + few);
            QVERIFY2(run.code == 1, run.err.constData());
            const QJsonObject object = objectOf(run);
            QCOMPARE(object["error"].toObject()["id"].toString().toUtf8(), id);
            QVERIFY2(run.err.count("engine mine") == 1, run.err.constData());
            QCOMPARE(object.contains("certificate"), command[0] != "run");
        }
        QVERIFY(QFileInfo::exists(path("engine.onnx")));
        QCOMPARE(cli({"verify", sample, "--engine", "nosuch"}).code, 2);
    }
};

QTEST_GUILESS_MAIN(TestCliFaults)
#include "tst_cli_faults.moc"
