// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/verify.h"
#include "core/verify/workload.h"
#include "tests/core/verify/trace_text.h"

#include <QElapsedTimer>

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <random>
#include <thread>

using namespace crease;
using crease::test::addStage;
using crease::test::graphOf;
using crease::test::Related;

namespace {

constexpr std::size_t channels = 3;
constexpr double inputScale = 0.05000000074505806; // floats
constexpr double outputScale = 0.07000000029802322;
const std::vector<double> weightScales{0.019999999552965164, 0.0130000002682209, 0.03099999949336052};
const std::vector<double> bias{0.40000000596046448, -0.8999999761581421, 0.03099999949336052};

std::vector<int> weightCodes()
{
    std::mt19937 random(4);
    std::vector<int> codes(channels * 2 * 9);
    for (int& code : codes) {
        code = static_cast<int>(random() % 255) - 127;
    }
    return codes;
}

/// Q, DQ, Conv with per-channel weights and a bias, Relu, Q, DQ.
std::string source()
{
    return fmt::format(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2x8x8]
const %sx: f32[] = [{}]
const %zx: s8[] = [-5]
const %w: s8[3x2x3x3] = [{}]
const %sw: f32[3] = [{}]
const %zw: s8[3] = [0, 0, 0]
const %b: f32[3] = [{}]
const %sy: f32[] = [{}]
const %zy: s8[] = [-128]
%q: s8[1x2x8x8] = QuantizeLinear(%x, %sx, %zx)
%dq: f32[1x2x8x8] = DequantizeLinear(%q, %sx, %zx)
%wdq: f32[3x2x3x3] = DequantizeLinear(%w, %sw, %zw) {{axis = 0}}
%conv: f32[1x3x8x8] = Conv(%dq, %wdq, %b) {{pads = [1, 1, 1, 1]}}
%relu: f32[1x3x8x8] = Relu(%conv)
%qy: s8[1x3x8x8] = QuantizeLinear(%relu, %sy, %zy)
%y: f32[1x3x8x8] = DequantizeLinear(%qy, %sy, %zy)
output %y
)",
                       inputScale, fmt::join(weightCodes(), ", "), fmt::join(weightScales, ", "), fmt::join(bias, ", "),
                       outputScale);
}

struct Folded {
    std::vector<int> weights = weightCodes();
    std::vector<double> scales = weightScales;
    std::string epilogue; // attributes of the Requantize
};

std::string folded(const Folded& how)
{
    std::vector<double> accumulator = how.scales;
    for (double& scale : accumulator) {
        scale *= inputScale;
    }
    return fmt::format(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2x8x8]
const %w: s8[3x2x3x3] codes s8([{2}], [0, 0, 0], axis 0) = [{1}]
%q: s8[1x2x8x8] codes s8({0}, -5) = crease.Quantize(%x)
%acc: s32[1x3x8x8] codes s32([{3}], [0, 0, 0], axis 1) = Conv(%q, %w) {{pads = [1, 1, 1, 1]}}
%r: s8[1x3x8x8] codes s8({4}, -128) = crease.Requantize(%acc) {{{5}}}
%y: f32[1x3x8x8] on s8({4}, -128) = crease.Dequantize(%r)
output %y
)",
                       inputScale, fmt::join(how.weights, ", "), fmt::join(how.scales, ", "),
                       fmt::join(accumulator, ", "), outputScale, how.epilogue);
}

std::string exactBias()
{
    return fmt::format("bias = f64 [{}], lo = -128", fmt::join(bias, ", "));
}

std::string roundedBias(int shift = 0)
{
    std::vector<int> codes;
    for (std::size_t c = 0; c < channels; ++c) {
        codes.push_back(qRound(bias[c] / (inputScale * weightScales[c])) + shift);
    }
    return fmt::format("bias_codes = tensor s32[3] [{}], lo = -128", fmt::join(codes, ", "));
}

const std::vector<Related> fromSource{{"x", "x", Relation::SameReal},
                                      {"dq", "q", Relation::Codes},
                                      {"y", "r", Relation::Codes},
                                      {"y", "y", Relation::SameReal}};

Trace traceOf(const std::string& to, Fidelity fidelity = Fidelity::X, const std::vector<Related>& related = fromSource)
{
    Trace trace;
    trace.original = graphOf(source());
    addStage(trace, "lower", to, related, fidelity);
    return trace;
}

SampleSet images(std::size_t count)
{
    SampleSet set;
    std::mt19937 random(9);
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<float> values(128);
        for (float& value : values) {
            value = static_cast<float>(random() % 2000) * 0.006F - 6.0F;
        }
        set.samples.push_back({Tensor::of<float>({1, 2, 8, 8}, values)});
    }
    return set;
}

Verification verified(const Trace& trace, std::size_t samples = 40, int threads = 1)
{
    Job job;
    job.threads = threads;
    const SampleSet set = images(samples);
    auto result = verifyTrace(trace, set, {}, job);
    if (!result) {
        qFatal("%s", describe(result.error()).c_str());
    }
    return std::move(*result);
}

} // namespace

class TestVerify : public QObject {
    Q_OBJECT

private slots:
    void an_exact_fold_is_exact()
    {
        const Verification result = verified(traceOf(folded({.epilogue = exactBias()})));
        QVERIFY2(result.whole.verdict == Verdict::Exact, result.whole.note.c_str());
        QCOMPARE(result.whole.samples, 40);
        QCOMPARE(result.whole.tensors, 3);
        QCOMPARE(result.whole.counts.offBy[0], 40 * (128 + 2 * 192));
        QCOMPARE(result.stages.size(), 1U);
        QCOMPARE(result.stages[0].verdict, Verdict::Exact);
        QCOMPARE(result.stages[0].samples, 16);
        QCOMPARE(result.sites[0][0].verdict, Verdict::Exact);
        QCOMPARE(result.tensors.size(), 3U);
        for (const TensorReport& tensor : result.tensors) {
            QCOMPARE(tensor.local.counts.maxSteps, 0);
            QCOMPARE(tensor.accumulated.counts.offBy[0], tensor.local.counts.offBy[0]);
            QCOMPARE(tensor.stage, std::string("lower"));
            QCOMPARE(tensor.verdict, Verdict::Exact);
        }
    }

    void heavy_networks_have_fewer_samples_a_pass()
    {
        const Trace trace = traceOf(folded({.epilogue = exactBias()}));
        const SampleSet set = images(20);
        // 3 x 64 sums of 18 products, and element-wise work beside them
        const double work = workOf(trace.original, set.samples[0]);
        QVERIFY(work > 192.0 * 18.0 && work < 192.0 * 18.0 * 10.0);
        VerifyOptions options;
        options.stageWork = 3.5 * work;
        const auto result = verifyTrace(trace, set, options, {});
        VERIFY_RESULT(result);
        QCOMPARE(result->stages[0].samples, 3);
        QCOMPARE(result->whole.samples, 20);
        options.stageWork = 1.0;
        const auto least = verifyTrace(trace, set, options, {});
        VERIFY_RESULT(least);
        QCOMPARE(least->stages[0].samples, 1);
    }

    void a_rounded_bias_is_attributed()
    {
        Trace trace = traceOf(folded({.epilogue = exactBias()}));
        addStage(trace, "quantize-bias", folded({.epilogue = roundedBias()}),
                 {{"x", "x", Relation::SameReal},
                  {"q", "q", Relation::SameReal},
                  {"r", "r", Relation::SameReal},
                  {"y", "y", Relation::SameReal}},
                 Fidelity::R);
        const Verification result = verified(trace, 200);
        QVERIFY2(result.whole.verdict == Verdict::WithinSteps, result.whole.note.c_str());
        QVERIFY(result.whole.counts.bias > 0);
        QCOMPARE(result.whole.counts.unexplained, 0);
        QCOMPARE(result.whole.counts.maxSteps, 1);
        QCOMPARE(result.whole.counts.ties + result.whole.counts.noise, 0);
        QCOMPARE(result.whole.counts.offBy[1], result.whole.counts.bias);
        QCOMPARE(result.stages[0].verdict, Verdict::Exact);
        QVERIFY(result.stages[1].verdict == Verdict::WithinSteps || result.stages[1].verdict == Verdict::Exact);
    }

    void negative_wrong_folds_fail_data()
    {
        QTest::addColumn<QString>("to");
        const auto row = [](const char* name, const Folded& how) {
            QTest::newRow(name) << QString::fromStdString(folded(how));
        };
        std::vector<int> weights = weightCodes();
        ++weights[20];
        row("a weight code off by one", {.weights = weights, .epilogue = exactBias()});
        row("a bias code off by one", {.epilogue = roundedBias(1)});
        row("a clamp dropped", {.epilogue = exactBias().substr(0, exactBias().find(", lo")) + ", lo = -127"});
        weights = weightCodes();
        std::swap_ranges(weights.begin(), weights.begin() + 18, weights.begin() + 18);
        row("two channels swapped", {.weights = weights, .epilogue = exactBias()});
        row("a scale off by a part in a thousand",
            {.scales = {weightScales[0] * 1.001, weightScales[1], weightScales[2]}, .epilogue = exactBias()});
        row("no bias", {.epilogue = "lo = -128"});
    }

    void negative_wrong_folds_fail()
    {
        QFETCH(QString, to);
        for (const Fidelity fidelity : {Fidelity::X, Fidelity::R}) {
            const Verification result = verified(traceOf(to.toStdString(), fidelity));
            QCOMPARE(result.whole.verdict, Verdict::Failed);
            QCOMPARE(result.stages[0].verdict, Verdict::Failed);
            QCOMPARE(result.sites[0][0].verdict, Verdict::Failed);
            QVERIFY(std::ranges::any_of(result.tensors,
                                        [](const TensorReport& tensor) { return tensor.verdict == Verdict::Failed; }));
            QVERIFY(result.whole.counts.unexplained > 0);
            QVERIFY(!result.whole.note.empty());
        }
    }

    void negative_a_rounded_bias_in_a_rule_that_claims_exactness_fails()
    {
        Trace trace = traceOf(folded({.epilogue = exactBias()}));
        addStage(trace, "quantize-bias", folded({.epilogue = roundedBias()}),
                 {{"x", "x", Relation::SameReal}, {"q", "q", Relation::SameReal}, {"y", "y", Relation::SameReal}},
                 Fidelity::X);
        VerifyOptions options;
        options.stageSamples = 200;
        const SampleSet set = images(200);
        const auto result = verifyTrace(trace, set, options, {});
        VERIFY_RESULT(result);
        QCOMPARE(result->stages[0].verdict, Verdict::Exact);
        QCOMPARE(result->stages[1].verdict, Verdict::Failed);
        QCOMPARE(result->stages[1].counts.unexplained, 0);
        QVERIFY(result->stages[1].counts.bias > 0);
    }

    void ties_are_attributed_to_ties()
    {
        const auto graph = [](const char* rounding) {
            return fmt::format(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2x8x8]
%y: f32[1x2x8x8] on s8(1.0, 1) = crease.FakeQuant(%x) {{grid = s8(1.0, 1), rounding = "{}"}}
output %y
)",
                               rounding);
        };
        SampleSet set;
        std::vector<float> values(128);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<float>(i) * 0.5F - 20.0F;
        }
        set.samples.push_back({Tensor::of<float>({1, 2, 8, 8}, values)});
        for (const auto& [fidelity, verdict] :
             {std::pair(Fidelity::R, Verdict::WithinSteps), std::pair(Fidelity::X, Verdict::Failed)}) {
            Trace trace;
            trace.original = graphOf(graph("half_even"));
            addStage(trace, "pass", graph("half_away"),
                     {{"x", "x", Relation::SameReal}, {"y", "y", Relation::SameReal}}, fidelity);
            const auto result = verifyTrace(trace, set, {}, {});
            VERIFY_RESULT(result);
            QCOMPARE(result->whole.verdict, verdict);
            QCOMPARE(result->whole.counts.ties, 32); // of 64 halves, those whose lower neighbour is even
            QCOMPARE(result->whole.counts.offBy[1], 32);
            QCOMPARE(result->whole.counts.unexplained, 0);
        }
    }

    void what_the_reference_cannot_tell_does_not_fail_an_exact_rewrite()
    {
        // 40000.5 + 2^-24: the reference takes it as the tie, as it is within 2^-36 of it; codes know that it is above
        const auto graph = [](const char* rounding) {
            return fmt::format(R"(graph "g" ir 8 opset "" 13
input %x: f64[1x2x8x8]
%y: f64[1x2x8x8] on u16(1.0, 0) = crease.FakeQuant(%x) {{grid = u16(1.0, 0), rounding = "{}"}}
output %y
)",
                               rounding);
        };
        for (const auto& [x, verdict] :
             {std::pair(40000.5 + 0x1p-24, Verdict::WithinSteps), std::pair(40000.5, Verdict::Failed)}) {
            const SampleSet set{{{Tensor::of<double>({1, 2, 8, 8}, std::vector<double>(128, x))}}, {}, "one", 0};
            Trace trace;
            trace.original = graphOf(graph("half_even"));
            addStage(trace, "pass", graph("half_up"), {{"x", "x", Relation::SameReal}, {"y", "y", Relation::SameReal}},
                     Fidelity::X);
            const auto result = verifyTrace(trace, set, {}, {});
            VERIFY_RESULT(result);
            QCOMPARE(result->stages[0].counts.ties, 128);
            QCOMPARE(result->stages[0].verdict, verdict);
        }
    }

    void scales_rounded_to_float32_are_noise()
    {
        // v = 64.5 (1 + 2^-26): above the half, and below it once the scale is rounded
        const double scale = 0.5 * (1.0 - 0x1p-26);
        const auto graph = [](double s) {
            return fmt::format(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2x8x8]
%y: f32[1x2x8x8] on s8({0:.17g}, 0) = crease.FakeQuant(%x) {{grid = s8({0:.17g}, 0)}}
output %y
)",
                               s);
        };
        const SampleSet set{{{Tensor::of<float>({1, 2, 8, 8}, std::vector<float>(128, 32.25F))}}, {}, "one", 0};
        for (const auto& [pass, verdict] :
             {std::pair("legalise", Verdict::WithinSteps), std::pair("other", Verdict::Failed)}) {
            Trace trace;
            trace.original = graphOf(graph(scale));
            addStage(trace, pass, graph(0.5), {{"x", "x", Relation::SameReal}, {"y", "y", Relation::SameReal}},
                     Fidelity::R);
            const auto result = verifyTrace(trace, set, {}, {});
            VERIFY_RESULT(result);
            QCOMPARE(result->stages[0].verdict, verdict);
            QCOMPARE(result->stages[0].counts.noise, verdict == Verdict::WithinSteps ? 128 : 0);
        }
    }

    void float_outputs_are_within_a_tolerance()
    {
        const auto graph = [](double factor) {
            return fmt::format("graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[1x2x8x8]\nconst %c: f32[] = [{}]\n"
                               "%y: f32[1x2x8x8] = Mul(%x, %c)\noutput %y\n",
                               factor);
        };
        for (const auto& [factor, verdict] :
             {std::pair(3.0, Verdict::Exact), std::pair(3.0 + 0x1p-20, Verdict::WithinTolerance),
              std::pair(3.001, Verdict::Failed)}) {
            Trace trace;
            trace.original = graphOf(graph(3.0));
            addStage(trace, "pass", graph(factor), {}, Fidelity::R);
            const Verification result = verified(trace, 3);
            QCOMPARE(result.whole.verdict, verdict);
            QCOMPARE(result.whole.tensors, 1);
            QCOMPARE(result.whole.counts.compared(), 0);
        }
    }

    void negative_nan_never_passes()
    {
        const std::string text =
            "graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[1x2x8x8]\n%y: f32[1x2x8x8] = Sqrt(%x)\noutput %y\n";
        Trace trace;
        trace.original = graphOf(text);
        addStage(trace, "pass", text, {}, Fidelity::X);
        QCOMPARE(verified(trace, 1).whole.verdict, Verdict::Failed);
    }

    void nothing_compared_is_not_checked()
    {
        const Trace trace = traceOf(folded({.epilogue = exactBias()}));
        const auto none = verifyTrace(trace, SampleSet{}, {}, {});
        VERIFY_RESULT(none);
        QCOMPARE(none->whole.verdict, Verdict::NotChecked);
        QCOMPARE(none->stages[0].verdict, Verdict::NotChecked);
        QVERIFY(!none->whole.note.empty());
    }

    /// BC-115: a batch of nobody.
    void negative_outputs_without_elements_are_not_checked()
    {
        const std::string text =
            "graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[Nx2]\n%y: f32[Nx2] = Neg(%x)\noutput %y\n";
        Trace trace;
        trace.original = graphOf(text);
        addStage(trace, "pass", text, {}, Fidelity::X);
        for (const std::int64_t rows : {0, 1}) {
            SampleSet set;
            set.samples = {{zeros(ElementType::Float32, {rows, 2})}};
            const auto result = verifyTrace(trace, set, {}, {});
            VERIFY_RESULT(result);
            const Verdict expected = rows == 0 ? Verdict::NotChecked : Verdict::Exact;
            QCOMPARE(result->whole.verdict, expected);
            QCOMPARE(result->stages[0].verdict, expected);
            QCOMPARE(result->whole.note.empty(), rows != 0);
            const auto files = verifyGraphs(trace.original, trace.final(), set, {}, {});
            VERIFY_RESULT(files);
            QCOMPARE(files->certificate.verdict, expected);
        }
    }

    void negative_an_output_of_another_shape_fails()
    {
        const auto textOf = [](const std::string& dims) {
            return "graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[2x3]\nconst %d: s64[2] = [" + dims +
                   "]\n%y: f32[*] = Reshape(%x, %d)\noutput %y\n";
        };
        for (const auto& [dims, verdict] : {std::pair{"3, 2", Verdict::Exact}, std::pair{"1, 6", Verdict::Failed}}) {
            Trace trace;
            trace.original = graphOf(textOf("3, 2"));
            addStage(trace, "pass", textOf(dims), {}, Fidelity::X);
            SampleSet set;
            set.samples = {{zeros(ElementType::Float32, {2, 3})}};
            const auto result = verifyTrace(trace, set, {}, {});
            VERIFY_RESULT(result);
            QCOMPARE(result->whole.verdict, verdict);
            const auto files = verifyGraphs(trace.original, trace.final(), set, {}, {});
            VERIFY_RESULT(files);
            QCOMPARE(files->certificate.verdict, verdict);
        }
    }

    void a_graph_that_cannot_run_is_not_checked()
    {
        Trace trace;
        trace.original = graphOf(
            "graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[1x2x8x8]\n%y: f32[1x2x8x8] = odd.Thing(%x)\noutput %y\n");
        const Verification result = verified(trace, 2);
        QCOMPARE(result.whole.verdict, Verdict::NotChecked);
        QVERIFY(result.whole.note.find("Thing") != std::string::npos);
    }

    void an_unrelated_value_is_not_compared()
    {
        std::vector<Related> related = fromSource;
        std::get<Relation>(related[1]) = Relation::Clamped;
        const Verification result = verified(traceOf(folded({.epilogue = exactBias()}), Fidelity::X, related), 2);
        QCOMPARE(result.whole.tensors, 2);
        QCOMPARE(result.whole.verdict, Verdict::Exact);
    }

    void threads_do_not_change_the_result()
    {
        Trace trace = traceOf(folded({.epilogue = exactBias()}), Fidelity::R);
        addStage(trace, "quantize-bias", folded({.epilogue = roundedBias()}),
                 {{"x", "x", Relation::SameReal}, {"q", "q", Relation::SameReal}, {"y", "y", Relation::SameReal}},
                 Fidelity::R);
        const Verification one = verified(trace, 30, 1);
        const Verification three = verified(trace, 30, 3);
        QCOMPARE(one.whole.counts.bias, three.whole.counts.bias);
        for (std::size_t i = 0; i < one.tensors.size(); ++i) {
            QCOMPARE(one.tensors[i].local.sqnrDb, three.tensors[i].local.sqnrDb);
            QCOMPARE(one.tensors[i].accumulated.cosine, three.tensors[i].accumulated.cosine);
            QCOMPARE(one.tensors[i].accumulated.rmseOverScale, three.tensors[i].accumulated.rmseOverScale);
        }
    }

    void cancelling_returns_within_100_ms()
    {
        const Trace trace = traceOf(folded({.epilogue = exactBias()}));
        const SampleSet set = images(100000 / 10);
        std::stop_source stop;
        Job job;
        job.stop = stop.get_token();
        QElapsedTimer timer;
        std::jthread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            timer.start();
            stop.request_stop();
        });
        const auto result = verifyTrace(trace, set, {}, job);
        QVERIFY(!result.has_value());
        QCOMPARE(result.error().kind, ErrorKind::Cancelled);
        QVERIFY(timer.elapsed() < 100);
    }

    void accuracy_of_labelled_samples()
    {
        const std::string text =
            "graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[1x3]\n%y: f32[1x3] = {}(%x)\noutput %y\n";
        const Graph before = graphOf(fmt::format(fmt::runtime(text), "Identity"));
        const Graph after = graphOf(fmt::format(fmt::runtime(text), "Neg"));
        SampleSet set;
        for (const std::vector<float>& scores : {std::vector<float>{1, 2, 5}, {4, 3, 1}, {0, 3, 1}}) {
            set.samples.push_back({Tensor::of<float>({1, 3}, scores)});
        }
        set.labels = {{2}, {0}, {0}};
        const auto accuracy = measureAccuracy(before, after, set, {});
        VERIFY_RESULT(accuracy);
        QCOMPARE(accuracy->correctBefore, 2);
        QCOMPARE(accuracy->correctAfter, 1);
        QCOMPARE(accuracy->flips, 3);
        QCOMPARE(accuracy->count, 3);
        QCOMPARE(accuracy->noClass, 0);
        set.labels = {{2}, {7}, {-1}};
        const auto beyond = measureAccuracy(before, after, set, {});
        VERIFY_RESULT(beyond);
        QCOMPARE(beyond->noClass, 2);
        QCOMPARE(beyond->count, 3);
        QCOMPARE(beyond->note, std::string("label 7 of sample 1 is none of the 3 classes"));
        set.labels = {{2, 1}, {0, 1}, {0, 1}};
        const auto misfit = measureAccuracy(before, after, set, {});
        QVERIFY(!misfit.has_value());
        QCOMPARE(misfit.error().kind, ErrorKind::Unsupported);
        QCOMPARE(misfit.error().id, std::string("labels-misfit"));
        QVERIFY2(misfit.error().message.find("2 labels") != std::string::npos, misfit.error().message.c_str());
    }

    void negative_integers_of_two_files_are_equal_or_not()
    {
        const auto verdictOf = [](const std::string& type, const std::string& a, const std::string& b) {
            const auto textOf = [&](const std::string& k) {
                return "graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[1]\nconst %k: " + type + "[2] = [" + k +
                       "]\n%y: " + type + "[2] = Identity(%k)\noutput %y\n";
            };
            SampleSet set;
            set.samples = {{zeros(ElementType::Float32, {1})}};
            const auto result = verifyGraphs(graphOf(textOf(a)), graphOf(textOf(b)), set, {}, {});
            return result ? result->certificate.verdict : Verdict::NotChecked;
        };
        QCOMPARE(verdictOf("s64", "5, 6", "5, 6"), Verdict::Exact);
        QCOMPARE(verdictOf("s64", "5, 6", "4294967301, 6"), Verdict::Failed);  // equal modulo 2^32
        QCOMPARE(verdictOf("s64", "500000, 6", "500001, 6"), Verdict::Failed); // an index, no step of a grid
        QCOMPARE(verdictOf("s8", "5, 6", "5, 7"), Verdict::WithinSteps);
        QCOMPARE(verdictOf("str", "\"a\", \"b\"", "\"a\", \"b\""), Verdict::Exact);
        QCOMPARE(verdictOf("str", "\"a\", \"b\"", "\"a\", \"c\""), Verdict::Failed);
    }

    void two_files_are_compared_by_their_outputs()
    {
        const Graph before = graphOf(source());
        const SampleSet set = images(20);
        const auto same = verifyGraphs(before, before, set, {}, {});
        VERIFY_RESULT(same);
        QCOMPARE(same->certificate.verdict, Verdict::Exact);
        QVERIFY(same->certificate.counts.compared() > 0);
        const auto folding = verifyGraphs(before, graphOf(folded({.epilogue = roundedBias()})), set, {}, {});
        VERIFY_RESULT(folding);
        QVERIFY(folding->certificate.verdict == Verdict::WithinSteps || folding->certificate.verdict == Verdict::Exact);
        const auto wrong = verifyGraphs(before, graphOf(folded({.epilogue = "lo = -128"})), set, {}, {});
        VERIFY_RESULT(wrong);
        QCOMPARE(wrong->certificate.verdict, Verdict::Failed);
        const auto other = verifyGraphs(
            before, graphOf("graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[1]\ninput %z: f32[1]\noutput %z\n"), set, {},
            {});
        QVERIFY(!other.has_value());
        QCOMPARE(other.error().id, std::string("against-mismatch"));
    }
};

QTEST_APPLESS_MAIN(TestVerify)
#include "tst_verify.moc"
