// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/exec/kernel_runner.h"

using namespace crease;
using namespace crease::test;

namespace {

const double infinity = HUGE_VAL;

Doubles unary(const std::string& op, const Tensor& x, Attributes attributes = {})
{
    return doublesOf(NodeCase{.op = op, .inputs = {x}, .attributes = std::move(attributes)}.output());
}

Doubles binary(const std::string& op, const Tensor& a, const Tensor& b, Attributes attributes = {})
{
    return doublesOf(NodeCase{.op = op, .inputs = {a, b}, .attributes = std::move(attributes)}.output());
}

Tensor bools(Dims dims, const Ints& values)
{
    return ints(ElementType::Bool, std::move(dims), values);
}
Tensor longs(Dims dims, const Ints& values)
{
    return ints(ElementType::Int64, std::move(dims), values);
}
Tensor bytes(Dims dims, const Ints& values)
{
    return ints(ElementType::Int8, std::move(dims), values);
}

} // namespace

/// What ONNX's node tests leave out: NaN and infinity, empty tensors, the ends of integer types, all ways to broadcast.
class TestElementwiseKernels : public QObject {
    Q_OBJECT

private slots:
    void nanAndInfinity()
    {
        const Tensor x = doubles({3}, {std::nan(""), infinity, -infinity});
        QVERIFY(std::isnan(unary("Relu", x)[0]));
        QCOMPARE(unary("Relu", x)[1], infinity);
        QCOMPARE(unary("Relu", x)[2], 0.0);
        QCOMPARE(unary("Sigmoid", x)[1], 1.0);
        QCOMPARE(unary("Sigmoid", x)[2], 0.0);
        QVERIFY(std::isnan(unary("Sign", x)[0]));
        QCOMPARE(unary("IsNaN", x), (Doubles{1, 0, 0}));
        QCOMPARE(unary("IsInf", x, {{"detect_negative", std::int64_t{0}}}), (Doubles{0, 1, 0}));
        QVERIFY(std::isnan(binary("Max", doubles({1}, {1}), doubles({1}, {std::nan("")}))[0]));
        QVERIFY(std::isnan(binary("Min", doubles({1}, {std::nan("")}), doubles({1}, {1}))[0]));
        QCOMPARE(unary("Softplus", doubles({2}, {800, -800})), (Doubles{800, 0}));
    }

    void roundIsHalfEven()
    {
        QCOMPARE(unary("Round", floats({6}, {0.5F, 1.5F, 2.5F, -0.5F, -1.5F, -2.5F})), (Doubles{0, 2, 2, 0, -2, -2}));
    }

    void emptyAndScalar()
    {
        QCOMPARE(unary("Exp", floats({0, 3}, {})), Doubles{});
        QCOMPARE(binary("Add", floats({0}, {}), floats({1}, {1})), Doubles{});
        QCOMPARE(binary("Add", floats({}, {2}), floats({}, {3})), (Doubles{5}));
    }

    void integerEnds()
    {
        QCOMPARE(unary("Abs", bytes({2}, {-128, -3})), (Doubles{-128, 3}));
        QCOMPARE(unary("Neg", bytes({2}, {-128, 3})), (Doubles{-128, -3}));
        QCOMPARE(binary("Add", bytes({1}, {127}), bytes({1}, {1})), (Doubles{-128}));
        QCOMPARE(binary("Div", bytes({3}, {-128, -7, 7}), bytes({3}, {-1, 2, -2})), (Doubles{-128, -3, -3}));
        QCOMPARE(binary("Mod", bytes({3}, {-7, 7, -128}), bytes({3}, {3, -3, -1})), (Doubles{2, -2, 0}));
        QCOMPARE(binary("Mod", bytes({2}, {-7, 7}), bytes({2}, {3, -3}), {{"fmod", std::int64_t{1}}}),
                 (Doubles{-1, 1}));
        QCOMPARE(binary("Pow", longs({3}, {3, -2, 2}), longs({3}, {39, 63, -1})),
                 (Doubles{4052555153018976267.0, -9223372036854775808.0, 0}));
        QCOMPARE(unary("Relu", bytes({2}, {-5, 5})), (Doubles{0, 5}));
    }

    void everyWayToBroadcast()
    {
        const Tensor rows = floats({2, 3}, {1, 2, 3, 4, 5, 6});
        QCOMPARE(binary("Sub", rows, floats({1}, {1})), (Doubles{0, 1, 2, 3, 4, 5}));
        QCOMPARE(binary("Sub", floats({1}, {1}), rows), (Doubles{0, -1, -2, -3, -4, -5}));
        QCOMPARE(binary("Sub", rows, floats({3}, {1, 2, 3})), (Doubles{0, 0, 0, 3, 3, 3}));
        QCOMPARE(binary("Sub", rows, floats({2, 1}, {1, 4})), (Doubles{0, 1, 2, 0, 1, 2}));
        QCOMPARE(binary("Add", floats({3, 1}, {1, 2, 3}), floats({1, 2}, {10, 20})), (Doubles{11, 21, 12, 22, 13, 23}));
        QCOMPARE(binary("Add", floats({2, 1, 2}, {1, 2, 3, 4}), floats({1, 2, 1}, {10, 20})),
                 (Doubles{11, 12, 21, 22, 13, 14, 23, 24}));
        const NodeCase where{.op = "Where", .inputs = {bools({2, 1}, {1, 0}), floats({2}, {1, 2}), floats({}, {9})}};
        QCOMPARE(doublesOf(where.output()), (Doubles{1, 2, 9, 9}));
    }

    void clipBounds()
    {
        const Tensor x = floats({3}, {-5, 0, 5});
        const auto clipped = [&](Tensor low, Tensor high) {
            return doublesOf(NodeCase{.op = "Clip", .inputs = {x, std::move(low), std::move(high)}}.output());
        };
        QCOMPARE(clipped(floats({}, {-1}), floats({}, {1})), (Doubles{-1, 0, 1}));
        QCOMPARE(clipped({}, floats({}, {1})), (Doubles{-5, 0, 1}));
        QCOMPARE(clipped(floats({}, {-1}), {}), (Doubles{-1, 0, 5}));
        QCOMPARE(clipped(floats({}, {3}), floats({}, {1})), (Doubles{1, 1, 1}));
        QCOMPARE(clipped({}, {}), (Doubles{-5, 0, 5}));
    }

    void castsOfTheEnds()
    {
        const auto cast = [](const Tensor& x, std::int64_t to) {
            return doublesOf(NodeCase{.op = "Cast", .inputs = {x}, .attributes = {{"to", to}}}.output());
        };
        QCOMPARE(cast(floats({3}, {-1.9F, 1.9F, 300}), 3), (Doubles{-1, 1, 44}));
        QCOMPARE(cast(floats({2}, {0, -0.1F}), 9), (Doubles{0, 1}));
        QCOMPARE(cast(longs({1}, {16777217}), 1), (Doubles{16777216}));
        QCOMPARE(cast(longs({2}, {9, -9}), 22), (Doubles{-7, 7}));
        QCOMPARE(cast(ints(ElementType::Int4, {2}, {-8, 7}), 6), (Doubles{-8, 7}));
    }

    void float64IsComputedInFloat64()
    {
        const double third = 1.0 / 3.0;
        QCOMPARE(unary("Exp", doubles({1}, {third}))[0], std::exp(third));
        QCOMPARE(binary("Mul", doubles({1}, {third}), doubles({1}, {third}))[0], third * third);
        NodeCase exact{.op = "Tanh", .inputs = {floats({1}, {0.3F})}, .precision = Precision::Exact};
        QCOMPARE(exact.output().asDouble(0), std::tanh(static_cast<double>(0.3F)));
    }

    /// In range exactly; beyond it as x86 and ONNX Runtime do.
    void castOfFloatsToIntegers()
    {
        const auto cast = [](double value, std::int64_t to, ElementType from = ElementType::Float32) {
            const std::array values{value};
            NodeCase node{.op = "Cast", .inputs = {tensorOfDoubles(from, {1}, values)}, .attributes = {{"to", to}}};
            return node.output();
        };
        QCOMPARE(cast(1e19, 13).data<std::uint64_t>()[0], std::uint64_t{9999999980506447872U});
        QCOMPARE(cast(1e19, 13, ElementType::Float64).data<std::uint64_t>()[0], std::uint64_t{10000000000000000000U});
        QCOMPARE(cast(-2.5, 13).data<std::uint64_t>()[0], std::uint64_t{18446744073709551614U});
        constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
        for (const double beyond : {3e9, -3e9, std::nan(""), std::numeric_limits<double>::infinity()}) {
            QCOMPARE(cast(beyond, 6).asInt(0), least);
            QCOMPARE(cast(beyond, 5).asInt(0), std::int64_t{0});
        }
        QCOMPARE(cast(3e9, 12).asInt(0), std::int64_t{3000000000});
        QCOMPARE(cast(2147483647.0, 6, ElementType::Float64).asInt(0), std::int64_t{2147483647});
        QCOMPARE(cast(300.9, 2).asInt(0), std::int64_t{44});
        QCOMPARE(cast(-1.5, 3).asInt(0), std::int64_t{-1});
    }

    void negative_refused()
    {
        const auto fails = [](const std::string& op, std::vector<Tensor> inputs) {
            return NodeCase{.op = op, .inputs = std::move(inputs)}.fails();
        };
        QVERIFY(fails("Add", {floats({2}, {1, 2}), floats({3}, {1, 2, 3})}));
        QVERIFY(fails("Add", {floats({1}, {1}), longs({1}, {1})}));
        QVERIFY(fails("Add", {bools({1}, {1}), bools({1}, {1})}));
        QVERIFY(fails("Div", {longs({2}, {1, 2}), longs({2}, {1, 0})}));
        QVERIFY(fails("Mod", {longs({1}, {1}), longs({1}, {0})}));
        QVERIFY(!fails("Div", {floats({1}, {1}), floats({1}, {0})}));
        QVERIFY(fails("Exp", {longs({1}, {1})}));
        QVERIFY(fails("And", {floats({1}, {1}), floats({1}, {1})}));
        QVERIFY(fails("Clip", {floats({1}, {1}), floats({2}, {1, 2})}));
        QVERIFY(fails("PRelu", {floats({1}, {1}), floats({2}, {1, 2})}));
        QVERIFY(fails("Relu", {Tensor::strings({1}, {"a"})}));
    }
};

QTEST_GUILESS_MAIN(TestElementwiseKernels)
#include "tst_elementwise_kernels.moc"
