// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/exec/kernel_runner.h"

using namespace crease;
using namespace crease::test;

namespace {

Attributes modes(const std::string& mode, const std::string& coordinates, Attributes more = {})
{
    more["mode"] = mode;
    more["coordinate_transformation_mode"] = coordinates;
    return more;
}

/// A row of four resized by a scale.
Doubles scaled(float scale, const Attributes& attributes, int version = 19)
{
    NodeCase node{"Resize", {floats({1, 4}, {1, 2, 3, 4}), Tensor{}, floats({2}, {1, scale})}, attributes};
    node.version = version;
    return doublesOf(node.output());
}

Doubles sized(std::int64_t size, const Attributes& attributes)
{
    const Tensor sizes = ints(ElementType::Int64, {2}, {1, size});
    return doublesOf(
        NodeCase{"Resize", {floats({1, 4}, {1, 2, 3, 4}), Tensor{}, Tensor{}, sizes}, attributes}.output());
}

bool near(const Doubles& a, const Doubles& b)
{
    return distance(a, b) < 1e-5;
}

} // namespace

class TestResizeKernels : public QObject {
    Q_OBJECT

private slots:
    void nearest()
    {
        QCOMPARE(scaled(2, modes("nearest", "half_pixel")), (Doubles{1, 1, 2, 2, 3, 3, 4, 4}));
        QCOMPARE(scaled(2, modes("nearest", "asymmetric")), (Doubles{1, 1, 2, 2, 3, 3, 4, 4}));
        const auto rounding = [](const char* name) {
            return modes("nearest", "asymmetric", {{"nearest_mode", std::string(name)}});
        };
        QCOMPARE(scaled(2, rounding("round_prefer_ceil")), (Doubles{1, 2, 2, 3, 3, 4, 4, 4}));
        QCOMPARE(scaled(2, rounding("floor")), (Doubles{1, 1, 2, 2, 3, 3, 4, 4}));
        QCOMPARE(scaled(2, rounding("ceil")), (Doubles{1, 2, 2, 3, 3, 4, 4, 4}));
        QCOMPARE(scaled(.5F, modes("nearest", "asymmetric")), (Doubles{1, 3}));
        QCOMPARE(scaled(2, {}, 10), (Doubles{1, 1, 2, 2, 3, 3, 4, 4}));
        QCOMPARE(sized(3, modes("nearest", "align_corners")), (Doubles{1, 2, 4}));
    }

    void linear()
    {
        QVERIFY(near(scaled(2, modes("linear", "half_pixel")), {1, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4}));
        QVERIFY(near(scaled(2, modes("linear", "asymmetric")), {1, 1.5, 2, 2.5, 3, 3.5, 4, 4}));
        QVERIFY(near(sized(7, modes("linear", "align_corners")), {1, 1.5, 2, 2.5, 3, 3.5, 4}));
        QVERIFY(near(sized(1, modes("linear", "half_pixel")), {2.5}));
        QVERIFY(near(sized(1, modes("linear", "pytorch_half_pixel")), {1}));
        QVERIFY(near(scaled(.6F, modes("linear", "half_pixel")), {1.3333333, 3}));
        QVERIFY(near(scaled(.6F, modes("linear", "half_pixel_symmetric")), {1.6666666, 3.3333333}));
        // Antialiasing widens the triangle.
        QVERIFY(near(scaled(.5F, modes("linear", "half_pixel", {{"antialias", std::int64_t{1}}})), {1.625, 3.375}));
        const NodeCase plane{"Resize",
                             {floats({1, 1, 2, 2}, {1, 2, 3, 4}), Tensor{}, floats({4}, {1, 1, 2, 2})},
                             modes("linear", "align_corners")};
        QVERIFY(near(doublesOf(plane.output()), {1, 4.0 / 3, 5.0 / 3, 2, 5.0 / 3, 2, 7.0 / 3, 8.0 / 3, 7.0 / 3, 8.0 / 3,
                                                 3, 10.0 / 3, 3, 10.0 / 3, 11.0 / 3, 4}));
    }

    void cubic()
    {
        QVERIFY(near(scaled(2, modes("cubic", "asymmetric")), {1, 1.40625, 2, 2.5, 3, 3.59375, 4, 4.09375}));
        const Attributes exclude = {{"exclude_outside", std::int64_t{1}}};
        const Doubles excluded = scaled(2, modes("cubic", "asymmetric", exclude));
        // At 0.5: weights -3/32, 19/32, 19/32, -3/32 without the first.
        QVERIFY(std::fabs(excluded[1] - (19.0 * 1 + 19.0 * 2 - 3.0 * 3) / 35) < 1e-5);
        QCOMPARE(excluded[2], 2.0);
    }

    /// 0.7 as a float is below 0.7, their product in float32 is 7 all the same.
    void sizeByScale()
    {
        const auto size = [](std::int64_t length, float scale) {
            const Tensor x = floats({length}, std::vector<float>(static_cast<std::size_t>(length), 1));
            return NodeCase{"Resize", {x, Tensor{}, floats({1}, {scale})}}.output().dims();
        };
        QCOMPARE(size(10, .7F), (Dims{7}));
        QCOMPARE(size(10, .69F), (Dims{6}));
        QCOMPARE(size(3, 1.0F / 3.0F), (Dims{1}));
        QVERIFY((NodeCase{"Resize", {floats({1}, {1}), Tensor{}, floats({1}, {1e9F})}}.fails()));
        QVERIFY((NodeCase{"Resize", {floats({1}, {1}), Tensor{}, floats({1}, {std::numeric_limits<float>::infinity()})}}
                     .fails()));
    }

    void oneElementOfPytorch()
    {
        // x_original is 0, not -0.5: cubic takes the first element alone.
        QCOMPARE(sized(1, modes("cubic", "pytorch_half_pixel")), (Doubles{1}));
        QVERIFY(!near(sized(1, modes("cubic", "half_pixel")), {1}));
    }

    void cropsAndPolicies()
    {
        NodeCase crop{
            "Resize",
            {floats({4}, {1, 2, 3, 4}), floats({2}, {.5F, 1.5F}), Tensor{}, ints(ElementType::Int64, {1}, {3})},
            modes("linear", "tf_crop_and_resize", {{"extrapolation_value", 10.0F}})};
        QVERIFY(near(doublesOf(crop.output()), {2.5, 4, 10}));
        const NodeCase policy{
            "Resize",
            {floats({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), Tensor{}, Tensor{}, ints(ElementType::Int64, {2}, {1, 4})},
            modes("nearest", "asymmetric", {{"keep_aspect_ratio_policy", std::string("not_larger")}})};
        QCOMPARE(policy.output().dims(), (Dims{1, 2}));
        const NodeCase axes{"Resize",
                            {floats({2, 2}, {1, 2, 3, 4}), Tensor{}, floats({1}, {2})},
                            {{"axes", std::vector<std::int64_t>{-1}}}};
        QCOMPARE(doublesOf(axes.output()), (Doubles{1, 1, 2, 2, 3, 3, 4, 4}));
        QVERIFY((NodeCase{"Resize", {floats({4}, {1, 2, 3, 4}), Tensor{}, floats({2}, {1, 2})}}.fails()));
        QVERIFY((NodeCase{"Resize", {floats({4}, {1, 2, 3, 4}), Tensor{}, floats({1}, {-2})}}.fails()));
    }

    void integers()
    {
        const Tensor codes = ints(ElementType::UInt8, {1, 2}, {10, 21});
        const Tensor scales = floats({2}, {1, 2});
        QCOMPARE(intsOf(NodeCase{"Resize", {codes, Tensor{}, scales}}.output()), (Ints{10, 10, 21, 21}));
        QVERIFY((NodeCase{"Resize", {codes, Tensor{}, scales}, modes("linear", "half_pixel")}.fails()));
        const auto onGrids = [&](const Attributes& attributes, const Grid& out) {
            const NodeCase node{.op = "Resize",
                                .inputs = {codes, Tensor{}, scales},
                                .attributes = attributes,
                                .inputGrids = {Grid::perTensor(.5, 4, ElementType::UInt8)},
                                .outputGrids = {out}};
            return intsOf(node.output());
        };
        const Grid same = Grid::perTensor(.5, 4, ElementType::UInt8);
        QCOMPARE(onGrids({}, same), (Ints{10, 10, 21, 21}));
        // Between 10 and 21: 15.5 is 11.5 above the zero point, a tie to 12.
        QCOMPARE(onGrids(modes("linear", "asymmetric"), same), (Ints{10, 16, 21, 21}));
        QCOMPARE(onGrids(modes("linear", "half_pixel"), Grid::perTensor(1, 0, ElementType::Int8)), (Ints{3, 4, 7, 8}));
    }
};

QTEST_APPLESS_MAIN(TestResizeKernels)
#include "tst_resize_kernels.moc"
