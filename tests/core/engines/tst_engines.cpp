// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/process.h"
#include "core/engines/process_engine.h"
#include "core/onnx/writer.h"
#include "tests/support/graph_text.h"

#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>

#include <algorithm>
#include <fstream>
#include <thread>

using namespace crease;
using crease::test::graphOf;

namespace {

const std::vector<std::vector<Tensor>> twoSamples{{Tensor::of<float>({1, 2}, {1.2F, -3.0F})},
                                                  {Tensor::of<float>({1, 2}, {100.0F, 0.24F})}};

/// An engine that runs a line of shell; its folders are $1 (inputs) and $2 (outputs).
std::unique_ptr<Engine> shell(const std::string& line, bool manySets = false, double seconds = 20.0)
{
    EngineDescription description;
    description.name = "shell";
    description.argv = {"/bin/sh", "-c", line, "sh", "{inputs}", "{outputs}", "{model}"};
    description.manySets = manySets;
    description.seconds = seconds;
    return makeEngine(std::move(description));
}

int leftovers()
{
    return static_cast<int>(QDir(QDir::tempPath()).entryList({"crease-*"}, QDir::Dirs).size());
}

} // namespace

class TestEngines : public QObject {
    Q_OBJECT

private slots:
    void an_engine_copies_its_input_to_its_output()
    {
        const auto one = shell("cp $1/input_0.pb $2/output_0.pb && echo 7.1 > $2/version.txt");
        const auto run = one->run("m.onnx", twoSamples, Intermediates::None, {});
        VERIFY_RESULT(run);
        QCOMPARE(run->outputs.size(), 2U);
        QVERIFY(run->outputs[1][0].identical(twoSamples[1][0]));
        QCOMPARE(run->version, std::string("7.1"));
        const auto many =
            shell("for s in $1/*; do mkdir -p $2/${s##*/}; cp $s/input_0.pb $2/${s##*/}/output_0.pb; done", true);
        const auto both = many->run("m.onnx", twoSamples, Intermediates::None, {});
        VERIFY_RESULT(both);
        QVERIFY(both->outputs[1][0].identical(twoSamples[1][0]));
    }

    void negative_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("says");
        QTest::newRow("fails") << "echo one; echo 'no such op: Foo' >&2; exit 3" << "engine-failed"
                               << "no such op: Foo";
        QTest::newRow("fails in silence") << "exit 3" << "engine-failed" << "status 3";
        QTest::newRow("crashes") << "kill -SEGV $$" << "engine-crashed" << "signal 11";
        QTest::newRow("writes nothing") << "true" << "engine-outputs" << "no output_0.pb";
        QTest::newRow("writes nonsense") << "printf '\\377\\377' > $2/output_0.pb" << "engine-outputs" << "output_0.pb";
        QTest::newRow("hangs") << "sleep 30 & sleep 30" << "engine-timeout" << "still running";
    }

    void negative()
    {
        QFETCH(QString, line);
        QFETCH(QString, id);
        QFETCH(QString, says);
        const int before = leftovers();
        QElapsedTimer timer;
        timer.start();
        const auto run = shell(line.toStdString(), false, 0.5)->run("m.onnx", twoSamples, Intermediates::None, {});
        QVERIFY(!run.has_value());
        QCOMPARE(QString::fromStdString(run.error().id), id);
        QCOMPARE(run.error().kind, ErrorKind::Refused);
        QVERIFY2(run.error().message.find(says.toStdString()) != std::string::npos, run.error().message.c_str());
        QVERIFY(run.error().message.find('\n') == std::string::npos);
        QVERIFY(timer.elapsed() < 5000);
        QCOMPARE(leftovers(), before);
    }

    void negative_a_missing_program_is_said_so()
    {
        EngineDescription description;
        description.name = "gone";
        description.argv = {"/nowhere/simulator", "{model}", "{inputs}", "{outputs}"};
        const auto run = makeEngine(std::move(description))->run("m.onnx", twoSamples, Intermediates::None, {});
        QVERIFY(!run.has_value());
        QCOMPARE(run.error().id, std::string("engine-missing"));
        QVERIFY(run.error().message.find("/nowhere/simulator") != std::string::npos);
    }

    void cancelling_returns_within_100_ms()
    {
        std::stop_source stop;
        Job job;
        job.stop = stop.get_token();
        QElapsedTimer timer;
        std::jthread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            timer.start();
            stop.request_stop();
        });
        const auto run = shell("sleep 30")->run("m.onnx", twoSamples, Intermediates::None, job);
        QVERIFY(timer.elapsed() < 100);
        QVERIFY(!run.has_value());
        QCOMPARE(run.error().kind, ErrorKind::Cancelled);
    }

    void descriptions()
    {
        QCOMPARE(shippedEngines().size(), 2U);
        QVERIFY(!shippedEngines()[0].script.empty());
        QTemporaryDir folder;
        std::ofstream(folder.filePath("mine.json").toStdString())
            << R"({"name": "onnxruntime", "argv": ["sim", "{model}", "{inputs}", "{outputs}"], "seconds": 5})";
        const auto engines = allEngines({folder.path().toStdString()});
        VERIFY_RESULT(engines);
        QCOMPARE(engines->size(), 2U);
        QCOMPARE(engines->back().argv[0], std::string("sim"));
        const auto unknown = makeEngine("nothing", {});
        QVERIFY(!unknown.has_value());
        QCOMPARE(unknown.error().kind, ErrorKind::Usage);
        QVERIFY(unknown.error().message.find("onnxruntime-all") != std::string::npos);
    }

    void negative_descriptions_data()
    {
        QTest::addColumn<QString>("json");
        QTest::newRow("no JSON") << "{";
        QTest::newRow("no name") << R"({"argv": ["a", "{model}", "{inputs}", "{outputs}"]})";
        QTest::newRow("no model") << R"({"name": "a", "argv": ["a", "{inputs}", "{outputs}"]})";
        QTest::newRow("argv") << R"({"name": "a", "argv": "a {model} {inputs} {outputs}"})";
        QTest::newRow("unknown key") << R"({"name": "a", "argv": ["{model}{inputs}{outputs}"], "timeout": 3})";
        QTest::newRow("seconds") << R"({"name": "a", "argv": ["{model}{inputs}{outputs}"], "seconds": 0})";
        QTest::newRow("script") << R"({"name": "a", "argv": ["{model}{inputs}{outputs}"], "script": "x.py"})";
    }

    void negative_descriptions()
    {
        QFETCH(QString, json);
        const auto engine = engineFromJson(json.toStdString());
        QVERIFY(!engine.has_value());
        QCOMPARE(engine.error().kind, ErrorKind::Usage);
    }

    void onnxruntime_gives_outputs_and_codes()
    {
        QProcess python;
        python.start(qEnvironmentVariable("CREASE_PYTHON", "python3"), {"-c", "import onnxruntime, onnx"});
        if (!python.waitForFinished() || python.exitCode() != 0) {
            QSKIP("no Python with onnxruntime");
        }
        const Graph graph = graphOf(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %s: f32[] = [0.5]
const %z: s8[] = [3]
%q: s8[1x2] = QuantizeLinear(%x, %s, %z)
%y: f32[1x2] = DequantizeLinear(%q, %s, %z)
output %y
)");
        QTemporaryDir folder;
        const std::string file = folder.filePath("m.onnx").toStdString();
        VERIFY_RESULT(writeModel(graph, file));
        for (const char* name : {"onnxruntime", "onnxruntime-all"}) {
            const auto engine = makeEngine(name, {});
            VERIFY_RESULT(engine);
            const auto run = (*engine)->run(file, twoSamples, Intermediates::Integers, {});
            VERIFY_RESULT(run);
            QVERIFY(run->outputs[0][0].identical(Tensor::of<float>({1, 2}, {1.0F, -3.0F})));
            QVERIFY(run->intermediates[1].at("q").identical(Tensor::of<std::int8_t>({1, 2}, {127, 3})));
            QVERIFY(!run->version.empty());
        }
        const auto engine = makeEngine("onnxruntime", {});
        const auto missing =
            (*engine)->run(folder.filePath("none.onnx").toStdString(), twoSamples, Intermediates::None, {});
        QVERIFY(!missing.has_value());
        QCOMPARE(missing.error().id, std::string("engine-failed"));
    }
};

QTEST_APPLESS_MAIN(TestEngines)
#include "tst_engines.moc"
