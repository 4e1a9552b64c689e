// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/propagate_grids.h"
#include "tests/support/graph_run.h"
#include "tests/support/pass_pipeline_test.h"

using namespace crease;

namespace {

/// Values on three grids (a twice), joined, and a linear op over them.
std::string joined(const std::string& join, const std::string& linear, const std::string& weight)
{
    return R"(graph "g" ir 8 opset "" 13
input %x: f32[1x1x2x2]
input %u: f32[1x2x2x2]
)" + weight +
           R"(%a: f32[1x1x2x2] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0)}
%b: f32[1x2x2x2] on s8(0.25, 3) = crease.FakeQuant(%u) {grid = s8(0.25, 3)}
)" + join + linear +
           "output %y\n";
}

const std::string convWeight = "const %w: s8[2x4x1x1] codes s8([0.5, 2], [0, 1], axis 0) = [1, 2, 3, 4, 5, 6, 7, 8]\n"
                               "%wd: f32[2x4x1x1] on s8([0.5, 2], [0, 1], axis 0) = crease.Dequantize(%w)\n";

int count(const Stage& stage, std::string_view op)
{
    int found = 0;
    for (const NodeId id : stage.after.order()) {
        found += stage.after.node(id).op == op ? 1 : 0;
    }
    return found;
}

} // namespace

class TestSplitConcat : public QObject {
    Q_OBJECT

private slots:
    void sumOfConvs_data();
    void sumOfConvs();
    void no_oneGrid();
    void no_floatInput();
    void negative_otherAxis();
    void negative_scalesAlongTheSum();
    void negative_groups();
};

void TestSplitConcat::sumOfConvs_data()
{
    QTest::addColumn<QString>("join");
    QTest::addColumn<QString>("linear");
    QTest::addColumn<QString>("weight");
    QTest::addColumn<int>("parts");
    const QString conv = "%y: f32[1x2x2x2] = Conv(%c, %wd) {bias = f64 [1.0, 2.0]} \"conv\"\n";
    QTest::newRow("three parts, two of one grid") << "%c: f32[1x4x2x2] = Concat(%a, %a, %b) {axis = 1}\n"
                                                  << conv << QString::fromStdString(convWeight) << 2;
    QTest::newRow("three parts") << "%c: f32[1x4x2x2] = Concat(%a, %b, %a) {axis = -3}\n"
                                 << conv << QString::fromStdString(convWeight) << 3;
    QTest::newRow("nested") << "%i: f32[1x3x2x2] = Concat(%a, %b) {axis = 1}\n"
                               "%c: f32[1x4x2x2] = Concat(%i, %a) {axis = 1}\n"
                            << conv << QString::fromStdString(convWeight) << 3;
    QTest::newRow("transposed") << "%c: f32[1x3x2x2] = Concat(%b, %a) {axis = 1}\n"
                                << "%y: f32[1x2x2x2] = ConvTranspose(%c, %wd)\n"
                                << "const %w: s8[3x2x1x1] codes s8([0.5, 2], [0, 1], axis 1) = [1, 2, 3, 4, 5, 6]\n"
                                   "%wd: f32[3x2x1x1] on s8([0.5, 2], [0, 1], axis 1) = crease.Dequantize(%w)\n"
                                << 2;
}

void TestSplitConcat::sumOfConvs()
{
    QFETCH(QString, join);
    QFETCH(QString, linear);
    QFETCH(QString, weight);
    QFETCH(int, parts);
    const std::string text = joined(join.toStdString(), linear.toStdString(), weight.toStdString());
    const Stage stage = test::runPasses(text, {runPropagateGrids});
    QCOMPARE(count(stage, "Conv") + count(stage, "ConvTranspose"), parts);
    QCOMPARE(count(stage, "Add"), parts - 1);
    QVERIFY(stage.missed.empty());
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestSplitConcat::no_oneGrid()
{
    const Stage stage = test::runPasses(joined("%c: f32[1x4x2x2] = Concat(%a, %a, %a, %a) {axis = 1}\n",
                                               "%y: f32[1x2x2x2] = Conv(%c, %wd)\n", convWeight),
                                        {runPropagateGrids});
    QCOMPARE(count(stage, "Conv"), 1);
}

void TestSplitConcat::no_floatInput()
{
    const Stage stage = test::runPasses(
        joined("%c: f32[1x4x2x2] = Concat(%a, %x, %b) {axis = 1}\n", "%y: f32[1x2x2x2] = Conv(%c, %wd)\n", convWeight),
        {runPropagateGrids});
    QCOMPARE(count(stage, "Conv"), 1);
}

void TestSplitConcat::negative_otherAxis()
{
    const Stage stage =
        test::runPasses(joined("%c: f32[1x2x4x2] = Concat(%b, %d) {axis = 2}\n", "%y: f32[1x2x4x2] = Conv(%c, %wd)\n",
                               "const %w: s8[2x2x1x1] codes s8(0.5, 0) = [1, 2, 3, 4]\n"
                               "%wd: f32[2x2x1x1] on s8(0.5, 0) = crease.Dequantize(%w)\n"
                               "%d: f32[1x2x2x2] on s8(0.125, 0) = crease.FakeQuant(%u) {grid = s8(0.125, 0)}\n"),
                        {runPropagateGrids});
    QCOMPARE(count(stage, "Conv"), 1);
    QCOMPARE(test::missIds(stage), QString("concat-of-grids"));
}

void TestSplitConcat::negative_scalesAlongTheSum()
{
    const Stage stage = test::runPasses(
        joined("%c: f32[1x4x2x2] = Concat(%a, %a, %b) {axis = 1}\n", "%y: f32[1x2x2x2] = Conv(%c, %wd)\n",
               "const %w: s8[2x4x1x1] codes s8([0.5, 2, 1, 3], [0, 0, 0, 0], axis 1) = [1, 2, 3, 4, 5, 6, 7, 8]\n"
               "%wd: f32[2x4x1x1] on s8([0.5, 2, 1, 3], [0, 0, 0, 0], axis 1) = crease.Dequantize(%w)\n"),
        {runPropagateGrids});
    QCOMPARE(count(stage, "Conv"), 1);
    QCOMPARE(test::missIds(stage), QString("concat-of-grids"));
}

void TestSplitConcat::negative_groups()
{
    const Stage stage = test::runPasses(joined("%c: f32[1x4x2x2] = Concat(%a, %a, %b) {axis = 1}\n",
                                               "%y: f32[1x2x2x2] = Conv(%c, %wd) {group = 2}\n",
                                               "const %w: s8[2x2x1x1] codes s8(0.5, 0) = [1, 2, 3, 4]\n"
                                               "%wd: f32[2x2x1x1] on s8(0.5, 0) = crease.Dequantize(%w)\n"),
                                        {runPropagateGrids});
    QCOMPARE(count(stage, "Conv"), 1);
    QCOMPARE(test::missIds(stage), QString("concat-of-grids"));
}

QTEST_GUILESS_MAIN(TestSplitConcat)
#include "tst_split_concat.moc"
