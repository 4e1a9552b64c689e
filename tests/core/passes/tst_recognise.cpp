// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/recognise.h"
#include "tests/support/pass_pipeline_test.h"

using namespace crease;

namespace {

constexpr auto run = runRecognise;

QString diagnosticText(const Stage& stage, const char* id)
{
    for (const Diagnostic& diagnostic : stage.diagnostics) {
        if (diagnostic.id == id) {
            return QString::fromStdString(diagnostic.text);
        }
    }
    return {};
}

QString gridOf(const Stage& stage, std::string_view value)
{
    const ValueId id = stage.after.findValue(value);
    if (!id.valid() || !stage.after.value(id).liesOn) {
        return "none";
    }
    return QString::fromStdString(toText(*stage.after.value(id).liesOn));
}

bool isDequantizeLinearName(std::string_view op)
{
    return op == "DequantizeLinear" || op == "QuantizeLinear";
}

} // namespace

class TestRecognise : public QObject {
    Q_OBJECT

private slots:
    void activationPair();
    void missingZeroPointIsUint8();
    void comMicrosoftPair();
    void clipBetweenNarrowsTheRange();
    void quantMinAndMaxAttributes();
    void oneElementAndEqualScalesArePerTensor();
    void perChannelKeepsItsAxis();
    void rankOneWithoutAxisIsAxisZero();
    void scalesBelowOpset13();
    void constantCodes();
    void constantCodesWithClip();
    void int32BiasWithZeroPoint();
    void severalDequantizersShareOneFakeQuant();
    void severalGraphOutputsOfOneQuantizer();
    void severalQuantizersOnOneValue();
    void differentGridsAreTwoOperations();
    void integerInput();
    void integerOutput();
    void zeroScaleOfDeadChannel();
    void zeroScaleOfFloatWeight();
    void negativeWeightScale();
    void negativeWeightScaleOfMinusHalfRangeWidens();
    void denormalScale();
    void negative_badScale_data();
    void negative_badScale();
    void negative_axisLength();
    void negative_dynamicScale();
    void negative_blocked();
    void negative_declaredOutputContradictsMissingZeroPoint();
    void negative_integerReader();
    void negative_zeroScaleOfLiveChannel();
    void qonnxQuant();
    void negative_qonnxFractionalZeroPoint();
    void secondRunChangesNothing();
};

void TestRecognise::activationPair()
{
    COMPARE_PASS(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4]
const %s: f32[] = [0.5]
const %z: u8[] = [3]
%q: u8[1x4] = QuantizeLinear(%x, %s, %z) "q"
%d: f32[1x4] = DequantizeLinear(%q, %s, %z) "dq"
%y: f32[1x4] = Relu(%d)
output %y
)",
                 run, R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4]
%d: f32[1x4] on u8(0.5, 3) = crease.FakeQuant(%x) {grid = u8(0.5, 3), source = "QuantizeLinear, DequantizeLinear"} "dq"
%y: f32[1x4] = Relu(%d)
output %y
)");
}

void TestRecognise::missingZeroPointIsUint8()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
const %s: f32[] = [0.5]
%q: u8[4] = QuantizeLinear(%x, %s)
%y: f32[4] = DequantizeLinear(%q, %s)
output %y
)",
                                        {run});
    QCOMPARE(gridOf(stage, "y"), QString("u8 · 0.5 · z 0"));
    const Stage typed = test::runPasses(R"(graph "g" ir 8 opset "" 21
input %x: f32[4]
const %s: f32[] = [0.5]
%q: s16[4] = QuantizeLinear(%x, %s) {output_dtype = 5}
%y: f32[4] = DequantizeLinear(%q, %s)
output %y
)",
                                        {run});
    QCOMPARE(gridOf(typed, "y"), QString("s16 · 0.5 · z 0"));
}

void TestRecognise::comMicrosoftPair()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13, "com.microsoft" 1
input %x: f32[4]
const %s: f32[] = [0.5]
const %z: u16[] = [32768]
%q: u16[4] = com.microsoft.QuantizeLinear(%x, %s, %z)
%y: f32[4] = com.microsoft.DequantizeLinear(%q, %s, %z)
output %y
)",
                                        {run});
    QCOMPARE(gridOf(stage, "y"), QString("u16 · 0.5 · z 32768"));
    QCOMPARE(stage.after.nodeCount(), std::size_t{1});
}

void TestRecognise::clipBetweenNarrowsTheRange()
{
    COMPARE_PASS(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4]
const %s: f32[1] = [0.5]
const %z: u8[1] = [0]
const %hi: u8[] = [127]
%q: u8[1x4] = QuantizeLinear(%x, %s, %z)
%c: u8[1x4] = Clip(%q, _, %hi)
%y: f32[1x4] = DequantizeLinear(%c, %s, %z)
output %y
)",
                 run, R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4]
%y: f32[1x4] on u8(0.5, 0, 0..127) = crease.FakeQuant(%x) {grid = u8(0.5, 0, 0..127), source = "QuantizeLinear, Clip, DequantizeLinear"}
output %y
)");
}

void TestRecognise::quantMinAndMaxAttributes()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4]
const %s: f32[] = [0.5]
const %z: s8[] = [0]
%q: s8[1x4] = QuantizeLinear(%x, %s, %z) {quant_max = 7, quant_min = -8}
%y: f32[1x4] = DequantizeLinear(%q, %s, %z) {quant_max = 7, quant_min = -8}
output %y
)",
                                        {run});
    QCOMPARE(gridOf(stage, "y"), QString("s8 · 0.5 · z 0 · -8 … 7"));
}

void TestRecognise::oneElementAndEqualScalesArePerTensor()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x3]
const %s: f32[3] = [0.5, 0.5, 0.5]
const %z: s8[] = [2]
%q: s8[1x3] = QuantizeLinear(%x, %s, %z) {axis = -1}
%y: f32[1x3] = DequantizeLinear(%q, %s, %z) {axis = 1}
output %y
)",
                                        {run});
    QCOMPARE(gridOf(stage, "y"), QString("s8 · 0.5 · z 2"));
}

void TestRecognise::perChannelKeepsItsAxis()
{
    COMPARE_PASS(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: f32[2x2] = [1, 2, 3, 4]
const %s: f32[2] = [0.5, 0.25]
const %z: s8[2] = [0, 0]
%q: s8[2x2] = QuantizeLinear(%w, %s, %z)
%d: f32[2x2] = DequantizeLinear(%q, %s, %z)
%y: f32[1x2] = MatMul(%x, %d)
output %y
)",
                 run, R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: f32[2x2] = [1, 2, 3, 4]
%d: f32[2x2] on s8([0.5, 0.25], [0, 0], axis 1) = crease.FakeQuant(%w) {grid = s8([0.5, 0.25], [0, 0], axis 1), source = "QuantizeLinear, DequantizeLinear"}
%y: f32[1x2] = MatMul(%x, %d)
output %y
)");
}

void TestRecognise::rankOneWithoutAxisIsAxisZero()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
const %q: s8[2] = [3, 4]
const %s: f32[2] = [0.5, 0.25]
%d: f32[2] = DequantizeLinear(%q, %s)
%y: f32[2] = Add(%x, %d)
output %y
)",
                                        {run});
    const ValueId d = stage.after.findValue("d");
    QCOMPARE(stage.after.value(d).liesOn->axis.value(), 0);
    QCOMPARE(test::diagnosticIds(stage), QString("axis-assumed"));
}

void TestRecognise::scalesBelowOpset13()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 10
input %x: f32[1x2]
const %q: s8[2x2] = [1, 1, 1, 1]
const %s: f32[2] = [1, 2]
%d: f32[2x2] = DequantizeLinear(%q, %s)
%y: f32[1x2] = MatMul(%x, %d)
output %y
)",
                                        {run});
    QCOMPARE(stage.after.value(stage.after.findValue("d")).liesOn->axis.value(), 1);
    QCOMPARE(test::diagnosticIds(stage), QString("scales-before-opset-13"));
}

void TestRecognise::constantCodes()
{
    COMPARE_PASS(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] = [1, -2, 3, 4]
const %s: f32[] = [0.5]
%d: f32[2x2] = DequantizeLinear(%w, %s)
%y: f32[1x2] = MatMul(%x, %d)
output %y
)",
                 run, R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8(0.5, 0) = [1, -2, 3, 4]
%d: f32[2x2] on s8(0.5, 0) = crease.Dequantize(%w)
%y: f32[1x2] = MatMul(%x, %d)
output %y
)");
}

void TestRecognise::constantCodesWithClip()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] = [1, -2, 3, 4]
const %s: f32[] = [0.5]
const %lo: s8[] = [-7]
const %hi: s8[] = [7]
%c: s8[2x2] = Clip(%w, %lo, %hi)
%d: f32[2x2] = DequantizeLinear(%c, %s)
%y: f32[1x2] = MatMul(%x, %d)
output %y
)",
                                        {run});
    QCOMPARE(gridOf(stage, "d"), QString("s8 · 0.5 · z 0 · -7 … 7"));
    QCOMPARE(stage.after.nodeCount(), std::size_t{2});
}

void TestRecognise::int32BiasWithZeroPoint()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1]
const %b: s32[1] = [30]
const %s: f32[] = [0.5]
const %z: s32[] = [10]
%d: f32[1] = DequantizeLinear(%b, %s, %z) "bias"
%y: f32[1] = Add(%x, %d)
output %y
)",
                                        {run});
    QCOMPARE(gridOf(stage, "d"), QString("s32 · 0.5 · z 10"));
    QCOMPARE(test::diagnosticIds(stage), QString("wide-zero-point"));
    QCOMPARE(QString::fromStdString(stage.diagnostics[0].node), QString("bias"));
}

void TestRecognise::severalDequantizersShareOneFakeQuant()
{
    COMPARE_PASS(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4]
const %s: f32[] = [0.5]
const %z: u8[] = [3]
%q: u8[1x4] = QuantizeLinear(%x, %s, %z)
%a: f32[1x4] = DequantizeLinear(%q, %s, %z) "one"
%b: f32[1x4] = DequantizeLinear(%q, %s, %z) "two"
%u: f32[1x4] = Relu(%a)
%v: f32[1x4] = Neg(%b)
output %u
output %v
)",
                 run, R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4]
%a: f32[1x4] on u8(0.5, 3) = crease.FakeQuant(%x) {grid = u8(0.5, 3), source = "QuantizeLinear, DequantizeLinear"} "one"
%u: f32[1x4] = Relu(%a)
%v: f32[1x4] = Neg(%a)
output %u
output %v
)");
}

void TestRecognise::severalGraphOutputsOfOneQuantizer()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[2x2]
input %i: s8[2x2]
const %s: f32[] = [0.5]
const %z: s8[] = [3]
%q: s8[2x2] = QuantizeLinear(%x, %s, %z)
%t: s8[2x2] = Transpose(%q)
%a: f32[2x2] = DequantizeLinear(%q, %s, %z)
%b: f32[2x2] = DequantizeLinear(%q, %s, %z)
%c: f32[2x2] = DequantizeLinear(%t, %s, %z)
%d: f32[2x2] = DequantizeLinear(%t, %s, %z)
%e: f32[2x2] = DequantizeLinear(%i, %s, %z)
%f: f32[2x2] = DequantizeLinear(%i, %s, %z)
output %a
output %b
output %c
output %d
output %e
output %f
)",
                                        {run});
    QCOMPARE(stage.after.outputs().size(), std::size_t{6});
    QStringList names;
    for (const ValueId output : stage.after.outputs()) {
        names << QString::fromStdString(stage.after.value(output).name);
    }
    QCOMPARE(names.join(""), QString("abcdef"));
    for (const NodeId id : stage.after.order()) {
        QVERIFY(!isDequantizeLinearName(stage.after.node(id).op));
    }
}

void TestRecognise::severalQuantizersOnOneValue()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4]
const %s: f32[] = [0.5]
const %t: f32[] = [0.25]
const %z: u8[] = [3]
%q: u8[1x4] = QuantizeLinear(%x, %s, %z)
%r: u8[1x4] = QuantizeLinear(%x, %t, %z)
%a: f32[1x4] = DequantizeLinear(%q, %s, %z)
%b: f32[1x4] = DequantizeLinear(%r, %t, %z)
output %a
output %b
)",
                                        {run});
    QCOMPARE(stage.after.nodeCount(), std::size_t{2});
    QCOMPARE(stage.rewrites.size(), std::size_t{2});
    QCOMPARE(stage.after.value(stage.after.outputs()[1]).liesOn->scale(), 0.25);
}

void TestRecognise::differentGridsAreTwoOperations()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4]
const %s: f32[] = [0.5]
const %t: f32[] = [0.25]
const %z: u8[] = [3]
%q: u8[1x4] = QuantizeLinear(%x, %s, %z)
%a: f32[1x4] = DequantizeLinear(%q, %t, %z)
output %a
)",
                                        {run});
    QCOMPARE(stage.after.nodeCount(), std::size_t{3});
    QCOMPARE(QString::fromStdString(stage.after.node(stage.after.order()[0]).op), QString("Quantize"));
    const Node& table = stage.after.node(stage.after.order()[1]);
    QCOMPARE(QString::fromStdString(table.op), QString("Table"));
    QCOMPARE(table.tensorAttribute("table")->asInt(200), std::int64_t{200});
    QCOMPARE(stage.after.value(table.input(0)).codes->scale(), 0.5);
    QCOMPARE(stage.after.value(stage.after.outputs()[0]).liesOn->scale(), 0.25);
}

void TestRecognise::integerInput()
{
    COMPARE_PASS(R"(graph "g" ir 8 opset "" 13
input %x: s8[1x4]
const %s: f32[] = [0.5]
const %z: s8[] = [3]
%a: f32[1x4] = DequantizeLinear(%x, %s, %z)
%y: f32[1x4] = Relu(%a)
output %y
)",
                 run, R"(graph "g" ir 8 opset "" 13
input %x: s8[1x4] codes s8(0.5, 3)
%a: f32[1x4] on s8(0.5, 3) = crease.Dequantize(%x)
%y: f32[1x4] = Relu(%a)
output %y
)");
}

void TestRecognise::integerOutput()
{
    COMPARE_PASS(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4]
const %s: f32[] = [0.5]
const %z: s8[] = [3]
%y: f32[1x4] = Relu(%x)
%q: s8[1x4] = QuantizeLinear(%y, %s, %z)
%d: f32[1x4] = DequantizeLinear(%q, %s, %z)
%n: f32[1x4] = Neg(%d)
output %q
output %n
)",
                 run, R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4]
%y: f32[1x4] = Relu(%x)
%q: s8[1x4] codes s8(0.5, 3) = crease.Quantize(%y)
%d: f32[1x4] on s8(0.5, 3) = crease.FakeQuant(%y) {grid = s8(0.5, 3), source = "QuantizeLinear, DequantizeLinear"}
%n: f32[1x4] = Neg(%d)
output %q
output %n
)");
}

void TestRecognise::zeroScaleOfDeadChannel()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x1]
const %w: s8[3x1] = [10, 0, 20]
const %s: f32[3] = [0.5, 0, 0.25]
%d: f32[3x1] = DequantizeLinear(%w, %s) {axis = 0} "dq"
%y: f32[3x1] = MatMul(%d, %x)
output %y
)",
                                        {run});
    QVERIFY((stage.after.value(stage.after.findValue("d")).liesOn->scales == std::vector<double>{0.5, 1.0, 0.25}));
    QCOMPARE(test::diagnosticIds(stage), QString("zero-scale"));
    QVERIFY(diagnosticText(stage, "zero-scale").contains("channel 1"));
}

void TestRecognise::zeroScaleOfFloatWeight()
{
    const auto text = [](const char* dead) {
        return std::string(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x1]
const %w: f32[3x1] = [10, )") +
               dead + R"(, 20]
const %s: f32[3] = [0.5, 0, 0.25]
const %z: s8[3] = [0, 3, 0]
%q: s8[3x1] = QuantizeLinear(%w, %s, %z) {axis = 0}
%d: f32[3x1] = DequantizeLinear(%q, %s, %z) {axis = 0} "dq"
%y: f32[3x1] = MatMul(%d, %x)
output %y
)";
    };
    const Stage stage = test::runPasses(text("0"), {run});
    const Value& codes = stage.after.value(stage.after.node(stage.after.findNode("dq")).input(0));
    QVERIFY((codes.constant.toInts() == std::vector<std::int64_t>{20, 3, 80}));
    QVERIFY((codes.codes->scales == std::vector<double>{0.5, 1.0, 0.25}));
    const Stage live = test::runPasses(text("0.1"), {run});
    QCOMPARE(test::missIds(live), QString("bad-scale"));
}

void TestRecognise::negative_zeroScaleOfLiveChannel()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x1]
const %w: s8[3x1] = [10, 1, 20]
const %s: f32[3] = [0.5, 0, 0.25]
%d: f32[3x1] = DequantizeLinear(%w, %s) {axis = 0} "dq"
%y: f32[3x1] = MatMul(%d, %x)
output %y
)",
                                        {run});
    QCOMPARE(test::missIds(stage), QString("bad-scale"));
    QVERIFY(diagnosticText(stage, "bad-scale").contains("channel 1 is 0"));
    QVERIFY(stage.rewrites.empty());
}

void TestRecognise::negativeWeightScale()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x1]
const %w: s8[2x2] = [10, -3, 20, 5]
const %s: f32[2] = [0.5, -0.25]
%d: f32[2x2] = DequantizeLinear(%w, %s) {axis = 0} "dq"
%y: f32[2x2] = Add(%d, %x)
output %y
)",
                                        {run});
    const Value& codes = stage.after.value(stage.after.node(stage.after.findNode("dq")).input(0));
    QVERIFY((codes.constant.toInts() == std::vector<std::int64_t>{10, -3, -20, -5}));
    QVERIFY((codes.codes->scales == std::vector<double>{0.5, 0.25}));
    QCOMPARE(test::diagnosticIds(stage), QString("negative-scale"));
}

void TestRecognise::negativeWeightScaleOfMinusHalfRangeWidens()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x1]
const %w: s8[1x2] = [-128, 127]
const %s: f32[] = [-0.25]
%d: f32[1x2] = DequantizeLinear(%w, %s) "dq"
%y: f32[1x2] = Add(%d, %x)
output %y
)",
                                        {run});
    const Value& codes = stage.after.value(stage.after.node(stage.after.findNode("dq")).input(0));
    QVERIFY((codes.constant.toInts() == std::vector<std::int64_t>{128, -127}));
    QCOMPARE(codes.type, ElementType::Int16);
    QCOMPARE(codes.codes->qmax, std::int64_t{128});
}

void TestRecognise::denormalScale()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
const %s: f32[] = [1e-42]
const %z: s8[] = [0]
%q: s8[4] = QuantizeLinear(%x, %s, %z)
%y: f32[4] = DequantizeLinear(%q, %s, %z)
output %y
)",
                                        {run});
    const double scale = stage.after.value(stage.after.outputs()[0]).liesOn->scale();
    QVERIFY(scale > 0.0 && scale < 1.1e-42);
}

void TestRecognise::negative_badScale_data()
{
    QTest::addColumn<QString>("scale");
    QTest::addColumn<QString>("said");
    QTest::newRow("zero") << "0" << "is 0";
    QTest::newRow("negative") << "-0.5" << "is -0.5";
    QTest::newRow("nan") << "nan" << "is nan";
    QTest::newRow("inf") << "inf" << "is inf";
}

void TestRecognise::negative_badScale()
{
    QFETCH(QString, scale);
    QFETCH(QString, said);
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %s: f32[2] = [0.5, )" + scale.toStdString() +
                             R"(]
const %z: s8[2] = [0, 0]
%q: s8[1x2] = QuantizeLinear(%x, %s, %z) "quant"
%y: f32[1x2] = DequantizeLinear(%q, %s, %z) "dequant"
output %y
)";
    const Stage stage = test::runPasses(text, {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(stage.after.nodeCount(), std::size_t{2});
    QCOMPARE(test::missIds(stage), QString("bad-scale"));
    QCOMPARE(stage.diagnostics.size(), std::size_t{1});
    QCOMPARE(stage.diagnostics[0].severity, Severity::Error);
    QCOMPARE(QString::fromStdString(stage.diagnostics[0].node), QString("dequant"));
    QVERIFY(diagnosticText(stage, "bad-scale").contains("'s' of channel 1 " + said));
}

void TestRecognise::negative_axisLength()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4]
const %w: s8[4x2] = [1, 1, 1, 1, 1, 1, 1, 1]
const %s: f32[4] = [0.5, 0.25, 1, 2]
%d: f32[4x2] = DequantizeLinear(%w, %s) "dq"
%y: f32[1x2] = MatMul(%x, %d)
output %y
)",
                                        {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("axis-length"));
    QVERIFY(diagnosticText(stage, "axis-length").contains("4 scales for axis 1 of length 2"));
}

void TestRecognise::negative_dynamicScale()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
%q: u8[4], %s: f32[], %z: u8[] = DynamicQuantizeLinear(%x)
%y: f32[4] = DequantizeLinear(%q, %s, %z)
output %y
)",
                                        {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("dynamic-scale,dynamic-scale"));
    QVERIFY(stage.diagnostics.empty());
}

void TestRecognise::negative_blocked()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 10 opset "" 21
input %x: f32[1x4]
const %w: s8[4x2] = [1, 1, 1, 1, 1, 1, 1, 1]
const %s: f32[2x2] = [0.5, 0.25, 1, 2]
%d: f32[4x2] = DequantizeLinear(%w, %s) {axis = 0, block_size = 2}
%y: f32[1x2] = MatMul(%x, %d)
output %y
)",
                                        {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("blocked"));
}

void TestRecognise::negative_declaredOutputContradictsMissingZeroPoint()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
const %s: f32[] = [0.5]
%q: s8[4] = QuantizeLinear(%x, %s)
output %q
)",
                                        {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("storage-contradiction"));
}

void TestRecognise::negative_integerReader()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4]
const %s: f32[] = [0.5]
const %z: u8[] = [3]
const %w: u8[4x1] = [1, 2, 3, 4]
%q: u8[1x4] = QuantizeLinear(%x, %s, %z)
%y: s32[1x1] = MatMulInteger(%q, %w, %z) "mm"
output %y
)",
                                        {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("integer-reader"));
    QVERIFY(QString::fromStdString(stage.missed[0].miss.text).contains("MatMulInteger 'mm'"));
}

void TestRecognise::qonnxQuant()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13, "qonnx.custom_op.general" 2
input %x: f32[1x2x4]
const %s: f32[1x2x1] = [0.5, 0.25]
const %z: f32[] = [0]
const %b: f32[] = [4]
%y: f32[1x2x4] = qonnx.custom_op.general.Quant(%x, %s, %z, %b) {narrow = 1, rounding_mode = "ROUND", signed = 1}
output %y
)",
                                        {run});
    const Grid& grid = *stage.after.value(stage.after.outputs()[0]).liesOn;
    QCOMPARE(grid.axis.value(), 1);
    QCOMPARE(grid.qmin, std::int64_t{-7});
    QCOMPARE(grid.qmax, std::int64_t{7});
    QCOMPARE(grid.storage, ElementType::Int8);
    QVERIFY(stage.after.node(stage.after.order()[0]).attribute("order") == nullptr);
}

void TestRecognise::negative_qonnxFractionalZeroPoint()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13, "qonnx.custom_op.general" 2
input %x: f32[1x2x4]
const %s: f32[] = [0.5]
const %z: f32[] = [0.5]
const %b: f32[] = [4]
%y: f32[1x2x4] = qonnx.custom_op.general.Quant(%x, %s, %z, %b)
output %y
)",
                                        {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("fractional-zero-point"));
}

void TestRecognise::secondRunChangesNothing()
{
    const Stage once = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4]
const %s: f32[] = [0.5]
const %z: u8[] = [3]
%q: u8[1x4] = QuantizeLinear(%x, %s, %z)
%y: f32[1x4] = DequantizeLinear(%q, %s, %z)
output %y
)",
                                       {run, run});
    QVERIFY(once.rewrites.empty());
    QCOMPARE(once.after.nodeCount(), std::size_t{1});
}

QTEST_GUILESS_MAIN(TestRecognise)
#include "tst_recognise.moc"
