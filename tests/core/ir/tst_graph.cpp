// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/verifier.h"
#include "tests/support/graph_text.h"

#include <QElapsedTimer>

using namespace crease;

class TestGraph : public QObject {
    Q_OBJECT

private slots:
    void usesMirrorInputs();
    void sortKeepsOrderAndFindsCycles();
    void copiesAreIndependent();
    void freshNamesAreFree();
    void freshNamesKnowRenamedValues();
    void outputsAreReplacedAtEachPlace();
    void sortMovesNothingThatIsInOrder();
    void verifierNamesTheFault_data();
    void verifierNamesTheFault();
};

void TestGraph::usesMirrorInputs()
{
    Graph graph = test::graphOf(R"(graph "g" ir 8
input %x: f32[1]
input %z: f32[1]
%a: f32[1] = Add(%x, %x)
%b: f32[1] = Relu(%a)
output %b
output %b
)");
    const ValueId x = graph.findValue("x");
    const ValueId z = graph.findValue("z");
    QCOMPARE(graph.uses(x).size(), std::size_t{2});
    QCOMPARE(graph.fanOut(graph.findValue("b")), std::size_t{2});
    graph.replaceUses(x, z);
    QCOMPARE(graph.uses(x).size(), std::size_t{0});
    QCOMPARE(graph.uses(z).size(), std::size_t{2});
    graph.setUse(graph.uses(z)[1], x);
    QCOMPARE(graph.uses(x).size(), std::size_t{1});
    graph.removeNode(graph.producer(graph.findValue("b")));
    QCOMPARE(graph.nodeCount(), std::size_t{1});
    QVERIFY(!graph.producer(graph.findValue("b")).valid());
}

void TestGraph::sortKeepsOrderAndFindsCycles()
{
    Graph graph;
    const ValueId x = graph.addValue({.name = "x", .type = ElementType::Float32});
    const ValueId a = graph.addValue({.name = "a", .type = ElementType::Float32});
    const ValueId b = graph.addValue({.name = "b", .type = ElementType::Float32});
    graph.setInputs({x});
    const NodeId second = graph.addNode({.op = "Relu", .name = "second", .inputs = {a}, .outputs = {b}});
    const NodeId first = graph.addNode({.op = "Relu", .name = "first", .inputs = {x}, .outputs = {a}});
    VERIFY_RESULT(graph.sort());
    QVERIFY((graph.order() == std::vector<NodeId>{first, second}));
    graph.setUse({first, 0}, b);
    const auto sorted = graph.sort();
    QVERIFY(!sorted.has_value());
    QCOMPARE(sorted.error().id, std::string("cyclic-graph"));
    QVERIFY(!sorted.error().node.empty());
}

void TestGraph::copiesAreIndependent()
{
    Graph graph;
    ValueId last = graph.addValue({.name = "x", .type = ElementType::Float32});
    graph.setInputs({last});
    for (int i = 0; i < 1000; ++i) {
        const ValueId next = graph.addValue({.name = "v" + std::to_string(i), .type = ElementType::Float32});
        graph.addNode({.op = "Relu", .inputs = {last}, .outputs = {next}});
        last = next;
    }
    graph.setOutputs({last});
    const Graph copy = graph;
    const NodeId victim = graph.order()[500];
    Node changed = graph.node(victim);
    changed.op = "Neg";
    graph.setNode(victim, changed);
    QCOMPARE(copy.node(victim).op, std::string("Relu"));
    QCOMPARE(graph.node(victim).op, std::string("Neg"));
    QVERIFY(copy.nodeRef(graph.order()[1]) == graph.nodeRef(graph.order()[1]));
    VERIFY_RESULT(verify(copy));
    VERIFY_RESULT(verify(graph));
}

void TestGraph::freshNamesAreFree()
{
    Graph graph;
    graph.addValue({.name = "b"});
    graph.addValue({.name = "b_1"});
    QCOMPARE(graph.freshName("b"), std::string("b_2"));
    QCOMPARE(graph.freshName("c"), std::string("c"));
    graph.addValue({.name = "c"});
    QCOMPARE(graph.freshName("c"), std::string("c_1"));
}

void TestGraph::freshNamesKnowRenamedValues()
{
    Graph graph;
    const ValueId a = graph.addValue({.name = "a"});
    const ValueId b = graph.addValue({.name = "b"});
    QCOMPARE(graph.freshName("a"), std::string("a_1"));
    const Graph before = graph;
    // In two steps, as a graph output hands its name on: in between two values have the same.
    graph.setValue(a, {.name = "b"});
    graph.setValue(b, {.name = "c"});
    QCOMPARE(graph.freshName("a"), std::string("a"));
    QCOMPARE(graph.freshName("b"), std::string("b_1"));
    QCOMPARE(graph.freshName("c"), std::string("c_1"));
    graph.removeValue(a);
    QCOMPARE(graph.freshName("b"), std::string("b"));
    // The copy keeps its own names.
    QCOMPARE(before.freshName("c"), std::string("c"));
    QVERIFY(before.freshName("a") != "a");
}

void TestGraph::outputsAreReplacedAtEachPlace()
{
    Graph graph = test::graphOf(R"(graph "g" ir 8
input %x: f32[1]
%a: f32[1] = Relu(%x)
%b: f32[1] = Neg(%x)
%c: f32[1] = Abs(%x)
output %a
output %b
output %a
)");
    const ValueId a = graph.findValue("a");
    const ValueId b = graph.findValue("b");
    const ValueId c = graph.findValue("c");
    graph.replaceOutput(a, c);
    QVERIFY((graph.outputs() == std::vector<ValueId>{c, b, c}));
    QVERIFY(!graph.isOutput(a));
    QCOMPARE(graph.fanOut(c), std::size_t{2});
    graph.replaceOutput(a, b); // no output any more
    QVERIFY((graph.outputs() == std::vector<ValueId>{c, b, c}));
    QCOMPARE(graph.fanOut(b), std::size_t{1});
    QCOMPARE(graph.fanOut(a), std::size_t{0});
}

void TestGraph::sortMovesNothingThatIsInOrder()
{
    Graph graph = test::graphOf(R"(graph "g" ir 8
input %x: f32[1]
%a: f32[1] = Relu(%x)
%b: f32[1] = Neg(%x)
%c: f32[1] = Abs(%b)
output %c
)");
    VERIFY_RESULT(graph.sort());
    const std::vector<NodeId> order = graph.order();
    VERIFY_RESULT(graph.sort());
    QVERIFY(graph.order() == order);
    // Neg reads what Relu's old place makes now: it and its reader go behind it.
    const NodeId late =
        graph.addNode({.op = "Sign", .inputs = {graph.findValue("x")}, .outputs = {graph.addValue({.name = "d"})}});
    graph.setUse({order[1], 0}, graph.findValue("d"));
    VERIFY_RESULT(graph.sort());
    QVERIFY((graph.order() == std::vector<NodeId>{order[0], late, order[1], order[2]}));
    graph.removeNode(order[2]);
    VERIFY_RESULT(graph.sort());
    QCOMPARE(graph.order().size(), std::size_t{3});
}

void TestGraph::verifierNamesTheFault_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("id");
    QTest::newRow("sound") << "graph \"g\" ir 8\ninput %x: f32[1]\n%y: f32[1] on s8(0.5, 0) = crease.FakeQuant(%x) "
                              "{grid = s8(0.5, 0)}\noutput %y\n"
                           << "";
    QTest::newRow("codes type") << "graph \"g\" ir 8\ninput %x: u8[1] codes s8(0.5, 0)\noutput %x\n" << "codes-type";
    QTest::newRow("zero scale") << "graph \"g\" ir 8\ninput %x: s8[1] codes s8(0.0, 0)\noutput %x\n" << "bad-grid";
    QTest::newRow("count of scales")
        << "graph \"g\" ir 8\ninput %x: s8[3] codes s8([1, 2], [0, 0], axis 0)\noutput %x\n"
        << "bad-grid";
    QTest::newRow("axis") << "graph \"g\" ir 8\ninput %x: s8[2] codes s8([1, 2], [0, 0], axis 1)\noutput %x\n"
                          << "bad-grid";
    QTest::newRow("integer on a grid") << "graph \"g\" ir 8\ninput %x: s8[1] on s8(0.5, 0)\noutput %x\n"
                                       << "lies-on-type";
    QTest::newRow("grid missing")
        << "graph \"g\" ir 8\ninput %x: f32[1]\n%y: f32[1] = crease.FakeQuant(%x)\noutput %y\n"
        << "bad-node";
    QTest::newRow("dequantize float")
        << "graph \"g\" ir 8\ninput %x: f32[1]\n%y: f32[1] = crease.Dequantize(%x)\noutput %y\n"
        << "bad-node";
}

void TestGraph::verifierNamesTheFault()
{
    QFETCH(QString, text);
    QFETCH(QString, id);
    const auto result = verify(test::graphOf(text.toStdString()));
    QCOMPARE(QString::fromStdString(result ? "" : result.error().id), id);
}

QTEST_APPLESS_MAIN(TestGraph)
#include "tst_graph.moc"
