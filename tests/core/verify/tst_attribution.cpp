// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/program.h"
#include "core/verify/comparison.h"
#include "tests/support/graph_text.h"

using namespace crease;
using crease::test::graphOf;

namespace {

Counts attributed(double v, std::int32_t before, std::int32_t after, const Causes& causes,
                  const EpilogueError& epilogues = {})
{
    Pair pair;
    pair.grid = Grid::perTensor(0.1, 3, ElementType::Int8);
    Counts counts;
    attribute({{0, before, after}}, pair, {1}, {v}, causes, epilogues, counts);
    return counts;
}

EpilogueError bias(double error, double steps = 10.0)
{
    return {{error}, {steps}};
}

/// The tensors of a run by value, constants included.
std::map<ValueId, Tensor> tensorsOf(const Graph& graph, const std::vector<Tensor>& inputs)
{
    std::map<ValueId, Tensor> seen;
    for (const ValueId id : graph.values()) {
        seen[id] = graph.value(id).constant;
    }
    const auto program = Program::create(graph, {.precision = Precision::Exact});
    if (!program || !program->run(inputs, {}, [&](ValueId id, const Tensor& tensor) {
            seen[id] = tensor;
            return tensor;
        })) {
        qFatal("the graph does not run");
    }
    return seen;
}

} // namespace

class TestAttribution : public QObject {
    Q_OBJECT

private slots:
    void exact_tie()
    {
        // code = rne(v) + 3; 4.5 goes to 4 (code 7); a half-away rounding gives 8
        QCOMPARE(attributed(4.5, 7, 8, {}).ties, 1);
        QCOMPARE(attributed(-4.5, -1, -2, {}).ties, 1);
        QCOMPARE(attributed(4.5 + 1e-12, 8, 7, {}).ties, 1);
    }

    void near_a_half_is_no_tie()
    {
        QCOMPARE(attributed(4.5 + 1e-6, 8, 7, {}).unexplained, 1);
        QCOMPARE(attributed(4.5 + 1e-6, 8, 7, {}).ties, 0);
    }

    void noise_of_float32_scales()
    {
        Causes noise;
        noise.noise = true;
        QCOMPARE(attributed(100.5 + 1e-5, 104, 103, noise).noise, 1);
        QCOMPARE(attributed(100.5 + 1e-3, 104, 103, noise).unexplained, 1);
        QCOMPARE(attributed(100.5 + 1e-5, 104, 103, {}).unexplained, 1);
    }

    void rounding_of_a_bias()
    {
        // the bias was rounded down by 0.002 steps: what lay just above the half went below it
        QCOMPARE(attributed(4.5 + 0.001, 8, 7, {}, bias(-0.002)).bias, 1);
        QCOMPARE(attributed(4.5 + 0.003, 8, 7, {}, bias(-0.002)).unexplained, 1);
        QCOMPARE(attributed(4.5 - 0.001, 7, 8, {}, bias(0.002)).bias, 1);
        Causes noise;
        noise.noise = true;
        QCOMPARE(attributed(4.5 + 1e-7, 8, 7, noise, bias(-0.002)).bias, 1);
        QCOMPARE(attributed(4.5 + 1e-7, 8, 7, noise, bias(0.002)).noise, 1);
    }

    void negative_a_bias_rounded_the_other_way_is_no_cause()
    {
        QCOMPARE(attributed(4.5 + 0.001, 8, 7, {}, bias(0.002)).unexplained, 1);
        EpilogueError unknown = bias(0.002);
        unknown.signKnown = false;
        QCOMPARE(attributed(4.5 + 0.001, 8, 7, {}, unknown).bias, 1);
    }

    void negative_more_than_one_step_is_never_explained()
    {
        QCOMPARE(attributed(4.5, 7, 9, {}, bias(10.0)).unexplained, 1);
    }

    void negative_a_step_away_from_every_half_is_not_explained()
    {
        QCOMPARE(attributed(4.0, 7, 8, {}, bias(0.01)).unexplained, 1);
        // a tie between 7 and 8 does not explain 8 and 9
        QCOMPARE(attributed(4.5, 8, 9, {}).unexplained, 1);
    }

    void negative_without_the_numbers_nothing_is_explained()
    {
        Counts counts;
        Pair pair;
        attribute({{0, 1, 2}, {1, 1, 2}}, pair, {2}, {}, {}, {}, counts);
        QCOMPARE(counts.unexplained, 2);
    }

    void numbers_behind_a_pair_and_movement()
    {
        const Graph graph = graphOf(R"(graph "g" ir 8 opset "" 13
input %x: f32[2x3]
const %s: f32[] = [0.5]
const %z: u8[] = [7]
%q: u8[2x3] = QuantizeLinear(%x, %s, %z)
%t: u8[3x2] = Transpose(%q) {perm = [1, 0]}
%i: u8[3x2] = Identity(%t)
%y: f32[3x2] = DequantizeLinear(%i, %s, %z)
%r: f32[3x2] = Relu(%y)
output %r
)");
        const auto origin = PreRounding::of(graph, graph.findValue("r"));
        QVERIFY(origin.has_value());
        const auto seen = tensorsOf(graph, {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6.25F})});
        const auto steps = origin->steps(graph, [&](ValueId id) { return seen.at(id); }, {});
        VERIFY_RESULT(steps);
        QCOMPARE(*steps, (std::vector<double>{2, 8, 4, 10, 6, 12.5}));
    }

    void numbers_behind_quantizers_of_com_microsoft()
    {
        const auto textOf = [](const std::string& domain) {
            return R"(graph "g" ir 8 opset "" 13, "com.microsoft" 1
input %x: f32[2]
const %s: f32[] = [0.5]
const %z: u16[] = [7]
%q: u16[2] = )" + domain +
                   R"(QuantizeLinear(%x, %s, %z)
%y: f32[2] = )" + domain +
                   R"(DequantizeLinear(%q, %s, %z)
output %y
)";
        };
        for (const std::string domain : {"com.microsoft.", ""}) {
            const Graph graph = graphOf(textOf(domain));
            const auto origin = PreRounding::of(graph, graph.findValue("y"));
            QVERIFY(origin.has_value());
            const auto seen = tensorsOf(graph, {Tensor::of<float>({2}, {1, 6.25F})});
            const auto steps = origin->steps(graph, [&](ValueId id) { return seen.at(id); }, {});
            VERIFY_RESULT(steps);
            QCOMPARE(*steps, (std::vector<double>{2, 12.5}));
        }
        const Graph foreign = graphOf(textOf("odd."));
        QVERIFY(!PreRounding::of(foreign, foreign.findValue("y")).has_value());
    }

    void the_bias_error_of_a_grouped_transposed_convolution()
    {
        const auto textOf = [](const std::string& attributes, const std::string& bias, const std::string& dims) {
            return R"(graph "g" ir 8 opset "" 13
input %x: s8[1x2x1x1] codes s8(0.5, 0)
const %w: s8[2x2x1x1] codes s8([0.02, 0.04], [0, 0], axis 1) = [1, 2, 3, 4]
%y: s8[1x)" + dims +
                   R"(x1x1] codes s8(0.5, 0) = ConvTranspose(%x, %w) {)" + attributes + "bias_codes = tensor s32[" +
                   dims + "] [" + bias + "]}\noutput %y\n";
        };
        const auto errorsOf = [](const std::string& text, std::size_t channels) {
            const Graph graph = graphOf(text);
            const auto half =
                Epilogues::of(graph, graph.findValue("y"), [](NodeId) { return std::vector<double>{}; }, true);
            if (!half) {
                qFatal("no epilogue");
            }
            const Dims dims{1, static_cast<std::int64_t>(channels), 1, 1};
            return half->errors(graph, [&](ValueId) { return zeros(ElementType::Int8, dims); }, {}).value().rounding;
        };
        // half a step of s_x * s_w in steps of 0.5: both groups have both scales
        const auto grouped = errorsOf(textOf("group = 2, ", "100, -50, 7, 9", "4"), 4);
        QCOMPARE(grouped.size(), 4U);
        for (std::size_t c = 0; c < 4; ++c) {
            QVERIFY(qAbs(grouped[c] - (c % 2 == 0 ? 0.01 : 0.02)) < 1e-6);
        }
        const auto one = errorsOf(textOf("", "100, -50", "2"), 2);
        QVERIFY(qAbs(one[0] - 0.01) < 1e-6 && qAbs(one[1] - 0.02) < 1e-6);
    }

    void negative_no_numbers_where_something_computes_in_between()
    {
        const Graph graph = graphOf(R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
const %s: f32[] = [0.5]
const %z: u8[] = [7]
%q: u8[2] = QuantizeLinear(%x, %s, %z)
%y: f32[2] = DequantizeLinear(%q, %s, %z)
%n: f32[2] = Neg(%y)
output %n
)");
        QVERIFY(!PreRounding::of(graph, graph.findValue("n")).has_value());
        QVERIFY(!PreRounding::of(graph, graph.findValue("x")).has_value());
    }

    void the_bias_error_of_a_requantizer()
    {
        const Graph graph = graphOf(R"(graph "g" ir 8 opset "" 13
input %a: s32[1x2] codes s32([0.01, 0.02], [0, 0], axis 1)
%r: s8[1x2] codes s8(0.5, 0) = crease.Requantize(%a) {bias_codes = tensor s32[2] [100, -50]}
%t: s8[2x1] codes s8(0.5, 0) = Transpose(%r) {perm = [1, 0]}
%y: f32[2x1] on s8(0.5, 0) = crease.Dequantize(%t)
output %y
)");
        const auto seen = tensorsOf(graph, {Tensor::of<std::int32_t>({1, 2}, {1, 2})});
        const auto errorsOf = [&](const ExactBias& exact, bool half) {
            const auto epilogues = Epilogues::of(graph, graph.findValue("y"), exact, half);
            if (!epilogues) {
                qFatal("no epilogue");
            }
            return epilogues->errors(graph, [&](ValueId id) { return seen.at(id); }, {}).value();
        };
        const auto exact = [](NodeId) { return std::vector<double>{1.004, -1.2}; };
        const auto none = [](NodeId) { return std::vector<double>{}; };
        const EpilogueError known = errorsOf(exact, false);
        QCOMPARE(known.rounding.size(), 2U);
        QVERIFY(qAbs(known.rounding[0] + 0.008) < 1e-12); // 1.000 is 0.004 below 1.004: 0.008 steps of 0.5
        QVERIFY(known.signKnown);
        QVERIFY(!errorsOf(none, true).signKnown);
        QCOMPARE(known.rounding[1], 0.0); // -1.0 for -1.2 is ten codes away: no rounding, no excuse
        QVERIFY(qAbs(known.magnitude[1] - 2.0) < 1e-12);
        QCOMPARE(errorsOf(none, false).rounding[0], 0.0);
        QVERIFY(qAbs(errorsOf(none, true).rounding[0] - 0.01) < 1e-6);
        QVERIFY(!Epilogues::of(graph, graph.findValue("a"), exact, true).has_value());
    }
};

QTEST_APPLESS_MAIN(TestAttribution)
#include "tst_attribution.moc"
