// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/exec/kernel_runner.h"

using namespace crease;
using namespace crease::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
const std::string contrib = "com.microsoft";

Tensor s8(Dims dims, const Ints& values)
{
    return ints(ElementType::Int8, std::move(dims), values);
}
Tensor u8(Dims dims, const Ints& values)
{
    return ints(ElementType::UInt8, std::move(dims), values);
}
Tensor s32(Dims dims, const Ints& values)
{
    return ints(ElementType::Int32, std::move(dims), values);
}
Tensor scalar(float value)
{
    return Tensor::scalar<float>(value);
}
Tensor zero8(std::int64_t value)
{
    return s8({}, {value});
}
Tensor zeroU8(std::int64_t value)
{
    return u8({}, {value});
}

Attributes attributes(const char* name, std::int64_t value)
{
    return {{name, value}};
}

/// The node in Precision::Exact, its float inputs in double.
NodeCase exact(NodeCase node)
{
    node.precision = Precision::Exact;
    for (Tensor& input : node.inputs) {
        if (input.valid() && isFloat(input.type())) {
            input = input.converted(ElementType::Float64);
        }
    }
    return node;
}

} // namespace

class TestQuantKernels : public QObject {
    Q_OBJECT

private slots:
    void quantizeLinear() // formats.md §9 rows 1 to 4
    {
        const Tensor ties = floats({10}, {.5F, 1.5F, 2.5F, -.5F, -1.5F, -2.5F, 1e9F, -1e9F, infinity, -infinity});
        const NodeCase toS8{"QuantizeLinear", {ties, scalar(1), zero8(3)}};
        const Ints expected = {3, 5, 5, 3, 1, 1, 127, -128, 127, -128};
        QCOMPARE(toS8.output().type(), ElementType::Int8);
        QCOMPARE(intsOf(toS8.output()), expected);
        QCOMPARE(intsOf(exact(toS8).output()), expected);
        const NodeCase toU8{"QuantizeLinear", {ties, scalar(1)}};
        QCOMPARE(toU8.output().type(), ElementType::UInt8);
        QCOMPARE(intsOf(toU8.output()), (Ints{0, 2, 2, 0, 0, 0, 255, 0, 255, 0}));

        std::vector<float> count(12);
        for (std::size_t i = 0; i < count.size(); ++i) {
            count[i] = static_cast<float>(i);
        }
        const Tensor x = floats({3, 4}, count);
        QCOMPARE(intsOf(NodeCase{"QuantizeLinear", {x, floats({3}, {1, 2, 3})}, attributes("axis", 0)}.output()),
                 (Ints{0, 1, 2, 3, 2, 2, 3, 4, 3, 3, 3, 4}));
        const NodeCase last{"QuantizeLinear", {x, floats({4}, {1, 2, 3, 4})}, attributes("axis", -1)};
        QCOMPARE(intsOf(last.output()), (Ints{0, 0, 1, 1, 4, 2, 2, 2, 8, 4, 3, 3}));
        QCOMPARE(intsOf(exact(last).output()), (Ints{0, 0, 1, 1, 4, 2, 2, 2, 8, 4, 3, 3}));
    }

    void quantizeToOtherTypes() // formats.md §9 rows 6, 7
    {
        const Tensor x = floats({6}, {-20, -8, -7.5F, 6.5F, 7.5F, 20});
        const auto to = [&](ElementType type) {
            return intsOf(NodeCase{"QuantizeLinear", {x, scalar(1), ints(type, {}, {0})}}.output());
        };
        QCOMPARE(to(ElementType::Int4), (Ints{-8, -8, -8, 6, 7, 7}));
        QCOMPARE(to(ElementType::UInt4), (Ints{0, 0, 0, 6, 8, 15}));
        QCOMPARE(to(ElementType::Int2), (Ints{-2, -2, -2, 1, 1, 1}));
        QCOMPARE(to(ElementType::UInt2), (Ints{0, 0, 0, 3, 3, 3}));
        QCOMPARE(to(ElementType::Int16), (Ints{-20, -8, -8, 6, 8, 20}));
        const NodeCase wide{"QuantizeLinear",
                            {floats({2}, {1e6F, -1e6F}), scalar(1), ints(ElementType::UInt16, {}, {5})}};
        QCOMPARE(intsOf(wide.output()), (Ints{65535, 0}));
        const NodeCase stated{"QuantizeLinear", {x, scalar(1)}, attributes("output_dtype", 5)};
        QCOMPARE(stated.output().type(), ElementType::Int16);
        QVERIFY((NodeCase{"QuantizeLinear", {x, scalar(1)}, attributes("output_dtype", 17)}.fails()));
        QVERIFY((NodeCase{"QuantizeLinear", {x, scalar(1), s32({}, {0})}}.fails()));
    }

    void quantizeFloat16AsOnnxRuntimeDivides()
    {
        // 2.5006, 3.4994 and 4.5006 are ties in float16.
        const Tensor x = doubles({3}, {0.25, 0.349853515625, 0.449951171875}).converted(ElementType::Float16);
        const Tensor scale = doubles({}, {0.0999755859375}).converted(ElementType::Float16);
        QCOMPARE(intsOf(NodeCase{"QuantizeLinear", {x, scale, zero8(0)}}.output()), (Ints{3, 3, 5}));
        const NodeCase back{"DequantizeLinear", {s8({2}, {3, -3}), scale, zero8(0)}};
        QCOMPARE(back.output().type(), ElementType::Float16);
        QCOMPARE(doublesOf(back.output()), (Doubles{0.2998046875, -0.2998046875}));
    }

    void oddScales() // BC-71
    {
        const NodeCase node{"QuantizeLinear", {floats({3}, {-1, 0, 1}), scalar(1e-42F), zero8(0)}};
        QCOMPARE(intsOf(node.output()), (Ints{-128, 0, 127}));
        QCOMPARE(intsOf(exact(node).output()), (Ints{-128, 0, 127}));
    }

    void scalesThatDoNotFit() // BC-22
    {
        const Tensor w = floats({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
        QVERIFY((NodeCase{"QuantizeLinear", {w, floats({4}, {1, 1, 1, 1})}}.fails()));
        QVERIFY((NodeCase{"QuantizeLinear", {w, floats({2}, {1, 1})}, attributes("axis", 2)}.fails()));
        QVERIFY((NodeCase{"QuantizeLinear", {w, floats({2}, {1, 1}), s8({3}, {0, 0, 0})}}.fails()));
        const Tensor ones = s8({2, 2}, {1, 1, 1, 1});
        QCOMPARE(doublesOf(NodeCase{"DequantizeLinear", {ones, floats({2}, {1, 10})}}.output()),
                 (Doubles{1, 10, 1, 10}));
        QCOMPARE(doublesOf(NodeCase{"DequantizeLinear", {ones, floats({2}, {1, 10})}, attributes("axis", -2)}.output()),
                 (Doubles{1, 1, 10, 10}));
        QCOMPARE(doublesOf(NodeCase{"DequantizeLinear", {s8({2}, {1, 1}), floats({2}, {1, 10})}}.output()),
                 (Doubles{1, 10}));
        QCOMPARE(intsOf(NodeCase{"QuantizeLinear", {w, floats({1}, {2}), zero8(0)}, attributes("axis", 7)}.output()),
                 (Ints{0, 1, 2, 2, 2, 3, 4, 4}));
    }

    void dequantizeLinear() // BC-21; formats.md §1.2, §9 row 5
    {
        const NodeCase axis{"DequantizeLinear",
                            {s8({2, 3}, {1, 1, 1, 4, 4, 4}), floats({3}, {.5F, 2, 10}), s8({3}, {0, 1, -1})},
                            attributes("axis", 1)};
        QCOMPARE(doublesOf(axis.output()), (Doubles{.5, 0, 20, 2, 6, 50}));
        QCOMPARE(doublesOf(exact(axis).output()), (Doubles{.5, 0, 20, 2, 6, 50}));
        const NodeCase blocked{"DequantizeLinear",
                               {ints(ElementType::Int4, {2, 5}, {1, 2, 3, 4, 5, -1, -2, -3, -4, -5}),
                                floats({2, 3}, {1, 10, 100, 2, 20, 200})},
                               {{"axis", std::int64_t{1}}, {"block_size", std::int64_t{2}}}};
        QCOMPARE(doublesOf(blocked.output()), (Doubles{1, 2, 30, 40, 500, -2, -4, -60, -80, -1000}));
        const NodeCase byRows{"DequantizeLinear",
                              {s8({3, 2}, {1, 2, 3, 4, 5, 6}), floats({2, 2}, {1, 10, 100, 1000})},
                              {{"axis", std::int64_t{0}}, {"block_size", std::int64_t{2}}}};
        QCOMPARE(doublesOf(byRows.output()), (Doubles{1, 20, 3, 40, 500, 6000}));
        const NodeCase wrapping{"DequantizeLinear", {s32({2}, {16777217, 2147483647}), scalar(1)}};
        QCOMPARE(doublesOf(wrapping.output()), (Doubles{16777216, 2147483648}));
        QCOMPARE(doublesOf(exact(wrapping).output()), (Doubles{16777217, 2147483647}));
        QVERIFY(
            std::fabs(doublesOf(NodeCase{"DequantizeLinear", {s8({1}, {-128}), scalar(.1F), zero8(-5)}}.output())[0] +
                      12.3) < 1e-6);
    }

    void dynamicQuantizeLinear() // formats.md §1.3, BC-31
    {
        const auto run = [](std::vector<float> x) {
            const Dims dims{static_cast<std::int64_t>(x.size())};
            return NodeCase{.op = "DynamicQuantizeLinear", .inputs = {floats(dims, std::move(x))}, .outputs = 3}
                .run()
                .value();
        };
        const auto up = run({1, 2, 3});
        QCOMPARE(intsOf(up[0]), (Ints{85, 170, 255}));
        QCOMPARE(up[1].asDouble(0), static_cast<double>(0.0117647061F));
        QCOMPARE(up[2].asInt(0), 0);
        QCOMPARE(intsOf(run({-1, -2, -3})[0]), (Ints{170, 85, 0}));
        const auto both = run({0, 2, -3, -2.5F, 1.34F, .5F});
        QCOMPARE(intsOf(both[0]), (Ints{153, 255, 0, 26, 221, 179}));
        QCOMPARE(both[2].asInt(0), 153);
        QCOMPARE(intsOf(run({-127, 128, .5F})[0]), (Ints{0, 255, 127}));
        const auto nothing = run({0, 0});
        QCOMPARE(intsOf(nothing[0]), (Ints{0, 0}));
        QCOMPARE(nothing[1].asDouble(0), 1.0);
    }

    void qLinearConv() // formats.md §1.4, §9 row 9
    {
        const Tensor x = s8({1, 1, 6}, {1, 3, 5, -1, -3, -5});
        const auto ties = [&](std::int64_t zero) {
            return NodeCase{"QLinearConv",
                            {x, scalar(1), zero8(0), s8({1, 1, 1}, {1}), scalar(1), zero8(0), scalar(2), zero8(zero)}};
        };
        QCOMPARE(intsOf(ties(1).output()), (Ints{1, 3, 3, 1, -1, -1}));
        QCOMPARE(intsOf(ties(0).output()), (Ints{0, 2, 2, 0, -2, -2}));
        QCOMPARE(intsOf(exact(ties(1)).output()), (Ints{1, 3, 3, 1, -1, -1}));
        // Padding is real zero.
        const NodeCase padded{"QLinearConv",
                              {u8({1, 1, 1, 1}, {12}), scalar(1), zeroU8(10), u8({1, 1, 3, 3}, Ints(9, 1)), scalar(1),
                               zeroU8(0), scalar(1), zeroU8(0)},
                              {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}}};
        QCOMPARE(intsOf(padded.output()), (Ints{2}));
        // Weights with a zero point a channel; bias; scale a channel.
        const NodeCase channels{"QLinearConv",
                                {u8({1, 1, 1}, {5}), scalar(1), zeroU8(3), u8({2, 1, 1}, {11, 2}),
                                 floats({2}, {1, .5F}), u8({2}, {10, 0}), scalar(.5F), zeroU8(7), s32({2}, {1, -2})}};
        QCOMPARE(intsOf(channels.output()), (Ints{7 + (2 * 1 + 1) * 2, 7 + 2 * 2 - 2}));
        // The sum wraps, as ONNX Runtime's does.
        const NodeCase wrapping{"QLinearConv",
                                {s8({1, 1, 1}, {127}), scalar(1), zero8(0), s8({1, 1, 1}, {127}), scalar(1), zero8(0),
                                 scalar(1), zero8(0), s32({1}, {2147483647})}};
        QCOMPARE(intsOf(wrapping.output()), (Ints{-128}));
    }

    void qLinearConvWithChannelsLast()
    {
        // x [1, 2, 1, 2] channels last is the planes {1, 3} and {2, 4}; a tap to the left in each channel.
        const NodeCase node{"QLinearConv",
                            {u8({1, 1, 2, 2}, {1, 2, 3, 4}), scalar(1), zeroU8(0), u8({2, 1, 1, 2}, {1, 1, 1, 2}),
                             scalar(1), zeroU8(0), scalar(1), zeroU8(0)},
                            {{"channels_last", std::int64_t{1}},
                             {"group", std::int64_t{2}},
                             {"pads", std::vector<std::int64_t>{0, 1, 0, 0}}},
                            contrib};
        QCOMPARE(node.output().dims(), (Dims{1, 1, 2, 2}));
        QCOMPARE(intsOf(node.output()), (Ints{1, 4, 4, 10}));
    }

    void integerSums() // BC-39
    {
        const NodeCase pair{"MatMulInteger", {u8({1, 3}, {210, 198, 234}), s8({3, 1}, {-81, -80, 127})}};
        QCOMPARE(pair.output().type(), ElementType::Int32);
        QCOMPARE(intsOf(pair.output()), (Ints{-3132}));
        const NodeCase zeros{"MatMulInteger",
                             {u8({2, 2}, {1, 2, 3, 4}), u8({2, 2}, {5, 6, 7, 8}), zeroU8(1), u8({2}, {1, 2})}};
        QCOMPARE(intsOf(zeros.output()), (Ints{6, 6, 8 + 18, 8 + 18}));
        const NodeCase conv{"ConvInteger",
                            {u8({1, 1, 2}, {2, 3}), u8({2, 1, 2}, {1, 2, 3, 4}), zeroU8(1), u8({2}, {0, 1})},
                            {{"pads", std::vector<std::int64_t>{1, 0}}}};
        QCOMPARE(intsOf(conv.output()), (Ints{2, 1 + 4, 3, 2 + 6}));
        // 3000 products of 255 * 127 need more than float's 24 bits.
        const NodeCase large{"MatMulInteger", {u8({1, 3001}, Ints(3001, 255)), s8({3001, 1}, Ints(3001, 127))}};
        QCOMPARE(intsOf(large.output()), (Ints{3001LL * 255 * 127}));
        const NodeCase rows{"MatMulInteger", {u8({2, 1}, {5, 5}), u8({1, 1}, {2}), u8({2}, {1, 2}), zeroU8(0)}};
        QCOMPARE(intsOf(rows.output()), (Ints{8, 6}));
    }

    void refusesWhatIsNoInteger()
    {
        const Tensor real = floats({1, 1}, {1});
        QVERIFY((NodeCase{"MatMulInteger", {real, u8({1, 1}, {1})}}.fails()));
        QVERIFY((NodeCase{"MatMulInteger", {u8({1, 1}, {1}), real}}.fails()));
        QVERIFY((NodeCase{"ConvInteger", {floats({1, 1, 1}, {1}), u8({1, 1, 1}, {1})}}.fails()));
        const std::vector<Tensor> conv = {u8({1, 1, 1}, {5}), scalar(1), zeroU8(0), u8({1, 1, 1}, {1}),
                                          scalar(1),          zeroU8(0), scalar(1), zeroU8(0)};
        const auto withBias = [&](const Tensor& bias) {
            std::vector<Tensor> inputs = conv;
            inputs.push_back(bias);
            return NodeCase{"QLinearConv", inputs};
        };
        QCOMPARE(intsOf(withBias(s32({1}, {2})).output()), (Ints{7}));
        QVERIFY(withBias(floats({1}, {2})).fails());
        QVERIFY(withBias(s32({2}, {1, 2})).fails());
    }

    void zeroPointsMayChangeBetweenRuns()
    {
        Graph graph;
        Node node;
        node.op = "MatMulInteger";
        const KernelRow* row = findKernel(graph, node);
        QVERIFY(row != nullptr);
        KernelCache cache;
        const Tensor a = u8({1, 1001}, Ints(1001, 255));
        const Tensor b = u8({1001, 1}, Ints(1001, 67));
        const auto run = [&](std::int64_t zeroA, std::int64_t zeroB) {
            const std::vector<Tensor> inputs = {a, b, zeroU8(zeroA), zeroU8(zeroB)};
            return row->kernel({graph, node, inputs, Precision::Float32, Job{}, &cache, 1}).value().front().asInt(0);
        };
        QCOMPARE(run(128, 0), 1001LL * 127 * 67); // fits float
        QCOMPARE(run(0, 0), 1001LL * 255 * 67);   // needs double: an odd number above 2^24
        QCOMPARE(run(0, 66), 1001LL * 255);
        QCOMPARE(run(128, 0), 1001LL * 127 * 67);
    }

    void qLinearMatMul() // formats.md §9 row 10
    {
        const Tensor m = u8({2, 2}, {1, 2, 3, 4});
        const NodeCase node{"QLinearMatMul",
                            {m, scalar(1), zeroU8(0), m, floats({2}, {1, 2}), zeroU8(0), scalar(1), zeroU8(0)}};
        QCOMPARE(intsOf(node.output()), (Ints{7, 20, 15, 44}));
        NodeCase missing = node;
        missing.inputs[7] = Tensor{};
        QVERIFY(missing.fails());
    }

    void qGemm()
    {
        const Tensor a = s8({1, 2}, {3, 5});
        const Tensor b = s8({2, 2}, {1, 2, 3, 4});
        const Attributes transposed = attributes("transB", 1);
        const std::vector<Tensor> common = {
            a, scalar(.5F), zero8(1), b, floats({2}, {1, 2}), s8({2}, {0, 0}), s32({2}, {1, 2})};
        QCOMPARE(doublesOf(NodeCase{"QGemm", common, transposed, contrib}.output()), (Doubles{5.5, 24}));
        std::vector<Tensor> quantized = common;
        quantized.push_back(scalar(1));
        quantized.push_back(zero8(1));
        QCOMPARE(intsOf(NodeCase{"QGemm", quantized, transposed, contrib}.output()), (Ints{7, 25}));
        QCOMPARE(intsOf(NodeCase{"QGemm", quantized, {{"alpha", 2.0F}}, contrib}.output()), (Ints{16, 45}));
    }

    void matMulToFloat() // formats.md §9 rows 15, 16
    {
        const Tensor b = u8({2, 2}, {1, 2, 3, 4});
        const Tensor bias = floats({2}, {.25F, .5F});
        const NodeCase node{"MatMulIntegerToFloat",
                            {u8({1, 2}, {3, 5}), b, scalar(.5F), floats({2}, {1, 2}), zeroU8(1), Tensor{}, bias},
                            {},
                            contrib};
        QCOMPARE(doublesOf(node.output()), (Doubles{7.25, 20.5}));
        QCOMPARE(exact(node).output().type(), ElementType::Float64);
        QCOMPARE(doublesOf(exact(node).output()), (Doubles{7.25, 20.5}));
        const NodeCase dynamic{
            "DynamicQuantizeMatMul", {floats({1, 2}, {0, 2.55F}), b, scalar(.5F), Tensor{}, bias}, {}, contrib};
        QVERIFY(distance(doublesOf(dynamic.output()), {4.075, 5.6}) < 1e-6);
    }

    void qLinearAddAndMulRoundAfterTheZeroPoint() // formats.md §9 row 11, BC-33
    {
        const auto add = [](std::int64_t zero) {
            return intsOf(NodeCase{"QLinearAdd",
                                   {u8({4}, {1, 3, 5, 7}), scalar(.5F), zeroU8(0), u8({1}, {0}), scalar(.5F), zeroU8(0),
                                    scalar(1), zeroU8(zero)},
                                   {},
                                   contrib}
                              .output());
        };
        QCOMPARE(add(0), (Ints{0, 2, 2, 4}));
        QCOMPARE(add(1), (Ints{2, 2, 4, 4}));
        const NodeCase mul{
            "QLinearMul",
            {u8({2, 1}, {1, 3}), scalar(.5F), zeroU8(0), u8({2}, {2, 6}), scalar(.5F), zeroU8(0), scalar(1), zeroU8(1)},
            {},
            contrib};
        QCOMPARE(intsOf(mul.output()), (Ints{2, 2, 2, 6}));
    }

    void qLinearTables() // formats.md §9 rows 12 to 14
    {
        const Tensor x = s8({4}, {0, 10, 20, 100});
        const NodeCase sigmoid{
            "QLinearSigmoid", {x, scalar(.1F), zero8(10), scalar(1.0F / 256), zero8(-128)}, {}, contrib};
        QCOMPARE(intsOf(sigmoid.output()), (Ints{-59, 0, 59, 127}));
        const NodeCase leaky{
            "QLinearLeakyRelu", {x, scalar(.1F), zero8(10), scalar(.05F), zero8(3)}, {{"alpha", .1F}}, contrib};
        QCOMPARE(intsOf(leaky.output()), (Ints{1, 3, 23, 127}));
        const auto softmax = [](const Ints& codes, float scale) {
            return intsOf(NodeCase{"QLinearSoftmax",
                                   {s8({4}, codes), scalar(scale), zero8(0), scalar(1.0F / 256), zero8(-128)},
                                   {{"opset", std::int64_t{13}}},
                                   contrib}
                              .output());
        };
        QCOMPARE(softmax({0, 10, 20, 30}, .1F), (Ints{-120, -106, -67, 37}));
        QCOMPARE(softmax({127, -100, -100, -100}, 1), (Ints{127, -128, -128, -128})); // BC-38
        const NodeCase columns{"QLinearSoftmax",
                               {u8({2, 2}, {0, 255, 255, 255}), scalar(1), zeroU8(0), scalar(1.0F / 256), zeroU8(0)},
                               {{"opset", std::int64_t{13}}, {"axis", std::int64_t{0}}},
                               contrib};
        QCOMPARE(intsOf(columns.output()), (Ints{0, 128, 255, 128}));
    }

    void qLinearConcatAndWhere()
    {
        const NodeCase concat{
            "QLinearConcat",
            {scalar(1), zeroU8(1), u8({1, 2}, {1, 3}), scalar(.5F), zeroU8(0), u8({1, 1}, {9}), scalar(1), zeroU8(1)},
            attributes("axis", 1),
            contrib};
        QCOMPARE(intsOf(concat.output()), (Ints{1, 3, 9}));
        QCOMPARE(concat.output().dims(), (Dims{1, 3}));
        const NodeCase where{"QLinearWhere",
                             {Tensor::of<bool>({2}, {true, false}), u8({1}, {3}), scalar(.5F), zeroU8(0),
                              u8({2}, {4, 5}), scalar(1), zeroU8(1), scalar(1), zeroU8(1)},
                             {},
                             contrib};
        QCOMPARE(intsOf(where.output()), (Ints{3, 5}));
    }

    void qLinearPools() // formats.md §1.5
    {
        const Tensor x = u8({1, 1, 1, 4}, {2, 3, 3, 4});
        const auto pool = [&](std::int64_t zero) {
            return intsOf(NodeCase{
                "QLinearAveragePool",
                {x, scalar(1), zeroU8(0), scalar(1), zeroU8(zero)},
                {{"kernel_shape", std::vector<std::int64_t>{1, 2}}, {"strides", std::vector<std::int64_t>{1, 2}}},
                contrib}
                              .output());
        };
        QCOMPARE(pool(0), (Ints{2, 4}));
        QCOMPARE(pool(1), (Ints{4, 4}));
        const Tensor two = u8({1, 2, 1, 2}, {2, 3, 3, 4});
        const NodeCase whole{"QLinearAveragePool",
                             {two, scalar(1), zeroU8(0), scalar(1), zeroU8(1)},
                             {{"kernel_shape", std::vector<std::int64_t>{1, 2}}},
                             contrib};
        QCOMPARE(intsOf(whole.output()), (Ints{3, 5}));
        const auto global = [&](std::int64_t zero) {
            return intsOf(
                NodeCase{"QLinearGlobalAveragePool", {two, scalar(1), zeroU8(0), scalar(1), zeroU8(zero)}, {}, contrib}
                    .output());
        };
        QCOMPARE(global(0), (Ints{2, 4}));
        QCOMPARE(global(1), (Ints{3, 5}));
        const NodeCase padded{"QLinearAveragePool",
                              {u8({1, 1, 1, 1}, {14}), scalar(1), zeroU8(10), scalar(1), zeroU8(0)},
                              {{"kernel_shape", std::vector<std::int64_t>{1, 2}},
                               {"pads", std::vector<std::int64_t>{0, 1, 0, 0}},
                               {"count_include_pad", std::int64_t{1}}},
                              contrib};
        QCOMPARE(intsOf(padded.output()), (Ints{2}));
        // The last window has 1 of 2 elements; counting padding, ONNX Runtime divides by both.
        const auto ceiled = [&](std::int64_t counted) {
            return intsOf(NodeCase{"QLinearAveragePool",
                                   {u8({1, 1, 1, 3}, {2, 4, 8}), scalar(1), zeroU8(0), scalar(1), zeroU8(0)},
                                   {{"kernel_shape", std::vector<std::int64_t>{1, 2}},
                                    {"strides", std::vector<std::int64_t>{1, 2}},
                                    {"ceil_mode", std::int64_t{1}},
                                    {"count_include_pad", counted}},
                                   contrib}
                              .output());
        };
        QCOMPARE(ceiled(0), (Ints{3, 8}));
        QCOMPARE(ceiled(1), (Ints{3, 4}));
    }

    void negative_operandsOfOtherTypes()
    {
        const Tensor x = u8({2}, {1, 2});
        const auto add = [&](const Tensor& b) {
            return NodeCase{
                "QLinearAdd", {x, scalar(1), zeroU8(0), b, scalar(1), zeroU8(0), scalar(1), zeroU8(0)}, {}, contrib};
        };
        QCOMPARE(intsOf(add(x).output()), (Ints{2, 4}));
        QVERIFY(add(floats({2}, {1, 2})).fails());
        QVERIFY(add(Tensor{}).fails());
        const auto where = [&](const Tensor& condition, const Tensor& y) {
            return NodeCase{"QLinearWhere",
                            {condition, x, scalar(1), zeroU8(0), y, scalar(1), zeroU8(0), scalar(2), zeroU8(0)},
                            {},
                            contrib};
        };
        const Tensor condition = ints(ElementType::Bool, {2}, {1, 0});
        QCOMPARE(intsOf(where(condition, u8({2}, {4, 6})).output()), (Ints{0, 3}));
        QVERIFY(where(condition, ints(ElementType::Int32, {2}, {70000, -5})).fails());
        QVERIFY(where(condition, Tensor{}).fails());
        QVERIFY(where(ints(ElementType::Int32, {2}, {1, 0}), u8({2}, {4, 6})).fails());
    }
};

QTEST_APPLESS_MAIN(TestQuantKernels)
#include "tst_quant_kernels.moc"
