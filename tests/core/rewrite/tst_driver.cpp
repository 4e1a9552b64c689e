// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/pass_test.h"

using namespace crease;

namespace {

/// Identity(x) -> x, unless the node is called "keep": a miss.
Outcome dropIdentity(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!node.is("Identity") || !replaceable(graph, node.outputs[0], node.inputs[0])) {
        return NoMatch{};
    }
    if (node.name == "keep") {
        return Miss{"kept", "the node is called keep", id};
    }
    Patch patch(graph, id);
    patch.role(id, "identity");
    patch.replace(node.outputs[0], node.inputs[0]);
    patch.explain("it does nothing");
    return patch;
}

/// Neg(Neg(x)) -> Abs(Sign(x)): nonsense, but one to two nodes.
Outcome splitNeg(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!node.is("Neg")) {
        return NoMatch{};
    }
    Patch patch(graph, id);
    const Value& old = graph.value(node.outputs[0]);
    const ValueId sign =
        patch.addNode({.op = "Sign", .inputs = {node.inputs[0]}}, {.type = old.type, .shape = old.shape});
    const ValueId abs = patch.addNode({.op = "Abs", .inputs = {sign}}, {.type = old.type, .shape = old.shape});
    patch.role(id, "neg");
    patch.replace(node.outputs[0], abs);
    return patch;
}

const std::vector<Rule> rules{{"drop-identity", "test", Fidelity::X, dropIdentity},
                              {"split-neg", "test", Fidelity::X, splitNeg}};

constexpr std::string_view chain = R"(graph "g" ir 8
input %x: f32[1]
%a: f32[1] = Identity(%x) "first"
%b: f32[1] = Neg(%a) "neg"
%c: f32[1] = Identity(%b) "keep"
%d: f32[1] = Identity(%c) "last"
output %d
)";

} // namespace

class TestDriver : public QObject {
    Q_OBJECT

private slots:
    void rulesRunToRest();
    void visitsGrowWithTheNodes_data();
    void visitsGrowWithTheNodes();
    void lineageAnswersAsCounterpartsDo();
    void switchedOffSitesStay();
    void provenanceJoinsStages();
    void graphOutputsKeepTheirNames();
    void no_changeIsReportedAsNone();
    void cancelStops();
    void classAIsOffUnlessAskedFor();
};

namespace {

/// `count` nodes: one after the other, or all of one value, each a graph output.
std::string manyNodes(std::size_t count, bool inARow)
{
    std::string text = "graph \"g\" ir 8\ninput %x: f32[1]\n";
    std::string outputs;
    std::string from = "x";
    for (std::size_t i = 0; i < count; ++i) {
        const std::string name = "v" + std::to_string(i);
        text += "%" + name + ": f32[1] = " + (i % 2 == 0 ? "Neg" : "Identity") + "(%" + from + ")\n";
        from = inARow ? name : from;
        if (!inARow || i + 1 == count) {
            outputs += "output %" + name + "\n";
        }
    }
    return text + outputs;
}

std::size_t visitsOf(const std::string& text)
{
    std::size_t visits = 0;
    std::vector<Rule> counted = rules;
    counted.insert(counted.begin(), {"count", "test", Fidelity::X, [&visits](const Graph&, NodeId) -> Outcome {
                                         ++visits;
                                         return NoMatch{};
                                     }});
    const auto stage = applyRules(test::graphOf(text), "test", counted, {}, Job{});
    return stage ? visits : 0;
}

} // namespace

void TestDriver::visitsGrowWithTheNodes_data()
{
    QTest::addColumn<bool>("inARow");
    QTest::newRow("in a row") << true;
    QTest::newRow("of one value") << false;
}

void TestDriver::visitsGrowWithTheNodes()
{
    QFETCH(bool, inARow);
    const std::size_t once = visitsOf(manyNodes(200, inARow));
    const std::size_t twice = visitsOf(manyNodes(400, inARow));
    QVERIFY(once >= 200);
    QVERIFY2(static_cast<double>(twice) <= 2.1 * static_cast<double>(once),
             qPrintable(QString("%1 visits, then %2").arg(once).arg(twice)));
}

void TestDriver::lineageAnswersAsCounterpartsDo()
{
    Trace trace;
    trace.original = test::graphOf(chain);
    trace.stages.push_back(test::runRules(chain, rules));
    trace.stages.push_back(test::runRules(print(trace.final()), std::span(rules).first(1)));
    const Lineage lineage(trace);
    std::size_t related = 0;
    for (std::size_t from = 0; from <= 2; ++from) {
        for (std::size_t to = 0; to <= 2; ++to) {
            for (std::uint32_t i = 0; i < trace.final().nodeCapacity() + 1; ++i) {
                const std::vector<NodeId> expected = counterparts(trace, NodeId{i}, from, to);
                QVERIFY(lineage.counterparts(NodeId{i}, from, to) == expected);
                related += from != to ? expected.size() : 0;
            }
        }
    }
    QVERIFY(related > 0);
    QVERIFY(lineage.counterparts(NodeId{999}, 0, 1).empty());
}

void TestDriver::rulesRunToRest()
{
    const Stage stage = test::runRules(chain, rules);
    QCOMPARE(stage.after.nodeCount(), std::size_t{3});
    QCOMPARE(stage.rewrites.size(), std::size_t{3});
    QCOMPARE(stage.rewrites[0].site, std::string("drop-identity@a"));
    QCOMPARE(stage.rewrites[1].site, std::string("split-neg@b"));
    QCOMPARE(stage.missed.size(), std::size_t{1});
    QCOMPARE(stage.missed[0].miss.id, std::string("kept"));
    QCOMPARE(stage.nodesBefore, std::size_t{4});
}

void TestDriver::switchedOffSitesStay()
{
    DriverOptions options;
    options.switchedOff = {"split-neg@b"};
    const Stage stage = test::runRules(chain, rules, options);
    QCOMPARE(stage.rewrites.size(), std::size_t{3});
    const auto off = std::ranges::find_if(stage.rewrites, [](const Rewrite& rewrite) { return !rewrite.on; });
    QVERIFY(off != stage.rewrites.end());
    QCOMPARE(off->site, std::string("split-neg@b"));
    QVERIFY(stage.after.findNode("neg").valid());
}

void TestDriver::provenanceJoinsStages()
{
    Trace trace;
    trace.original = test::graphOf(chain);
    auto stage = applyRules(trace.original, "test", rules, {}, Job{});
    VERIFY_RESULT(stage);
    trace.stages.push_back(std::move(*stage));
    const NodeId neg = trace.original.findNode("neg");
    const std::vector<NodeId> after = counterparts(trace, neg, 0, 1);
    QCOMPARE(after.size(), std::size_t{2});
    for (const NodeId id : after) {
        QVERIFY((counterparts(trace, id, 1, 0) == std::vector<NodeId>{neg}));
    }
    QVERIFY(counterparts(trace, trace.original.findNode("first"), 0, 1).empty());
    const NodeId kept = trace.original.findNode("keep");
    QVERIFY((counterparts(trace, kept, 0, 1) == std::vector<NodeId>{kept}));
    const ValueId b = trace.original.findValue("b");
    QCOMPARE(counterparts(trace, b, 0, 1).size(), std::size_t{1});
}

void TestDriver::graphOutputsKeepTheirNames()
{
    const Stage stage = test::runRules(chain, rules);
    QCOMPARE(stage.after.value(stage.after.outputs()[0]).name, std::string("d"));
    const Stage direct =
        test::runRules("graph \"g\" ir 8\ninput %x: f32[1]\n%y: f32[1] = Identity(%x)\noutput %y\n", rules);
    QCOMPARE(direct.after.value(direct.after.outputs()[0]).name, std::string("y"));
}

void TestDriver::no_changeIsReportedAsNone()
{
    NO_CHANGE("graph \"g\" ir 8\ninput %x: f32[1]\n%y: f32[1] = Relu(%x)\noutput %y\n", rules);
}

void TestDriver::cancelStops()
{
    std::stop_source source;
    source.request_stop();
    const auto stage = applyRules(test::graphOf(chain), "test", rules, {}, Job{source.get_token()});
    QVERIFY(!stage.has_value());
    QVERIFY(stage.error().kind == ErrorKind::Cancelled);
}

void TestDriver::classAIsOffUnlessAskedFor()
{
    const std::vector<Rule> approximate{{"split-neg", "test", Fidelity::A, splitNeg}};
    QVERIFY(test::runRules(chain, approximate).rewrites.empty());
    DriverOptions options;
    options.allowApproximate = true;
    QCOMPARE(test::runRules(chain, approximate, options).rewrites.size(), std::size_t{1});
}

QTEST_APPLESS_MAIN(TestDriver)
#include "tst_driver.moc"
