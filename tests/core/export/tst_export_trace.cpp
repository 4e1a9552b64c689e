// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/exporter.h"
#include "core/export/integer_io.h"
#include "core/export/read_back.h"
#include "core/export/version.h"
#include "core/onnx/importer.h"
#include "core/passes/pipeline.h"
#include "tests/support/graph_text.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace crease;
using crease::test::graphOf;

namespace {

constexpr auto source = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %s: f32[] = [0.5]
const %z: u8[] = [3]
const %ws: f32[] = [0.25]
const %wz: s8[] = [0]
const %w: s8[2x2] = [1, 2, 3, 4]
%xq: u8[1x2] = QuantizeLinear(%x, %s, %z) "quantize"
%xd: f32[1x2] = DequantizeLinear(%xq, %s, %z)
%wd: f32[2x2] = DequantizeLinear(%w, %ws, %wz)
%m: f32[1x2] = MatMul(%xd, %wd)
%mq: u8[1x2] = QuantizeLinear(%m, %s, %z)
%y: f32[1x2] = DequantizeLinear(%mq, %s, %z)
output %y
)";

Target target()
{
    return *findTarget("onnxruntime-qoperator");
}

Trace traceOf(std::string_view text)
{
    auto trace = runPipeline(graphOf(text), {}, target(), Job{});
    if (!trace) {
        qFatal("%s", describe(trace.error()).c_str());
    }
    return std::move(*trace);
}

std::string metadata(const Graph& graph, std::string_view key)
{
    for (const auto& [name, value] : graph.model().metadata) {
        if (name == key) {
            return value;
        }
    }
    return {};
}

QStringList entries(const QString& folder)
{
    return QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDir::Name);
}

void write(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

} // namespace

class TestExportTrace : public QObject {
    Q_OBJECT
private slots:
    void writesAFileThatSaysWhereItCameFrom();
    void correspondenceIsInNamesOfTheSource();
    void replacesWhatCreaseWrote();
    void negative_aForeignFileStays();
    void negative_noFolderNoFile();
    void negative_readOnlyFolder();
    void negative_cancelledLeavesNothing();
    void integersInAndOut();
    void no_integerIoWhereTheInputIsRead();
    void negative_readBackSeesEveryDifference_data();
    void negative_readBackSeesEveryDifference();
    void negative_readBackRunsTheFile();
};

void TestExportTrace::writesAFileThatSaysWhereItCameFrom()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath("out.onnx").toStdString();
    const Trace trace = traceOf(source);
    const auto result = exportTrace(trace, {}, target(), path, {.sourceSha256 = "abc"}, Job{});
    VERIFY_RESULT(result);
    QCOMPARE(entries(folder.path()), QStringList{"out.onnx"});
    QCOMPARE(static_cast<qint64>(result->bytes), QFileInfo(folder.filePath("out.onnx")).size());
    QCOMPARE(result->format, std::string("onnx-qoperator"));
    QCOMPARE(result->nodes, std::size_t{3});
    QCOMPARE(result->ops, (std::map<std::string, std::size_t>{
                              {"DequantizeLinear", 1}, {"QLinearMatMul", 1}, {"QuantizeLinear", 1}}));
    const auto model = importModel(path, {}, Job{});
    VERIFY_RESULT(model);
    QCOMPARE(metadata(model->graph, "crease.version"), std::string(creaseVersion()));
    QCOMPARE(metadata(model->graph, "crease.source_sha256"), std::string("abc"));
    QCOMPARE(metadata(model->graph, "crease.target"), std::string("onnxruntime-qoperator"));
    const auto recipe = recipeFromJson(metadata(model->graph, "crease.recipe"));
    VERIFY_RESULT(recipe);
    QVERIFY(*recipe == Recipe{});
    QVERIFY(model->graph.model().opsets.at("") >= 13);
}

void TestExportTrace::correspondenceIsInNamesOfTheSource()
{
    QTemporaryDir folder;
    const Trace trace = traceOf(source);
    const auto result = exportTrace(trace, {}, target(), folder.filePath("out.onnx").toStdString(), {}, Job{});
    VERIFY_RESULT(result);
    std::size_t codes = 0;
    for (const Correspondence& entry : result->correspondence) {
        QVERIFY2(trace.original.findValue(entry.source).valid(), entry.source.c_str());
        if (entry.relation == "codes") {
            QCOMPARE(entry.scales, (std::vector{0.5}));
            QCOMPARE(entry.zeroPoints, (std::vector<std::int64_t>{3}));
            ++codes;
        }
    }
    QCOMPARE(codes, std::size_t{2});
}

void TestExportTrace::replacesWhatCreaseWrote()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath("out.onnx").toStdString();
    const Trace trace = traceOf(source);
    VERIFY_RESULT(exportTrace(trace, {}, target(), path, {}, Job{}));
    VERIFY_RESULT(exportTrace(trace, {}, target(), path, {}, Job{}));
    QCOMPARE(entries(folder.path()), QStringList{"out.onnx"});
}

void TestExportTrace::negative_aForeignFileStays()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("out.onnx");
    write(path, "mine");
    const Trace trace = traceOf(source);
    const auto refused = exportTrace(trace, {}, target(), path.toStdString(), {}, Job{});
    QVERIFY(!refused.has_value());
    QVERIFY(refused.error().kind == ErrorKind::Output);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("mine"));
    VERIFY_RESULT(exportTrace(trace, {}, target(), path.toStdString(), {.force = true}, Job{}));
    QVERIFY(QFileInfo(path).size() > 100);
}

void TestExportTrace::negative_noFolderNoFile()
{
    QTemporaryDir folder;
    const auto result =
        exportTrace(traceOf(source), {}, target(), folder.filePath("none/out.onnx").toStdString(), {}, Job{});
    QVERIFY(!result.has_value());
    QVERIFY(result.error().kind == ErrorKind::Output);
    QCOMPARE(entries(folder.path()), QStringList{});
}

void TestExportTrace::negative_readOnlyFolder()
{
    const auto result = exportTrace(traceOf(source), {}, target(), "/proc/out.onnx", {}, Job{});
    QVERIFY(!result.has_value());
    QVERIFY(result.error().kind == ErrorKind::Output);
}

void TestExportTrace::negative_cancelledLeavesNothing()
{
    QTemporaryDir folder;
    std::stop_source stop;
    stop.request_stop();
    const auto result = exportTrace(traceOf(source), {}, target(), folder.filePath("out.onnx").toStdString(), {},
                                    Job{.stop = stop.get_token()});
    QVERIFY(!result.has_value());
    QVERIFY(result.error().kind == ErrorKind::Cancelled);
    QCOMPARE(entries(folder.path()), QStringList{});
}

void TestExportTrace::integersInAndOut()
{
    const Graph graph = *withIntegerIo(traceOf(source).final());
    QCOMPARE(graph.nodeCount(), std::size_t{1});
    const Value& input = graph.value(graph.inputs()[0]);
    const Value& output = graph.value(graph.outputs()[0]);
    QCOMPARE(input.name, std::string("x"));
    QCOMPARE(output.name, std::string("y"));
    QVERIFY(input.type == ElementType::UInt8 && output.type == ElementType::UInt8);
    QCOMPARE(metadata(graph, "crease.io.x"), std::string("uint8 scale 0.5 zero_point 3"));
    QCOMPARE(metadata(graph, "crease.io.y"), std::string("uint8 scale 0.5 zero_point 3"));
    QTemporaryDir folder;
    const std::string path = folder.filePath("out.onnx").toStdString();
    const auto result = exportTrace(traceOf(source), {}, target(), path, {.integerIo = "integer"}, Job{});
    VERIFY_RESULT(result);
    QCOMPARE(result->nodes, std::size_t{1});
    QVERIFY(importModel(path, {}, Job{})->graph.value(importModel(path, {}, Job{})->graph.inputs()[0]).type ==
            ElementType::UInt8);
}

void TestExportTrace::no_integerIoWhereTheInputIsRead()
{
    const Graph graph = *withIntegerIo(graphOf(R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
%q: u8[2] codes u8(0.5, 3) = crease.Quantize(%x)
%d: f32[2] on u8(0.5, 3) = crease.Dequantize(%q)
%y: f32[2] = Add(%x, %d)
output %y
)"));
    QVERIFY(graph.value(graph.inputs()[0]).type == ElementType::Float32);
    QVERIFY(graph.value(graph.outputs()[0]).type == ElementType::Float32);
    QCOMPARE(graph.nodeCount(), std::size_t{3});
}

void TestExportTrace::negative_readBackSeesEveryDifference_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::newRow("constant") << "= [1, 2]" << "= [1, 3]";
    QTest::newRow("op") << "Add(" << "Sub(";
    QTest::newRow("edge") << "Add(%x, %c)" << "Add(%x, %x)";
    QTest::newRow("name") << "%y" << "%z";
    QTest::newRow("domain") << "Add(" << "com.other.Add(";
}

void TestExportTrace::negative_readBackSeesEveryDifference()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    const QString text = "graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[2]\nconst %c: f32[2] = [1, 2]\n"
                         "%y: f32[2] = Add(%x, %c)\noutput %y\n";
    const Graph written = graphOf(text.toStdString());
    VERIFY_RESULT(compareContents(written, graphOf(text.toStdString())));
    const auto result = compareContents(written, graphOf(QString(text).replace(from, to).toStdString()));
    QVERIFY(!result.has_value());
    QVERIFY(result.error().kind == ErrorKind::Internal);
}

void TestExportTrace::negative_readBackRunsTheFile()
{
    const Graph final = graphOf(R"(graph "g" ir 8 opset "" 13
input %x: f32[64]
%y: u8[64] codes u8(0.03125, 128) = crease.Quantize(%x)
output %y
)");
    const auto file = [](const std::string& scale) {
        return graphOf("graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[64]\nconst %s: f32[] = [" + scale +
                       "]\nconst %z: u8[] = [128]\n%y: u8[64] = QuantizeLinear(%x, %s, %z)\noutput %y\n");
    };
    Diagnostics diagnostics;
    VERIFY_RESULT(compareResults(final, file("0.03125"), diagnostics, Job{}));
    QVERIFY(diagnostics.empty());
    const auto result = compareResults(final, file("0.0625"), diagnostics, Job{});
    QVERIFY(!result.has_value());
    QVERIFY(result.error().kind == ErrorKind::Internal);
    QCOMPARE(result.error().value, std::string("y"));
}

QTEST_GUILESS_MAIN(TestExportTrace)
#include "tst_export_trace.moc"
