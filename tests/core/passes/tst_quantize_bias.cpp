// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/integer_nodes.h"
#include "core/passes/quantize_bias.h"
#include "tests/core/passes/stage_of.h"

#include <QtTest>

using namespace crease;
using namespace crease::test;

namespace {

/// Conv 1x1 on one input channel, three output channels, accumulator scales 0.05 * ws.
std::string convText(const std::string& codes, const std::string& scales, const std::string& products,
                     const std::string& bias)
{
    return R"(graph "g" ir 8 opset "" 13
input %x: f32[1x1x1x1]
const %w: s8[3x1x1x1] codes s8([)" +
           scales + R"(], [0, 0, 0], axis 0) = [)" + codes + R"(]
%q: u8[1x1x1x1] codes u8(0.05, 0) = crease.Quantize(%x)
%acc: s32[1x3x1x1] codes s32([)" +
           products + R"(], [0, 0, 0], axis 1) = Conv(%q, %w) "layer"
%y: u8[1x3x1x1] codes u8(0.1, 0) = crease.Requantize(%acc) {bias = f64 [)" +
           bias + R"(]}
output %y
)";
}

std::vector<std::int64_t> biasCodes(const Stage& stage)
{
    const Tensor* codes = makerOf(stage.after, "y").tensorAttribute(nodes::biasCodes);
    return codes ? codes->toInts() : std::vector<std::int64_t>{};
}

const Value& weight(const Stage& stage)
{
    const Graph& graph = stage.after;
    const Node& conv = graph.node(graph.producer(makerOf(graph, "y").inputs[0]));
    return graph.value(conv.inputs[1]);
}

} // namespace

class TestQuantizeBias : public QObject {
    Q_OBJECT
private slots:
    void roundsHalfToEvenOnTheAccumulatorsGrid();
    void aDeadChannelGetsAnotherScale();
    void aSaturatedChannelIsCleared();
    void aCommonPowerOfTwoMovesIntoTheScale();
    void headroomCounts();
    void consumersOfOneAccumulatorHaveTheirOwn();
    void negative_anOverflowIsAMiss();
    void negative_aCoarseBiasIsAMiss();
    void no_biasNoChange();
};

void TestQuantizeBias::roundsHalfToEvenOnTheAccumulatorsGrid()
{
    // Accumulator scales .025, .03125, .03125; biases of 2.5, -1.5 and 0.4 steps.
    const Stage stage = stageOf(runQuantizeBias, convText("90, 3, 90", "0.5, 0.25, 0.625", "0.025, 0.03125, 0.03125",
                                                          "0.0625, -0.046875, 0.0125"));
    QCOMPARE(biasCodes(stage), (std::vector<std::int64_t>{2, -2, 0}));
    QVERIFY(!makerOf(stage.after, "y").attribute(nodes::bias));
    QCOMPARE(stage.rewrites.size(), std::size_t{1});
    QVERIFY(stage.rewrites[0].fidelity == Fidelity::R);
}

void TestQuantizeBias::aDeadChannelGetsAnotherScale()
{
    // BC-03: channel 1 has only zero codes and the smallest scale; a bias of 13 needs more than 2^31 of its steps.
    const Stage stage = stageOf(runQuantizeBias, convText("90, 0, 90", "5e-4, 1.1920928955078125e-7, 5e-4",
                                                          "2.5e-5, 5.9604644775390625e-9, 2.5e-5", "1.0, 13.0, 1.0"));
    const Value& w = weight(stage);
    QCOMPARE(w.codes->scales[0], 5e-4);
    QCOMPARE(w.codes->scales[2], 5e-4);
    QVERIFY(w.codes->scales[1] > 1.2e-7);
    const std::vector<std::int64_t> codes = biasCodes(stage);
    QCOMPARE(codes.size(), std::size_t{3});
    QCOMPARE(codes[0], std::int64_t{40000});
    QVERIFY(std::abs(codes[1]) <= 2147483647);
    QVERIFY(std::abs(static_cast<double>(codes[1]) * 0.05 * w.codes->scales[1] - 13.0) < 1e-7);
    QCOMPARE(w.constant.toInts(), (std::vector<std::int64_t>{90, 0, 90}));
    const Node& conv = stage.after.node(stage.after.producer(makerOf(stage.after, "y").inputs[0]));
    QCOMPARE(conv.name, std::string("layer")); // by which a report counts it as integer
}

void TestQuantizeBias::aSaturatedChannelIsCleared()
{
    // Channel 0: |acc| * s <= 127 * 255 * 5e-9 = 1.6e-4 against a bias of 26, 0.5 beyond the top of the grid (25.5).
    const Stage stage =
        stageOf(runQuantizeBias, convText("127, 0, 90", "1e-7, 5e-4, 5e-4", "5e-9, 2.5e-5, 2.5e-5", "26.0, 0.0, 1.0"));
    const Value& w = weight(stage);
    QCOMPARE(w.constant.toInts(), (std::vector<std::int64_t>{0, 0, 90}));
    const double real = static_cast<double>(biasCodes(stage)[0]) * 0.05 * w.codes->scales[0];
    QVERIFY(std::abs(real - 26.0) < 1e-6);
}

void TestQuantizeBias::aCommonPowerOfTwoMovesIntoTheScale()
{
    // 96 = 3 * 2^5 and 12 / 5e-9 = 2.4e9 steps: a factor of 2 is enough, and the weight stays what it was.
    const Stage stage =
        stageOf(runQuantizeBias, convText("96, 1, 90", "1e-7, 5e-4, 5e-4", "5e-9, 2.5e-5, 2.5e-5", "12.0, 0.0, 1.0"));
    const Value& w = weight(stage);
    QCOMPARE(w.constant.toInts(), (std::vector<std::int64_t>{48, 1, 90}));
    QCOMPARE(w.codes->scales[0], 2e-7);
    QCOMPARE(biasCodes(stage)[0], std::int64_t{1200000000});
}

void TestQuantizeBias::headroomCounts()
{
    // 2147483640 steps fit int32 by themselves, but not with the 255 * 3 of the accumulator; 2147482000 do.
    const auto text = [](const std::string& bias) {
        return convText("3, 3, 3", "1.0, 1.0, 1.0", "1.0, 1.0, 1.0", bias + ", 0.0, 0.0");
    };
    // The output saturates in both cases: the remedy clears the channel in the first, nothing is needed in the second.
    QCOMPARE(weight(stageOf(runQuantizeBias, text("2147483640.0"))).constant.asInt(0), std::int64_t{0});
    QCOMPARE(weight(stageOf(runQuantizeBias, text("2147482000.0"))).constant.asInt(0), std::int64_t{3});
}

void TestQuantizeBias::consumersOfOneAccumulatorHaveTheirOwn()
{
    std::string text = convText("90, 0, 90", "5e-4, 1e-8, 5e-4", "2.5e-5, 5e-10, 2.5e-5", "1.0, 13.0, 1.0");
    text += "%z: f32[1x3x1x1] = crease.Dequantize(%acc) {bias = f64 [1.0, 13.0, 1.0]}\noutput %z\n";
    const Stage stage = stageOf(runQuantizeBias, text);
    const Node& reader = makerOf(stage.after, "z");
    QCOMPARE(stage.after.value(reader.inputs[0]).codes->scales[1], 5e-10);
    QVERIFY(makerOf(stage.after, "y").inputs[0] != reader.inputs[0]);
    QVERIFY(reader.attribute(nodes::bias));
}

void TestQuantizeBias::negative_anOverflowIsAMiss()
{
    const auto text = convText("127, 1, 1", "1e-7, 5e-4, 5e-4", "5e-9, 2.5e-5, 2.5e-5", "12.0, 0.0, 1.0");
    const Stage stage = stageOf(runQuantizeBias, text);
    COMPARE_GRAPH(stage.after, text);
    QCOMPARE(stage.missed.size(), std::size_t{1});
    QCOMPARE(stage.missed[0].miss.id, std::string("bias-overflow"));
    QVERIFY(stage.missed[0].miss.text.find("channel 0") != std::string::npos);
}

void TestQuantizeBias::negative_aCoarseBiasIsAMiss()
{
    // M = 0.5 / 0.1 = 5: the bias 0.2 is 0.4 of a step of the accumulator and 2 steps of the output.
    const auto text = convText("1, 1, 1", "10.0, 10.0, 10.0", "0.5, 0.5, 0.5", "0.2, 0.0, 0.0");
    const Stage stage = stageOf(runQuantizeBias, text);
    COMPARE_GRAPH(stage.after, text);
    QCOMPARE(stage.missed.size(), std::size_t{1});
    QCOMPARE(stage.missed[0].miss.id, std::string("bias-rounding"));
    // On the grid it is exact, whatever M is.
    const Stage exact =
        stageOf(runQuantizeBias, convText("1, 1, 1", "10.0, 10.0, 10.0", "0.5, 0.5, 0.5", "1.5, 0.0, 0.0"));
    QCOMPARE(biasCodes(exact)[0], std::int64_t{3});
}

void TestQuantizeBias::no_biasNoChange()
{
    constexpr auto text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8(0.5, 0) = [1, 2, 3, 4]
%q: u8[1x2] codes u8(0.5, 0) = crease.Quantize(%x)
%acc: s32[1x2] codes s32(0.25, 0) = MatMul(%q, %w)
%y: u8[1x2] codes u8(0.5, 7) = crease.Requantize(%acc)
output %y
)";
    const Stage stage = stageOf(runQuantizeBias, text);
    COMPARE_GRAPH(stage.after, text);
}

QTEST_GUILESS_MAIN(TestQuantizeBias)
#include "tst_quantize_bias.moc"
