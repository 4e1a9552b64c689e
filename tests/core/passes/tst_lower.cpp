// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/lower.h"
#include "tests/support/graph_run.h"
#include "tests/support/pass_test.h"

using namespace crease;

namespace {

constexpr std::string_view conv = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2x4x4]
const %w: s8[3x2x1x1] codes s8([0.5, 0.25, 1], [0, 0, 0], axis 0) = [1, 2, 3, 4, 5, 6]
const %b: f32[3] = [1, -1, 0.5]
%a: f32[1x2x4x4] on s8(0.1, 3) = crease.FakeQuant(%x) {grid = s8(0.1, 3)}
%wf: f32[3x2x1x1] on s8([0.5, 0.25, 1], [0, 0, 0], axis 0) = crease.Dequantize(%w)
%c: f32[1x3x4x4] = Conv(%a, %wf, %b) {kernel_shape = [1, 1]} "conv"
%y: f32[1x3x4x4] on s8(0.2, 0) = crease.FakeQuant(%c) {grid = s8(0.2, 0), lo = 0}
output %y
)";

std::vector<std::string> opsOf(const Graph& graph)
{
    std::vector<std::string> ops;
    for (const NodeId id : graph.order()) {
        ops.push_back(graph.node(id).op);
    }
    return ops;
}

std::string missOf(const Stage& stage, std::string_view rule)
{
    for (const MissedSite& missed : stage.missed) {
        if (missed.rule == rule) {
            return missed.miss.id;
        }
    }
    return {};
}

} // namespace

class TestLower : public QObject {
    Q_OBJECT

private slots:
    void convHasAnAccumulatorAndOneRequantize();
    void accumulatorFeedsFloatReadersToo();
    void no_floatWeightIsQuantized();
    void no_floatDataIsQuantized();
    void no_scalesInsideTheSumLeaveIt();
    void addOfTwoGridsRoundsOnce();
    void no_addWithAFloatOperandIsInteger();
    void scalarConstantsAreCodes();
    void movementWorksOnCodes();
    void chainOfQuantizersKeepsBothRoundings();
    void sumsThatMayLeaveInt32AreInt64_data();
    void sumsThatMayLeaveInt32AreInt64();
    void rowOfAGemmIsItsBias();
    void no_columnOfAGemmIsItsBias();
};

/// The ElementType of the first accumulator.
ElementType accumulatorType(const Graph& graph)
{
    for (const NodeId id : graph.order()) {
        const auto& codes = graph.value(graph.node(id).output()).codes;
        if (codes && codes->isWide()) {
            return codes->storage;
        }
    }
    return ElementType::Undefined;
}

void TestLower::sumsThatMayLeaveInt32AreInt64_data()
{
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("x");
    QTest::addColumn<QString>("w");
    QTest::addColumn<QString>("grid");
    QTest::addColumn<QString>("type");
    const auto row = [](const char* name, const char* op, const char* x, const char* w, const char* grid,
                        const char* type) { QTest::newRow(name) << op << x << w << grid << type; };
    row("few products", "Conv", "1x4x1x1", "2x4x1x1", "u8(1, 0)", "int32");
    row("many products of a narrow image", "Conv", "1x40000x1x1", "2x40000x1x1", "u8(1, 0)", "int64");
    row("taps of a window", "Conv", "1x64x1x1", "2x64x1x1", "s16(1, 0)", "int64");
    row("two products of 16 bits", "Conv", "1x2x1x9", "2x2x1x1", "s16(1, 0)", "int64");
    row("rows", "MatMul", "3x20000", "20000x2", "u8(1, 0)", "int32");
    row("long rows", "MatMul", "3x40000", "40000x2", "u8(1, 0)", "int64");
    row("rows whose length the weight says", "MatMul", "3xK", "200x2", "s8(1, 0)", "int32");
    row("rows of unknown length", "MatMul", "3xK", "Kx2", "s8(1, 0)", "int64");
}

void TestLower::sumsThatMayLeaveInt32AreInt64()
{
    QFETCH(QString, op);
    QFETCH(QString, x);
    QFETCH(QString, w);
    QFETCH(QString, grid);
    QFETCH(QString, type);
    const QString text = QString(R"(graph "g" ir 8 opset "" 13
input %x: f32[%2]
input %w: f32[%3]
%a: f32[%2] on %4 = crease.FakeQuant(%x) {grid = %4}
%b: f32[%3] on %4 = crease.FakeQuant(%w) {grid = %4}
%c: f32[*] = %1(%a, %b)
%y: f32[*] on u8(1, 0) = crease.FakeQuant(%c) {grid = u8(1, 0)}
output %y
)")
                             .arg(op, x, w, grid);
    const Stage stage = test::runRules(text.toStdString(), lowerRules());
    QCOMPARE(QString::fromUtf8(longName(accumulatorType(stage.after)).data()), type);
}

std::string gemmWithC(const std::string& dims)
{
    return R"(graph "g" ir 8 opset "" 13
input %x: f32[3x2]
const %w: s8[2x3] codes s8(0.5, 0) = [1, 2, 3, 4, 5, 6]
const %c: f32[)" +
           dims + R"(] = [1, -1, 0.5]
%a: f32[3x2] on s8(0.1, 3) = crease.FakeQuant(%x) {grid = s8(0.1, 3)}
%wf: f32[2x3] on s8(0.5, 0) = crease.Dequantize(%w)
%g: f32[3x3] = Gemm(%a, %wf, %c)
%y: f32[3x3] on s8(0.17, 0) = crease.FakeQuant(%g) {grid = s8(0.17, 0)}
output %y
)";
}

void TestLower::rowOfAGemmIsItsBias()
{
    for (const std::string dims : {"3", "1x3"}) {
        const Stage stage = test::runRules(gemmWithC(dims), lowerRules());
        QCOMPARE(accumulatorType(stage.after), ElementType::Int32);
        SAME_NUMBERS(test::graphOf(gemmWithC(dims)), stage.after);
    }
}

void TestLower::no_columnOfAGemmIsItsBias()
{
    const Stage stage = test::runRules(gemmWithC("3x1"), lowerRules());
    QCOMPARE(missOf(stage, "lower/linear"), std::string("bias-shape"));
    QCOMPARE(accumulatorType(stage.after), ElementType::Undefined);
    SAME_NUMBERS(test::graphOf(gemmWithC("3x1")), stage.after);
}

void TestLower::convHasAnAccumulatorAndOneRequantize()
{
    const Stage stage = test::runRules(conv, lowerRules());
    QCOMPARE(opsOf(stage.after), (std::vector<std::string>{"Quantize", "Conv", "Requantize", "Dequantize"}));
    const Node& requantize = stage.after.node(stage.after.order()[2]);
    QCOMPARE(requantize.doublesAttribute("bias"), (std::vector<double>{1.0, -1.0, 0.5}));
    QCOMPARE(requantize.intAttribute("lo", -1), std::int64_t{0});
    const Value& accumulator = stage.after.value(requantize.inputs[0]);
    QVERIFY(accumulator.codes.has_value());
    QCOMPARE(accumulator.type, ElementType::Int32);
    QCOMPARE(accumulator.codes->axis, std::optional<int>(1));
    QCOMPARE(accumulator.codes->scales, (std::vector<double>{0.1 * 0.5, 0.1 * 0.25, 0.1 * 1.0}));
    QVERIFY(missOf(stage, "lower/linear").empty());
}

void TestLower::accumulatorFeedsFloatReadersToo()
{
    std::string text(conv);
    text += "%z: f32[1x3x4x4] = Softplus(%c)\noutput %z\n";
    const Stage stage = test::runRules(text, lowerRules());
    const std::vector<std::string> ops = opsOf(stage.after);
    QCOMPARE(std::ranges::count(ops, "Conv"), 1);
    QCOMPARE(std::ranges::count(ops, "Requantize"), 1);
    QCOMPARE(std::ranges::count(ops, "Dequantize"), 2);
}

void TestLower::no_floatWeightIsQuantized()
{
    const Stage stage = test::runRules(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: f32[2x2] = [1, 2, 3, 4]
%a: f32[1x2] on s8(0.1, 3) = crease.FakeQuant(%x) {grid = s8(0.1, 3)}
%y: f32[1x2] = MatMul(%a, %w)
output %y
)",
                                       lowerRules());
    QCOMPARE(opsOf(stage.after), (std::vector<std::string>{"Quantize", "Dequantize", "MatMul"}));
    QCOMPARE(missOf(stage, "lower/linear"), std::string("float-weight"));
}

void TestLower::no_floatDataIsQuantized()
{
    const Stage stage = test::runRules(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8(0.5, 0) = [1, 2, 3, 4]
%wf: f32[2x2] on s8(0.5, 0) = crease.Dequantize(%w)
%y: f32[1x2] = MatMul(%x, %wf)
output %y
)",
                                       lowerRules());
    QCOMPARE(opsOf(stage.after), (std::vector<std::string>{"Dequantize", "MatMul"}));
    QCOMPARE(missOf(stage, "lower/linear"), std::string("float-data"));
}

void TestLower::no_scalesInsideTheSumLeaveIt()
{
    const Stage stage = test::runRules(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8([0.5, 1], [0, 0], axis 0) = [1, 2, 3, 4]
%a: f32[1x2] on s8(0.1, 3) = crease.FakeQuant(%x) {grid = s8(0.1, 3)}
%wf: f32[2x2] on s8([0.5, 1], [0, 0], axis 0) = crease.Dequantize(%w)
%y: f32[1x2] = MatMul(%a, %wf)
output %y
)",
                                       lowerRules());
    QCOMPARE(missOf(stage, "lower/linear"), std::string("weight-axis"));
}

void TestLower::addOfTwoGridsRoundsOnce()
{
    const Stage stage = test::runRules(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
%a: f32[4] on u8(0.1, 128) = crease.FakeQuant(%x) {grid = u8(0.1, 128)}
%b: f32[4] on s8(0.02, 0) = crease.FakeQuant(%x) {grid = s8(0.02, 0)}
%c: f32[4] = Add(%a, %b)
%y: f32[4] on u8(0.05, 120) = crease.FakeQuant(%c) {grid = u8(0.05, 120), lo = 120}
output %y
)",
                                       lowerRules());
    QCOMPARE(opsOf(stage.after), (std::vector<std::string>{"Quantize", "Quantize", "Add", "Dequantize"}));
    QCOMPARE(stage.after.node(stage.after.order()[2]).intAttribute("lo", -1), std::int64_t{120});
}

void TestLower::no_addWithAFloatOperandIsInteger()
{
    // BC-54's variant: only one branch has a quantizer.
    const Stage stage = test::runRules(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
%a: f32[4] on u8(0.1, 128) = crease.FakeQuant(%x) {grid = u8(0.1, 128)}
%b: f32[4] = Softplus(%x) "soft"
%c: f32[4] = Add(%a, %b)
%y: f32[4] on u8(0.05, 120) = crease.FakeQuant(%c) {grid = u8(0.05, 120)}
output %y
)",
                                       lowerRules());
    QCOMPARE(missOf(stage, "lower/arithmetic"), std::string("operand-not-quantized"));
    QVERIFY(std::ranges::count(opsOf(stage.after), "Dequantize") == 2);
}

void TestLower::scalarConstantsAreCodes()
{
    const Stage stage = test::runRules(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
const %k: f32[] = [0.3]
%a: f32[4] on s16(0.1, 0) = crease.FakeQuant(%x) {grid = s16(0.1, 0)}
%c: f32[4] = Add(%a, %k)
%y: f32[4] on s8(0.05, 0) = crease.FakeQuant(%c) {grid = s8(0.05, 0)}
output %y
)",
                                       lowerRules());
    QCOMPARE(opsOf(stage.after), (std::vector<std::string>{"Quantize", "Add", "Dequantize"}));
    const Value& constant = stage.after.value(stage.after.node(stage.after.order()[1]).inputs[1]);
    QVERIFY(constant.codes.has_value());
    QCOMPARE(constant.constant.asDouble(0) * constant.codes->scale(), static_cast<double>(0.3F));
}

void TestLower::movementWorksOnCodes()
{
    const Stage stage = test::runRules(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2x4x4]
const %split: s64[2] = [1, 1]
const %pads: s64[8] = [0, 0, 1, 1, 0, 0, 1, 1]
%a: f32[1x2x4x4] on u8(0.1, 7) = crease.FakeQuant(%x) {grid = u8(0.1, 7)}
%b: f32[1x2x6x6] on u8(0.1, 7) = Pad(%a, %pads)
%c: f32[1x2x3x3] on u8(0.1, 7) = MaxPool(%b) {kernel_shape = [2, 2], strides = [2, 2]}
%d: f32[1x1x3x3] on u8(0.1, 7), %e: f32[1x1x3x3] on u8(0.1, 7) = Split(%c, %split) {axis = 1}
%f: f32[1x1x3x3] on u8(0.1, 7) = Relu(%d)
output %f
output %e
)",
                                       lowerRules());
    QCOMPARE(opsOf(stage.after),
             (std::vector<std::string>{"Quantize", "Pad", "MaxPool", "Split", "Dequantize", "Clamp", "Dequantize"}));
}

void TestLower::chainOfQuantizersKeepsBothRoundings()
{
    const Stage stage = test::runRules(R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
%a: f32[2] on u8(0.5, 0) = crease.FakeQuant(%x) {grid = u8(0.5, 0)}
%b: f32[2] on u8(0.4, 0) = crease.FakeQuant(%a) {grid = u8(0.4, 0)}
output %b
)",
                                       lowerRules());
    QCOMPARE(opsOf(stage.after), (std::vector<std::string>{"Quantize", "Requantize", "Dequantize"}));
}

QTEST_APPLESS_MAIN(TestLower)
#include "tst_lower.moc"
