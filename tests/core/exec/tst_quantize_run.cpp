// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/quantize_run.h"

#include "core/exec/arithmetic.h"
#include "tests/core/exec/kernel_runner.h"

#include <random>

using namespace crease;
using namespace crease::test;

namespace {

/// Numbers of steps all over the range, and around every tie: on it, a little off it, and outside of what is snapped.
Doubles steps(double lo, double hi)
{
    std::mt19937 random(7);
    std::uniform_real_distribution<double> anywhere(lo - 3.0, hi + 3.0);
    Doubles values{0.0, -0.0, 1e300, -1e300, HUGE_VAL, -HUGE_VAL, std::nan("")};
    for (int i = 0; i < 2000; ++i) {
        values.push_back(anywhere(random));
    }
    for (double tie = lo - 2.5; tie < hi + 3.0; tie += 1.0) {
        const double margin = 0x1p-36 * std::max(1.0, std::fabs(tie));
        for (const double off : {0.0, 0.9, 1.1, -0.9, -1.1, 40.0, -40.0}) {
            values.push_back(tie + off * margin);
        }
    }
    return values;
}

} // namespace

class TestQuantizeRun : public QObject {
    Q_OBJECT

private slots:
    void doubleIsQuantizeValue_data()
    {
        QTest::addColumn<double>("scale");
        QTest::addColumn<int>("lo");
        QTest::addColumn<int>("hi");
        QTest::newRow("int8") << 1.0 << -128 << 127;
        QTest::newRow("int8, scale 0.1") << 0.1 << -128 << 127;
        QTest::newRow("uint8 less 3") << 0.007 << -3 << 252;
        QTest::newRow("uint16") << 1e-4 << 0 << 65535;
        QTest::newRow("negative scale") << -0.5 << -8 << 7;
        QTest::newRow("scale 0") << 0.0 << -8 << 7;
    }

    void doubleIsQuantizeValue()
    {
        QFETCH(double, scale);
        QFETCH(int, lo);
        QFETCH(int, hi);
        Doubles x = steps(lo, hi);
        for (double& value : x) {
            value *= scale == 0.0 ? 1.0 : scale;
        }
        std::size_t compared = 0;
        quantizeBlocks(std::span<const double>(x), scale, double(lo), double(hi),
                       [&](std::size_t start, std::span<const double> values) {
                           for (std::size_t i = 0; i < values.size(); ++i) {
                               const auto wanted = quantizeValue(x[start + i], scale, 0, lo, hi);
                               QCOMPARE(values[i], static_cast<double>(wanted));
                               ++compared;
                           }
                       });
        QCOMPARE(compared, x.size());
    }

    void floatIsQuantizeValueFloat32()
    {
        std::vector<float> x;
        for (const double step : steps(-128, 127)) {
            x.push_back(static_cast<float>(step * 0.1));
        }
        quantizeBlocks(std::span<const float>(x), 0.1F, -128.0F, 127.0F,
                       [&](std::size_t start, std::span<const float> values) {
                           for (std::size_t i = 0; i < values.size(); ++i) {
                               const auto wanted = quantizeValueFloat32(x[start + i], 0.1F, 0, -128, 127);
                               QCOMPARE(values[i], static_cast<float>(wanted));
                           }
                       });
    }

    void kernelsUseIt()
    {
        const NodeCase node{.op = "QuantizeLinear",
                            .inputs = {doubles({6}, {0.5, 1.5 + 0x1p-40, 2.5, -0.5, 1e9, -1e9}), Tensor::scalar(1.0),
                                       ints(ElementType::Int8, {}, {3})},
                            .precision = Precision::Exact};
        QCOMPARE(intsOf(node.output()), (Ints{3, 5, 5, 3, 127, -128}));
    }
};

QTEST_GUILESS_MAIN(TestQuantizeRun)
#include "tst_quantize_run.moc"
