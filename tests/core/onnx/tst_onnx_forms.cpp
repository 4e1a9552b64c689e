// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/equal.h"
#include "core/ir/text_format.h"
#include "core/onnx/importer.h"
#include "core/onnx/writer.h"
#include "tests/core/onnx/model_text.h"
#include "tests/support/graph_text.h"

using namespace crease;

namespace {

/// The text form without what is the same in every row: the header, inputs and outputs.
QString bodyOf(const Graph& graph)
{
    QStringList lines = QString::fromStdString(print(graph)).split('\n', Qt::SkipEmptyParts);
    lines.removeIf([](const QString& line) {
        return line.startsWith("graph ") || line.startsWith("input ") || line.startsWith("output ");
    });
    return lines.join('\n');
}

/// Op, number of inputs and attributes of each node of a model, Constant nodes left out.
QString formOf(const std::string& bytes)
{
    onnx::ModelProto model;
    if (!model.ParseFromString(bytes)) {
        return "malformed";
    }
    QStringList nodes;
    for (const auto& node : model.graph().node()) {
        if (node.op_type() == "Constant") {
            continue;
        }
        QStringList attributes;
        for (const auto& attribute : node.attribute()) {
            // `spatial` of opset 8 has no other value that is read.
            if (attribute.name() != "spatial") {
                attributes << QString::fromStdString(attribute.name());
            }
        }
        attributes.sort();
        nodes << QString("%1/%2{%3}")
                     .arg(QString::fromStdString(node.op_type()))
                     .arg(node.input_size())
                     .arg(attributes.join(' '));
    }
    return nodes.join(' ');
}

} // namespace

class TestOnnxForms : public QObject {
    Q_OBJECT

private slots:
    void formsBecomeOne_data();
    void formsBecomeOne();
    void opsetIsRaised_data();
    void opsetIsRaised();
    void requiredOpsetIsFound_data();
    void requiredOpsetIsFound();
    void newerNodeIsRefused();
};

void TestOnnxForms::formsBecomeOne_data()
{
    QTest::addColumn<int>("opset");
    QTest::addColumn<QString>("graph");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, int opset, const char* graph, const char* expected) {
        QTest::addRow("%s of opset %d", name, opset) << opset << graph << expected;
    };
    const char* clip6 = "g (float[2] x) => (float[2] y) { y = Clip <min: float = 0.5, max: float = 6.0> (x) }";
    row("Clip", 7, clip6, R"(const %y_min: f32[] = [0.5]
const %y_max: f32[] = [6]
%y: f32[2] = Clip(%x, %y_min, %y_max) "y")");
    row("Clip", 10, clip6, R"(const %y_min: f32[] = [0.5]
const %y_max: f32[] = [6]
%y: f32[2] = Clip(%x, %y_min, %y_max) "y")");
    row("Clip without bounds", 10, "g (float[2] x) => (float[2] y) { y = Clip (x) }", R"(%y: f32[2] = Clip(%x) "y")");
    row("Clip of half floats", 10, "g (float16[2] x) => (float16[2] y) { y = Clip <min: float = 0.1> (x) }",
        R"(const %y_min: f16[] = [0.099975586]
%y: f16[2] = Clip(%x, %y_min) "y")");
    row("Clip", 11, "g (float[2] x, float lo) => (float[2] y) { y = Clip (x, lo) }",
        R"(%y: f32[2] = Clip(%x, %lo) "y")");
    row("Squeeze", 11, "g (float[1,2] x) => (float[2] y) { y = Squeeze <axes = [0]> (x) }",
        R"(const %y_axes: s64[1] = [0]
%y: f32[2] = Squeeze(%x, %y_axes) "y")");
    row("Unsqueeze", 7, "g (float[2] x) => (float[1,2] y) { y = Unsqueeze <axes = [0]> (x) }",
        R"(const %y_axes: s64[1] = [0]
%y: f32[1x2] = Unsqueeze(%x, %y_axes) "y")");
    row("Squeeze", 13, "g (float[1,2] x) => (float[2] y) <int64[1] a = {0}> { y = Squeeze (x, a) }",
        R"(const %a: s64[1] = [0]
%y: f32[2] = Squeeze(%x, %a) "y")");
    row("Split", 7, "g (float[4] x) => (float[2] a, float[2] b) { a, b = Split <axis = 0> (x) }",
        R"(%a: f32[2], %b: f32[2] = Split(%x) {axis = 0, num_outputs = 2} "a")");
    row("Split", 12, "g (float[4] x) => (float[1] a, float[3] b) { a, b = Split <axis = 0, split = [1, 3]> (x) }",
        R"(const %a_split: s64[2] = [1, 3]
%a: f32[1], %b: f32[3] = Split(%x, %a_split) {axis = 0} "a")");
    row("Split", 18, "g (float[4] x) => (float[2] a, float[2] b) { a, b = Split <axis = 0, num_outputs = 2> (x) }",
        R"(%a: f32[2], %b: f32[2] = Split(%x) {axis = 0, num_outputs = 2} "a")");
    row("Pad", 7, "g (float[2] x) => (float[4] y) { y = Pad <pads = [1, 1], value: float = 0.5> (x) }",
        R"(const %y_pads: s64[2] = [1, 1]
const %y_value: f32[] = [0.5]
%y: f32[4] = Pad(%x, %y_pads, %y_value) "y")");
    row("Pad", 10, "g (float[2] x) => (float[4] y) { y = Pad <pads = [1, 1], mode = \"edge\"> (x) }",
        R"(const %y_pads: s64[2] = [1, 1]
%y: f32[4] = Pad(%x, %y_pads) {mode = "edge"} "y")");
    row("Slice", 9, "g (float[4] x) => (float[2] y) { y = Slice <starts = [1], ends = [3], axes = [0]> (x) }",
        R"(const %y_starts: s64[1] = [1]
const %y_ends: s64[1] = [3]
const %y_axes: s64[1] = [0]
%y: f32[2] = Slice(%x, %y_starts, %y_ends, %y_axes) "y")");
    row("ReduceSum", 12, "g (float[4] x) => (float[1] y) { y = ReduceSum <axes = [0], keepdims = 1> (x) }",
        R"(const %y_axes: s64[1] = [0]
%y: f32[1] = ReduceSum(%x, %y_axes) {keepdims = 1} "y")");
    row("ReduceMean", 17, "g (float[4] x) => (float y) { y = ReduceMean <axes = [0], keepdims = 0> (x) }",
        R"(const %y_axes: s64[1] = [0]
%y: f32[] = ReduceMean(%x, %y_axes) {keepdims = 0} "y")");
    row("ReduceMean of all", 17, "g (float[4] x) => (float y) { y = ReduceMean <keepdims = 0> (x) }",
        R"(%y: f32[] = ReduceMean(%x) {keepdims = 0} "y")");
    row("TopK", 9, "g (float[4] x) => (float[2] v, int64[2] i) { v, i = TopK <k = 2, axis = 0> (x) }",
        R"(const %v_k: s64[1] = [2]
%v: f32[2], %i: s64[2] = TopK(%x, %v_k) {axis = 0} "v")");
    row("Dropout", 10, "g (float[4] x) => (float[4] y) { y = Dropout <ratio: float = 0.25> (x) }",
        R"(const %y_ratio: f32[] = [0.25]
%y: f32[4] = Dropout(%x, %y_ratio) "y")");
    row("BatchNormalization", 8,
        R"(g (float[1,2,3] x) => (float[1,2,3] y) <float[2] s = {1.0, 2.0}, float[2] b = {0.0, 0.0}> {
        y = BatchNormalization <spatial = 1> (x, s, b, b, s) })",
        R"(const %s: f32[2] = [1, 2]
const %b: f32[2] = [0, 0]
%y: f32[1x2x3] = BatchNormalization(%x, %s, %b, %b, %s) "y")");
    row("Upsample", 7,
        "g (float[1,1,2,2] x) => (float[1,1,4,4] y) { y = Upsample <mode = \"nearest\", scales: floats = [1.0, 1.0, "
        "2.0, 2.0]> (x) }",
        R"(const %y_scales: f32[4] = [1, 1, 2, 2]
%y: f32[1x1x4x4] = Resize(%x, _, %y_scales) {coordinate_transformation_mode = "asymmetric", mode = "nearest", nearest_mode = "floor"} "y")");
    row("Upsample", 9,
        "g (float[1,1,2,2] x) => (float[1,1,4,4] y) <float[4] s = {1.0, 1.0, 2.0, 2.0}> { y = Upsample <mode = "
        "\"linear\"> (x, s) }",
        R"(const %s: f32[4] = [1, 1, 2, 2]
%y: f32[1x1x4x4] = Resize(%x, _, %s) {coordinate_transformation_mode = "asymmetric", mode = "linear", nearest_mode = "floor"} "y")");
    row("Resize", 10,
        "g (float[1,1,2,2] x) => (float[1,1,4,4] y) <float[4] s = {1.0, 1.0, 2.0, 2.0}> { y = Resize (x, s) }",
        R"(const %s: f32[4] = [1, 1, 2, 2]
%y: f32[1x1x4x4] = Resize(%x, _, %s) {coordinate_transformation_mode = "asymmetric", nearest_mode = "floor"} "y")");
    row("Resize", 11,
        "g (float[1,1,2,2] x) => (float[1,1,4,4] y) <float[4] s = {1.0, 1.0, 2.0, 2.0}, float[0] r = {}> { y = Resize "
        "<mode = \"nearest\"> (x, r, s) }",
        R"(const %s: f32[4] = [1, 1, 2, 2]
%y: f32[1x1x4x4] = Resize(%x, _, %s) {mode = "nearest"} "y")");
    row("Scatter", 9, "g (float[3] x, int64[1] i, float[1] u) => (float[3] y) { y = Scatter <axis = 0> (x, i, u) }",
        R"(%y: f32[3] = ScatterElements(%x, %i, %u) {axis = 0} "y")");
    row("GridSample", 16,
        "g (float[1,1,2,2] x, float[1,2,2,2] f) => (float[1,1,2,2] y) { y = GridSample <mode = \"bilinear\"> (x, f) }",
        R"(%y: f32[1x1x2x2] = GridSample(%x, %f) {mode = "linear"} "y")");
    row("DFT", 17, "g (float[1,4,1] x) => (float[1,4,2] y) { y = DFT (x) }", R"(const %y_axis: s64[] = [1]
%y: f32[1x4x2] = DFT(%x, _, %y_axis) "y")");
}

void TestOnnxForms::formsBecomeOne()
{
    QFETCH(int, opset);
    QFETCH(QString, graph);
    QFETCH(QString, expected);
    const onnx::ModelProto source = test::protoOf(opset, graph.toStdString());
    const auto model = importModelFromBytes(test::bytesOf(source), {}, {}, {});
    VERIFY_RESULT(model);
    QCOMPARE(bodyOf(model->graph), expected);

    const auto written = modelBytes(model->graph);
    VERIFY_RESULT(written);
    QCOMPARE(formOf(*written), formOf(test::bytesOf(source)));
    const auto again = importModelFromBytes(*written, {}, {}, {});
    VERIFY_RESULT(again);
    std::string why;
    QVERIFY2(equalGraphs(model->graph, again->graph, &why), why.c_str());
}

void TestOnnxForms::opsetIsRaised_data()
{
    QTest::addColumn<int>("opset");
    QTest::addColumn<int>("target");
    QTest::addColumn<QString>("graph");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, int opset, int target, const char* graph, const char* expected) {
        QTest::newRow(name) << opset << target << graph << expected;
    };
    row("Clip", 7, 13, "g (float[2] x) => (float[2] y) { y = Clip <min: float = 0.5> (x) }", "Clip/2{}");
    row("Squeeze", 11, 13, "g (float[1,2] x) => (float[2] y) { y = Squeeze <axes = [0]> (x) }", "Squeeze/2{}");
    row("Upsample", 9, 13, R"(g (float[1,1,2,2] x) => (float[1,1,4,4] y) <float[4] s = {1.0, 1.0, 2.0, 2.0}> {
        y = Upsample <mode = "nearest"> (x, s) })",
        "Resize/3{coordinate_transformation_mode mode nearest_mode}");
    row("Upsample to 11", 9, 11, R"(g (float[1,1,2,2] x) => (float[1,1,4,4] y) <float[4] s = {1.0, 1.0, 2.0, 2.0}> {
        y = Upsample <mode = "nearest"> (x, s) })",
        "Resize/3{coordinate_transformation_mode mode nearest_mode}");
    row("Softmax on the last axis", 11, 13, "g (float[2,3] x) => (float[2,3] y) { y = Softmax (x) }",
        "Softmax/1{axis}");
    row("Softmax that flattens", 11, 13, "g (float[2,3,4] x) => (float[2,3,4] y) { y = Softmax (x) }",
        "Shape/1{} Flatten/1{axis} Softmax/1{axis} Reshape/2{}");
    row("no_ Softmax that stays below 13", 9, 12, "g (float[2,3,4] x) => (float[2,3,4] y) { y = Softmax (x) }",
        "Softmax/1{}");
    row("GroupNormalization", 18, 21,
        R"(g (float[1,4,2] x) => (float[1,4,2] y) <float[2] s = {1.0, 2.0}, float[2] b = {3.0, 4.0}> {
        y = GroupNormalization <num_groups = 2> (x, s, b) })",
        "GroupNormalization/3{num_groups}");
    row("negative_ GroupNormalization with computed scales", 18, 21,
        "g (float[1,4,2] x, float[2] s, float[2] b) => (float[1,4,2] y) { y = GroupNormalization <num_groups = 2> (x, "
        "s, b) }",
        "y: GroupNormalization below opset 21 needs constant scales and known channels");
    row("negative_ BatchNormalization per element", 8, 13, R"(g (float[1,2,3] x, float[2,3] s) => (float[1,2,3] y) {
        y = BatchNormalization <spatial = 0> (x, s, s, s, s) })",
        "y: BatchNormalization of opset 8 cannot be said in opset 13");
}

void TestOnnxForms::opsetIsRaised()
{
    QFETCH(int, opset);
    QFETCH(int, target);
    QFETCH(QString, graph);
    QFETCH(QString, expected);
    auto model = importModelFromBytes(test::bytesOf(test::protoOf(opset, graph.toStdString())), {}, {}, {});
    VERIFY_RESULT(model);
    ModelInfo info = model->graph.model();
    info.opsets[""] = target;
    model->graph.setModel(info);
    const auto written = modelBytes(model->graph);
    if (expected.contains(": ")) {
        QVERIFY(!written.has_value());
        QCOMPARE(QString::fromStdString(written.error().node + ": " + written.error().message), expected);
        return;
    }
    VERIFY_RESULT(written);
    QCOMPARE(formOf(*written), expected);
}

void TestOnnxForms::requiredOpsetIsFound_data()
{
    QTest::addColumn<int>("opset");
    QTest::addColumn<QString>("graph");
    QTest::addColumn<int>("expected");
    const auto row = [](const char* name, int opset, const char* graph, int expected) {
        QTest::newRow(name) << opset << graph << expected;
    };
    row("Relu", 18, "g (float[2] x) => (float[2] y) { y = Relu (x) }", 7);
    row("Relu of int8", 18, "g (int8[2] x) => (int8[2] y) { y = Relu (x) }", 14);
    row("constant Clip", 18, "g (float[2] x) => (float[2] y) <float lo = {0.5}> { y = Clip (x, lo) }", 7);
    row("computed Clip", 18, "g (float[2] x, float lo) => (float[2] y) { y = Clip (x, lo) }", 11);
    row("integer Clip", 18, "g (uint8[2] x, uint8 lo) => (uint8[2] y) { y = Clip (x, lo) }", 12);
    row("constant axes", 18, "g (float[2] x) => (float[1] y) <int64[1] a = {0}> { y = ReduceMean (x, a) }", 7);
    row("computed axes", 18, "g (float[2] x, int64[1] a) => (float[1] y) { y = ReduceMean (x, a) }", 18);
    row("Softmax on the last axis", 13, "g (float[2,3] x) => (float[2,3] y) { y = Softmax <axis = 1> (x) }", 11);
    row("Softmax on another axis", 13, "g (float[2,3] x) => (float[2,3] y) { y = Softmax <axis = 0> (x) }", 13);
    row("LayerNormalization", 18, "g (float[2] x) => (float[2] y) { y = LayerNormalization (x, x) }", 17);
    row("QuantizeLinear", 18,
        "g (float[2] x) => (uint8[2] y) <float s = {0.5}, uint8 z = {0}> { y = QuantizeLinear (x, s, z) }", 10);
    row("QuantizeLinear per channel", 18,
        "g (float[2] x) => (uint8[2] y) <float[2] s = {0.5, 0.5}, uint8[2] z = {0, 0}> { y = QuantizeLinear <axis = 0> "
        "(x, s, z) }",
        13);
    row("QuantizeLinear to 16 bits", 21,
        "g (float[2] x) => (uint16[2] y) <float s = {0.5}, uint16 z = {0}> { y = QuantizeLinear (x, s, z) }", 21);
    row("MaxPool of uint8", 18,
        "g (uint8[1,1,4,4] x) => (uint8[1,1,2,2] y) { y = MaxPool <kernel_shape = [3, 3]> (x) }", 12);
    row("AveragePool with dilations", 19,
        "g (float[1,1,4,4] x) => (float[1,1,2,2] y) { y = AveragePool <kernel_shape = [2, 2], dilations = [2, 2]> (x) "
        "}",
        19);
    row("AveragePool with no dilations", 19,
        "g (float[1,1,4,4] x) => (float[1,1,3,3] y) { y = AveragePool <kernel_shape = [2, 2], dilations = [1, 1]> (x) "
        "}",
        7);
    row("Resize", 18,
        "g (float[1,1,2,2] x) => (float[1,1,4,4] y) <float[4] s = {1.0, 1.0, 2.0, 2.0}> { y = Resize (x, , s) }", 11);
}

void TestOnnxForms::requiredOpsetIsFound()
{
    QFETCH(int, opset);
    QFETCH(QString, graph);
    QFETCH(int, expected);
    const auto model = importModelFromBytes(test::bytesOf(test::protoOf(opset, graph.toStdString())), {}, {}, {});
    VERIFY_RESULT(model);
    QCOMPARE(requiredOpset(model->graph), expected);
}

void TestOnnxForms::newerNodeIsRefused()
{
    auto model = importModelFromBytes(
        test::bytesOf(test::protoOf(13, "g (float[2,3] x) => (float[2,3] y) { y = Softmax <axis = 0> (x) }")), {}, {},
        {});
    VERIFY_RESULT(model);
    ModelInfo info = model->graph.model();
    info.opsets[""] = 11;
    model->graph.setModel(info);
    const auto written = modelBytes(model->graph);
    QVERIFY(!written.has_value());
    QCOMPARE(written.error().kind, ErrorKind::Unsupported);
    QCOMPARE(QString::fromStdString(written.error().message), QString("Softmax needs opset 13, the file has 11"));
}

QTEST_GUILESS_MAIN(TestOnnxForms)
#include "tst_onnx_forms.moc"
