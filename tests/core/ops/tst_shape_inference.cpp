// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/op_table.h"
#include "tests/support/graph_text.h"

using namespace crease;
using namespace crease::test;

namespace {

QString inferred(const Graph& graph, std::string_view name)
{
    const Value& value = graph.value(graph.findValue(name));
    const std::string shape = value.shape ? toText(*value.shape) : "unknown";
    return QString::fromStdString(std::string(shortName(value.type)) + " " + shape);
}

} // namespace

class TestShapeInference : public QObject {
    Q_OBJECT

private slots:
    void oneNode_data();
    void oneNode();
    void shapeVectors_data();
    void shapeVectors();
    void symbolsOfInputsAndOutputsStay();
    void subgraphs();
    void negative_contradictions_data();
    void negative_contradictions();
    void inferNodeAlone();
    void codesKeepTheirTypes();
};

void TestShapeInference::oneNode_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("shape");
    const auto row = [](const char* name, const char* inputs, const char* node, const char* shape) {
        QTest::newRow(name)
            << QString("graph \"g\" ir 8 opset \"\" 13\n%1\n%y: ?[*] = %2\noutput %y\n").arg(inputs, node) << shape;
    };
    row("conv", "input %x: f32[Nx3x32x32]\nconst %w: f32[1x3x1x1] = [1,1,1]",
        "Conv(%x, %w) {pads = [1, 1, 1, 1], strides = [2, 2]}", "f32 Nx1x17x17");
    row("conv of unknown height", "input %x: f32[1x1xHx8]\nconst %w: f32[1x1x1x1] = [1]", "Conv(%x, %w)",
        "f32 1x1x?x8");
    row("transposed conv", "input %x: f32[1x1x4x4]\nconst %w: f32[1x1x1x1] = [1]",
        "ConvTranspose(%x, %w) {strides = [2, 2], output_padding = [1, 0]}", "f32 1x1x8x7");
    row("gemm", "input %x: f32[Nx4]\ninput %w: f32[8x4]", "Gemm(%x, %w) {transB = 1}", "f32 Nx8");
    row("matmul", "input %x: f32[Bx1x4x5]\ninput %w: f32[7x5x6]", "MatMul(%x, %w)", "f32 Bx7x4x6");
    row("matmul by a vector", "input %x: f32[2x5]\ninput %w: f32[5]", "MatMul(%x, %w)", "f32 2");
    row("einsum", "input %x: f32[2x3]\ninput %w: f32[3x4]", "Einsum(%x, %w) {equation = \"ij,jk->ik\"}", "f32 2x4");
    row("broadcast", "input %x: f32[Nx1x4]\ninput %w: f32[3x1]", "Add(%x, %w)", "f32 Nx3x4");
    row("two symbols", "input %x: f32[Nx4]\ninput %w: f32[Mx4]", "Add(%x, %w)", "f32 ?x4");
    row("comparison", "input %x: f32[Nx4]\ninput %w: f32[4]", "Less(%x, %w)", "b1 Nx4");
    row("cast", "input %x: f32[N]", "Cast(%x) {to = 7}", "s64 N");
    row("max pool", "input %x: f32[Nx3x8x8]", "MaxPool(%x) {kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1}",
        "f32 Nx3x4x4");
    row("global pool", "input %x: f32[Nx3xHxW]", "GlobalAveragePool(%x)", "f32 Nx3x1x1");
    row("reduce", "input %x: f32[Nx3x4]\nconst %a: s64[1] = [-1]", "ReduceMean(%x, %a) {keepdims = 0}", "f32 Nx3");
    row("argmax", "input %x: f32[Nx3x4]", "ArgMax(%x) {axis = 1, keepdims = 0}", "s64 Nx4");
    row("concat", "input %x: f32[Nx3]\ninput %w: f32[?x5]", "Concat(%x, %w) {axis = -1}", "f32 Nx8");
    row("flatten", "input %x: f32[Nx3x4x5]", "Flatten(%x)", "f32 Nx60");
    row("transpose", "input %x: f32[Nx3x4]", "Transpose(%x) {perm = [2, 0, 1]}", "f32 4xNx3");
    row("slice",
        "input %x: f32[Nx10]\nconst %b: s64[1] = [-1]\nconst %e: s64[1] = [-20]\nconst %a: s64[1] = "
        "[1]\nconst %s: s64[1] = [-3]",
        "Slice(%x, %b, %e, %a, %s)", "f32 Nx4");
    row("pad", "input %x: f32[Nx4]\nconst %p: s64[4] = [0, 1, 0, 2]", "Pad(%x, %p)", "f32 Nx7");
    row("tile", "input %x: f32[Nx4]\nconst %r: s64[2] = [1, 3]", "Tile(%x, %r)", "f32 Nx12");
    row("gather", "input %x: f32[5xN]\ninput %i: s64[2x3]", "Gather(%x, %i)", "f32 2x3xN");
    row("top k", "input %x: f32[Nx9]\nconst %k: s64[1] = [4]", "TopK(%x, %k)", "f32 Nx4");
    row("depth to space", "input %x: f32[Nx8xHx4]", "DepthToSpace(%x) {blocksize = 2}", "f32 Nx2x?x8");
    row("resize", "input %x: f32[Nx3x4x4]\nconst %s: f32[4] = [1.0, 1.0, 2.0, 2.5]", "Resize(%x, _, %s)",
        "f32 Nx3x8x10");
    row("resize by a scale that float rounds down", "input %x: f32[10x10]\nconst %s: f32[2] = [0.7, 0.69]",
        "Resize(%x, _, %s)", "f32 7x6");
    row("range of nothing", "const %e: s64[0] = []\ninput %n: s64[]\nconst %o: s64[] = [1]", "Range(%e, %n, %o)",
        "s64 ?");
    row("missing zero point", "input %x: f32[N]\nconst %s: f32[] = [0.5]", "QuantizeLinear(%x, %s)", "u8 N");
    row("linear conv",
        "input %x: u8[Nx1x4x4]\nconst %s: f32[] = [0.5]\nconst %z: u8[] = [0]\nconst %w: s8[2x1x1x1] = "
        "[1, 2]\nconst %wz: s8[] = [0]\nconst %yz: s8[] = [1]",
        "QLinearConv(%x, %s, %z, %w, %s, %wz, %s, %yz)", "s8 Nx2x4x4");
    row("unknown op", "input %x: f32[N]", "com.example.Thing(%x)", "? unknown");
}

void TestShapeInference::oneNode()
{
    QFETCH(QString, text);
    Graph graph = graphOf(text.toStdString());
    VERIFY_RESULT(inferShapes(graph));
    QTEST(inferred(graph, "y"), "shape");
}

void TestShapeInference::shapeVectors_data()
{
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("shape");
    QTest::newRow("flatten by hand") << R"(const %i: s64[1] = [0]
const %m: s64[1] = [-1]
%s: ?[*] = Shape(%x)
%n: ?[*] = Gather(%s, %i)
%t: ?[*] = Concat(%n, %m) {axis = 0}
%y: ?[*] = Reshape(%x, %t))" << "f32 Nx48";
    QTest::newRow("scalar through unsqueeze") << R"(const %i: s64[] = [0]
const %a: s64[1] = [0]
const %r: s64[2] = [4, 12]
%s: ?[*] = Shape(%x)
%n: ?[*] = Gather(%s, %i)
%u: ?[*] = Unsqueeze(%n, %a)
%t: ?[*] = Concat(%u, %r) {axis = 0}
%y: ?[*] = Reshape(%x, %t))" << "f32 Nx4x12";
    QTest::newRow("arithmetic") << R"(const %b: s64[1] = [2]
const %e: s64[1] = [4]
const %two: s64[1] = [2]
const %l: s64[2] = [0, 3]
%s: ?[*] = Shape(%x)
%hw: ?[*] = Slice(%s, %b, %e)
%d: ?[*] = Mul(%hw, %two)
%t: ?[*] = Concat(%l, %d) {axis = 0}
%f: ?[*] = Cast(%t) {to = 6}
%c: ?[*] = Cast(%f) {to = 7}
%y: ?[*] = ConstantOfShape(%c))" << "f32 0x3x8x8";
    QTest::newRow("expand to a shape with -1 replaced") << R"(const %p: s64[4] = [-1, 3, 4, 4]
const %m: s64[] = [-1]
const %one: s64[4] = [1, 1, 1, 1]
%q: ?[*] = Equal(%p, %m)
%t: ?[*] = Where(%q, %one, %p)
%y: ?[*] = Expand(%x, %t))" << "f32 Nx3x4x4";
    QTest::newRow("range over a dimension") << R"(const %z: s64[] = [0]
const %o: s64[] = [1]
%s: ?[*] = Shape(%x)
%n: ?[*] = Gather(%s, %z)
%y: ?[*] = Range(%z, %n, %o))" << "s64 N";
    QTest::newRow("no contents: four elements of two and two") << R"(const %a: s64[2] = [2, 3]
const %b: s64[1x2] = [1, 2]
const %p: s64[2] = [2, 1]
const %q: s64[1] = [-1]
%c: ?[*] = Reshape(%a, %p)
%d: ?[*] = Add(%c, %b)
%t: ?[*] = Reshape(%d, %q)
%y: ?[*] = ConstantOfShape(%t))" << "f32 unknown";
    QTest::newRow("no contents: only the rank") << R"(input %t: s64[3]
%y: ?[*] = Reshape(%x, %t))" << "f32 ?x?x?";
}

void TestShapeInference::shapeVectors()
{
    QFETCH(QString, nodes);
    Graph graph = graphOf(
        QString("graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[Nx3x4x4]\n%1\noutput %y\n").arg(nodes).toStdString());
    VERIFY_RESULT(inferShapes(graph));
    QTEST(inferred(graph, "y"), "shape");
}

void TestShapeInference::symbolsOfInputsAndOutputsStay()
{
    Graph graph = graphOf(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4]
%h: f32[ax4] = Relu(%x)
%y: f32[batchx4] = Neg(%h)
output %y
)");
    VERIFY_RESULT(inferShapes(graph));
    QCOMPARE(inferred(graph, "h"), "f32 1x4");
    QCOMPARE(inferred(graph, "y"), "f32 batchx4");
}

void TestShapeInference::subgraphs()
{
    Graph graph = graphOf(R"(graph "outer" ir 8 opset "" 13
input %c: b1[]
input %w: f32[Nx4]
%y: ?[*] = If(%c) {then_branch = {
    graph "then" ir 8 opset "" 13
    captured %w: f32[*]
    %o: ?[*] = Neg(%w)
    output %o
}, else_branch = {
    graph "else" ir 8 opset "" 13
    captured %w: f32[*]
    %o: ?[*] = Concat(%w, %w) {axis = 1}
    output %o
}} captures then_branch %w, else_branch %w
output %y
)");
    VERIFY_RESULT(inferShapes(graph));
    QCOMPARE(inferred(graph, "y"), "f32 Nx?");
}

void TestShapeInference::negative_contradictions_data()
{
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("message");
    QTest::newRow("stated shape") << "%y: f32[2x5] = Relu(%x)" << "stated to be f32 2x5, and follows to be f32 2x4";
    QTest::newRow("stated type") << "%y: s8[2x4] = Relu(%x)" << "stated to be s8 2x4";
    QTest::newRow("broadcast") << "const %w: f32[3] = [1,2,3]\n%y: ?[*] = Add(%x, %w)" << "2x4 and 3 do not broadcast";
    QTest::newRow("reshape") << "const %w: s64[1] = [7]\n%y: ?[*] = Reshape(%x, %w)" << "2x4 cannot be reshaped to 7";
    QTest::newRow("axis") << "%y: ?[*] = Softmax(%x)\n%z: ?[*] = ArgMax(%x) {axis = 2}" << "axis 2 is out of range";
    QTest::newRow("matmul") << "%y: ?[*] = MatMul(%x, %x)" << "2x4 and 2x4 do not multiply";
    QTest::newRow("missing inputs") << "%y: ?[*] = Add(%x)" << "1 inputs, not 2 to 2";
}

void TestShapeInference::negative_contradictions()
{
    QFETCH(QString, nodes);
    QFETCH(QString, message);
    Graph graph = graphOf(
        QString("graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[2x4]\n%1\noutput %y\n").arg(nodes).toStdString());
    const auto result = inferShapes(graph);
    QVERIFY(!result.has_value());
    QVERIFY2(QString::fromStdString(result.error().message).contains(message), result.error().message.c_str());
    QVERIFY(!result.error().node.empty());
}

void TestShapeInference::inferNodeAlone()
{
    const Graph graph =
        graphOf("graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[Nx4]\n%y: ?[*] = Softmax(%x)\noutput %y\n");
    const auto outputs = inferNode(graph, graph.node(graph.producer(graph.findValue("y"))));
    VERIFY_RESULT(outputs);
    QCOMPARE(outputs->size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(toText(*outputs->front().shape)), "Nx4");
}

void TestShapeInference::codesKeepTheirTypes()
{
    Graph graph = graphOf(R"(graph "g" ir 8 opset "" 13
input %x: s8[Nx4] codes s8(0.5, 0)
const %w: s8[4x2] codes s8(0.25, 0) = [1, 2, 3, 4, 5, 6, 7, 8]
%a: s32[*] codes s32(0.125, 0) = MatMul(%x, %w)
%y: ?[*] = crease.Dequantize(%a)
output %y
)");
    VERIFY_RESULT(inferShapes(graph));
    QCOMPARE(inferred(graph, "a"), "s32 Nx2");
    QCOMPARE(inferred(graph, "y"), "f32 Nx2");
}

QTEST_GUILESS_MAIN(TestShapeInference)
#include "tst_shape_inference.moc"
