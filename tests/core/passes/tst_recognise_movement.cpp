// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/canonicalise.h"
#include "core/passes/recognise.h"
#include "tests/support/graph_run.h"
#include "tests/support/pass_pipeline_test.h"

using namespace crease;

namespace {

constexpr auto run = runRecognise;

/// The ops of a graph in order, "FakeQuant Transpose".
QString ops(const Graph& graph)
{
    QStringList list;
    for (const NodeId id : graph.order()) {
        list << QString::fromStdString(graph.node(id).op);
    }
    return list.join(" ");
}

/// %x quantized on s8 0.5 / 3 as %q; `between` makes %r from it, which is dequantized as %y.
std::string between(const std::string& middle, const std::string& shape, const std::string& input = "f32[1x2x4]")
{
    return "graph \"g\" ir 8 opset \"\" 14\ninput %x: " + input + R"(
const %s: f32[] = [0.5]
const %z: s8[] = [3]
%q: s8)" + input.substr(3) +
           R"( = QuantizeLinear(%x, %s, %z) "q"
)" + middle +
           "%y: f32" + shape + R"( = DequantizeLinear(%r, %s, %z) "dq"
output %y
)";
}

} // namespace

/// Codes that are moved, clamped, cast or joined between a quantizer and its dequantizer, and parameters that are
/// computed.
class TestRecogniseMovement : public QObject {
    Q_OBJECT

private slots:
    void movement_data();
    void movement();
    void concatOfTwoQuantizers();
    void concatOfQuantizerAndConstant();
    void clampBehindAConcatReachesItsConstants();
    void oneMovementReadClampedAndUnclamped();
    void splitForSeveralDequantizers();
    void integerInputBehindReshape();
    void integerOutputBehindMovement();
    void computedParameters_data();
    void computedParameters();
    void halfPrecision();
    void dequantizerThenQuantizer();
    void shapeOfCodes();
    void weightQuantizedThenClipped();
    void negativeScaleOfFloatWeight();
    void negative_clipByData();
    void negative_narrowingCast();
    void negative_padBetween();
    void negative_perChannelMovement();
    void negative_inputOnTwoGrids();
    void negative_unknownCodes();
    void negative_scaleFromDivisionOfData();
    void longScaleChain();
    void longMovement_data();
    void longMovement();
};

void TestRecogniseMovement::movement_data()
{
    QTest::addColumn<QString>("middle");
    QTest::addColumn<QString>("shape");
    QTest::addColumn<QString>("expected");
    QTest::newRow("identity") << "%r: s8[1x2x4] = Identity(%q)\n" << "[1x2x4]" << "FakeQuant";
    QTest::newRow("transpose") << "%r: s8[4x2x1] = Transpose(%q)\n" << "[4x2x1]" << "FakeQuant Transpose";
    QTest::newRow("reshape, transpose")
        << "const %n: s64[2] = [2, 4]\n%t: s8[2x4] = Reshape(%q, %n)\n%r: s8[4x2] = Transpose(%t)\n"
        << "[4x2]" << "FakeQuant Reshape Transpose";
    QTest::newRow("squeeze") << "const %a: s64[1] = [0]\n%r: s8[2x4] = Squeeze(%q, %a)\n"
                             << "[2x4]"
                             << "FakeQuant Squeeze";
    QTest::newRow("clip, transpose, clip")
        << "const %lo: s8[] = [-7]\nconst %hi: s8[] = [100]\nconst %h: s8[] = [7]\n%c: s8[1x2x4] = Clip(%q, %lo, %hi)\n"
           "%t: s8[4x2x1] = Transpose(%c)\n%r: s8[4x2x1] = Clip(%t, _, %h)\n"
        << "[4x2x1]" << "FakeQuant Transpose";
    QTest::newRow("relu on codes") << "%r: s8[1x2x4] = Relu(%q)\n" << "[1x2x4]" << "FakeQuant";
    QTest::newRow("max pool") << "%r: s8[1x2x3] = MaxPool(%q) {kernel_shape = [2]}\n"
                              << "[1x2x3]"
                              << "FakeQuant MaxPool";
    QTest::newRow("gather") << "const %i: s64[2] = [1, 1]\n%r: s8[1x2x4] = Gather(%q, %i) {axis = 1}\n"
                            << "[1x2x4]"
                            << "FakeQuant Gather";
}

void TestRecogniseMovement::movement()
{
    QFETCH(QString, middle);
    QFETCH(QString, shape);
    QFETCH(QString, expected);
    const std::string text = between(middle.toStdString(), shape.toStdString());
    const Stage stage = test::runPasses(text, {run});
    QCOMPARE(ops(stage.after), expected);
    QVERIFY(stage.missed.empty());
    QCOMPARE(QString::fromStdString(stage.after.value(stage.after.outputs()[0]).name), QString("y"));
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestRecogniseMovement::concatOfTwoQuantizers()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
input %v: f32[1x3]
const %s: f32[] = [0.5]
const %z: s8[] = [3]
%q: s8[1x2] = QuantizeLinear(%x, %s, %z)
%p: s8[1x3] = QuantizeLinear(%v, %s, %z)
%c: s8[1x5] = Concat(%q, %p) {axis = 1}
%y: f32[1x5] = DequantizeLinear(%c, %s, %z)
output %y
)";
    const Stage stage = test::runPasses(text, {run});
    QCOMPARE(ops(stage.after), QString("FakeQuant FakeQuant Concat"));
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestRecogniseMovement::concatOfQuantizerAndConstant()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %k: s8[1x1] = [7]
const %s: f32[] = [0.5]
const %z: s8[] = [3]
%q: s8[1x2] = QuantizeLinear(%x, %s, %z)
%c: s8[1x3] = Concat(%q, %k) {axis = 1}
%y: f32[1x3] = DequantizeLinear(%c, %s, %z)
output %y
)";
    const Stage stage = test::runPasses(text, {run});
    QVERIFY(stage.after.findValue("k_1").valid());
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestRecogniseMovement::clampBehindAConcatReachesItsConstants()
{
    const auto text = [](const std::string& bounds) {
        return R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %k: s8[1x3] = [-50, 7, 90]
const %s: f32[] = [0.03125]
const %z: s8[] = [3]
const %lo: s8[] = [-20]
const %hi: s8[] = [40]
%q: s8[1x2] = QuantizeLinear(%x, %s, %z)
%c: s8[1x5] = Concat(%q, %k) {axis = 1}
%r: s8[1x5] = )" +
               bounds + R"(
%y: f32[1x5] = DequantizeLinear(%r, %s, %z)
output %y
)";
    };
    for (const char* middle : {"Clip(%c, %lo, %hi)", "Identity(%c)"}) {
        const Stage stage = test::runPasses(text(middle), {run});
        QVERIFY(!ops(stage.after).contains("QuantizeLinear"));
        SAME_NUMBERS(test::graphOf(text(middle)), stage.after);
    }
}

void TestRecogniseMovement::oneMovementReadClampedAndUnclamped()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[2x3]
const %s: f32[] = [0.03125]
const %z: s8[] = [3]
const %lo: s8[] = [-20]
const %hi: s8[] = [40]
%q: s8[2x3] = QuantizeLinear(%x, %s, %z)
%t: s8[3x2] = Transpose(%q) {perm = [1, 0]}
%u: s8[3x2] = Clip(%t, %lo, %hi)
%c: s8[3x4] = Concat(%t, %u) {axis = 1}
%y: f32[3x4] = DequantizeLinear(%c, %s, %z)
output %y
)";
    const Stage stage = test::runPasses(text, {run});
    QVERIFY(!ops(stage.after).contains("QuantizeLinear"));
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestRecogniseMovement::splitForSeveralDequantizers()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4]
const %s: f32[] = [0.5]
const %z: s8[] = [3]
const %n: s64[2] = [1, 3]
%q: s8[1x4] = QuantizeLinear(%x, %s, %z)
%a: s8[1x1], %b: s8[1x3] = Split(%q, %n) {axis = 1}
%u: f32[1x1] = DequantizeLinear(%a, %s, %z)
%v: f32[1x3] = DequantizeLinear(%b, %s, %z)
%w: f32[1x3] = DequantizeLinear(%b, %s, %z)
%k: f32[1x3] = Neg(%w)
output %u
output %v
output %k
)";
    const Stage stage = test::runPasses(text, {run});
    QCOMPARE(ops(stage.after), QString("FakeQuant Split Neg"));
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestRecogniseMovement::integerInputBehindReshape()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: s8[4]
const %s: f32[] = [0.5]
const %z: s8[] = [3]
const %n: s64[2] = [2, 2]
%r: s8[2x2] = Reshape(%x, %n)
%d: f32[2x2] = DequantizeLinear(%r, %s, %z)
%y: f32[2x2] = Relu(%d)
output %y
)";
    const Stage stage = test::runPasses(text, {run});
    QCOMPARE(ops(stage.after), QString("Dequantize Reshape Relu"));
    QVERIFY(stage.after.value(stage.after.inputs()[0]).codes.has_value());
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestRecogniseMovement::integerOutputBehindMovement()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[2x3]
const %s: f32[] = [0.5]
const %z: s8[] = [3]
const %lo: s8[] = [-7]
%r: f32[2x3] = Relu(%x)
%q: s8[2x3] = QuantizeLinear(%r, %s, %z)
%y: s8[2x3] = Clip(%q, %lo)
output %y
)";
    const Stage stage = test::runPasses(text, {run});
    QCOMPARE(ops(stage.after), QString("Relu Quantize Clamp"));
    QVERIFY(stage.after.value(stage.after.outputs()[0]).codes.has_value());
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestRecogniseMovement::computedParameters_data()
{
    QTest::addColumn<QString>("parameters");
    QTest::newRow("constant of shape")
        << "const %n: s64[1] = [1]\n%k: s32[1] = ConstantOfShape(%n) {value = tensor s32[1] [3]}\n"
           "%z: s8[1] = Cast(%k) {to = 3}\nconst %s: f32[] = [0.5]\n";
    QTest::newRow("identities") << "const %a: s8[] = [3]\n%b: s8[] = Identity(%a)\n%z: s8[] = Identity(%b)\n"
                                   "const %s: f32[] = [0.5]\n";
    QTest::newRow("division") << "const %m: f32[] = [63.5]\nconst %d: f32[] = [127]\n%s: f32[] = Div(%m, %d)\n"
                                 "const %z: s8[] = [3]\n";
    QTest::newRow("cast of double") << "const %m: f64[] = [0.5]\n%s: f32[] = Cast(%m) {to = 1}\nconst %z: s8[] = [3]\n";
    QTest::newRow("cast like data") << "const %m: f64[] = [0.5]\n%s: f32[] = CastLike(%m, %x)\nconst %z: s8[] = [3]\n";
    QTest::newRow("expanded by a shape") << "const %m: f32[] = [0.5]\n%h: s64[1] = Shape(%x) {end = 2, start = 1}\n"
                                            "%e: f32[2] = Expand(%m, %h)\nconst %i: s64[] = [0]\n"
                                            "%s: f32[] = Gather(%e, %i)\nconst %z: s8[] = [3]\n";
}

void TestRecogniseMovement::computedParameters()
{
    QFETCH(QString, parameters);
    const std::string text = "graph \"g\" ir 8 opset \"\" 15\ninput %x: f32[3x2]\n" + parameters.toStdString() +
                             R"(%q: s8[3x2] = QuantizeLinear(%x, %s, %z)
%y: f32[3x2] = DequantizeLinear(%q, %s, %z)
output %y
)";
    const Stage stage = test::runPasses(text, {run});
    QCOMPARE(ops(stage.after), QString("FakeQuant"));
    QCOMPARE(QString::fromStdString(toText(*stage.after.value(stage.after.outputs()[0]).liesOn)),
             QString("s8 · 0.5 · z 3"));
}

void TestRecogniseMovement::halfPrecision()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 9 opset "" 19
input %x: f16[4]
const %s: f16[] = [0.1]
const %z: s8[] = [0]
%q: s8[4] = QuantizeLinear(%x, %s, %z)
%y: f16[4] = DequantizeLinear(%q, %s, %z)
output %y
)",
                                        {run});
    QCOMPARE(ops(stage.after), QString("FakeQuant"));
    QCOMPARE(stage.after.value(stage.after.outputs()[0]).liesOn->scale(), 0.0999755859375);
    const Stage mixed = test::runPasses(R"(graph "g" ir 9 opset "" 19
input %x: f32[4]
const %s: f32[] = [0.1]
const %t: f16[] = [0.1]
const %z: s8[] = [0]
%q: s8[4] = QuantizeLinear(%x, %s, %z)
%y: f16[4] = DequantizeLinear(%q, %t, %z)
output %y
)",
                                        {run});
    QCOMPARE(ops(mixed.after), QString("Quantize Table Dequantize"));
    const std::vector<double> y = test::evaluate(mixed.after, {Tensor::of<float>({4}, {0.5F, -12.8F, 100.0F, 0.0F})});
    QVERIFY((y == std::vector<double>{0.4998779296875, -12.796875, 12.6968994140625, 0.0}));
}

void TestRecogniseMovement::dequantizerThenQuantizer()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
const %s: f32[] = [0.5]
const %t: f32[] = [0.375]
const %z: u8[] = [0]
%a: u8[4] = QuantizeLinear(%x, %s, %z)
%b: f32[4] = DequantizeLinear(%a, %s, %z)
%c: u8[4] = QuantizeLinear(%b, %t, %z)
%y: f32[4] = DequantizeLinear(%c, %t, %z)
output %y
)";
    const Stage stage = test::runPasses(text, {run});
    QCOMPARE(ops(stage.after), QString("FakeQuant FakeQuant"));
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestRecogniseMovement::shapeOfCodes()
{
    const std::string text = between("%n: s64[3] = Shape(%q)\n%r: s8[1x2x4] = Reshape(%q, %n)\n", "[1x2x4]");
    const Stage stage = test::runPasses(text, {run, runCanonicalise});
    QVERIFY(!ops(stage.after).contains("QuantizeLinear"));
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestRecogniseMovement::weightQuantizedThenClipped()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: f32[2x2] = [10, -10, 1, 2]
const %s: f32[] = [0.5]
const %z: s8[] = [0]
const %lo: s8[] = [-7]
const %hi: s8[] = [7]
%q: s8[2x2] = QuantizeLinear(%w, %s, %z)
%c: s8[2x2] = Clip(%q, %lo, %hi)
%d: f32[2x2] = DequantizeLinear(%c, %s, %z)
%y: f32[1x2] = MatMul(%x, %d)
output %y
)";
    const Stage stage = test::runPasses(text, {run});
    QCOMPARE(ops(stage.after), QString("FakeQuant MatMul"));
    QCOMPARE(stage.after.value(stage.after.findValue("d")).liesOn->qmax, std::int64_t{7});
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestRecogniseMovement::negativeScaleOfFloatWeight()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: f32[2x2] = [10, -10, 1, 2]
const %s: f32[] = [-0.5]
const %z: s8[] = [0]
%q: s8[2x2] = QuantizeLinear(%w, %s, %z)
%d: f32[2x2] = DequantizeLinear(%q, %s, %z)
%y: f32[1x2] = MatMul(%x, %d)
output %y
)";
    const Stage stage = test::runPasses(text, {run});
    QCOMPARE(ops(stage.after), QString("Dequantize MatMul"));
    QCOMPARE(stage.after.value(stage.after.findValue("d")).liesOn->scale(), 0.5);
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestRecogniseMovement::negative_clipByData()
{
    const Stage stage = test::runPasses(
        between("%m: s8[] = ReduceMax(%q) {keepdims = 0}\n%r: s8[1x2x4] = Clip(%q, _, %m)\n", "[1x2x4]"), {run});
    QVERIFY(stage.rewrites.empty());
    QVERIFY(test::missIds(stage).contains("unknown-codes"));
}

void TestRecogniseMovement::negative_narrowingCast()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
const %s: f32[] = [0.5]
const %z: u8[] = [0]
const %n: s8[] = [0]
%q: u8[4] = QuantizeLinear(%x, %s, %z)
%c: s8[4] = Cast(%q) {to = 3}
%y: f32[4] = DequantizeLinear(%c, %s, %n)
output %y
)",
                                        {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("narrowing-cast"));
}

void TestRecogniseMovement::negative_padBetween()
{
    const Stage stage = test::runPasses(
        between("const %p: s64[6] = [0, 0, 1, 0, 0, 1]\n%r: s8[1x2x6] = Pad(%q, %p)\n", "[1x2x6]"), {run});
    QVERIFY(stage.rewrites.empty());
    QVERIFY(test::missIds(stage).contains("unknown-codes"));
}

void TestRecogniseMovement::negative_perChannelMovement()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[2x3]
const %s: f32[2] = [0.5, 0.25]
const %z: s8[2] = [0, 0]
%q: s8[2x3] = QuantizeLinear(%x, %s, %z) {axis = 0}
%t: s8[3x2] = Transpose(%q)
%y: f32[3x2] = DequantizeLinear(%t, %s, %z) {axis = 1}
output %y
)",
                                        {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("movement-per-channel"));
}

void TestRecogniseMovement::negative_inputOnTwoGrids()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: s8[4]
const %s: f32[] = [0.5]
const %t: f32[] = [0.25]
const %z: s8[] = [3]
%a: f32[4] = DequantizeLinear(%x, %s, %z)
%b: f32[4] = DequantizeLinear(%x, %t, %z)
%y: f32[4] = Add(%a, %b)
output %y
)",
                                        {run});
    QCOMPARE(stage.rewrites.size(), std::size_t{1});
    QCOMPARE(test::missIds(stage), QString("grids-differ-on-input"));
}

void TestRecogniseMovement::negative_unknownCodes()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: s8[1x2]
const %w: s8[2x1] = [1, 2]
const %s: f32[] = [0.5]
%a: s32[1x1] = MatMulInteger(%x, %w) "mm"
%y: f32[1x1] = DequantizeLinear(%a, %s)
output %y
)",
                                        {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("unknown-codes"));
    QVERIFY(QString::fromStdString(stage.missed[0].miss.text).contains("MatMulInteger 'mm'"));
}

void TestRecogniseMovement::negative_scaleFromDivisionOfData()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
const %k: f32[] = [127]
const %z: s8[] = [0]
%m: f32[] = ReduceMax(%x) {keepdims = 0}
%s: f32[] = Div(%m, %k)
%q: s8[4] = QuantizeLinear(%x, %s, %z)
%y: f32[4] = DequantizeLinear(%q, %s, %z)
output %y
)",
                                        {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("dynamic-scale"));
}

void TestRecogniseMovement::longScaleChain()
{
    std::string text =
        "graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[4]\nconst %s0: f32[] = [0.5]\nconst %z: s8[] = [0]\n";
    for (int i = 0; i < 3000; ++i) {
        text += "%s" + std::to_string(i + 1) + ": f32[] = Identity(%s" + std::to_string(i) + ")\n";
    }
    text += "%q: s8[4] = QuantizeLinear(%x, %s3000, %z)\n%y: f32[4] = DequantizeLinear(%q, %s3000, %z)\noutput %y\n";
    const Graph graph = test::graphOf(text);
    const Target target{};
    const auto stage = run(graph, PassContext{target, {}, {}}, Job{});
    VERIFY_RESULT(stage);
    QCOMPARE(ops(stage->after), QString("FakeQuant"));
}

void TestRecogniseMovement::longMovement_data()
{
    QTest::addColumn<int>("count");
    QTest::addColumn<bool>("lifted");
    QTest::newRow("120") << 120 << true;
    QTest::newRow("5,000") << 5000 << false; // more than a thread's stack holds
}

void TestRecogniseMovement::longMovement()
{
    QFETCH(int, count);
    QFETCH(bool, lifted);
    std::string middle;
    std::string from = "q";
    for (int i = 1; i <= count; ++i) {
        const std::string to = i == count ? "r" : "m" + std::to_string(i);
        middle += "%" + to + ": s8[1x2x4] = Transpose(%" + from + ") {perm = [0, 1, 2]}\n";
        from = to;
    }
    const auto stage =
        run(test::graphOf(between(middle, "[1x2x4]")), PassContext{*findTarget("onnxruntime-qdq")}, Job{});
    VERIFY_RESULT(stage);
    QCOMPARE(ops(stage->after).contains("FakeQuant"), lifted);
    QCOMPARE(stage->missed.empty(), lifted);
    if (!lifted) {
        QCOMPARE(stage->missed.front().miss.id, std::string("too-long"));
    }
}

QTEST_GUILESS_MAIN(TestRecogniseMovement)
#include "tst_recognise_movement.moc"
