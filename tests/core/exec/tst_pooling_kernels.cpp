// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/exec/kernel_runner.h"

using namespace crease;
using namespace crease::test;

namespace {

using Axes = std::vector<std::int64_t>;

Tensor square(std::int64_t side)
{
    std::vector<float> values;
    for (std::int64_t i = 0; i < side * side; ++i) {
        values.push_back(static_cast<float>(i));
    }
    return floats({1, 1, side, side}, values);
}

} // namespace

class TestPoolingKernels : public QObject {
    Q_OBJECT

private slots:
    void maxPool()
    {
        const Tensor x = square(4);
        const NodeCase plain{"MaxPool", {x}, {{"kernel_shape", Axes{2, 2}}, {"strides", Axes{2, 2}}}};
        QCOMPARE(plain.output().dims(), (Dims{1, 1, 2, 2}));
        QCOMPARE(doublesOf(plain.output()), (Doubles{5, 7, 13, 15}));
        const NodeCase dilated{"MaxPool", {x}, {{"kernel_shape", Axes{2, 2}}, {"dilations", Axes{2, 2}}}};
        QCOMPARE(doublesOf(dilated.output()), (Doubles{10, 11, 14, 15}));
        const NodeCase ceil{
            "MaxPool", {x}, {{"kernel_shape", Axes{3, 3}}, {"strides", Axes{2, 2}}, {"ceil_mode", std::int64_t{1}}}};
        QCOMPARE(doublesOf(ceil.output()), (Doubles{10, 11, 14, 15}));
        // A last window that would start in the padding is dropped.
        const NodeCase dropped{"MaxPool",
                               {floats({1, 1, 2}, {1, 2})},
                               {{"kernel_shape", Axes{1}}, {"strides", Axes{2}}, {"ceil_mode", std::int64_t{1}}}};
        QCOMPARE(doublesOf(dropped.output()), (Doubles{1}));
    }

    void maxPoolIndices()
    {
        NodeCase node{.op = "MaxPool",
                      .inputs = {floats({1, 2, 2, 3}, {5, 1, 2, 3, 4, 9, 0, 0, 0, 0, 0, 0})},
                      .attributes = {{"kernel_shape", Axes{2, 2}}},
                      .outputs = 2};
        QCOMPARE(intsOf(node.run().value()[1]), (Ints{0, 5, 6, 7}));
        QCOMPARE(node.run().value()[1].type(), ElementType::Int64);
        node.attributes["storage_order"] = std::int64_t{1};
        QCOMPARE(intsOf(node.run().value()[1]), (Ints{0, 5, 6, 8}));
    }

    void maxPoolOfCodesIgnoresPadding()
    {
        const NodeCase node{"MaxPool",
                            {ints(ElementType::Int8, {1, 1, 2}, {-5, -128})},
                            {{"kernel_shape", Axes{2}}, {"pads", Axes{1, 1}}}};
        QCOMPARE(node.output().type(), ElementType::Int8);
        QCOMPARE(intsOf(node.output()), (Ints{-5, -5, -128}));
        QVERIFY((NodeCase{"MaxPool", {Tensor::of<bool>({1, 1, 1}, {true})}, {{"kernel_shape", Axes{1}}}}.fails()));
        QVERIFY((NodeCase{"MaxPool", {square(2)}, {{"kernel_shape", Axes{2}}}}.fails()));
    }

    void refusesAbsurdWindows()
    {
        const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
        QVERIFY((NodeCase{"MaxPool", {square(2)}, {{"kernel_shape", Axes{huge, 1}}}}.fails()));
        QVERIFY(
            (NodeCase{"MaxPool", {square(2)}, {{"kernel_shape", Axes{1, 1}}, {"dilations", Axes{huge, 1}}}}.fails()));
        QVERIFY((NodeCase{"MaxPool", {square(2)}, {{"kernel_shape", Axes{1, 1}}, {"pads", Axes{huge, 0, huge, 0}}}}
                     .fails()));
        QVERIFY((NodeCase{"MaxPool", {square(2)}, {{"kernel_shape", Axes{1}}}}.fails()));
        QVERIFY((NodeCase{"MaxPool", {square(2)}, {{"kernel_shape", Axes{1, 1}}, {"strides", Axes{0, 1}}}}.fails()));
    }

    void averagePool()
    {
        const Tensor x = square(3);
        const Attributes padded = {{"kernel_shape", Axes{2, 2}}, {"pads", Axes{1, 1, 0, 0}}};
        QCOMPARE(doublesOf(NodeCase{"AveragePool", {x}, padded}.output()), (Doubles{0, .5, 1.5, 1.5, 2, 3, 4.5, 5, 6}));
        Attributes counted = padded;
        counted["count_include_pad"] = std::int64_t{1};
        QCOMPARE(doublesOf(NodeCase{"AveragePool", {x}, counted}.output()),
                 (Doubles{0, .25, .75, .75, 2, 3, 2.25, 5, 6}));
        // Beyond the padding nothing is counted (ceil_mode).
        const NodeCase ceil{"AveragePool",
                            {floats({1, 1, 4}, {1, 2, 3, 4})},
                            {{"kernel_shape", Axes{3}},
                             {"strides", Axes{2}},
                             {"ceil_mode", std::int64_t{1}},
                             {"count_include_pad", std::int64_t{1}}}};
        QCOMPARE(doublesOf(ceil.output()), (Doubles{2, 3.5}));
        const NodeCase dilated{"AveragePool", {x}, {{"kernel_shape", Axes{2, 2}}, {"dilations", Axes{2, 2}}}};
        QCOMPARE(doublesOf(dilated.output()), (Doubles{4}));
        const NodeCase cube{"AveragePool", {floats({1, 1, 2, 1, 2}, {1, 2, 3, 6})}, {{"kernel_shape", Axes{2, 1, 1}}}};
        QCOMPARE(doublesOf(cube.output()), (Doubles{2, 4}));
        QVERIFY(
            (NodeCase{"AveragePool", {ints(ElementType::Int8, {1, 1, 1}, {1})}, {{"kernel_shape", Axes{1}}}}.fails()));
    }

    void kernelsFarLargerThanTheInput()
    {
        const Attributes attributes{{"kernel_shape", Axes{1 << 29}}, {"pads", Axes{(1 << 29) - 1, 0}}};
        QCOMPARE(doublesOf(NodeCase{"AveragePool", {floats({1, 1, 3}, {1, 2, 6})}, attributes}.output()),
                 (Doubles{1, 1.5, 3}));
        QCOMPARE(doublesOf(NodeCase{"MaxPool", {floats({1, 1, 3}, {1, 2, 0})}, attributes}.output()),
                 (Doubles{1, 2, 2}));
    }

    void lpPool()
    {
        const Tensor x = floats({1, 1, 3}, {3, -4, 0});
        QCOMPARE(doublesOf(NodeCase{"LpPool", {x}, {{"kernel_shape", Axes{2}}}}.output()), (Doubles{5, 4}));
        QCOMPARE(doublesOf(NodeCase{"LpPool", {x}, {{"kernel_shape", Axes{2}}, {"p", std::int64_t{1}}}}.output()),
                 (Doubles{7, 4}));
    }

    void globalPools()
    {
        const Tensor x = floats({1, 2, 2, 2}, {1, 2, 3, 4, -1, -2, -2, -4});
        QCOMPARE(NodeCase({"GlobalAveragePool", {x}}).output().dims(), (Dims{1, 2, 1, 1}));
        QCOMPARE(doublesOf(NodeCase{"GlobalAveragePool", {x}}.output()), (Doubles{2.5, -2.25}));
        QCOMPARE(doublesOf(NodeCase{"GlobalMaxPool", {x}}.output()), (Doubles{4, -1}));
        QCOMPARE(doublesOf(NodeCase{"GlobalLpPool", {x}, {{"p", std::int64_t{1}}}}.output()), (Doubles{10, 9}));
        QCOMPARE(intsOf(NodeCase{"GlobalMaxPool", {ints(ElementType::UInt8, {1, 1, 3}, {7, 200, 3})}}.output()),
                 (Ints{200}));
        QVERIFY((NodeCase{"GlobalMaxPool", {floats({3}, {1, 2, 3})}}.fails()));
    }
};

QTEST_APPLESS_MAIN(TestPoolingKernels)
#include "tst_pooling_kernels.moc"
