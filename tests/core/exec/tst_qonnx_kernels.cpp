// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/exec/kernel_runner.h"

using namespace crease;
using namespace crease::test;

namespace {

NodeCase quantOf(const Tensor& x, float scale, float zero, float bits, Attributes attributes = {})
{
    return {.op = "Quant",
            .inputs = {x, Tensor::scalar(scale), Tensor::scalar(zero), Tensor::scalar(bits)},
            .attributes = std::move(attributes),
            .domain = "qonnx.custom_op.general"};
}

const Tensor halves = floats({8}, {0.5F, 1.5F, 2.5F, -0.5F, -1.5F, -2.5F, 9, -9});

} // namespace

/// The table of formats.md §3.1.
class TestQonnxKernels : public QObject {
    Q_OBJECT

private slots:
    void roundingModes_data()
    {
        QTest::addColumn<QString>("mode");
        QTest::addColumn<Doubles>("expected");
        QTest::newRow("round") << "ROUND" << Doubles{0, 2, 2, 0, -2, -2, 7, -8};
        QTest::newRow("lower case") << "round" << Doubles{0, 2, 2, 0, -2, -2, 7, -8};
        QTest::newRow("floor") << "FLOOR" << Doubles{0, 1, 2, -1, -2, -3, 7, -8};
        QTest::newRow("ceil") << "CEIL" << Doubles{1, 2, 3, 0, -1, -2, 7, -8};
        QTest::newRow("up") << "UP" << Doubles{1, 2, 3, -1, -2, -3, 7, -8};
        QTest::newRow("half up") << "HALF_UP" << Doubles{1, 2, 3, -1, -2, -3, 7, -8};
        QTest::newRow("down") << "DOWN" << Doubles{0, 1, 2, 0, -1, -2, 7, -8};
        QTest::newRow("half down") << "HALF_DOWN" << Doubles{0, 1, 2, 0, -1, -2, 7, -8};
    }

    void roundingModes()
    {
        QFETCH(QString, mode);
        NodeCase node = quantOf(halves, 1, 0, 4, {{"rounding_mode", mode.toStdString()}});
        QTEST(doublesOf(node.output()), "expected");
        node.precision = Precision::Exact;
        QTEST(doublesOf(node.output()), "expected");
    }

    void ranges()
    {
        QCOMPARE(doublesOf(quantOf(halves, 1, 0, 4, {{"narrow", std::int64_t{1}}}).output()),
                 (Doubles{0, 2, 2, 0, -2, -2, 7, -7}));
        QCOMPARE(doublesOf(quantOf(halves, 1, 0, 4, {{"signed", std::int64_t{0}}}).output()),
                 (Doubles{0, 2, 2, 0, 0, 0, 9, 0}));
        QCOMPARE(doublesOf(quantOf(halves, 1, 1, 4).output()), (Doubles{1, 1, 3, -1, -1, -3, 6, -9}));
        QCOMPARE(doublesOf(quantOf(floats({3}, {0, 1, 2}), 1, 0.5F, 4).output()), (Doubles{-0.5, 1.5, 1.5}));
    }

    void oneSignedBitIsBipolar()
    {
        QCOMPARE(doublesOf(quantOf(floats({3}, {-0.1F, 0, 9}), 0.5F, 0, 1).output()), (Doubles{-0.5, 0.5, 0.5}));
        QCOMPARE(doublesOf(quantOf(floats({3}, {-1, 0.4F, 9}), 1, 0, 1, {{"signed", std::int64_t{0}}}).output()),
                 (Doubles{0, 0, 1}));
    }

    void perChannelByShape()
    {
        const NodeCase node{.op = "Quant",
                            .inputs = {floats({2, 2}, {0.6F, 1.2F, 0.6F, 1.2F}), floats({2, 1}, {1, 0.5F}),
                                       Tensor::scalar(0.0F), Tensor::scalar(8.0F)},
                            .domain = "onnx.brevitas"};
        QCOMPARE(doublesOf(node.output()), (Doubles{1, 1, 0.5, 1}));
    }

    void bipolar()
    {
        const NodeCase node{.op = "BipolarQuant",
                            .inputs = {floats({3}, {-0.0F, 3, -1}), Tensor::scalar(0.5F)},
                            .domain = "qonnx.custom_op.general"};
        QCOMPARE(doublesOf(node.output()), (Doubles{0.5, 0.5, -0.5}));
    }

    void negative_refused()
    {
        QVERIFY(quantOf(halves, 1, 0, 2.5F).fails());
        QVERIFY(quantOf(halves, 1, 0, 0).fails());
        QVERIFY(quantOf(halves, 1, 0, 4, {{"rounding_mode", std::string("SIDEWAYS")}}).fails());
        QVERIFY(quantOf(ints(ElementType::Int8, {1}, {1}), 1, 0, 4).fails());
    }
};

QTEST_GUILESS_MAIN(TestQonnxKernels)
#include "tst_qonnx_kernels.moc"
