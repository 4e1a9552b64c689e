// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/grid_codes.h"
#include "core/verify/metrics.h"

#include <QTest>

#include <limits>

using namespace crease;

namespace {

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

bool close(double a, double b)
{
    return qAbs(a - b) < 1e-12;
}

} // namespace

class TestMetrics : public QObject {
    Q_OBJECT

private slots:
    void equal_tensors()
    {
        const std::vector<double> a{1.0, -2.0, 3.0};
        const Metrics metrics = compareReals(a, a);
        QVERIFY(close(metrics.cosine, 1.0));
        QCOMPARE(metrics.sqnrDb, std::numeric_limits<double>::infinity());
        QCOMPARE(metrics.relative, 0.0);
        QCOMPARE(metrics.elements, 3);
    }

    void zero_tensors()
    {
        const std::vector<double> zero{0.0, 0.0};
        const std::vector<double> other{0.0, 1.0};
        QCOMPARE(compareReals(zero, zero).cosine, 1.0);
        QCOMPARE(compareReals(zero, other).cosine, 0.0);
        QCOMPARE(compareReals(other, zero).cosine, 0.0);
        QCOMPARE(compareReals(zero, other).relative, std::numeric_limits<double>::infinity());
    }

    void nan_is_never_a_number()
    {
        const std::vector<double> a{1.0, notANumber};
        QVERIFY(compareReals(a, a).relative != compareReals(a, a).relative);
        QVERIFY(compareReals(a, a).cosine != compareReals(a, a).cosine);
        MetricSums sums;
        sums.addReals(a, a);
        QVERIFY(sums.sawNan());
    }

    void an_infinity_hides_no_other_difference()
    {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        QCOMPARE(compareReals(std::vector{infinity, 1.0, 2.0}, std::vector{infinity, 1.0, 2.0}).relative, 0.0);
        QCOMPARE(compareReals(std::vector{infinity, 1.0, 2.0}, std::vector{infinity, 1.0, 2.5}).relative, 0.5);
        QCOMPARE(compareReals(std::vector{1.0, 2.0}, std::vector{1.0, infinity}).relative, infinity);
        const double lost = compareReals(std::vector{infinity, 2.0}, std::vector{1.0, 2.0}).relative;
        QVERIFY(!(lost <= 1.0));
    }

    void numbers()
    {
        const Metrics metrics = compareReals(std::vector{3.0, 4.0}, std::vector{3.0, 4.5});
        QVERIFY(close(metrics.maxAbs, 0.5));
        QVERIFY(close(metrics.relative, 0.5)); // of a range of 1
        QVERIFY(close(metrics.sqnrDb, 20.0));  // 25 over 0.25
    }

    void codes()
    {
        const std::vector<std::int32_t> a{-128, 0, 5, 127};
        const std::vector<std::int32_t> b{-128, 1, 5, 124};
        MetricSums sums;
        sums.addCodes(a, b, Grid::perTensor(0.5, 0, ElementType::Int8), {4});
        const Metrics metrics = sums.finish();
        QCOMPARE(metrics.counts.offBy, (std::array<std::int64_t, 4>{2, 1, 0, 1}));
        QCOMPARE(metrics.counts.maxSteps, 3);
        QCOMPARE(metrics.saturated, 1);
        QVERIFY(close(metrics.maxAbs, 1.5));
        QVERIFY(close(metrics.rmseOverScale, 1.5811388300841898));
    }

    void merging_is_adding()
    {
        MetricSums one;
        one.addReals(std::vector{1.0, 2.0, -3.0}, std::vector{1.5, 2.0, -3.0});
        MetricSums first;
        first.addReals(std::vector{1.0}, std::vector{1.5});
        MetricSums second;
        second.addReals(std::vector{2.0, -3.0}, std::vector{2.0, -3.0});
        first.merge(second);
        QCOMPARE(first.finish().cosine, one.finish().cosine);
        QCOMPARE(first.finish().relative, one.finish().relative);
        QCOMPARE(first.finish().sqnrDb, one.finish().sqnrDb);
        MetricSums lost; // a tensor of another size has no elements, and its failure must survive
        lost.counts.unexplained = 7;
        first.merge(lost);
        QCOMPARE(first.counts.unexplained, 7);
    }

    void codes_of_reals()
    {
        const Grid grid = Grid::perChannel({0.5, 0.1}, {0, 3}, 1, ElementType::UInt8);
        const Value value{.name = "x", .type = ElementType::Float32};
        const Tensor tensor = Tensor::of<double>({1, 2, 2}, {1.0, 1.5, 0.2, 0.1 * 7.0});
        const Codes codes = codesOf(value, tensor, grid);
        QCOMPARE(codes.offGrid, 0);
        QCOMPARE(codes.codes.toInts(), (std::vector<std::int64_t>{2, 3, 5, 10}));
        QVERIFY(tensorForValue(value, codes.codes, grid, {1, 2, 2}).identical(tensor));
        const Tensor beside = Tensor::of<double>({1, 2, 2}, {1.0, 1.501, notANumber, 0.7});
        QCOMPARE(codesOf(value, beside, grid).offGrid, 2);
    }

    void codes_of_another_zero_point()
    {
        const Grid s8 = Grid::perTensor(0.5, -3, ElementType::Int8);
        const Grid u8 = Grid::perTensor(0.5, 125, ElementType::UInt8);
        const Value value{.name = "x", .type = ElementType::Int8, .codes = s8};
        const Codes codes = codesOf(value, Tensor::of<std::int8_t>({2}, {-128, 127}), u8);
        QCOMPARE(codes.codes.toInts(), (std::vector<std::int64_t>{0, 255}));
        const Value shifted{.name = "y", .type = ElementType::UInt8, .codes = u8};
        QVERIFY(tensorForValue(shifted, codes.codes, u8, {2}).identical(Tensor::of<std::uint8_t>({2}, {0, 255})));
    }
};

QTEST_APPLESS_MAIN(TestMetrics)
#include "tst_metrics.moc"
