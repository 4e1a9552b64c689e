// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/canonicalise.h"
#include "tests/support/graph_run.h"
#include "tests/support/pass_pipeline_test.h"

using namespace crease;

namespace {

constexpr auto run = runCanonicalise;

} // namespace

class TestCanonicalise : public QObject {
    Q_OBJECT

private slots:
    void nodesThatDoNothingGo();
    void graphOutputKeepsItsName();
    void inverseTransposesGo();
    void equalQuantizersMerge();
    void gemmTransAIsATranspose();
    void gemmColumnIsAnAdd_data();
    void gemmColumnIsAnAdd();
    void negative_betaThatRounds();
    void gemmAlphaOnDynamicWeight();
    void convBiasFromData();
    void no_identityBetweenInputAndOutput();
    void no_castToAnotherType();
    void no_trainingDropout();
    void no_dropoutWhoseMaskIsRead();
    void no_transposesThatDoNotUndo();
    void no_differentQuantizers();
    void no_quantizersOfConstants();
    void no_gemmRow();
    void no_convBiasOfConstant();
};

void TestCanonicalise::nodesThatDoNothingGo()
{
    COMPARE_PASS(R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
const %r: f32[] = [0.5]
%a: f32[2] = Identity(%x)
%b: f32[2] = Cast(%a) {to = 1}
%c: f32[2] = Concat(%b) {axis = 0}
%d: f32[2] = Dropout(%c, %r)
%e: f32[2] = Clip(%d)
%y: f32[2] = Relu(%e)
output %y
)",
                 run, R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
%y: f32[2] = Relu(%x)
output %y
)");
}

void TestCanonicalise::graphOutputKeepsItsName()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
%a: f32[2] = Relu(%x)
%y: f32[2] = Identity(%a)
output %y
)",
                                        {run});
    QCOMPARE(stage.after.nodeCount(), std::size_t{1});
    QCOMPARE(QString::fromStdString(stage.after.value(stage.after.outputs()[0]).name), QString("y"));
}

void TestCanonicalise::inverseTransposesGo()
{
    COMPARE_PASS(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2x3x4]
%a: f32[1x3x4x2] = Transpose(%x) {perm = [0, 2, 3, 1]}
%b: f32[1x2x3x4] = Transpose(%a) {perm = [0, 3, 1, 2]}
%y: f32[1x2x3x4] = Relu(%b)
output %y
)",
                 run, R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2x3x4]
%y: f32[1x2x3x4] = Relu(%x)
output %y
)");
}

void TestCanonicalise::equalQuantizersMerge()
{
    COMPARE_PASS(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
%a: f32[4] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0), source = "one"}
%b: f32[4] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0), source = "two"} "second"
%u: f32[4] = Relu(%a)
%v: f32[4] = Neg(%b)
output %u
output %v
)",
                 run, R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
%a: f32[4] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0), source = "one"}
%u: f32[4] = Relu(%a)
%v: f32[4] = Neg(%a)
output %u
output %v
)");
}

void TestCanonicalise::gemmTransAIsATranspose()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[2x3]
const %w: f32[2x4] = [1, 2, 3, 4, 5, 6, 7, 8]
%y: f32[3x4] = Gemm(%x, %w) {transA = 1} "gemm"
output %y
)";
    const Stage stage = test::runPasses(text, {run});
    QCOMPARE(stage.after.nodeCount(), std::size_t{2});
    const Node& gemm = stage.after.node(stage.after.findNode("gemm"));
    QCOMPARE(gemm.intAttribute("transA", 0), std::int64_t{0});
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestCanonicalise::gemmColumnIsAnAdd_data()
{
    QTest::addColumn<QString>("c");
    QTest::newRow("column") << "const %c: f32[2x1] = [1, 2]";
    QTest::newRow("matrix") << "const %c: f32[2x3] = [1, 2, 3, 4, 5, 6]";
    QTest::newRow("data") << "input %c: f32[3]";
}

void TestCanonicalise::gemmColumnIsAnAdd()
{
    QFETCH(QString, c);
    const std::string text = "graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[2x2]\n" + c.toStdString() + R"(
const %w: f32[2x3] = [1, 2, 3, 4, 5, 6]
%y: f32[2x3] = Gemm(%x, %w, %c) {alpha = 2.0, beta = 0.5} "gemm"
output %y
)";
    const Stage stage = test::runPasses(text, {run});
    QCOMPARE(stage.after.nodeCount(), c.startsWith("const") ? std::size_t{2} : std::size_t{3});
    QCOMPARE(QString::fromStdString(stage.after.node(stage.after.order().back()).op), QString("Add"));
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestCanonicalise::negative_betaThatRounds()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[2x2]
const %c: f32[2x1] = [0.1, 0.7]
const %w: f32[2x3] = [1, 2, 3, 4, 5, 6]
%y: f32[2x3] = Gemm(%x, %w, %c) {beta = 0.3}
output %y
)",
                                        {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("beta-rounds"));
}

void TestCanonicalise::gemmAlphaOnDynamicWeight()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[2x3]
input %w: f32[3x2]
%y: f32[2x2] = Gemm(%x, %w) {alpha = 0.25}
output %y
)";
    const Stage stage = test::runPasses(text, {run});
    QCOMPARE(stage.after.nodeCount(), std::size_t{2});
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestCanonicalise::convBiasFromData()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x1x2x2]
input %b: f32[2]
const %w: f32[2x1x1x1] = [1, 2]
%y: f32[1x2x2x2] = Conv(%x, %w, %b)
output %y
)";
    const Stage stage = test::runPasses(text, {run});
    QCOMPARE(stage.after.nodeCount(), std::size_t{3});
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestCanonicalise::no_identityBetweenInputAndOutput()
{
    PASS_CHANGES_NOTHING(R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
%y: f32[2] = Identity(%x)
output %y
)",
                         run);
}

void TestCanonicalise::no_castToAnotherType()
{
    PASS_CHANGES_NOTHING(R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
%a: f16[2] = Cast(%x) {to = 10}
%y: f16[2] = Relu(%a)
output %y
)",
                         run);
}

void TestCanonicalise::no_trainingDropout()
{
    PASS_CHANGES_NOTHING(R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
const %r: f32[] = [0.5]
const %t: b1[] = [1]
%a: f32[2] = Dropout(%x, %r, %t)
%y: f32[2] = Relu(%a)
output %y
)",
                         run);
}

void TestCanonicalise::no_dropoutWhoseMaskIsRead()
{
    PASS_CHANGES_NOTHING(R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
%a: f32[2], %m: b1[2] = Dropout(%x)
%y: f32[2] = Relu(%a)
output %y
output %m
)",
                         run);
}

void TestCanonicalise::no_transposesThatDoNotUndo()
{
    PASS_CHANGES_NOTHING(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2x3x4]
%a: f32[1x3x4x2] = Transpose(%x) {perm = [0, 2, 3, 1]}
%b: f32[1x4x2x3] = Transpose(%a) {perm = [0, 2, 3, 1]}
%y: f32[1x4x2x3] = Relu(%b)
output %y
)",
                         run);
}

void TestCanonicalise::no_differentQuantizers()
{
    PASS_CHANGES_NOTHING(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
%a: f32[4] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0)}
%b: f32[4] on s8(0.5, 1) = crease.FakeQuant(%x) {grid = s8(0.5, 1)}
output %a
output %b
)",
                         run);
}

void TestCanonicalise::no_quantizersOfConstants()
{
    PASS_CHANGES_NOTHING(R"(graph "g" ir 8 opset "" 13
const %x: f32[2] = [1, 2]
%a: f32[2] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0)}
%b: f32[2] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0)}
output %a
output %b
)",
                         run);
}

void TestCanonicalise::no_gemmRow()
{
    PASS_CHANGES_NOTHING(R"(graph "g" ir 8 opset "" 13
input %x: f32[2x2]
const %w: f32[2x3] = [1, 2, 3, 4, 5, 6]
const %c: f32[1x3] = [1, 2, 3]
%y: f32[2x3] = Gemm(%x, %w, %c) {alpha = 2.0, beta = 0.5}
output %y
)",
                         run);
}

void TestCanonicalise::no_convBiasOfConstant()
{
    PASS_CHANGES_NOTHING(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x1x2x2]
const %b: s32[2] codes s32(0.5, 0) = [1, 2]
const %w: f32[2x1x1x1] = [1, 2]
%bd: f32[2] on s32(0.5, 0) = crease.Dequantize(%b)
%y: f32[1x2x2x2] = Conv(%x, %w, %bd)
output %y
)",
                         run);
}

QTEST_GUILESS_MAIN(TestCanonicalise)
#include "tst_canonicalise.moc"
