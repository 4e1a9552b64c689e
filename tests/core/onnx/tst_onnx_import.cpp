// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/equal.h"
#include "core/ir/text_format.h"
#include "core/ir/verifier.h"
#include "core/onnx/importer.h"
#include "core/onnx/wire.h"
#include "core/onnx/writer.h"
#include "tests/core/onnx/model_text.h"
#include "tests/support/graph_text.h"

using namespace crease;

namespace {

Result<ImportedModel> imported(const onnx::ModelProto& model)
{
    return importModelFromBytes(test::bytesOf(model), {}, {}, {});
}

QString errorOf(const onnx::ModelProto& model)
{
    const auto result = imported(model);
    return result ? QString("no error") : QString::fromStdString(result.error().message);
}

/// The diagnostics' ids.
QStringList idsOf(const ImportedModel& model)
{
    QStringList ids;
    for (const Diagnostic& diagnostic : model.diagnostics) {
        ids << QString::fromStdString(diagnostic.id);
    }
    return ids;
}

QString textOf(const Graph& graph)
{
    return QString::fromStdString(print(graph));
}

constexpr const char* functionHeader = R"(<ir_version: 8, opset_import: ["" : 17, "local" : 1]>
)";

} // namespace

#define VERIFY_SURVIVES(model)                                                                                         \
    do {                                                                                                               \
        VERIFY_RESULT(verify((model).graph));                                                                          \
        const auto written = modelBytes((model).graph);                                                                \
        VERIFY_RESULT(written);                                                                                        \
        const auto again = importModelFromBytes(*written, {}, {}, {});                                                 \
        VERIFY_RESULT(again);                                                                                          \
        std::string why;                                                                                               \
        QVERIFY2(equalGraphs((model).graph, again->graph, &why), why.c_str());                                         \
    } while (false)

class TestOnnxImport : public QObject {
    Q_OBJECT

private slots:
    void functionIsInlined();
    void functionsNest();
    void attributesReachTheBody();
    void defaultsOfAttributes();
    void overloadsAreTold();
    void functionOfAnotherOpset();
    void functionThatPassesItsInputOn();
    void unnamedQuantizersInAFunctionCalledTwice();
    void no_unusedFunction();
    void negative_functions_data();
    void negative_functions();
    void initializersAsInputs();
    void constantNodesOfEveryForm();
    void sparseConstant();
    void repeatedConstantsWarn();
    void subgraphsCapture();
    void outerNamesAreNotHidden();
    void subgraphInAFunction();
    void functionWithWeightsCalledTwice();
    void functionsThatExplode();
    void denotationsAreTold();
    void trainingModeIsTold();
    void outputsThatCountStay();
    void negative_graphs_data();
    void negative_graphs();
    void unsortedNodesAreSorted();
    void namesAreMadeUnique();
    void unknownOpsSurvive();
    void whatIsSaidSurvives();
    void newerFieldsSurvive();
    void oddBytesInNamesSurvive();
    void versions();
    void axisBelowOpset13();
    void rangesOfMqbench();
    void emptyNameIsAbsent();
};

void TestOnnxImport::functionIsInlined()
{
    const auto model = imported(test::protoOf(std::string(functionHeader) + R"(
g (float[2] x) => (float[2] y) { a = local.twice (x) y = local.twice (a) }
<domain: "local", opset_import: ["" : 17]> twice (v) => (w) { t = Neg (v) w = Neg (t) })"));
    VERIFY_RESULT(model);
    QCOMPARE(textOf(model->graph), QString(R"(graph "g" ir 8 opset "" 17, "local" 1
input %x: f32[2]
%a/t: f32[2] = Neg(%x) "a/t"
%a: f32[2] = Neg(%a/t) "a"
%y/t: f32[2] = Neg(%a) "y/t"
%y: f32[2] = Neg(%y/t) "y"
output %y
)"));
    VERIFY_SURVIVES(*model);
}

void TestOnnxImport::functionsNest()
{
    const auto model = imported(test::protoOf(std::string(functionHeader) + R"(
g (float[2] x) => (float[2] y) { y = local.outer (x) }
<domain: "local", opset_import: ["" : 17, "local" : 1]> outer (v) => (w) { t = local.inner (v) w = Relu (t) }
<domain: "local", opset_import: ["" : 17]> inner (v) => (w) { w = Neg (v) })"));
    VERIFY_RESULT(model);
    QCOMPARE(textOf(model->graph), QString(R"(graph "g" ir 8 opset "" 17, "local" 1
input %x: f32[2]
%y/t: f32[2] = Neg(%x) "y/t"
%y: f32[2] = Relu(%y/t) "y"
output %y
)"));
    VERIFY_SURVIVES(*model);
}

void TestOnnxImport::attributesReachTheBody()
{
    const auto model = imported(test::protoOf(std::string(functionHeader) + R"(
g (float[2] x) => (float[2] y) { y = local.outer <beta: float = 0.25> (x) }
<domain: "local", opset_import: ["" : 17, "local" : 1]> outer <beta> (v) => (w) {
    t = local.inner <slope: float = @beta> (v)
    w = LeakyRelu <alpha: float = @unset> (t)
}
<domain: "local", opset_import: ["" : 17]> inner <slope> (v) => (w) {
    c = Constant <value_float: float = @slope> ()
    t = LeakyRelu <alpha: float = @slope> (v)
    w = Mul (t, c)
})"));
    VERIFY_RESULT(model);
    QCOMPARE(textOf(model->graph), QString(R"(graph "g" ir 8 opset "" 17, "local" 1
input %x: f32[2]
const %y/t/c: f32[] = [0.25]
%y/t/t: f32[2] = LeakyRelu(%x) {alpha = 0.25} "y/t/t"
%y/t: f32[2] = Mul(%y/t/t, %y/t/c) "y/t"
%y: f32[2] = LeakyRelu(%y/t) "y"
output %y
)"));
    VERIFY_SURVIVES(*model);
}

void TestOnnxImport::defaultsOfAttributes()
{
    onnx::ModelProto proto = test::protoOf(std::string(functionHeader) + R"(
g (float[2] x) => (float[2] y) { a = local.f <alpha: float = 0.5> (x) y = local.f (a) }
<domain: "local", opset_import: ["" : 17]> f (v) => (w) { w = LeakyRelu <alpha: float = @alpha> (v) })");
    onnx::AttributeProto fallback;
    fallback.set_name("alpha");
    fallback.set_type(onnx::AttributeProto::FLOAT);
    fallback.set_f(0.125F);
    std::string field;
    wire::appendField(field, 11, fallback.SerializeAsString());
    QVERIFY(proto.mutable_functions(0)->MergeFromString(field));
    const auto model = imported(proto);
    VERIFY_RESULT(model);
    QVERIFY(textOf(model->graph).contains("%a: f32[2] = LeakyRelu(%x) {alpha = 0.5}"));
    QVERIFY(textOf(model->graph).contains("%y: f32[2] = LeakyRelu(%a) {alpha = 0.125}"));
}

void TestOnnxImport::overloadsAreTold()
{
    onnx::ModelProto proto = test::protoOf(std::string(functionHeader) + R"(
g (float[2] x) => (float[2] y) { a = local.f (x) y = local.f (a) }
<domain: "local", opset_import: ["" : 17]> f (v) => (w) { w = Relu (v) }
<domain: "local", opset_import: ["" : 17]> f (v) => (w) { w = Neg (v) })");
    std::string ofFunction;
    wire::appendField(ofFunction, 13, "second");
    QVERIFY(proto.mutable_functions(1)->MergeFromString(ofFunction));
    std::string ofNode;
    wire::appendField(ofNode, 8, "second");
    QVERIFY(proto.mutable_graph()->mutable_node(1)->MergeFromString(ofNode));
    const auto model = imported(proto);
    VERIFY_RESULT(model);
    QVERIFY(textOf(model->graph).contains("%a: f32[2] = Relu(%x)"));
    QVERIFY(textOf(model->graph).contains("%y: f32[2] = Neg(%a)"));
}

void TestOnnxImport::functionOfAnotherOpset()
{
    const auto model = imported(test::protoOf(R"(<ir_version: 8, opset_import: ["" : 11, "local" : 1]>
g (float[2,3,4] x) => (float[2,3,4] y) { a = Softmax <axis = 1> (x) y = local.f (a) }
<domain: "local", opset_import: ["" : 13]> f (v) => (w) { w = Softmax <axis = 1> (v) })"));
    VERIFY_RESULT(model);
    QCOMPARE(model->originalOpset, 13);
    const QString text = textOf(model->graph);
    QVERIFY2(text.contains("Flatten(%x) {axis = 1}"), qPrintable(text));
    QVERIFY2(text.contains("%y: f32[2x3x4] = Softmax(%a) {axis = 1}"), qPrintable(text));
    VERIFY_SURVIVES(*model);
}

void TestOnnxImport::functionThatPassesItsInputOn()
{
    const auto model = imported(test::protoOf(std::string(functionHeader) + R"(
g (float[2] x) => (float[2] y, float[2] z) { y, z = local.f (x) }
<domain: "local", opset_import: ["" : 17]> f (v) => (v, w) { w = Neg (v) })"));
    VERIFY_RESULT(model);
    QCOMPARE(textOf(model->graph), QString(R"(graph "g" ir 8 opset "" 17, "local" 1
input %x: f32[2]
%z: f32[2] = Neg(%x) "z"
%y: f32[2] = Identity(%x) "y"
output %y
output %z
)"));
    VERIFY_SURVIVES(*model);
}

void TestOnnxImport::unnamedQuantizersInAFunctionCalledTwice()
{
    const auto model = imported(test::protoOf(std::string(functionHeader) + R"(
g (float[2,2] x) => (float[2,2] y) { a = local.q (x) b = Relu (a) y = local.q (b) }
<domain: "local", opset_import: ["" : 17]> q (v) => (w) {
    s = Constant <value_float: float = 0.5> ()
    z = Constant <value: tensor = uint8 {0}> ()
    c = QuantizeLinear (v, s, z)
    d = DequantizeLinear (c, s, z)
    w = Transpose <perm = [1, 0]> (d)
})"));
    VERIFY_RESULT(model);
    QCOMPARE(model->graph.nodeCount(), 7U);
    QSet<QString> names;
    for (const NodeId id : model->graph.order()) {
        names.insert(QString::fromStdString(model->graph.node(id).name));
    }
    QCOMPARE(names.size(), 7);
    QVERIFY(!names.contains(""));
    VERIFY_SURVIVES(*model);
}

void TestOnnxImport::no_unusedFunction()
{
    const auto model = imported(test::protoOf(std::string(functionHeader) + R"(
g (float[2] x) => (float[2] y) { y = Relu (x) }
<domain: "local", opset_import: ["" : 17]> f (v) => (w) { w = Neg (v) })"));
    VERIFY_RESULT(model);
    QCOMPARE(model->graph.nodeCount(), 1U);
}

void TestOnnxImport::negative_functions_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    QTest::newRow("calls itself") << R"(g (float[2] x) => (float[2] y) { y = local.f (x) }
<domain: "local", opset_import: ["local" : 1]> f (v) => (w) { w = local.h (v) }
<domain: "local", opset_import: ["local" : 1]> h (v) => (w) { w = local.f (v) })"
                                  << "function 'f' calls itself";
    QTest::newRow("too many inputs") << R"(g (float[2] x) => (float[2] y) { y = local.f (x, x) }
<domain: "local", opset_import: ["" : 17]> f (v) => (w) { w = Neg (v) })"
                                     << "function 'f' has 1 inputs and 1 outputs and is called with 2 and 1";
    QTest::newRow("output missing") << R"(g (float[2] x) => (float[2] y) { y = local.f (x) }
<domain: "local", opset_import: ["" : 17]> f (v) => (w) { z = Neg (v) })"
                                    << "function 'f' does not produce its output 'w'";
    QTest::newRow("reads the caller's values") << R"(g (float[2] x) => (float[2] y) { y = local.f (x) }
<domain: "local", opset_import: ["" : 17]> f (v) => (w) { w = Neg (x) })"
                                               << "nothing produces an input of Neg 'w'";
    QTest::newRow("two of one name") << R"(g (float[2] x) => (float[2] y) { y = local.f (x) }
<domain: "local", opset_import: ["" : 17]> f (v) => (w) { w = Neg (v) }
<domain: "local", opset_import: ["" : 17]> f (v) => (w) { w = Relu (v) })"
                                     << "two functions are called 'f' in domain 'local'";
    QTest::newRow("reference outside") << "g (float[2] x) => (float[2] y) { y = LeakyRelu <alpha: float = @a> (x) }"
                                       << "attribute 'alpha' refers to 'a' outside of a function";
}

void TestOnnxImport::negative_functions()
{
    QFETCH(QString, text);
    QFETCH(QString, expected);
    const QString error = errorOf(test::protoOf(functionHeader + text.toStdString()));
    QVERIFY2(error.startsWith(expected), qPrintable(error));
}

void TestOnnxImport::initializersAsInputs()
{
    const auto model =
        imported(test::protoOf(10, "g (float[2] x, float[2] w = {1.0, 2.0}) => (float[2] y) { y = Add (x, w) }", 3));
    VERIFY_RESULT(model);
    QCOMPARE(model->graph.inputs().size(), 1U);
    const Value& w = model->graph.value(model->graph.findValue("w"));
    QVERIFY(w.isConstant() && w.alsoInput);
    QCOMPARE(idsOf(*model), QStringList{"initializers-as-inputs"});
    VERIFY_SURVIVES(*model);

    onnx::ModelProto written;
    QVERIFY(written.ParseFromString(*modelBytes(model->graph)));
    QCOMPARE(written.graph().input_size(), 2);
    QCOMPARE(written.graph().initializer_size(), 1);
    QCOMPARE(written.ir_version(), 3);
}

void TestOnnxImport::constantNodesOfEveryForm()
{
    const auto model = imported(test::protoOf(13, R"(g (float[2] x) => (float[2] y, string t, int64[2] i) {
    a = Constant <value: tensor = float[2] {1.0, 2.0}> ()
    b = Constant <value_float: float = 3.0> ()
    c = Constant <value_floats: floats = [4.0, 5.0]> ()
    t = Constant <value_string = "six"> ()
    i = Constant <value_ints = [7, 8]> ()
    s = Sum (x, a, b, c)
    y = Relu (s)
})"));
    VERIFY_RESULT(model);
    QCOMPARE(textOf(model->graph), QString(R"(graph "g" ir 7 opset "" 13
input %x: f32[2]
const %a: f32[2] = [1, 2]
const %b: f32[] = [3]
const %c: f32[2] = [4, 5]
const %t: str[] = ["six"]
const %i: s64[2] = [7, 8]
%s: f32[2] = Sum(%x, %a, %b, %c) "s"
%y: f32[2] = Relu(%s) "y"
output %y
output %t
output %i
)"));
    VERIFY_SURVIVES(*model);
    QVERIFY(errorOf(test::protoOf(13, "g (float x) => (float y) { c = Constant () y = Add (x, c) }"))
                .startsWith("a Constant node has no value"));
}

void TestOnnxImport::sparseConstant()
{
    onnx::ModelProto proto = test::protoOf(13, "g (float[2,3] x) => (float[2,3] y) { y = Add (x, w) }");
    auto& sparse = *proto.mutable_graph()->add_sparse_initializer();
    sparse.add_dims(2);
    sparse.add_dims(3);
    sparse.mutable_values()->set_name("w");
    sparse.mutable_values()->set_data_type(1);
    sparse.mutable_values()->add_dims(2);
    sparse.mutable_values()->add_float_data(5.0F);
    sparse.mutable_values()->add_float_data(6.0F);
    sparse.mutable_indices()->set_data_type(7);
    sparse.mutable_indices()->add_dims(2);
    sparse.mutable_indices()->add_dims(2);
    for (const int index : {0, 1, 1, 2}) {
        sparse.mutable_indices()->add_int64_data(index);
    }
    const auto model = imported(proto);
    VERIFY_RESULT(model);
    QVERIFY(textOf(model->graph).contains("const %w: f32[2x3] = [0, 5, 0, 0, 0, 6]"));
    sparse.mutable_indices()->set_int64_data(3, 3);
    QVERIFY(errorOf(proto).startsWith("sparse tensor 2x3 has index 3"));
    sparse.set_dims(0, std::int64_t{1} << 40);
    QVERIFY(errorOf(proto).contains("over the limit"));
}

void TestOnnxImport::repeatedConstantsWarn()
{
    const auto model = imported(test::protoOf(11, R"(g (float x) => (float y) {
    c = Constant <value: tensor = float {1.0}> ()
    c = Constant <value: tensor = float {2.0}> ()
    y = Add (x, c)
})"));
    VERIFY_RESULT(model);
    QCOMPARE(idsOf(*model), QStringList{"repeated-constants"});
    QCOMPARE(model->graph.value(model->graph.findValue("c")).constant.asDouble(0), 2.0);
}

void TestOnnxImport::subgraphsCapture()
{
    const auto model = imported(test::protoOf(13, R"(g (bool c, float[2] x, float[2] w = {1.0, 2.0}) => (float[2] y) {
    y = If (c) <
        then_branch = t () => (float[2] o) { o = Add (x, w) },
        else_branch = e () => (float[2] o) {
            o = If (c) <
                then_branch = tt () => (float[2] p) { p = Neg (x) },
                else_branch = ee () => (float[2] p) { p = Relu (x) }
            >
        }
    >
})"));
    VERIFY_RESULT(model);
    const Graph& graph = model->graph;
    const Node& node = graph.node(graph.order().front());
    QCOMPARE(node.captures.size(), 4U); // x and w; c and x
    QCOMPARE(graph.uses(graph.findValue("x")).size(), 2U);
    QCOMPARE(graph.uses(graph.findValue("w")).size(), 1U);
    VERIFY_SURVIVES(*model);
}

/// A pass may give an outer value a name that a subgraph uses; a file must not.
void TestOnnxImport::outerNamesAreNotHidden()
{
    auto model = imported(test::protoOf(13, R"(g (bool c, float[2] x) => (float[2] y) {
    a = Neg (x)
    y = If (c) < then_branch = t () => (float[2] o) { o = Add (x, a) }, else_branch = e () => (float[2] o) { o = Relu (x) } >
})"));
    VERIFY_RESULT(model);
    const ValueId a = model->graph.findValue("a");
    Value renamed = model->graph.value(a);
    renamed.name = "o";
    model->graph.setValue(a, renamed);
    const auto written = modelBytes(model->graph);
    VERIFY_RESULT(written);
    onnx::ModelProto proto;
    QVERIFY(proto.ParseFromString(*written));
    for (const auto& attribute : proto.graph().node(1).attribute()) {
        QCOMPARE(attribute.g().output(0).name(), std::string("o_1"));
        QCOMPARE(attribute.g().node(0).output(0), std::string("o_1"));
        if (attribute.name() == "then_branch") {
            QCOMPARE(attribute.g().node(0).input(1), std::string("o"));
        }
    }
    VERIFY_RESULT(importModelFromBytes(*written, {}, {}, {}));
}

void TestOnnxImport::subgraphInAFunction()
{
    const auto model = imported(test::protoOf(std::string(functionHeader) + R"(
g (bool c, float[2] x) => (float[2] y) { y = local.f <slope: float = 0.5> (c, x) }
<domain: "local", opset_import: ["" : 17]> f <slope> (k, v) => (w) {
    n = Neg (v)
    w = If (k) <
        then_branch = t () => (float[2] o) { o = LeakyRelu <alpha: float = @slope> (n) },
        else_branch = e () => (float[2] o) { o = Relu (v) }
    >
})"));
    VERIFY_RESULT(model);
    const QString text = textOf(model->graph);
    QVERIFY2(text.contains("LeakyRelu(%y/n) {alpha = 0.5}"), qPrintable(text));
    VERIFY_SURVIVES(*model);
}

void TestOnnxImport::functionWithWeightsCalledTwice()
{
    onnx::ModelProto proto = test::protoOf(std::string(functionHeader) + R"(
g (bool c, float[2] x) => (float[2] y) { a = local.f (c, x) y = local.f (c, a) }
<domain: "local", opset_import: ["" : 17]> f (k, v) => (w) {
    w = If (k) <
        then_branch = t () => (float[2] o) { o = Add (v, n) },
        else_branch = e () => (float[2] o) { o = Relu (v) }
    >
})");
    const std::vector<float> values{1.5F, 2.5F};
    auto& weight = *proto.mutable_functions(0)->mutable_node(0)->mutable_attribute(0)->mutable_g()->add_initializer();
    weight.set_name("n");
    weight.set_data_type(1);
    weight.add_dims(2);
    weight.set_raw_data(values.data(), 8);
    const auto model = imported(proto);
    VERIFY_RESULT(model);
    QCOMPARE(textOf(model->graph).count("const %n: f32[2] = [1.5, 2.5]"), 2);
    VERIFY_SURVIVES(*model);
}

void TestOnnxImport::functionsThatExplode()
{
    std::string text(functionHeader);
    text += "g (float[2] x) => (float[2] y) { y = local.f0 (x) }\n";
    for (int i = 0; i < 30; ++i) {
        const std::string callee = i == 29 ? "Neg" : "local.f" + std::to_string(i + 1);
        text += "<domain: \"local\", opset_import: [\"\" : 17, \"local\" : 1]> f" + std::to_string(i) +
                " (v) => (w) { t = " + callee + " (v) w = " + callee + " (t) }\n";
    }
    const QString error = errorOf(test::protoOf(text));
    QCOMPARE(error, QString("functions, inlined, give over 300000 nodes"));
}

void TestOnnxImport::denotationsAreTold()
{
    onnx::ModelProto proto = test::protoOf(13, "g (float[2] x) => (float[2] y) { y = Neg (x) }");
    proto.mutable_graph()
        ->mutable_input(0)
        ->mutable_type()
        ->mutable_tensor_type()
        ->mutable_shape()
        ->mutable_dim(0)
        ->set_denotation("DATA_BATCH");
    const auto model = imported(proto);
    VERIFY_RESULT(model);
    QCOMPARE(idsOf(*model), QStringList{"denotations"});
}

void TestOnnxImport::trainingModeIsTold()
{
    const auto model = imported(test::protoOf(13, R"(g (float[1,2,3] x, float[2] s) => (float[1,2,3] y) {
        y, m, v, sm, sv = BatchNormalization (x, s, s, s, s) })"));
    VERIFY_RESULT(model);
    QCOMPARE(idsOf(*model), QStringList{"training-mode"});
    const auto inference = imported(test::protoOf(14, R"(g (float[1,2,3] x, float[2] s) => (float[1,2,3] y) {
        y = BatchNormalization <training_mode = 0> (x, s, s, s, s) })"));
    VERIFY_RESULT(inference);
    QVERIFY(inference->diagnostics.empty());
}

void TestOnnxImport::outputsThatCountStay()
{
    onnx::ModelProto proto = test::protoOf(11, "g (float[6] x) => (float[2] a) { a, b, c = Split <axis = 0> (x) }");
    proto.mutable_graph()->mutable_node(0)->set_output(1, "");
    proto.mutable_graph()->mutable_node(0)->set_output(2, "");
    const auto model = imported(proto);
    VERIFY_RESULT(model);
    const Node& node = model->graph.node(model->graph.order()[0]);
    QCOMPARE(node.outputs.size(), 3U);
    QCOMPARE(node.intAttribute("num_outputs", 0), 3);
    VERIFY_SURVIVES(*model);
}

void TestOnnxImport::negative_graphs_data()
{
    QTest::addColumn<QString>("graph");
    QTest::addColumn<QString>("expected");
    QTest::newRow("cycle") << "g (float x) => (float y) { a = Add (x, b) b = Neg (a) y = Relu (b) }"
                           << "the graph has a cycle through this node";
    QTest::newRow("own output") << "g (float x) => (float y) { y = Add (x, y) }"
                                << "the graph has a cycle through this node";
    QTest::newRow("two producers") << "g (float x) => (float y) { y = Neg (x) y = Relu (x) }"
                                   << "both Neg 'y' and Relu 'y' produce this value";
    QTest::newRow("input and node") << "g (float x) => (float y) { x = Neg (x) y = Relu (x) }"
                                    << "both Neg 'x' and a graph input or initializer produce this value";
    QTest::newRow("no producer") << "g (float x) => (float y) { y = Add (x, z) }"
                                 << "nothing produces an input of Add 'y'";
    QTest::newRow("no output") << "g (float x) => (float z) { y = Neg (x) }" << "nothing produces this graph output";
    QTest::newRow("two inputs") << "g (float x, float x) => (float y) { y = Neg (x) }"
                                << "two graph inputs have this name";
    QTest::newRow("cycle in a subgraph") << R"(g (bool c, float x) => (float y) { y = If (c) <
        then_branch = t () => (float o) { o = Neg (p) p = Neg (o) }, else_branch = e () => (float o) { o = Neg (x) }> })"
                                         << "attribute 'then_branch': the graph has a cycle through this node";
    QTest::newRow("too few elements") << "g (float x) => (float y) <float[3] w = {1.0, 2.0}> { y = Add (x, w) }"
                                      << "3 elements of float32 (3) and 2 entries of float_data";
}

void TestOnnxImport::negative_graphs()
{
    QFETCH(QString, graph);
    QFETCH(QString, expected);
    const auto result = imported(test::protoOf(13, graph.toStdString()));
    QVERIFY(!result.has_value());
    QCOMPARE(result.error().kind, ErrorKind::Input);
    QCOMPARE(QString::fromStdString(result.error().message), expected);
    QVERIFY(!result.error().node.empty() || !result.error().value.empty());
}

void TestOnnxImport::unsortedNodesAreSorted()
{
    const auto model = imported(test::protoOf(13, "g (float x) => (float y) { y = Relu (a) a = Neg (x) }"));
    VERIFY_RESULT(model);
    QCOMPARE(model->graph.node(model->graph.order().front()).op, std::string("Neg"));
    VERIFY_SURVIVES(*model);
}

void TestOnnxImport::namesAreMadeUnique()
{
    onnx::ModelProto proto =
        test::protoOf(13, "g (float x) => (float y) { a = Neg (x) b = Neg (a) c = Neg (b) y = Neg (c) }");
    proto.mutable_graph()->mutable_node(1)->set_name("twin");
    proto.mutable_graph()->mutable_node(2)->set_name("twin");
    proto.mutable_graph()->mutable_node(3)->set_name("a");
    const auto model = imported(proto);
    VERIFY_RESULT(model);
    QStringList names;
    for (const NodeId id : model->graph.order()) {
        names << QString::fromStdString(model->graph.node(id).name);
    }
    QCOMPARE(names, QStringList({"a_1", "twin", "twin_1", "a"}));
    VERIFY_SURVIVES(*model);
}

void TestOnnxImport::unknownOpsSurvive()
{
    const auto model = imported(test::protoOf(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[2] x) => (float[2] y) {
    a = my.company.Twirl <n = 3, how = "so", parts: floats = [1.0, 2.5]> (x, x)
    y = NoSuchOp (a)
})"));
    VERIFY_RESULT(model);
    QCOMPARE(idsOf(*model), QStringList{"domain-not-imported"});
    QVERIFY(textOf(model->graph).contains(R"(my.company.Twirl@0(%x, %x) {how = "so", n = 3, parts = [1.0, 2.5]})"));
    VERIFY_SURVIVES(*model);
}

void TestOnnxImport::whatIsSaidSurvives()
{
    onnx::ModelProto proto =
        test::protoOf(13, "g (float[batch, 3] x) => (float[batch, 3] y) { a = Neg (x) y = Relu (a) }");
    proto.set_producer_name("maker");
    proto.set_producer_version("1.2");
    proto.set_domain("some.where");
    proto.set_model_version(7);
    proto.set_doc_string("of the model");
    auto& entry = *proto.add_metadata_props();
    entry.set_key("k");
    entry.set_value("v");
    proto.mutable_graph()->set_doc_string("of the graph");
    proto.mutable_graph()->mutable_input(0)->set_doc_string("of the input");
    proto.mutable_graph()->mutable_node(0)->set_doc_string("of the node");
    auto& sequence = *proto.mutable_graph()->add_value_info();
    sequence.set_name("a");
    sequence.mutable_type()->mutable_tensor_type()->set_elem_type(1);
    sequence.set_doc_string("of the value");
    auto& note = *proto.mutable_graph()->add_quantization_annotation();
    note.set_tensor_name("x");
    const auto model = imported(proto);
    VERIFY_RESULT(model);
    const Graph& graph = model->graph;
    QCOMPARE(graph.model().producerName, std::string("maker"));
    QCOMPARE(graph.model().metadata, (Metadata{{"k", "v"}}));
    QCOMPARE(graph.doc, std::string("of the graph"));
    QCOMPARE(graph.value(graph.inputs()[0]).doc, std::string("of the input"));
    QCOMPARE(graph.value(graph.findValue("a")).doc, std::string("of the value"));
    QCOMPARE(graph.node(graph.order()[0]).doc, std::string("of the node"));
    QCOMPARE(graph.value(graph.inputs()[0]).shape->front().symbol, std::string("batch"));
    VERIFY_SURVIVES(*model);

    onnx::ModelProto written;
    QVERIFY(written.ParseFromString(*modelBytes(graph)));
    QCOMPARE(written.model_version(), 7);
    QCOMPARE(written.graph().quantization_annotation_size(), 1);
    QCOMPARE(written.graph().output(0).type().tensor_type().shape().dim(0).dim_param(), std::string("batch"));
}

void TestOnnxImport::newerFieldsSurvive()
{
    onnx::ModelProto proto = test::protoOf(13, "g (float x) => (float y) <float w = {1.0}> { y = Add (x, w) }");
    const auto add = [](google::protobuf::Message& message, int number, const std::string& payload) {
        std::string field;
        wire::appendField(field, number, payload);
        return message.MergeFromString(field);
    };
    QVERIFY(add(*proto.mutable_graph()->mutable_node(0), 9, wire::keyAndValueBytes("namespace", "a.b")));
    QVERIFY(add(*proto.mutable_graph()->mutable_node(0), 10, "device"));
    QVERIFY(add(*proto.mutable_graph()->mutable_node(0), 77, "tomorrow"));
    QVERIFY(add(*proto.mutable_graph()->mutable_input(0), 4, wire::keyAndValueBytes("in", "put")));
    QVERIFY(add(*proto.mutable_graph()->mutable_initializer(0), 16, wire::keyAndValueBytes("ten", "sor")));
    QVERIFY(add(*proto.mutable_graph(), 16, wire::keyAndValueBytes("gra", "ph")));
    QVERIFY(add(proto, 26, "configuration"));
    const auto model = imported(proto);
    VERIFY_RESULT(model);
    const Graph& graph = model->graph;
    QCOMPARE(graph.node(graph.order()[0]).metadata, (Metadata{{"namespace", "a.b"}}));
    QCOMPARE(graph.value(graph.inputs()[0]).metadata, (Metadata{{"in", "put"}}));
    QCOMPARE(graph.value(graph.findValue("w")).metadata, (Metadata{{"ten", "sor"}}));
    QCOMPARE(graph.metadata, (Metadata{{"gra", "ph"}}));
    VERIFY_SURVIVES(*model);
    const std::string written = *modelBytes(graph);
    for (const char* payload : {"device", "tomorrow", "configuration", "namespace", "put", "sor", "gra"}) {
        QVERIFY2(written.find(payload) != std::string::npos, payload);
    }
}

void TestOnnxImport::oddBytesInNamesSurvive()
{
    onnx::ModelProto proto = test::protoOf(13, "g (float x) => (float y) { a = Neg (x) y = Relu (a) }");
    const std::string odd = "\xFF\xFE";
    const std::string heavy = "ж/重み:0";
    proto.mutable_graph()->mutable_node(0)->set_output(0, odd);
    proto.mutable_graph()->mutable_node(1)->set_input(0, odd);
    proto.mutable_graph()->mutable_node(0)->set_name(heavy);
    const auto model = imported(proto);
    VERIFY_RESULT(model);
    QVERIFY(model->graph.findValue(odd).valid());
    QVERIFY(model->graph.findNode(heavy).valid());
    VERIFY_SURVIVES(*model);

    proto.mutable_graph()->mutable_node(1)->set_input(0, "\xFF");
    const auto result = imported(proto);
    QVERIFY(!result.has_value());
    QCOMPARE(result.error().value, std::string("\\xFF"));
}

void TestOnnxImport::versions()
{
    const auto of = [](int ir, int opset) {
        return test::protoOf(opset, "g (float x) => (float y) { y = Neg (x) }", ir);
    };
    QVERIFY(errorOf(of(2, 13)).startsWith("IR version 2 is older than 3"));
    QVERIFY(errorOf(of(8, 6)).startsWith("opset 6 is older than 7"));
    for (const int ir : {3, 14}) {
        const auto model = imported(of(ir, 7));
        VERIFY_RESULT(model);
        QVERIFY(model->diagnostics.empty());
        QCOMPARE(model->graph.model().irVersion, ir);
    }
    const auto newer = imported(of(15, 26));
    VERIFY_RESULT(newer);
    QCOMPARE(idsOf(*newer), QStringList({"newer-ir", "newer-opset"}));
    VERIFY_SURVIVES(*newer);

    onnx::ModelProto unstated = of(8, 13);
    unstated.clear_opset_import();
    QVERIFY(errorOf(unstated).startsWith("the model imports no version of ai.onnx"));
    unstated = of(8, 13);
    unstated.clear_ir_version();
    QVERIFY(errorOf(unstated).startsWith("the model states no IR version"));
    unstated.clear_graph();
    QVERIFY(errorOf(unstated).startsWith("this is no ONNX model: it has no graph"));
}

void TestOnnxImport::axisBelowOpset13()
{
    const auto one = imported(test::protoOf(10, R"(g (float[2] x) => (uint8[2] y) <float s = {0.5}, uint8 z = {0}> {
    y = QuantizeLinear <axis = 0> (x, s, z) })"));
    VERIFY_RESULT(one);
    QCOMPARE(idsOf(*one), QStringList{"axis-below-opset-13"});
    QVERIFY(one->graph.node(one->graph.order()[0]).attributes.empty());

    const auto several =
        imported(test::protoOf(10, R"(g (float[2] x) => (uint8[2] y) <float[2] s = {0.5, 1.0}, uint8[2] z = {0, 0}> {
    y = QuantizeLinear <axis = 0> (x, s, z) })"));
    VERIFY_RESULT(several);
    const Node& node = several->graph.node(several->graph.order()[0]);
    QCOMPARE(node.intAttribute("axis", 1), 0);
    QCOMPARE(node.version, 13);
    QCOMPARE(requiredOpset(several->graph), 13);
    VERIFY_SURVIVES(*several);
}

void TestOnnxImport::rangesOfMqbench()
{
    const auto model = imported(test::protoOf(13, R"(g (float[2] x) => (float[2] y) <float s = {0.5}, int8 z = {0}> {
    q = QuantizeLinear <quant_min = -8, quant_max = 7> (x, s, z)
    y = DequantizeLinear <quant_min = -8, quant_max = 7> (q, s, z) })"));
    VERIFY_RESULT(model);
    QCOMPARE(idsOf(*model), QStringList{"quant-min-max"});
    QVERIFY2(textOf(model->graph).contains(R"(%q_unclipped: s8[2] = QuantizeLinear(%x, %s, %z) "q_unclipped"
%q: s8[2] = Clip(%q_unclipped, %q_quant_min, %q_quant_max) "q"
%y: f32[2] = DequantizeLinear(%q, %s, %z) "y"
)"),
             qPrintable(textOf(model->graph)));
    QCOMPARE(model->graph.value(model->graph.findValue("q_quant_min")).constant.asInt(0), -8);
    VERIFY_SURVIVES(*model);

    const auto whole = imported(test::protoOf(13, R"(g (float[2] x) => (int8[2] q) <float s = {0.5}, int8 z = {0}> {
    q = QuantizeLinear <quant_min = -128, quant_max = 127> (x, s, z) })"));
    VERIFY_RESULT(whole);
    QCOMPARE(whole->graph.nodeCount(), 1U);
}

void TestOnnxImport::emptyNameIsAbsent()
{
    const auto model = imported(test::protoOf(13, "g (float[2] x, float hi) => (float[2] y) { y = Clip (x, , hi) }"));
    VERIFY_RESULT(model);
    QVERIFY(textOf(model->graph).contains("Clip(%x, _, %hi)"));
    VERIFY_SURVIVES(*model);
}

QTEST_GUILESS_MAIN(TestOnnxImport)
#include "tst_onnx_import.moc"
