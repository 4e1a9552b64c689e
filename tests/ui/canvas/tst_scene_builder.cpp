// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/text_format.h"
#include "core/rewrite/driver.h"
#include "ui/canvas/figures.h"
#include "ui/canvas/scene_builder.h"
#include "ui/document/node_marks.h"

#include <QtTest>

#include <algorithm>

using namespace crease;

namespace {

constexpr std::string_view kBlock = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x3x8x8]
const %w: f32[4x3x1x1] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
const %s: f32[4] = [1, 1, 1, 1]
const %b: f32[4] = [0, 0, 0, 0]
const %m: f32[4] = [0, 0, 0, 0]
const %v: f32[4] = [1, 1, 1, 1]
const %scale: f32[] = [0.5]
const %zero: s8[] = [0]
%xq: s8[1x3x8x8] = QuantizeLinear(%x, %scale, %zero) "/net/in/QuantizeLinear"
%xd: f32[1x3x8x8] = DequantizeLinear(%xq, %scale, %zero) "/net/in/DequantizeLinear"
%wq: f32[4x3x1x1] on s8([0.1, 0.2, 0.3, 0.4], [0, 0, 0, 0], axis 0) = crease.FakeQuant(%w) {grid = s8([0.1, 0.2, 0.3, 0.4], [0, 0, 0, 0], axis 0)} "/net/block1/wq"
%c: f32[1x4x8x8] = Conv(%xd, %wq) {kernel_shape = [1, 1]} "/net/block1/conv/Conv"
%n: f32[1x4x8x8] = BatchNormalization(%c, %s, %b, %m, %v) "/net/block1/bn/BatchNormalization"
%r: f32[1x4x8x8] = Relu(%n) "/net/block1/Relu"
%y: f32[1x4x8x8] = Add(%r, %c) "/net/block2/Add"
output %y
)";

/// Conv -> BatchNormalization becomes the Conv with another attribute: one changed node, one removed.
Outcome foldNorm(const Graph& graph, NodeId id)
{
    const Node& norm = graph.node(id);
    if (norm.op != "BatchNormalization")
        return NoMatch{};
    const NodeId conv = graph.producer(norm.inputs[0]);
    Patch patch(graph, id);
    patch.role(conv, "linear");
    patch.role(id, "norm");
    Node changed = graph.node(conv);
    changed.attributes["bias"] = std::vector<double>{1, 2, 3, 4};
    patch.setNode(conv, changed);
    patch.replace(norm.outputs[0], norm.inputs[0]);
    patch.explain("the norm goes into the bias");
    return patch;
}

/// Relu(x) -> Max(x, Abs(x)): one node becomes two; a Relu6 by name is a miss.
Outcome splitRelu(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (node.op == "Add")
        return Miss{"no-add", "Add has 2 inputs", id, {{id, "add"}}};
    if (node.op != "Relu")
        return NoMatch{};
    Patch patch(graph, id);
    patch.role(id, "activation");
    const Value& old = graph.value(node.outputs[0]);
    const ValueId abs =
        patch.addNode({.op = "Abs", .inputs = {node.inputs[0]}, .version = 13}, {.type = old.type, .shape = old.shape});
    const ValueId max = patch.addNode({.op = "Max", .inputs = {node.inputs[0], abs}, .version = 13},
                                      {.type = old.type, .shape = old.shape});
    patch.replace(node.outputs[0], max);
    patch.explain("split");
    return patch;
}

Trace makeTrace()
{
    Trace trace;
    auto graph = parse(kBlock);
    if (!graph)
        qFatal("%s", graph.error().message.c_str());
    trace.original = *graph;
    for (const Rule& rule :
         {Rule{"fold-norm", "L6", Fidelity::X, foldNorm}, Rule{"split-relu", "L1", Fidelity::X, splitRelu}}) {
        auto stage = applyRules(trace.final(), rule.id, std::span(&rule, 1), {}, {});
        if (!stage)
            qFatal("%s", stage.error().message.c_str());
        trace.stages.push_back(std::move(*stage));
    }
    return trace;
}

const SceneNode& nodeOfOp(const Scene& scene, const QString& op)
{
    const auto node = std::ranges::find(scene.nodes, op, &SceneNode::op);
    if (node == scene.nodes.end())
        qFatal("no %s", qPrintable(op));
    return *node;
}

const SceneEdge& edgeBetween(const Scene& scene, const QString& from, const QString& to)
{
    for (const SceneEdge& e : scene.edges) {
        if (scene.nodes[e.from].op == from && scene.nodes[e.to].op == to)
            return e;
    }
    qFatal("no edge %s %s", qPrintable(from), qPrintable(to));
}

} // namespace

class TestSceneBuilder : public QObject {
    Q_OBJECT

private slots:
    void names_and_classes()
    {
        const Trace trace = makeTrace();
        const Scene scene = buildScene(trace, {});
        const SceneNode& conv = nodeOfOp(scene, "Conv");
        QCOMPARE(conv.name, "/net/block1/conv/Conv");
        QCOMPARE(conv.shortName, "block1/conv");
        QCOMPARE(conv.detail, QString("1×1"));
        QCOMPARE(conv.look, SceneClass::Linear);
        QCOMPARE(nodeOfOp(scene, "BatchNorm").look, SceneClass::Normalisation);
        QCOMPARE(nodeOfOp(scene, "FakeQuant").shortName, "w");
        QCOMPARE(scene.nodes.front().kind, SceneNode::Kind::Input);
        QCOMPARE(scene.nodes.back().kind, SceneNode::Kind::Output);
        QVERIFY(scene.sections.empty()); // only block1 has enough nodes to be one
        QCOMPARE(scene.nodes.size(), trace.original.nodeCount() + 2);
    }

    void sections_by_the_first_part_of_the_names()
    {
        std::string text = "graph \"g\" ir 8 opset \"\" 13\ninput %v0: f32[4]\n";
        int n = 0;
        for (const char* part : {"stem", "stem", "stem", "stem", "stray", "head", "head", "head", "head"}) {
            text += "%v" + std::to_string(n + 1) + ": f32[4] = Relu(%v" + std::to_string(n) + ") \"/" + part + "/" +
                    std::to_string(n) + "/Relu\"\n";
            ++n;
        }
        text += "output %v9\n";
        Trace trace;
        trace.original = *parse(text);
        const Scene scene = buildScene(trace, {});
        QCOMPARE(scene.sections, (std::vector<QString>{"stem", "head"}));
        QCOMPARE(scene.nodes[1].section, 0);
        QCOMPARE(scene.nodes[5].section, -1);
        QCOMPARE(scene.nodes[6].section, 1);
    }

    void ports_badges_and_precision()
    {
        const Scene scene = buildScene(makeTrace(), {});
        const SceneEdge& weight = edgeBetween(scene, "FakeQuant", "Conv");
        QCOMPARE(weight.port, ScenePort::Weight);
        QVERIFY(weight.fakeQuantized);
        QCOMPARE(weight.badge->cell, "s8");
        QCOMPARE(weight.badge->rest, QString("axis 0 · 4"));
        QCOMPARE(weight.badge->style, BadgeStyle::FakeQuantized);
        const SceneEdge& pair = edgeBetween(scene, "QuantizeLinear", "DequantizeLinear");
        QVERIFY(pair.tight);
        QCOMPARE(pair.precision, Precision::Int8);
        const SceneEdge& data = edgeBetween(scene, "DequantizeLinear", "Conv");
        QCOMPARE(data.port, ScenePort::Main);
        QCOMPARE(data.badge->rest, QString("0.5 z0"));
        QCOMPARE(edgeBetween(scene, "Relu", "Add").port, ScenePort::Main);
        QCOMPARE(edgeBetween(scene, "Conv", "Add").port, ScenePort::Operand);
        QCOMPARE(edgeBetween(scene, "Conv", "Add").tensor, edgeBetween(scene, "Conv", "BatchNorm").tensor);
        QVERIFY(!edgeBetween(scene, "Relu", "Add").badge); // a float tensor whose shape is its input's
    }

    void before_marks_what_goes_and_shows_the_sites()
    {
        const Trace trace = makeTrace();
        const Scene before = buildScene(trace, {0, {}, 1, {}});
        QCOMPARE(nodeOfOp(before, "BatchNorm").diff, Diff::Removed);
        QCOMPARE(nodeOfOp(before, "Conv").diff, Diff::Same);
        QCOMPARE(before.sites.size(), std::size_t{1});
        QCOMPARE(before.sites[0].members.size(), std::size_t{2});
        QCOMPARE(before.sites[0].members[1].role, "norm");
        QCOMPARE(nodeOfOp(before, "BatchNorm").note, "the norm goes into the bias");
        const Scene next = buildScene(trace, {1, {}, 2, {}});
        QCOMPARE(next.sites.size(), std::size_t{2});
        QVERIFY(next.sites[1].nearMiss);
        QCOMPARE(next.sites[1].failed, "Add has 2 inputs");
        // Over two passes there are no sites to show.
        QVERIFY(buildScene(trace, {0, {}, 2, {}}).sites.empty());
    }

    void after_marks_what_came()
    {
        const Trace trace = makeTrace();
        const Scene after = buildScene(trace, {1, 0, {}, {}});
        QCOMPARE(nodeOfOp(after, "Conv").diff, Diff::Changed);
        // Relu reads another tensor now, but it is the same Relu.
        QCOMPARE(nodeOfOp(after, "Relu").diff, Diff::Same);
        QCOMPARE(nodeOfOp(after, "Add").diff, Diff::Same);
        const Scene last = buildScene(trace, {2, 1, {}, {}});
        QCOMPARE(nodeOfOp(last, "Max").diff, Diff::Added);
        QCOMPARE(nodeOfOp(last, "Conv").diff, Diff::Same);
        QCOMPARE(nodeOfOp(buildScene(trace, {2, 0, {}, {}}), "Conv").diff, Diff::Changed);
    }

    void untouched_nodes_stand_still_through_all_stages()
    {
        const Trace trace = makeTrace();
        const auto layouts = layoutStages(trace, {}, {});
        QCOMPARE(layouts.size(), trace.stages.size() + 1);
        std::map<std::uint64_t, layout::Point> places;
        int kept = 0;
        for (const layout::LayoutPtr& layout : layouts) {
            for (layout::Index b = 0; b < layout->boxes.size(); ++b) {
                const auto [known, isNew] = places.try_emplace(layout->boxes[b].id, layout->centres[b]);
                QVERIFY(known->second == layout->centres[b]);
                kept += isNew ? 0 : 1;
            }
        }
        QVERIFY2(kept >= 13, qPrintable(QString::number(kept)));
        // One of the two that a Relu became stands where it stood.
        const StagePictures pictures = stagePictures(trace, layouts, 1, 2);
        const auto relu = pictures.before->rect(*pictures.before->find(nodeOfOp(pictures.before->scene(), "Relu").id));
        const bool inherits = std::ranges::any_of(pictures.after->nodesIn(relu.adjusted(2, 2, -2, -2)), [&](auto n) {
            return pictures.after->scene().nodes[n].diff == Diff::Added;
        });
        QVERIFY(inherits);
        QVERIFY(pictures.after->ghosts().empty());
        const StagePictures first = stagePictures(trace, layouts, 0, 1);
        QCOMPARE(first.after->ghosts().size(), std::size_t{1});
        QCOMPARE(first.after->ghosts()[0].op, "BatchNorm");
    }

    void layouts_of_shared_stages_are_kept()
    {
        const Trace trace = makeTrace();
        const auto layouts = layoutStages(trace, {}, {});
        const auto again = layoutStages(trace, {layouts[0], layouts[1]}, {});
        QCOMPARE(again[1], layouts[1]);
        QVERIFY(again[2]->centres == layouts[2]->centres);
    }

    void counterparts_by_scene_id()
    {
        const Trace trace = makeTrace();
        const Scene before = buildScene(trace, {0, {}, {}, {}});
        const auto ids = sceneCounterparts(trace, nodeOfOp(before, "Relu").id, 0, 2);
        QCOMPARE(ids.size(), std::size_t{2});
        const std::uint64_t input = before.nodes.front().id;
        QCOMPARE(sceneCounterparts(trace, input, 0, 2), std::vector<std::uint64_t>{input});
        QVERIFY(!nodeOf(input));
    }

    void figures_of_a_verification()
    {
        const Trace trace = makeTrace();
        const Scene last = buildScene(trace, {2, {}, {}, {}});
        const Scene first = buildScene(trace, {0, {}, {}, {}});
        const auto output = [&](const char* op) {
            for (NodeId id : trace.final().order()) {
                if (trace.final().node(id).op == op)
                    return trace.final().node(id).output();
            }
            return ValueId{};
        };
        Verification verification;
        TensorReport max;
        max.value = output("Max");
        max.accumulated.counts.offBy = {98, 2, 0, 0};
        max.accumulated.counts.maxSteps = 1;
        max.accumulated.elements = 100;
        max.accumulated.saturated = 25;
        TensorReport real;
        real.value = output("Add");
        real.accumulated.elements = 100; // a float tensor: no steps
        verification.tensors = {max, real};
        const auto figures = figuresOf(trace, verification, 2);
        QCOMPARE(figures->at(nodeOfOp(last, "Max").id).error, std::optional(1.0));
        QCOMPARE(figures->at(nodeOfOp(last, "Max").id).saturation, std::optional(0.25));
        QVERIFY(!figures->at(nodeOfOp(last, "Add").id).error);
        QVERIFY(!figures->contains(nodeOfOp(last, "Conv").id));
        QVERIFY(figures->at(nodeOfOp(last, "Max").id).mark != "cert-exact");
        // At the first stage the Relu that it came from has them.
        const auto before = figuresOf(trace, verification, 0);
        QCOMPARE(before->at(nodeOfOp(first, "Relu").id).error, std::optional(1.0));
    }

    void marks_of_a_verification()
    {
        const Trace trace = makeTrace();
        const auto node = [&](std::size_t stage, const char* op) {
            for (NodeId id : trace.graph(stage).order()) {
                if (trace.graph(stage).node(id).op == op)
                    return id.index;
            }
            return NodeId{}.index;
        };
        Verification verification;
        verification.sites = {std::vector<Certificate>(trace.stages[0].rewrites.size()),
                              std::vector<Certificate>(trace.stages[1].rewrites.size())};
        verification.sites[0][0] = {Verdict::WithinSteps, 4, 1, {{63'997, 3, 0, 0}, 0, 0, 3, 0, 0, 1}, {}};
        verification.sites[1][0] = {Verdict::Exact, 4, 1, {{256, 0, 0, 0}}, {}};
        TensorReport sum;
        sum.value = trace.final().node(NodeId{node(2, "Max")}).output();
        sum.local.counts = {{90, 8, 1, 1}, 0, 0, 0, 0, 2, 5};
        sum.verdict = Verdict::Failed;
        verification.tensors = {sum};

        // The conv that the first pass changed carries its certificate on; nodes that no pass made have no mark.
        const NodeMarks first = nodeMarks(trace, verification, 1);
        QCOMPARE(first.at(node(1, "Conv")).verdict, Verdict::WithinSteps);
        QCOMPARE(markText(first.at(node(1, "Conv"))), QString("within steps: 3 codes off by one of 64,000: bias"));
        QVERIFY(!first.contains(node(1, "Add")));
        QVERIFY(!first.contains(node(1, "Relu")));
        QVERIFY(nodeMarks(trace, verification, 0).empty());
        // In the final graph a node speaks for its own tensor; beside it, the rewrite that made it.
        const NodeMarks last = nodeMarks(trace, verification, 2);
        QVERIFY(last.at(node(2, "Max")).isOwnTensor);
        QCOMPARE(markText(last.at(node(2, "Max"))),
                 QString("failed: 8 codes off by one, 1 code off by two, 1 code off by more of 100: unexplained"));
        QCOMPARE(markText(last.at(node(2, "Abs"))), QString("exact: all of 256 codes equal"));
        QCOMPARE(last.at(node(2, "Conv")).verdict, Verdict::WithinSteps);
        // What was not checked says so and is never green.
        QCOMPARE(certificateIcon(NodeMark{}.verdict), QString("cert-unchecked"));
        QCOMPARE(markText({Verdict::NotChecked, {}, false, "it takes too long"}),
                 QString("not checked: it takes too long"));
        const auto figures = figuresOf(trace, verification, 2);
        QCOMPARE(figures->at(sceneId(NodeId{node(2, "Max")})).mark, QString("cert-failed"));
        QCOMPARE(figures->at(sceneId(NodeId{node(2, "Abs")})).says, QString("exact: all of 256 codes equal"));
        QVERIFY(!figures->contains(sceneId(NodeId{node(2, "Add")})));
    }

    void figures_of_ten_thousand_nodes_are_cheap()
    {
        constexpr int kNodes = 10'000;
        constexpr std::size_t kStages = 12;
        Trace trace;
        ValueId last = trace.original.addValue({.name = "x", .type = ElementType::Float32});
        trace.original.setInputs({last});
        std::vector<NodeId> nodes;
        for (int n = 0; n < kNodes; ++n) {
            const ValueId out =
                trace.original.addValue({.name = "v" + std::to_string(n), .type = ElementType::Float32});
            nodes.push_back(trace.original.addNode({.op = "Relu", .inputs = {last}, .outputs = {out}, .version = 13}));
            last = out;
        }
        trace.original.setOutputs({last});
        Verification verification;
        for (std::size_t s = 0; s < kStages; ++s) {
            Stage stage;
            stage.after = trace.original;
            for (const NodeId id : nodes) {
                stage.origins.push_back({id, id});
                Rewrite rewrite;
                rewrite.added = {id};
                stage.rewrites.push_back(rewrite);
            }
            trace.stages.push_back(std::move(stage));
            verification.sites.emplace_back(nodes.size(), Certificate{Verdict::Exact, 4, 1, {{64, 0, 0, 0}}, {}});
        }
        for (const NodeId id : nodes) {
            TensorReport tensor;
            tensor.value = trace.original.node(id).output();
            tensor.accumulated.counts.offBy = {63, 1, 0, 0};
            tensor.accumulated.counts.maxSteps = 1;
            tensor.local = tensor.accumulated;
            tensor.verdict = Verdict::WithinSteps;
            verification.tensors.push_back(tensor);
        }
        QElapsedTimer timer;
        timer.start();
        const auto first = figuresOf(trace, verification, 0);
        const auto all = figuresOf(trace, verification, kStages);
        qInfo("%lld ms", static_cast<long long>(timer.elapsed()));
        QCOMPARE(first->size(), nodes.size());
        QCOMPARE(first->at(sceneId(nodes.back())).error, std::optional(1.0));
        QVERIFY(first->at(sceneId(nodes.back())).mark.isEmpty());
        QCOMPARE(all->at(sceneId(nodes.front())).mark, QString("cert-steps"));
        QVERIFY(timer.elapsed() < 3000); // node by node through all stages it took minutes
    }

    void islands_by_name()
    {
        Trace trace = makeTrace();
        auto graph = parse(R"(graph "g" ir 8 opset "" 13
input %x: s8[4] codes s8(0.5, 0)
%d: f32[4] = crease.Dequantize(%x) "dq"
%e: f32[4] = Sqrt(%d) "root"
output %e
)");
        QVERIFY(graph.has_value());
        Trace lowered;
        lowered.original = *graph;
        const Scene scene = buildScene(lowered, {0, {}, {}, {{{"root"}, "no grid"}}});
        QCOMPARE(scene.islands.size(), std::size_t{1});
        QCOMPARE(scene.islands[0].reason, "no grid");
        QCOMPARE(nodeOfOp(scene, "Sqrt").look, SceneClass::FloatIsland);
        // A stage without integer ops has no islands: all of it is float.
        QVERIFY(buildScene(trace, {0, {}, {}, {{{"/net/block1/Relu"}, "no grid"}}}).islands.empty());
    }
};

QTEST_MAIN(TestSceneBuilder)
#include "tst_scene_builder.moc"
