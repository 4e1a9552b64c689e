// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/propagate_grids.h"
#include "tests/support/pass_test.h"

using namespace crease;

class TestPropagateGrids : public QObject {
    Q_OBJECT

private slots:
    void gridsPassThroughMovement();
    void no_gridPassesThroughArithmetic();
    void reluKeepsTheGrid();
    void no_gridPassesAClipOffTheGrid();
    void quantizerOnItsOwnGridGoes();
    void no_quantizerOfAnotherGridGoes();
    void quantizerMovesBeforeMovement();
    void no_quantizerMovesPastAFloatReader();
    void concatOfFloatsIsQuantizedBefore();
    void no_concatOfGridsIsQuantizedBefore();
    void padValueIsQuantizedWithTheGrid();
};

void TestPropagateGrids::gridsPassThroughMovement()
{
    COMPARE_RULES(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4x4x4]
const %shape: s64[2] = [1, -1]
%a: f32[1x4x4x4] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0)}
%b: f32[1x4x2x2] = MaxPool(%a) {kernel_shape = [2, 2], strides = [2, 2]}
%c: f32[1x16] = Reshape(%b, %shape)
output %c
)",
                  propagateGridsRules(), R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4x4x4]
const %shape: s64[2] = [1, -1]
%a: f32[1x4x4x4] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0)}
%b: f32[1x4x2x2] on s8(0.5, 0) = MaxPool(%a) {kernel_shape = [2, 2], strides = [2, 2]}
%c: f32[1x16] on s8(0.5, 0) = Reshape(%b, %shape)
output %c
)");
}

void TestPropagateGrids::no_gridPassesThroughArithmetic()
{
    NO_CHANGE(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4x4x4]
%a: f32[1x4x4x4] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0)}
%b: f32[1x4x2x2] = AveragePool(%a) {kernel_shape = [2, 2]}
%c: f32[1x4x4x4] = Add(%a, %a)
%d: f32[1x4x4x4] = Sigmoid(%a)
output %b
output %c
output %d
)",
              propagateGridsRules());
}

void TestPropagateGrids::reluKeepsTheGrid()
{
    const Stage stage = test::runRules(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
%a: f32[4] on u8(0.5, 7) = crease.FakeQuant(%x) {grid = u8(0.5, 7)}
%b: f32[4] = Relu(%a)
output %b
)",
                                       propagateGridsRules());
    QVERIFY(stage.after.value(stage.after.outputs()[0]).liesOn == Grid::perTensor(0.5, 7, ElementType::UInt8));
}

void TestPropagateGrids::no_gridPassesAClipOffTheGrid()
{
    NO_CHANGE(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
const %low: f32[] = [0]
const %high: f32[] = [1.3]
%a: f32[4] on u8(0.5, 7) = crease.FakeQuant(%x) {grid = u8(0.5, 7)}
%b: f32[4] = Clip(%a, %low, %high)
output %b
)",
              propagateGridsRules());
}

void TestPropagateGrids::quantizerOnItsOwnGridGoes()
{
    const Stage stage = test::runRules(R"(graph "g" ir 8 opset "" 13
input %x: f32[2x3]
%a: f32[2x3] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0)}
%b: f32[3x2] = Transpose(%a) {perm = [1, 0]}
%c: f32[3x2] on s8(0.5, 0) = crease.FakeQuant(%b) {grid = s8(0.5, 0)}
%d: f32[3x2] = Sigmoid(%c)
output %d
)",
                                       propagateGridsRules());
    QCOMPARE(stage.after.nodeCount(), std::size_t{3});
}

void TestPropagateGrids::no_quantizerOfAnotherGridGoes()
{
    // BC-44: both roundings and both clips count.
    NO_CHANGE(R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
%a: f32[2] on u8(0.5, 0) = crease.FakeQuant(%x) {grid = u8(0.5, 0)}
%b: f32[2] on u8(0.4, 0) = crease.FakeQuant(%a) {grid = u8(0.4, 0)}
%c: f32[2] on u8(0.4, 128) = crease.FakeQuant(%b) {grid = u8(0.4, 128)}
output %c
)",
              propagateGridsRules());
}

void TestPropagateGrids::quantizerMovesBeforeMovement()
{
    COMPARE_RULES(R"(graph "g" ir 8 opset "" 13
input %x: f32[2x3]
%a: f32[2x3] = Sigmoid(%x)
%b: f32[3x2] = Transpose(%a) {perm = [1, 0]}
%c: f32[3x2] on s8(0.5, 0) = crease.FakeQuant(%b) {grid = s8(0.5, 0)}
output %c
)",
                  propagateGridsRules(), R"(graph "g" ir 8 opset "" 13
input %x: f32[2x3]
%a: f32[2x3] = Sigmoid(%x)
%a/quantized: f32[2x3] on s8(0.5, 0) = crease.FakeQuant(%a) {grid = s8(0.5, 0)}
%c: f32[3x2] on s8(0.5, 0) = Transpose(%a/quantized) {perm = [1, 0]}
output %c
)");
}

void TestPropagateGrids::no_quantizerMovesPastAFloatReader()
{
    const std::string_view text = R"(graph "g" ir 8 opset "" 13
input %x: f32[2x3]
%a: f32[2x3] = Sigmoid(%x)
%b: f32[3x2] = Transpose(%a) {perm = [1, 0]}
%c: f32[3x2] on s8(0.5, 0) = crease.FakeQuant(%b) {grid = s8(0.5, 0)}
%d: f32[3x2] = Tanh(%b)
output %c
output %d
)";
    NO_CHANGE(text, propagateGridsRules());
    const Stage stage = test::runRules(text, propagateGridsRules());
    QCOMPARE(stage.missed.size(), std::size_t{1});
    QCOMPARE(stage.missed[0].miss.id, std::string("movement-read-elsewhere"));
}

void TestPropagateGrids::concatOfFloatsIsQuantizedBefore()
{
    const Stage stage = test::runRules(R"(graph "g" ir 8 opset "" 13
input %x: f32[2x3]
input %y: f32[2x3]
%a: f32[2x3] = Sigmoid(%x)
%q: f32[2x3] on s8(0.25, 0) = crease.FakeQuant(%y) {grid = s8(0.25, 0)}
%b: f32[2x9] = Concat(%a, %q, %a) {axis = 1}
%c: f32[2x9] on s8(0.5, 0) = crease.FakeQuant(%b) {grid = s8(0.5, 0)}
output %c
)",
                                       propagateGridsRules());
    const Graph& after = stage.after;
    const NodeId concat = after.producer(after.outputs()[0]);
    QCOMPARE(after.node(concat).op, std::string("Concat"));
    for (const ValueId input : after.node(concat).inputs) {
        QVERIFY(after.value(input).liesOn == Grid::perTensor(0.5, 0, ElementType::Int8));
    }
    QVERIFY(after.node(concat).inputs[0] == after.node(concat).inputs[2]);
}

void TestPropagateGrids::no_concatOfGridsIsQuantizedBefore()
{
    NO_CHANGE(R"(graph "g" ir 8 opset "" 13
input %x: f32[2x3]
%a: f32[2x3] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0)}
%b: f32[2x3] on s8(0.25, 0) = crease.FakeQuant(%x) {grid = s8(0.25, 0)}
%c: f32[2x6] = Concat(%a, %b) {axis = 1}
%d: f32[2x6] on s8(0.5, 0) = crease.FakeQuant(%c) {grid = s8(0.5, 0)}
output %d
)",
              propagateGridsRules());
}

void TestPropagateGrids::padValueIsQuantizedWithTheGrid()
{
    // BC-57: -1 is no point of a grid of scale float32(0.1).
    const Stage stage = test::runRules(R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
const %pads: s64[2] = [1, 1]
const %value: f32[] = [-1]
%a: f32[2] on u8(0.10000000149011612, 128) = crease.FakeQuant(%x) {grid = u8(0.10000000149011612, 128)}
%b: f32[4] = Pad(%a, %pads, %value)
%c: f32[4] on u8(0.10000000149011612, 128) = crease.FakeQuant(%b) {grid = u8(0.10000000149011612, 128)}
output %c
)",
                                       propagateGridsRules());
    const Graph& after = stage.after;
    const Node& pad = after.node(after.producer(after.outputs()[0]));
    QCOMPARE(pad.op, std::string("Pad"));
    const NodeId value = after.producer(pad.inputs[2]);
    QVERIFY(value.valid());
    QCOMPARE(after.value(after.node(value).inputs[0]).constant.asInt(0), std::int64_t{118});
}

QTEST_APPLESS_MAIN(TestPropagateGrids)
#include "tst_propagate_grids.moc"
