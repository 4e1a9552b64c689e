// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fold_constants.h"
#include "core/passes/fold_weights.h"
#include "core/passes/recognise.h"
#include "core/passes/unshare.h"
#include "tests/support/graph_run.h"
#include "tests/support/pass_pipeline_test.h"

using namespace crease;

namespace {

const Value& weightOf(const Stage& stage, const char* name)
{
    const Node& node = stage.after.node(stage.after.findNode(name));
    return stage.after.value(stage.after.node(stage.after.producer(node.input(1))).input(0));
}

QList<qint64> codesOf(const Value& value)
{
    const std::vector<std::int64_t> codes = value.constant.toInts();
    return {codes.begin(), codes.end()};
}

} // namespace

/// fold-constants, unshare and fold-weights: what they make of constants.
class TestFoldWeights : public QObject {
    Q_OBJECT

private slots:
    void constantsAreEvaluated();
    void knownShapeIsAConstant();
    void computedWeightUpToItsQuantizer();
    void no_constantGraphOutput();
    void no_throughDequantizer();
    void negative_noKernel();
    void negative_randomNumbers();
    void eachReaderGetsItsOwn();
    void chainBehindQuantizerIsCopied();
    void graphOutputKeepsTheFirst();
    void no_unshareOfActivations();
    void codesAreDividedInFloat32();
    void roundingAndRange();
    void movedCodesMoveTheirAxis_data();
    void movedCodesMoveTheirAxis();
    void int4Movement();
    void negative_axisMerged();
    void negative_movementByData();
    void negative_nanWeight();
    void quantizedTwice();
    void linearAlgebraOfTorchLinear();
    void sharedWeightOnTwoAxes();
};

void TestFoldWeights::constantsAreEvaluated()
{
    COMPARE_PASS(R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
const %a: f32[2] = [1, 2]
const %b: f32[2] = [3, 4]
%c: f32[2] = Mul(%a, %b)
%d: f32[2] = Add(%c, %a)
%y: f32[2] = Add(%x, %d)
output %y
)",
                 runFoldConstants, R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
const %d: f32[2] = [4, 10]
%y: f32[2] = Add(%x, %d)
output %y
)");
}

void TestFoldWeights::knownShapeIsAConstant()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[2x3]
input %n: f32[Nx3]
%r: f32[2x3] = Relu(%x)
%s: s64[2] = Shape(%r)
%f: s64[2] = Shape(%n)
%y: f32[2x3] = Reshape(%r, %s)
output %y
output %f
)",
                                        {runFoldConstants});
    QCOMPARE(stage.after.nodeCount(), std::size_t{3});
    QVERIFY((stage.after.value(stage.after.findValue("s")).constant.toInts() == std::vector<std::int64_t>{2, 3}));
    QVERIFY(!stage.after.value(stage.after.findValue("f")).isConstant());
}

void TestFoldWeights::computedWeightUpToItsQuantizer()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: f32[2x1] = [1, 2]
const %k: f32[] = [4]
%m: f32[2x1] = Mul(%w, %k)
%q: f32[2x1] on s8(0.5, 0) = crease.FakeQuant(%m) {grid = s8(0.5, 0)}
%y: f32[1x1] = MatMul(%x, %q) "mm"
output %y
)";
    const Stage stage = test::runPasses(text, {runFoldConstants, runFoldWeights});
    QCOMPARE(codesOf(weightOf(stage, "mm")), (QList<qint64>{8, 16}));
    QCOMPARE(stage.after.nodeCount(), std::size_t{2});
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestFoldWeights::no_constantGraphOutput()
{
    PASS_CHANGES_NOTHING(R"(graph "g" ir 8 opset "" 13
const %a: f32[2] = [1, 2]
%y: f32[2] = Neg(%a)
output %y
)",
                         runFoldConstants);
}

void TestFoldWeights::no_throughDequantizer()
{
    PASS_CHANGES_NOTHING(R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
const %w: s8[2] codes s8(0.5, 0) = [1, 2]
const %v: f32[2] = [1, 2]
const %b: s8[2] = [1, 2]
const %s: f32[1x2] = [1, 2]
%d: f32[2] on s8(0.5, 0) = crease.Dequantize(%w)
%q: f32[2] on s8(0.5, 0) = crease.FakeQuant(%v) {grid = s8(0.5, 0)}
%u: f32[2] = DequantizeLinear(%b, %s) {axis = 0, block_size = 2}
%a: f32[2] = Neg(%d)
%c: f32[2] = Neg(%q)
%e: f32[2] = Sum(%x, %a, %c, %u)
output %e
)",
                         runFoldConstants);
}

void TestFoldWeights::negative_noKernel()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13, "my.domain" 1
input %x: f32[2]
const %a: f32[2] = [1, 2]
%b: f32[2] = my.domain.Frobnicate(%a)
%y: f32[2] = Add(%x, %b)
output %y
)",
                                        {runFoldConstants});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("cannot-evaluate"));
}

void TestFoldWeights::negative_randomNumbers()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
const %a: f32[2] = [1, 2]
%b: f32[2] = RandomNormalLike(%a)
%y: f32[2] = Add(%x, %b)
output %y
)",
                                        {runFoldConstants});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(stage.after.nodeCount(), std::size_t{2});
}

void TestFoldWeights::eachReaderGetsItsOwn()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8(0.5, 0) = [1, 2, 3, 4]
%d: f32[2x2] on s8(0.5, 0) = crease.Dequantize(%w) "dq"
%a: f32[1x2] = MatMul(%x, %d)
%b: f32[1x2] = MatMul(%a, %d)
%y: f32[1x2] = MatMul(%b, %d)
output %y
)";
    const Stage stage = test::runPasses(text, {runUnshare});
    QCOMPARE(stage.after.nodeCount(), std::size_t{6});
    QCOMPARE(stage.rewrites.size(), std::size_t{1});
    for (const NodeId id : stage.after.order()) {
        const ValueId output = stage.after.node(id).output();
        QCOMPARE(stage.after.fanOut(output), std::size_t{1});
    }
    SAME_NUMBERS(test::graphOf(text), stage.after);
    const Stage again = test::runPasses(text, {runUnshare, runUnshare});
    QVERIFY(again.rewrites.empty());
}

void TestFoldWeights::chainBehindQuantizerIsCopied()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: f32[2x2] = [1, 2, 3, 4]
%q: f32[2x2] on s8(0.5, 0) = crease.FakeQuant(%w) {grid = s8(0.5, 0)}
%t: f32[2x2] = Transpose(%q)
%a: f32[1x2] = MatMul(%x, %t) "one"
%y: f32[1x2] = MatMul(%a, %t) "two"
output %y
)";
    const Stage stage = test::runPasses(text, {runUnshare, runFoldWeights});
    QCOMPARE(codesOf(weightOf(stage, "one")), (QList<qint64>{2, 6, 4, 8}));
    QCOMPARE(codesOf(weightOf(stage, "two")), (QList<qint64>{2, 6, 4, 8}));
    QCOMPARE(stage.after.nodeCount(), std::size_t{4});
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestFoldWeights::graphOutputKeepsTheFirst()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8(0.5, 0) = [1, 2, 3, 4]
%d: f32[2x2] on s8(0.5, 0) = crease.Dequantize(%w) "dq"
%y: f32[1x2] = MatMul(%x, %d) "mm"
output %y
output %d
)",
                                        {runUnshare});
    QCOMPARE(stage.after.nodeCount(), std::size_t{3});
    QCOMPARE(QString::fromStdString(stage.after.value(stage.after.outputs()[1]).name), QString("d"));
    QVERIFY(stage.after.node(stage.after.findNode("mm")).input(1) != stage.after.outputs()[1]);
}

void TestFoldWeights::no_unshareOfActivations()
{
    PASS_CHANGES_NOTHING(R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
%q: f32[2] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0)}
%a: f32[2] = Relu(%q)
%b: f32[2] = Neg(%q)
output %a
output %b
)",
                         runUnshare);
}

void TestFoldWeights::codesAreDividedInFloat32()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x1]
const %w: f32[1x3] = [1.5499999523162842, 0.05, -0.15]
const %s: f32[] = [0.1]
const %z: s8[] = [0]
%q: s8[1x3] = QuantizeLinear(%w, %s, %z)
%d: f32[1x3] = DequantizeLinear(%q, %s, %z)
%y: f32[1x3] = MatMul(%x, %d) "mm"
output %y
)",
                                        {runRecognise, runFoldWeights});
    QCOMPARE(codesOf(weightOf(stage, "mm")), (QList<qint64>{15, 0, -2}));
}

void TestFoldWeights::roundingAndRange()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x1]
const %w: f32[1x8] = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 1000, -1000]
%d: f32[1x8] on s8(1, 1, -7..7) = crease.FakeQuant(%w) {grid = s8(1, 1, -7..7)}
%e: f32[1x8] on s8(1, 1, -7..7) = crease.FakeQuant(%w) {grid = s8(1, 1, -7..7), order = "C"}
%y: f32[1x8] = MatMul(%x, %d) "plain"
%z: f32[1x8] = MatMul(%x, %e) "zero point first"
output %y
output %z
)",
                                        {runFoldWeights});
    QCOMPARE(codesOf(weightOf(stage, "plain")), (QList<qint64>{1, 3, 3, 1, -1, -1, 7, -7}));
    QCOMPARE(codesOf(weightOf(stage, "zero point first")), (QList<qint64>{2, 2, 4, 0, 0, -2, 7, -7}));
}

void TestFoldWeights::movedCodesMoveTheirAxis_data()
{
    QTest::addColumn<QString>("movement");
    QTest::addColumn<QString>("dims");
    QTest::addColumn<int>("axis");
    QTest::newRow("transpose") << "Transpose(%d) {perm = [1, 0]}" << "3x2" << 1;
    QTest::newRow("transpose all") << "Transpose(%d)" << "3x2" << 1;
    QTest::newRow("unsqueeze") << "Unsqueeze(%d, %front)" << "1x1x2x3" << 2;
    QTest::newRow("reshape") << "Reshape(%d, %shape)" << "1x2x3x1" << 1;
    QTest::newRow("flatten") << "Flatten(%d) {axis = 1}" << "2x3" << 0;
}

void TestFoldWeights::movedCodesMoveTheirAxis()
{
    QFETCH(QString, movement);
    QFETCH(QString, dims);
    QFETCH(int, axis);
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1]
const %w: s8[2x3] codes s8([0.5, 2], [0, 0], axis 0) = [1, 2, 3, 4, 5, 6]
const %front: s64[2] = [0, 1]
const %shape: s64[4] = [1, 2, 3, 1]
%d: f32[2x3] on s8([0.5, 2], [0, 0], axis 0) = crease.Dequantize(%w)
%m: f32[)" + dims.toStdString() +
                             "] = " + movement.toStdString() + "\n%y: f32[" + dims.toStdString() +
                             "] = Add(%x, %m) \"add\"\noutput %y\n";
    const Stage stage = test::runPasses(text, {runFoldWeights});
    const Value& weight = weightOf(stage, "add");
    QCOMPARE(weight.codes->axis.value(), axis);
    QCOMPARE(QString::fromStdString(toText(weight.constant.dims())), dims);
    QCOMPARE(stage.after.nodeCount(), std::size_t{2});
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestFoldWeights::int4Movement()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 10 opset "" 21
input %x: f32[1]
const %w: s4[2x2] codes s4(0.5, 0) = [-8, 7, 1, 2]
%d: f32[2x2] on s4(0.5, 0) = crease.Dequantize(%w)
%m: f32[2x2] = Transpose(%d)
%y: f32[2x2] = Add(%x, %m) "add"
output %y
)",
                                        {runFoldWeights});
    QCOMPARE(codesOf(weightOf(stage, "add")), (QList<qint64>{-8, 1, 7, 2}));
    QCOMPARE(weightOf(stage, "add").type, ElementType::Int4);
}

void TestFoldWeights::negative_axisMerged()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1]
const %w: s8[2x3] codes s8([0.5, 2], [0, 0], axis 0) = [1, 2, 3, 4, 5, 6]
const %shape: s64[1] = [6]
%d: f32[2x3] on s8([0.5, 2], [0, 0], axis 0) = crease.Dequantize(%w)
%m: f32[6] = Reshape(%d, %shape)
%y: f32[6] = Add(%x, %m)
output %y
)",
                                        {runFoldWeights});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("axis-merged"));
    QVERIFY(QString::fromStdString(stage.missed[0].miss.text).contains("2x3 to 6"));
}

void TestFoldWeights::negative_movementByData()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1]
input %shape: s64[2]
const %w: s8[2x3] codes s8(0.5, 0) = [1, 2, 3, 4, 5, 6]
%d: f32[2x3] on s8(0.5, 0) = crease.Dequantize(%w)
%m: f32[?x?] = Reshape(%d, %shape)
%y: f32[?x?] = Add(%x, %m)
output %y
)",
                                        {runFoldWeights});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("dynamic-movement"));
}

void TestFoldWeights::negative_nanWeight()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1]
const %w: f32[2] = [1, nan]
%d: f32[2] on s8(0.5, 0) = crease.FakeQuant(%w) {grid = s8(0.5, 0)}
%y: f32[2] = Add(%x, %d)
output %y
)",
                                        {runFoldWeights});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("nan-weight"));
}

void TestFoldWeights::quantizedTwice()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1]
const %w: s8[4] codes s8(0.5, 0) = [1, 2, 3, 100]
%d: f32[4] on s8(0.5, 0) = crease.Dequantize(%w)
%q: f32[4] on s8(1, 0, -7..7) = crease.FakeQuant(%d) {grid = s8(1, 0, -7..7)}
%y: f32[4] = Add(%x, %q) "add"
output %y
)";
    const Stage stage = test::runPasses(text, {runFoldWeights});
    QCOMPARE(codesOf(weightOf(stage, "add")), (QList<qint64>{0, 1, 2, 7}));
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestFoldWeights::linearAlgebraOfTorchLinear()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[3x2] = [10, 20, 30, 40, 50, 60]
const %s: f32[3] = [1, 0.1, 0.01]
%d: f32[3x2] = DequantizeLinear(%w, %s) {axis = 0}
%t: f32[2x3] = Transpose(%d) {perm = [1, 0]}
%y: f32[1x3] = MatMul(%x, %t) "mm"
output %y
)";
    const Stage stage = test::runPasses(text, {runRecognise, runFoldWeights});
    QCOMPARE(weightOf(stage, "mm").codes->axis.value(), 1);
    QCOMPARE(codesOf(weightOf(stage, "mm")), (QList<qint64>{10, 30, 50, 20, 40, 60}));
    const std::vector<double> y = test::evaluate(stage.after, {Tensor::of<float>({1, 2}, {1.0F, 2.0F})});
    QVERIFY(std::abs(y[0] - 50.0) < 1e-9 && std::abs(y[1] - 11.0) < 1e-6 && std::abs(y[2] - 1.7) < 1e-6);
}

void TestFoldWeights::sharedWeightOnTwoAxes()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] = [1, 2, 3, 4]
const %s: f32[2] = [0.5, 2]
%d: f32[2x2] = DequantizeLinear(%w, %s) {axis = 0}
%e: f32[2x2] = DequantizeLinear(%w, %s) {axis = 1}
%t: f32[2x2] = Transpose(%d)
%a: f32[1x2] = MatMul(%x, %t) "one"
%y: f32[1x2] = MatMul(%a, %e) "two"
output %y
)";
    const Stage stage = test::runPasses(text, {runRecognise, runUnshare, runFoldWeights});
    QCOMPARE(codesOf(weightOf(stage, "one")), (QList<qint64>{1, 3, 2, 4}));
    QCOMPARE(codesOf(weightOf(stage, "two")), (QList<qint64>{1, 2, 3, 4}));
    QCOMPARE(weightOf(stage, "one").codes->axis.value(), 1);
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

QTEST_GUILESS_MAIN(TestFoldWeights)
#include "tst_fold_weights.moc"
