// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/program.h"
#include "core/verify/comparison.h"
#include "tests/support/graph_text.h"

using namespace crease;
using crease::test::graphOf;

namespace {

Counts attributed(double v, std::int32_t before, std::int32_t after, const Causes& causes)
{
    Pair pair;
    pair.grid = Grid::perTensor(0.1, 3, ElementType::Int8);
    Counts counts;
    attribute({{0, before, after}}, pair, {1}, {v}, causes, counts);
    return counts;
}

Causes bias(double error, double steps = 10.0)
{
    Causes causes;
    causes.epilogue = Epilogue{{error}, {steps}, std::nullopt, {}};
    return causes;
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
        QCOMPARE(attributed(4.5 + 0.001, 8, 7, bias(0.002)).bias, 1);
        QCOMPARE(attributed(4.5 + 0.003, 8, 7, bias(0.002)).unexplained, 1);
    }

    void negative_more_than_one_step_is_never_explained()
    {
        QCOMPARE(attributed(4.5, 7, 9, bias(10.0)).unexplained, 1);
    }

    void negative_a_step_away_from_every_half_is_not_explained()
    {
        QCOMPARE(attributed(4.0, 7, 8, bias(0.01)).unexplained, 1);
        // a tie between 7 and 8 does not explain 8 and 9
        QCOMPARE(attributed(4.5, 8, 9, {}).unexplained, 1);
    }

    void negative_without_the_numbers_nothing_is_explained()
    {
        Counts counts;
        Pair pair;
        attribute({{0, 1, 2}, {1, 1, 2}}, pair, {2}, {}, {}, counts);
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
        std::map<ValueId, Tensor> seen;
        const auto program = Program::create(graph, {.precision = Precision::Exact});
        VERIFY_RESULT(program);
        const auto run = program->run({Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6.25F})}, {},
                                      [&](ValueId id, const Tensor& tensor) {
                                          seen[id] = tensor;
                                          return tensor;
                                      });
        VERIFY_RESULT(run);
        const auto steps = origin->steps(
            graph, [&](ValueId id) { return graph.value(id).isConstant() ? graph.value(id).constant : seen[id]; }, {});
        VERIFY_RESULT(steps);
        QCOMPARE(*steps, (std::vector<double>{2, 8, 4, 10, 6, 12.5}));
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
%y: f32[1x2] on s8(0.5, 0) = crease.Dequantize(%r)
output %y
)");
        const auto exact = [](NodeId) { return std::vector<double>{1.004, -1.2}; };
        const auto known = epilogueOf(graph, graph.findValue("y"), exact, false);
        QVERIFY(known.has_value());
        QCOMPARE(known->axis, std::optional(1));
        QVERIFY(qAbs(known->biasError[0] - 0.008) < 1e-12); // 1.000 is 0.004 from 1.004: 0.008 steps of 0.5
        QCOMPARE(known->biasError[1], 0.0);                 // -1.0 for -1.2 is ten codes away: no rounding, no excuse
        QVERIFY(qAbs(known->biasSteps[1] - 2.0) < 1e-12);
        const auto none = [](NodeId) { return std::vector<double>{}; };
        QCOMPARE(epilogueOf(graph, graph.findValue("y"), none, false)->biasError[0], 0.0);
        QVERIFY(qAbs(epilogueOf(graph, graph.findValue("y"), none, true)->biasError[0] - 0.01) < 1e-6);
        QVERIFY(!epilogueOf(graph, graph.findValue("a"), exact, true).has_value());
    }
};

QTEST_APPLESS_MAIN(TestAttribution)
#include "tst_attribution.moc"
