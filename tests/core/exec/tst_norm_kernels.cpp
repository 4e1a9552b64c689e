// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/exec/kernel_runner.h"

using namespace crease;
using namespace crease::test;

namespace {

/// The output in float32 and in double, which must agree but for rounding.
Doubles evaluated(NodeCase node)
{
    const Doubles single = doublesOf(node.output());
    node.precision = Precision::Exact;
    for (Tensor& input : node.inputs) {
        input = input.valid() ? input.converted(ElementType::Float64) : input;
    }
    const Tensor wide = node.output();
    const bool agrees =
        wide.valid() && wide.type() == ElementType::Float64 && distance(single, wide.toDoubles()) < 1e-5;
    return agrees ? wide.toDoubles() : Doubles{};
}

bool near(const Doubles& a, const Doubles& b)
{
    return distance(a, b) < 1e-6;
}

} // namespace

class TestNormKernels : public QObject {
    Q_OBJECT

private slots:
    void batchNormalization()
    {
        const std::vector<Tensor> parameters = {floats({2}, {2, -1}), floats({2}, {1, 3}), floats({2}, {1, 2}),
                                                floats({2}, {4, .25F})};
        const auto with = [&](const Tensor& x, Attributes attributes) {
            std::vector<Tensor> inputs = {x};
            inputs.insert(inputs.end(), parameters.begin(), parameters.end());
            return NodeCase{"BatchNormalization", inputs, std::move(attributes)};
        };
        const Attributes exactRoot = {{"epsilon", 0.0F}};
        QVERIFY(near(evaluated(with(floats({1, 2, 2}, {1, 3, 2, 3}), exactRoot)), {1, 3, 3, 1}));
        QVERIFY(near(evaluated(with(floats({2, 2}, {1, 2, 5, 2}), exactRoot)), {1, 3, 5, 3}));
        QVERIFY(near(evaluated(with(floats({1, 2, 1}, {3, 2}), {{"epsilon", 12.0F}})), {2, 3}));
        QVERIFY(with(floats({1, 2, 1}, {1, 1}), {{"training_mode", std::int64_t{1}}}).fails());
        QVERIFY(with(floats({1, 3, 1}, {1, 1, 1}), {}).fails());
    }

    void instanceAndGroupNormalization()
    {
        const Tensor x = floats({1, 2, 2}, {1, 3, 10, 30});
        const Attributes noEpsilon = {{"epsilon", 0.0F}};
        QVERIFY(near(evaluated({"InstanceNormalization", {x, floats({2}, {1, 2}), floats({2}, {0, 1})}, noEpsilon}),
                     {-1, 1, -1, 3}));
        const Tensor groups = floats({1, 4, 1}, {1, 3, 10, 30});
        Attributes two = noEpsilon;
        two["num_groups"] = std::int64_t{2};
        QVERIFY(
            near(evaluated({"GroupNormalization", {groups, floats({4}, {1, 2, 3, 4}), floats({4}, {0, 0, 1, 1})}, two}),
                 {-1, 2, -2, 5}));
        NodeCase old{"GroupNormalization", {groups, floats({2}, {1, 3}), floats({2}, {0, 1})}, two};
        QVERIFY(old.fails());
        old.version = 18;
        QVERIFY(near(evaluated(old), {-1, 1, -2, 4}));
        two["num_groups"] = std::int64_t{3};
        QVERIFY((NodeCase{"GroupNormalization", {groups, floats({4}, {1, 1, 1, 1}), floats({4}, {0, 0, 0, 0})}, two}
                     .fails()));
    }

    void layerNormalization()
    {
        NodeCase node{.op = "LayerNormalization",
                      .inputs = {floats({2, 2}, {1, 3, 10, 30}), floats({2}, {1, 2}), floats({2}, {0, 1})},
                      .attributes = {{"epsilon", 0.0F}},
                      .outputs = 3};
        QVERIFY(near(evaluated(node), {-1, 3, -1, 3}));
        const auto outputs = node.run().value();
        QCOMPARE(outputs.size(), std::size_t{3});
        QCOMPARE(outputs[1].dims(), (Dims{2, 1}));
        QVERIFY(near(doublesOf(outputs[1]), {2, 20}));
        QVERIFY(near(doublesOf(outputs[2]), {1, .1}));
        node.attributes["axis"] = std::int64_t{0};
        node.inputs = {floats({2, 2}, {1, 1, 3, 3}), floats({2, 2}, {1, 1, 1, 2})};
        QVERIFY(near(evaluated(node), {-1, -1, 1, 2}));
        node.inputs[1] = floats({3}, {1, 1, 1});
        QVERIFY(node.fails());
    }

    void rmsNormalization()
    {
        const NodeCase node{"RMSNormalization", {floats({1, 2}, {3, 4}), floats({2}, {1, 2})}, {{"epsilon", 0.0F}}};
        const double rms = std::sqrt(12.5);
        QVERIFY(near(evaluated(node), {3 / rms, 8 / rms}));
    }

    void lrn()
    {
        const NodeCase node{"LRN",
                            {floats({1, 3, 1}, {1, 2, 3})},
                            {{"size", std::int64_t{2}}, {"alpha", 2.0F}, {"beta", 1.0F}, {"bias", 1.0F}}};
        // Window of channel c: c and c + 1.
        QVERIFY(near(evaluated(node), {1.0 / 6, 2.0 / 14, 3.0 / 10}));
    }

    void meanVarianceAndLpNormalization()
    {
        const Tensor x = floats({2, 1, 2, 1}, {1, 3, 1, 3});
        QVERIFY(near(evaluated({"MeanVarianceNormalization", {x}}), {-1, 1, -1, 1}));
        QVERIFY(near(evaluated({"MeanVarianceNormalization", {x}, {{"axes", std::vector<std::int64_t>{0}}}}),
                     {0, 0, 0, 0}));
        const Tensor y = floats({2, 2}, {3, 0, 4, 0});
        QVERIFY(near(evaluated({"LpNormalization", {y}, {{"axis", std::int64_t{0}}}}), {.6, 0, .8, 0}));
        QVERIFY(near(evaluated({"LpNormalization", {y}, {{"p", std::int64_t{1}}}}), {1, 0, 1, 0}));
        QVERIFY((NodeCase{"LpNormalization", {y}, {{"p", std::int64_t{3}}}}.fails()));
    }
};

QTEST_APPLESS_MAIN(TestNormKernels)
#include "tst_norm_kernels.moc"
