// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/program.h"
#include "core/export/exporter.h"
#include "core/onnx/writer.h"
#include "core/samples/samples.h"
#include "tests/core/export/constructs.h"
#include "tests/support/graph_text.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <fmt/format.h>
#include <set>

using namespace crease;
using crease::test::Construct;
using crease::test::graphOf;

namespace {

struct Case {
    Construct construct;
    std::string format; // qoperator | qdq
    Graph final;
    Graph deployable;
    Diagnostics diagnostics;
    std::vector<Tensor> expected;
    QString folder;
};

std::string sortedOps(const Graph& graph)
{
    std::multiset<std::string> ops;
    for (const NodeId id : graph.order()) {
        ops.insert(graph.node(id).op);
    }
    std::string text;
    for (const std::string& op : ops) {
        text += (text.empty() ? "" : " ") + op;
    }
    return text;
}

void writeBytes(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) {
        qFatal("cannot write %s", qPrintable(path));
    }
}

QByteArray bytesOf(const Tensor& tensor)
{
    return {static_cast<const char*>(static_cast<const void*>(tensor.raw())), static_cast<qsizetype>(tensor.bytes())};
}

Tensor readTensor(const QString& path, ElementType type, const Dims& dims)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    const auto bytes = std::make_shared<const QByteArray>(file.readAll());
    const auto count = static_cast<std::size_t>(elementCount(dims).value_or(-1));
    if (count * byteWidth(type) != static_cast<std::size_t>(bytes->size())) {
        return {};
    }
    return Tensor::view(type, dims, bytes, bytes->constData());
}

} // namespace

class TestDeployable : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void opsOfTheFile_data() { rows(); }
    void opsOfTheFile();
    void runtimeAgrees_data() { rows(); }
    void runtimeAgrees();
    void scalesAreOfRankZero();
    void oneDequantizerAReader();
    void codesBelowEightBitsAreBytes();
    void namesAreKeptAndUnique();
    void tiesAreDeclared();
    void islandsAreDeclared();
    void correspondenceNamesCodes();
    void negative_quantizersThatNoRuntimeLoadsAreRefused_data();
    void negative_quantizersThatNoRuntimeLoadsAreRefused();

private:
    void rows();
    const Case& current() const;
    void prepare(const Construct& construct, const std::string& format);

    QTemporaryDir m_folder;
    std::vector<Case> m_cases;
    bool m_ran = false;
};

void TestDeployable::prepare(const Construct& construct, const std::string& format)
{
    Case one{construct, format, graphOf(construct.text), {}, {}, {}, {}};
    Target target = *findTarget("onnxruntime-" + format);
    target.exactTies = construct.exactTies;
    auto deployable = toDeployable(one.final, target, nullptr, &one.diagnostics);
    if (!deployable) {
        qFatal("%s: %s", construct.name.c_str(), describe(deployable.error()).c_str());
    }
    one.deployable = std::move(*deployable);
    one.folder = m_folder.filePath(QString::number(m_cases.size()));
    QDir().mkpath(one.folder);
    if (const auto written = writeModel(one.deployable, one.folder.toStdString() + "/model.onnx"); !written) {
        qFatal("%s: %s", construct.name.c_str(), describe(written.error()).c_str());
    }
    const auto samples = randomSamples(one.final, 1, 7, {});
    const auto program = Program::create(one.final);
    if (!samples || !program) {
        qFatal("%s: %s", construct.name.c_str(), describe(samples ? program.error() : samples.error()).c_str());
    }
    const auto outputs = program->run(samples->samples[0], Job{});
    if (!outputs) {
        qFatal("%s: %s", construct.name.c_str(), describe(outputs.error()).c_str());
    }
    one.expected = *outputs;
    std::string manifest;
    for (std::size_t k = 0; k < samples->samples[0].size(); ++k) {
        const Tensor& input = samples->samples[0][k];
        manifest += fmt::format("{} {} {}\n", one.final.value(one.final.inputs()[k]).name, longName(input.type()),
                                fmt::join(input.dims(), " "));
        writeBytes(one.folder + QString("/input_%1.bin").arg(k), bytesOf(input));
    }
    writeBytes(one.folder + "/inputs.txt", QByteArray::fromStdString(manifest));
    m_cases.push_back(std::move(one));
}

void TestDeployable::initTestCase()
{
    for (const Construct& construct : test::constructs()) {
        prepare(construct, "qoperator");
        prepare(construct, "qdq");
    }
    const QString python = qEnvironmentVariable("CREASE_PYTHON", "python3");
    QProcess probe;
    probe.start(python, {"-c", "import onnxruntime, numpy"});
    if (!probe.waitForFinished(60000) || probe.exitCode() != 0) {
        return;
    }
    QProcess run;
    run.start(python, {QFINDTESTDATA("run_cases.py"), m_folder.path()});
    QVERIFY2(run.waitForFinished(240000) && run.exitCode() == 0, run.readAllStandardError().constData());
    m_ran = true;
}

void TestDeployable::rows()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < m_cases.size(); ++i) {
        QTest::addRow("%s: %s", m_cases[i].format.c_str(), m_cases[i].construct.name.c_str()) << static_cast<int>(i);
    }
}

const Case& TestDeployable::current() const
{
    QFETCH(int, index);
    return m_cases[static_cast<std::size_t>(index)];
}

void TestDeployable::opsOfTheFile()
{
    const Case& one = current();
    for (const NodeId id : one.deployable.order()) {
        const Node& node = one.deployable.node(id);
        QVERIFY2(node.domain.empty() || node.domain == "com.microsoft", node.op.c_str());
        QVERIFY(node.version > 0);
    }
    for (const ValueId id : one.deployable.values()) {
        QVERIFY(!one.deployable.value(id).codes && !one.deployable.value(id).liesOn);
    }
    if (one.format == "qoperator" && !one.construct.qoperator.empty()) {
        QCOMPARE(QString::fromStdString(sortedOps(one.deployable)), QString::fromStdString(one.construct.qoperator));
    }
}

void TestDeployable::runtimeAgrees()
{
    if (!m_ran) {
        QSKIP("no Python with onnxruntime and numpy (CREASE_PYTHON)");
    }
    const Case& one = current();
    for (const QString level : {"disabled", "all"}) {
        QFile error(one.folder + "/error_" + level + ".txt");
        if (error.open(QIODevice::ReadOnly)) {
            QFAIL(qPrintable(level + ": " + error.readAll()));
        }
        for (std::size_t k = 0; k < one.expected.size(); ++k) {
            const Tensor& want = one.expected[k];
            const Tensor got =
                readTensor(one.folder + QString("/output_%1_%2.bin").arg(level).arg(k), want.type(), want.dims());
            QVERIFY2(got.valid(), "another type or shape");
            double range = 0.0;
            double most = 0.0;
            std::size_t off = 0;
            for (std::size_t i = 0; i < want.size(); ++i) {
                const double difference = std::abs(want.asDouble(i) - got.asDouble(i));
                range = std::max(range, std::abs(want.asDouble(i)));
                most = std::max(most, difference);
                off += difference > 0 ? 1U : 0U;
            }
            if (isFloat(want.type())) {
                QVERIFY2(most <= 2e-6 * range,
                         qPrintable(QString("%1: off by %2 of %3").arg(level).arg(most).arg(range)));
                continue;
            }
            const double share = static_cast<double>(off) / static_cast<double>(want.size());
            const double allowed = one.format == "qdq" ? one.construct.qdqOffByOne : one.construct.offByOne;
            QVERIFY2(
                most <= 1.0 && share <= allowed,
                qPrintable(
                    QString("%1: %2 of %3 codes differ, by up to %4").arg(level).arg(off).arg(want.size()).arg(most)));
        }
    }
}

void TestDeployable::scalesAreOfRankZero()
{
    for (const Case& one : m_cases) {
        if (one.construct.exactTies) {
            continue;
        }
        for (const NodeId id : one.deployable.order()) {
            const Node& node = one.deployable.node(id);
            if (node.op != "QuantizeLinear" && node.op != "DequantizeLinear") {
                continue;
            }
            const Tensor& scale = one.deployable.value(node.inputs[1]).constant;
            QVERIFY2(scale.rank() == 0 || scale.size() > 1, one.construct.name.c_str());
            QVERIFY2(node.input(2).valid(), one.construct.name.c_str());
            QVERIFY(one.deployable.value(node.inputs[2]).constant.dims() == scale.dims());
        }
    }
}

void TestDeployable::oneDequantizerAReader()
{
    const Graph final = graphOf(R"(graph "g" ir 8 opset "" 13
input %q: u8[1x2] codes u8(0.5, 3)
const %w: s8[2x2] codes s8(0.5, 0) = [1, 2, 3, 4]
%a: u8[1x2] codes u8(0.5, 7) = MatMul(%q, %w)
%b: u8[1x2] codes u8(1.0, 7) = MatMul(%q, %w)
output %a
output %b
)");
    const auto graph = toDeployable(final, *findTarget("onnxruntime-qdq"), nullptr, nullptr);
    VERIFY_RESULT(graph);
    int readers = 0;
    for (const NodeId id : graph->order()) {
        if (graph->node(id).op == "DequantizeLinear") {
            QCOMPARE(graph->uses(graph->node(id).output()).size(), std::size_t{1});
            ++readers;
        }
    }
    QCOMPARE(readers, 4);
}

void TestDeployable::codesBelowEightBitsAreBytes()
{
    const Case& narrow =
        *std::ranges::find_if(m_cases, [](const Case& one) { return one.construct.name == "conv on a narrow grid"; });
    QVERIFY(narrow.deployable.value(narrow.deployable.outputs()[0]).type == ElementType::UInt8);
}

void TestDeployable::namesAreKeptAndUnique()
{
    for (const Case& one : m_cases) {
        std::set<std::string> names;
        for (const NodeId id : one.deployable.order()) {
            const std::string& name = one.deployable.node(id).name;
            QVERIFY2(!name.empty() && names.insert(name).second, name.c_str());
        }
        for (std::size_t i = 0; i < one.final.outputs().size(); ++i) {
            QCOMPARE(one.deployable.value(one.deployable.outputs()[i]).name,
                     one.final.value(one.final.outputs()[i]).name);
        }
        QCOMPARE(one.deployable.inputs().size(), one.final.inputs().size());
    }
}

void TestDeployable::tiesAreDeclared()
{
    const auto declared = [&](const std::string& name) {
        const Case& one =
            *std::ranges::find_if(m_cases, [&](const Case& other) { return other.construct.name == name; });
        return std::ranges::any_of(one.diagnostics, [](const Diagnostic& found) {
            return found.id == "kernel-ties" && found.text.find("odd zero point") != std::string::npos;
        });
    };
    QVERIFY(declared("add at ties"));
    QVERIFY(!declared("add at ties, exact"));
    QVERIFY(!declared("conv"));
}

void TestDeployable::islandsAreDeclared()
{
    for (const Case& one : m_cases) {
        const bool named =
            std::ranges::any_of(one.diagnostics, [](const Diagnostic& found) { return found.id == "no-kernel"; });
        const bool expected = one.construct.name.starts_with("transposed convolution") ||
                              one.construct.name == "mean over channels" ||
                              one.construct.name == "average pool whose last windows overhang its padding" ||
                              one.construct.name == "average pool not counting its padding, exact ties" ||
                              one.construct.name.starts_with("matmul, a batch of weights with a ") ||
                              one.construct.name.find(" of 16-bit data") != std::string::npos;
        if (one.format == "qoperator") {
            QVERIFY2(named == expected, one.construct.name.c_str());
        }
    }
}

void TestDeployable::negative_quantizersThatNoRuntimeLoadsAreRefused_data()
{
    QTest::addColumn<QString>("node");
    QTest::addColumn<bool>("refused");
    QTest::newRow("trunc") << "qonnx.custom_op.general.Trunc(%x, %s, %s, %b, %b)" << true;
    QTest::newRow("width of data") << "qonnx.custom_op.general.Quant(%x, %s, %s, %x)" << true;
    QTest::newRow("width of no whole bits") << "qonnx.custom_op.general.Quant(%x, %s, %s, %s)" << true;
    QTest::newRow("unknown rounding") << "qonnx.custom_op.general.Quant(%x, %s, %s, %b) {rounding_mode = \"ODD\"}"
                                      << true;
    QTest::newRow("TensorFlow's") << "FakeQuantWithMinMaxVars(%x, %s, %b)" << true;
    QTest::newRow("scale of data") << "qonnx.custom_op.general.Quant(%x, %x, %s, %b)" << false;
    QTest::newRow("a custom op") << "my.domain.Thing(%x)" << false;
}

void TestDeployable::negative_quantizersThatNoRuntimeLoadsAreRefused()
{
    QFETCH(QString, node);
    QFETCH(bool, refused);
    const Graph graph = graphOf("graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[4]\nconst %s: f32[] = [0.5]\n"
                                "const %b: f32[] = [4]\n%y: f32[4] = " +
                                node.toStdString() + " \"named\"\noutput %y\n");
    for (const char* target : {"onnxruntime-qoperator", "onnxruntime-qdq"}) {
        const auto deployable = toDeployable(graph, *findTarget(target), nullptr, nullptr);
        QCOMPARE(deployable.has_value(), !refused);
        if (refused) {
            QCOMPARE(deployable.error().id, std::string("quantizer-not-loadable"));
            QVERIFY(deployable.error().kind == ErrorKind::Refused);
            QCOMPARE(deployable.error().node, std::string("named"));
        }
    }
}

void TestDeployable::correspondenceNamesCodes()
{
    const Graph final = graphOf(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8([0.5, 0.25], [0, 0], axis 1) = [1, 2, 3, 4]
%q: u8[1x2] codes u8(0.5, 3) = crease.Quantize(%x)
%acc: s32[1x2] codes s32([0.25, 0.125], [0, 0], axis 1) = MatMul(%q, %w)
%y: f32[1x2] = crease.Dequantize(%acc)
output %y
)");
    std::vector<Correspondence> list;
    VERIFY_RESULT(toDeployable(final, *findTarget("onnxruntime-qoperator"), &list, nullptr));
    std::map<std::string, Correspondence> byName;
    for (const Correspondence& entry : list) {
        byName[entry.value] = entry;
    }
    QCOMPARE(byName.size(), std::size_t{4});
    QCOMPARE(byName["x"].relation, std::string("real"));
    QCOMPARE(byName["q"].relation, std::string("codes"));
    QCOMPARE(byName["q"].zeroPoints, (std::vector<std::int64_t>{3}));
    QCOMPARE(byName["acc"].scales, (std::vector{0.25, 0.125}));
    QCOMPARE(byName["acc"].axis, 1);
    QCOMPARE(byName["y"].relation, std::string("real"));
}

QTEST_GUILESS_MAIN(TestDeployable)
#include "tst_deployable.moc"
