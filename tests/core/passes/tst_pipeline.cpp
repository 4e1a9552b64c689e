// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/pipeline.h"
#include "core/passes/report.h"
#include "tests/support/graph_run.h"

#include <QElapsedTimer>
#include <algorithm>

using namespace crease;

namespace {

/// `layers` of Q/DQ, Conv on a Q/DQ weight, BatchNormalization, Relu; all scales and zero points are one constant.
Graph network(int layers)
{
    std::string text = R"(graph "g" ir 8 opset "" 13
input %x0: f32[1x2x1x1]
const %s: f32[] = [0.5]
const %z: s8[] = [0]
const %w: f32[2x2x1x1] = [1, -2, 0.5, 3]
const %g: f32[2] = [0.5, -0.25]
const %b: f32[2] = [1, 2]
const %v: f32[2] = [3, 8]
)";
    for (int i = 0; i < layers; ++i) {
        const std::string n = std::to_string(i);
        text += "%q" + n + ": s8[1x2x1x1] = QuantizeLinear(%x" + n + ", %s, %z)\n%d" + n +
                ": f32[1x2x1x1] = DequantizeLinear(%q" + n + ", %s, %z) \"quantizer" + n + "\"\n%wq" + n +
                ": s8[2x2x1x1] = QuantizeLinear(%w, %s, %z)\n%wd" + n + ": f32[2x2x1x1] = DequantizeLinear(%wq" + n +
                ", %s, %z)\n%c" + n + ": f32[1x2x1x1] = Conv(%d" + n + ", %wd" + n + ") \"conv" + n + "\"\n%n" + n +
                ": f32[1x2x1x1] = BatchNormalization(%c" + n + ", %g, %b, %b, %v) \"norm" + n + "\"\n%x" +
                std::to_string(i + 1) + ": f32[1x2x1x1] = Relu(%n" + n + ")\n";
    }
    return test::graphOf(text + "output %x" + std::to_string(layers) + "\n");
}

Trace traceOf(const Graph& graph, const Recipe& recipe = {})
{
    const auto target = findTarget(recipe.target);
    auto trace = runPipeline(graph, recipe, *target, Job{});
    if (!trace) {
        qFatal("%s", describe(trace.error()).c_str());
    }
    return std::move(*trace);
}

} // namespace

class TestPipeline : public QObject {
    Q_OBJECT

private slots:
    void catalogueIsInOrder();
    void stagesAreReportedAsTheyEnd();
    void passesOffAreAbsent();
    void recipeOrderIsKept();
    void orderThatLosesAPatternIsSaid();
    void rerunSharesTheStagesBefore();
    void sitesOffStayAndUnknownOnesAreSaid();
    void cancelled();
    void negative_unknownPass();
    void recipeAsJson();
    void negative_recipes_data();
    void negative_recipes();
    void reportOfAFold();
    void reportOfSwitchedOffSites();
    void reportWithoutRecognise();
    void reportNamesFloatIslands();
    void capturedValuesStayReal();
    void thirtyThousandNodes();
};

void TestPipeline::catalogueIsInOrder()
{
    QStringList ids;
    for (const PassInfo& pass : passCatalogue()) {
        ids << QString::fromUtf8(pass.id.data(), static_cast<qsizetype>(pass.id.size()));
        QVERIFY(!pass.title.empty() && !pass.summary.empty() && !pass.detail.empty() && pass.run != nullptr);
        QCOMPARE(findPass(pass.id), &pass);
    }
    QCOMPARE(ids.join(" "),
             QString("recognise canonicalise fold-constants unshare fold-weights fold-batch-norm propagate-grids "
                     "absorb-activations tabulate lower legalise quantize-bias fuse deduplicate eliminate-dead"));
    QVERIFY(findPass("recognize") == nullptr);
}

void TestPipeline::stagesAreReportedAsTheyEnd()
{
    std::vector<std::string> heard;
    const auto target = findTarget("onnxruntime-qoperator");
    VERIFY_RESULT(target);
    const auto trace = runPipeline(network(2), {}, *target, Job{}, [&](const Stage& stage, std::size_t index) {
        QCOMPARE(index, heard.size());
        heard.push_back(stage.pass);
    });
    VERIFY_RESULT(trace);
    QCOMPARE(heard.size(), passCatalogue().size());
    QCOMPARE(trace->stages.size(), heard.size());
    for (const Stage& stage : trace->stages) {
        QVERIFY2(stage.diagnostics.empty(), stage.pass.c_str());
    }
}

void TestPipeline::passesOffAreAbsent()
{
    Recipe recipe;
    recipe.passesOff = {"fold-batch-norm"};
    const Trace trace = traceOf(network(1), recipe);
    QVERIFY(std::ranges::find(trace.stages, "fold-batch-norm", &Stage::pass) == trace.stages.end());
    QVERIFY(trace.final().findNode("norm0").valid());
}

void TestPipeline::recipeOrderIsKept()
{
    Recipe recipe;
    recipe.passes = {"recognise", "fold-weights"};
    const Trace trace = traceOf(network(1), recipe);
    QCOMPARE(trace.stages.size(), std::size_t{2});
    QCOMPARE(trace.stages[1].pass, std::string("fold-weights"));
}

void TestPipeline::orderThatLosesAPatternIsSaid()
{
    Recipe recipe;
    recipe.passes = {"recognise", "fold-batch-norm", "fold-weights"};
    const Trace trace = traceOf(network(1), recipe);
    const Diagnostics& said = trace.stages[1].diagnostics;
    QCOMPARE(said.size(), std::size_t{1});
    QCOMPARE(said[0].id, std::string("pass-order"));
    QVERIFY(QString::fromStdString(said[0].text).contains("fold-batch-norm runs before fold-weights"));
    QVERIFY(trace.final().findNode("norm0").valid());
}

void TestPipeline::rerunSharesTheStagesBefore()
{
    const Trace trace = traceOf(network(2));
    Recipe recipe;
    recipe.sitesOff = {"fold-batch-norm/affine@c1"};
    const auto target = findTarget(recipe.target);
    const auto again = rerunPipeline(trace, 5, recipe, *target, Job{});
    VERIFY_RESULT(again);
    QCOMPARE(again->stages.size(), trace.stages.size());
    const NodeId conv = trace.stages[4].after.findNode("conv0");
    QVERIFY(again->stages[4].after.nodeRef(conv) == trace.stages[4].after.nodeRef(conv));
    QVERIFY(again->stages[5].after.findNode("norm1").valid());
    QVERIFY(!again->stages[5].after.findNode("norm0").valid());
}

void TestPipeline::sitesOffStayAndUnknownOnesAreSaid()
{
    Recipe recipe;
    recipe.sitesOff = {"fold-batch-norm/affine@c0", "fold-batch-norm/affine@nowhere"};
    const Trace trace = traceOf(network(1), recipe);
    QVERIFY(trace.final().findNode("norm0").valid());
    const Diagnostics& said = trace.stages.back().diagnostics;
    QCOMPARE(said.size(), std::size_t{1});
    QVERIFY(QString::fromStdString(said[0].text).contains("@nowhere"));
}

void TestPipeline::cancelled()
{
    std::stop_source source;
    source.request_stop();
    Job job;
    job.stop = source.get_token();
    const auto target = findTarget("onnxruntime-qoperator");
    const auto trace = runPipeline(network(1), {}, *target, job);
    QVERIFY(!trace.has_value());
    QCOMPARE(trace.error().kind, ErrorKind::Cancelled);
}

void TestPipeline::negative_unknownPass()
{
    const auto target = findTarget("onnxruntime-qoperator");
    for (const bool off : {false, true}) {
        Recipe recipe;
        (off ? recipe.passesOff.insert("fold-batchnorm"), void() : recipe.passes.push_back("fold-batchnorm"));
        const auto trace = runPipeline(network(1), recipe, *target, Job{});
        QVERIFY(!trace.has_value());
        QCOMPARE(trace.error().kind, ErrorKind::Usage);
        QVERIFY(QString::fromStdString(trace.error().message).contains("did you mean 'fold-batch-norm'?"));
    }
}

void TestPipeline::recipeAsJson()
{
    Recipe recipe;
    recipe.target = "onnxruntime-qdq";
    recipe.passes = {"recognise", "fold-weights"};
    recipe.passesOff = {"tabulate"};
    recipe.sitesOff = {"a@b", "c@\"d\""};
    recipe.keepFloat = {"/block2/Add"};
    recipe.allowApproximate = true;
    recipe.requireInteger = true;
    recipe.io = "integer";
    const auto again = recipeFromJson(recipeToJson(recipe));
    VERIFY_RESULT(again);
    QVERIFY(*again == recipe);
    QVERIFY(*recipeFromJson(recipeToJson({})) == Recipe{});
    QVERIFY(*recipeFromJson("{}") == Recipe{});
}

void TestPipeline::negative_recipes_data()
{
    QTest::addColumn<QString>("json");
    QTest::addColumn<QString>("said");
    QTest::newRow("no json") << "{" << "no JSON object";
    QTest::newRow("a list") << "[]" << "no JSON object";
    QTest::newRow("unknown key") << R"({"site_off": []})" << "did you mean 'sites_off'?";
    QTest::newRow("key that is near none") << R"({"colour": 1})" << "no key of a recipe (those are target";
    QTest::newRow("no passes") << R"({"passes": []})" << "'passes' is an empty list";
    QTest::newRow("a pass twice") << R"({"passes": ["lower", "lower"]})" << "names 'lower' twice";
    QTest::newRow("wrong type") << R"({"target": 3})" << "'target' must be a string, not 3";
    QTest::newRow("wrong element") << R"({"passes": ["recognise", 3]})" << "must hold strings, not 3";
    QTest::newRow("not a bool") << R"({"require_integer": "yes"})" << "must be true or false";
    QTest::newRow("io") << R"({"io": "both"})" << "must be float or integer, not 'both'";
}

void TestPipeline::negative_recipes()
{
    QFETCH(QString, json);
    QFETCH(QString, said);
    const auto recipe = recipeFromJson(json.toStdString());
    QVERIFY(!recipe.has_value());
    QCOMPARE(recipe.error().kind, ErrorKind::Usage);
    QVERIFY2(QString::fromStdString(recipe.error().message).contains(said), recipe.error().message.c_str());
}

void TestPipeline::reportOfAFold()
{
    const FoldReport report = makeReport(traceOf(network(3)));
    QCOMPARE(report.linearOps, std::size_t{3});
    QCOMPARE(report.quantizedLinearOps, std::size_t{3});
    QCOMPARE(report.integerLinearOps, std::size_t{3});
    QCOMPARE(report.macsBefore, std::int64_t{12});
    QCOMPARE(report.macsInteger, std::int64_t{12});
    QCOMPARE(report.macsFloat, std::int64_t{0});
    QCOMPARE(report.quantizers.size(), std::size_t{6});
    for (const QuantizerReport& quantizer : report.quantizers) {
        QVERIFY2(quantizer.folded && !quantizer.site.empty(), quantizer.name.c_str());
        QCOMPARE(quantizer.role == QuantizerRole::Weight, quantizer.name.starts_with("wd"));
    }
    QCOMPARE(report.islands.size(), std::size_t{1});
    QVERIFY(QString::fromStdString(report.islands[0].reason).contains("Relu"));
}

void TestPipeline::reportOfSwitchedOffSites()
{
    Recipe recipe;
    recipe.sitesOff = {"recognise/quantizer@d1"};
    const FoldReport report = makeReport(traceOf(network(3), recipe));
    QCOMPARE(report.integerLinearOps, std::size_t{2});
    const auto off = std::ranges::find(report.quantizers, "d1", &QuantizerReport::name);
    QVERIFY(off != report.quantizers.end());
    QVERIFY(!off->folded);
    QCOMPARE(off->reasonId, std::string("switched-off"));
    const auto weight = std::ranges::find(report.quantizers, "wd1", &QuantizerReport::name);
    QVERIFY(weight != report.quantizers.end() && !weight->folded);
    QCOMPARE(weight->reasonId, std::string("float-data"));
}

void TestPipeline::reportWithoutRecognise()
{
    Recipe recipe;
    recipe.passesOff = {"recognise"};
    const FoldReport report = makeReport(traceOf(network(1), recipe));
    QCOMPARE(report.quantizers.size(), std::size_t{2});
    QCOMPARE(report.quantizers[0].reasonId, std::string("recognise-off"));
    QCOMPARE(report.integerLinearOps, std::size_t{0});
    QCOMPARE(report.quantizedLinearOps, std::size_t{1});
}

void TestPipeline::reportNamesFloatIslands()
{
    const Graph graph = test::graphOf(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %s: f32[] = [0.5]
const %z: s8[] = [0]
const %w: f32[2x2] = [1, 2, 3, 4]
const %v: s8[2x2] = [1, 2, 3, 4]
%q: s8[1x2] = QuantizeLinear(%x, %s, %z)
%d: f32[1x2] = DequantizeLinear(%q, %s, %z)
%a: f32[1x2] = MatMul(%d, %w) "float weight"
%p: s8[1x2] = QuantizeLinear(%a, %s, %z)
%e: f32[1x2] = DequantizeLinear(%p, %s, %z)
%u: f32[2x2] = DequantizeLinear(%v, %s, %z)
%y: f32[1x2] = MatMul(%e, %u) "integer"
output %y
)");
    const FoldReport report = makeReport(traceOf(graph));
    QCOMPARE(report.linearOps, std::size_t{2});
    QCOMPARE(report.quantizedLinearOps, std::size_t{1});
    QCOMPARE(report.integerLinearOps, std::size_t{1});
    QCOMPARE(report.islands.size(), std::size_t{1});
    QCOMPARE(report.islands[0].reasonId, std::string("float-weight"));
    QCOMPARE(report.islands[0].nodes, std::vector<std::string>{"float weight"});
    const auto first = std::ranges::find(report.quantizers, "d", &QuantizerReport::name);
    QVERIFY2(!first->folded, first->site.c_str());
    QCOMPARE(first->reasonId, std::string("float-weight"));
    QVERIFY(std::ranges::find(report.quantizers, "e", &QuantizerReport::name)->folded);
    QVERIFY(std::ranges::find(report.quantizers, "u", &QuantizerReport::name)->folded);
}

void TestPipeline::capturedValuesStayReal()
{
    const Graph graph = test::graphOf(R"(graph "g" ir 8 opset "" 13
input %k: b1[]
input %x: f32[1x2]
const %s: f32[] = [0.5]
const %z: s8[] = [0]
const %w: s8[2x2] = [1, 2, 3, 4]
%q: s8[1x2] = QuantizeLinear(%x, %s, %z)
%d: f32[1x2] = DequantizeLinear(%q, %s, %z)
%wd: f32[2x2] = DequantizeLinear(%w, %s, %z)
%a: f32[1x2] = MatMul(%d, %wd) "captured weight"
%e: f32[1x2] = MatMul(%d, %wd)
%f: f32[1x2] = Relu(%e)
%p: s8[1x2] = QuantizeLinear(%f, %s, %z)
%o: f32[1x2] = DequantizeLinear(%p, %s, %z)
%y: f32[1x2] = If(%k) {then_branch = {
    graph "then" ir 8 opset "" 13
    captured %d: f32[1x2]
    captured %wd: f32[2x2]
    %m: f32[1x2] = MatMul(%d, %wd)
    output %m
}, else_branch = {
    graph "else" ir 8 opset "" 13
    captured %f: f32[1x2]
    %n: f32[1x2] = Neg(%f)
    output %n
}} captures then_branch %d, then_branch %wd, else_branch %f
output %y
output %o
output %a
)");
    const Trace trace = traceOf(graph);
    for (const bool taken : {false, true}) {
        const std::vector<Tensor> inputs{Tensor::scalar<bool>(taken), Tensor::of<float>({1, 2}, {1.0F, -2.0F})};
        const std::vector<double> right = test::evaluate(graph, inputs);
        for (const Stage& stage : trace.stages) {
            const double apart = test::difference(right, test::evaluate(stage.after, inputs));
            QVERIFY2(apart < 1e-6, stage.pass.c_str());
        }
    }
    QCOMPARE(makeReport(trace).integerLinearOps, std::size_t{2});
}

void TestPipeline::thirtyThousandNodes()
{
    const Graph graph = network(4286);
    QVERIFY(graph.nodeCount() > 30000);
    QElapsedTimer timer;
    timer.start();
    const Trace trace = traceOf(graph);
    const qint64 passes = timer.restart();
    if (qEnvironmentVariableIsSet("CREASE_SHOW")) {
        for (const Stage& stage : trace.stages) {
            qInfo("%-20s %8.0f ms", stage.pass.c_str(), stage.milliseconds);
        }
    }
    const FoldReport report = makeReport(trace);
    QCOMPARE(report.integerLinearOps, std::size_t{4286});
    QVERIFY2(passes < 60000, qPrintable(QString::number(passes)));
    QVERIFY2(timer.elapsed() < 10000, qPrintable(QString::number(timer.elapsed())));
}

QTEST_GUILESS_MAIN(TestPipeline)
#include "tst_pipeline.moc"
