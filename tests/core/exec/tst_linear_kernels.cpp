// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/exec/kernel_runner.h"

#include <cmath>
#include <random>

using namespace crease;
using namespace crease::test;

namespace {

using Axes = std::vector<std::int64_t>;

Tensor random(const Dims& dims, std::mt19937& engine)
{
    std::uniform_int_distribution<int> code(-8, 8);
    std::vector<float> values(static_cast<std::size_t>(elementCount(dims).value()));
    for (float& value : values) {
        value = static_cast<float>(code(engine));
    }
    return Tensor::of<float>(dims, values);
}

struct Geometry {
    Dims x, w;
    std::int64_t group = 1;
    Axes strides, dilations, pads, outputPadding;
};

/// Straight from the definition, two spatial axes.
Doubles naiveConv(const Geometry& g, const Tensor& x, const Tensor& w, Dims& dims)
{
    const auto extent = [&](std::size_t axis) { return (g.w[axis + 2] - 1) * g.dilations[axis] + 1; };
    const auto length = [&](std::size_t axis) {
        return (g.x[axis + 2] + g.pads[axis] + g.pads[axis + 2] - extent(axis)) / g.strides[axis] + 1;
    };
    dims = {g.x[0], g.w[0], length(0), length(1)};
    Doubles y;
    for (std::int64_t n = 0; n < dims[0]; ++n) {
        for (std::int64_t m = 0; m < dims[1]; ++m) {
            for (std::int64_t oy = 0; oy < dims[2]; ++oy) {
                for (std::int64_t ox = 0; ox < dims[3]; ++ox) {
                    double sum = 0.0;
                    for (std::int64_t c = 0; c < g.w[1]; ++c) {
                        for (std::int64_t ky = 0; ky < g.w[2]; ++ky) {
                            for (std::int64_t kx = 0; kx < g.w[3]; ++kx) {
                                const auto iy = oy * g.strides[0] + ky * g.dilations[0] - g.pads[0];
                                const auto ix = ox * g.strides[1] + kx * g.dilations[1] - g.pads[1];
                                if (iy < 0 || iy >= g.x[2] || ix < 0 || ix >= g.x[3]) {
                                    continue;
                                }
                                const auto channel = m / (g.w[0] / g.group) * g.w[1] + c;
                                const auto xi = ((n * g.x[1] + channel) * g.x[2] + iy) * g.x[3] + ix;
                                const auto wi = ((m * g.w[1] + c) * g.w[2] + ky) * g.w[3] + kx;
                                sum +=
                                    x.asDouble(static_cast<std::size_t>(xi)) * w.asDouble(static_cast<std::size_t>(wi));
                            }
                        }
                    }
                    y.push_back(sum);
                }
            }
        }
    }
    return y;
}

Doubles naiveTransposed(const Geometry& g, const Tensor& x, const Tensor& w, Dims& dims)
{
    const auto length = [&](std::size_t axis) {
        return g.strides[axis] * (g.x[axis + 2] - 1) + g.outputPadding[axis] + (g.w[axis + 2] - 1) * g.dilations[axis] +
               1 - g.pads[axis] - g.pads[axis + 2];
    };
    const std::int64_t each = g.w[1];
    dims = {g.x[0], each * g.group, length(0), length(1)};
    Doubles y(static_cast<std::size_t>(elementCount(dims).value()), 0.0);
    for (std::int64_t n = 0; n < g.x[0]; ++n) {
        for (std::int64_t c = 0; c < g.x[1]; ++c) {
            for (std::int64_t iy = 0; iy < g.x[2]; ++iy) {
                for (std::int64_t ix = 0; ix < g.x[3]; ++ix) {
                    for (std::int64_t j = 0; j < each; ++j) {
                        for (std::int64_t ky = 0; ky < g.w[2]; ++ky) {
                            for (std::int64_t kx = 0; kx < g.w[3]; ++kx) {
                                const auto oy = iy * g.strides[0] + ky * g.dilations[0] - g.pads[0];
                                const auto ox = ix * g.strides[1] + kx * g.dilations[1] - g.pads[1];
                                if (oy < 0 || oy >= dims[2] || ox < 0 || ox >= dims[3]) {
                                    continue;
                                }
                                const auto m = c / (g.x[1] / g.group) * each + j;
                                const auto xi = ((n * g.x[1] + c) * g.x[2] + iy) * g.x[3] + ix;
                                const auto wi = ((c * each + j) * g.w[2] + ky) * g.w[3] + kx;
                                y[static_cast<std::size_t>(((n * dims[1] + m) * dims[2] + oy) * dims[3] + ox)] +=
                                    x.asDouble(static_cast<std::size_t>(xi)) * w.asDouble(static_cast<std::size_t>(wi));
                            }
                        }
                    }
                }
            }
        }
    }
    return y;
}

const std::vector<Geometry>& geometries()
{
    static const std::vector<Geometry> all = {
        {{2, 4, 7, 6}, {6, 4, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1, 1, 1}, {}},
        {{1, 4, 9, 8}, {6, 2, 3, 2}, 2, {2, 3}, {1, 2}, {0, 1, 2, 3}, {}},
        {{1, 6, 7, 7}, {6, 1, 3, 3}, 6, {2, 2}, {1, 1}, {1, 1, 0, 0}, {}},
        {{2, 3, 5, 9}, {6, 1, 5, 3}, 3, {1, 1}, {1, 2}, {4, 4, 4, 4}, {}},
        {{2, 5, 4, 4}, {3, 5, 1, 1}, 1, {1, 1}, {1, 1}, {0, 0, 0, 0}, {}},
        {{1, 5, 4, 4}, {3, 5, 1, 1}, 1, {2, 2}, {1, 1}, {0, 0, 0, 0}, {}},
        {{1, 16, 40, 40}, {8, 16, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1, 1, 1}, {}},
        {{1, 3, 2, 2}, {2, 3, 2, 2}, 1, {1, 1}, {1, 1}, {3, 0, 3, 0}, {}},
    };
    return all;
}

const std::vector<Geometry>& transposedGeometries()
{
    static const std::vector<Geometry> all = {
        {{2, 4, 5, 6}, {4, 3, 3, 3}, 1, {1, 1}, {1, 1}, {0, 0, 0, 0}, {0, 0}},
        {{1, 4, 5, 3}, {4, 3, 3, 2}, 2, {2, 3}, {1, 2}, {1, 0, 1, 1}, {1, 0}},
        {{1, 3, 4, 4}, {3, 1, 4, 4}, 3, {2, 2}, {1, 1}, {1, 1, 1, 1}, {0, 0}},
    };
    return all;
}

} // namespace

class TestLinearKernels : public QObject {
    Q_OBJECT

private slots:
    void convAgreesWithItsDefinition()
    {
        std::mt19937 engine(1);
        for (const Geometry& g : geometries()) {
            const Tensor x = random(g.x, engine);
            const Tensor w = random(g.w, engine);
            Dims dims;
            const Doubles expected = naiveConv(g, x, w, dims);
            const NodeCase node{
                "Conv",
                {x, w},
                {{"group", g.group}, {"strides", g.strides}, {"dilations", g.dilations}, {"pads", g.pads}}};
            const Tensor y = node.output();
            QCOMPARE(y.dims(), dims);
            QCOMPARE(doublesOf(y), expected);
            NodeCase wide = node;
            wide.precision = Precision::Exact;
            wide.inputs = {x.converted(ElementType::Float64), w.converted(ElementType::Float64)};
            QCOMPARE(wide.output().type(), ElementType::Float64);
            QCOMPARE(doublesOf(wide.output()), expected);
        }
    }

    void convTransposeAgreesWithItsDefinition()
    {
        std::mt19937 engine(2);
        for (const Geometry& g : transposedGeometries()) {
            const Tensor x = random(g.x, engine);
            const Tensor w = random(g.w, engine);
            Dims dims;
            const Doubles expected = naiveTransposed(g, x, w, dims);
            const Tensor y = NodeCase{"ConvTranspose",
                                      {x, w},
                                      {{"group", g.group},
                                       {"strides", g.strides},
                                       {"dilations", g.dilations},
                                       {"pads", g.pads},
                                       {"output_padding", g.outputPadding}}}
                                 .output();
            QCOMPARE(y.dims(), dims);
            QCOMPARE(doublesOf(y), expected);
        }
    }

    void convPadsByItself()
    {
        const Tensor x = floats({1, 1, 4}, {1, 2, 3, 4});
        const Tensor w = floats({1, 1, 2}, {1, 10});
        const auto with = [&](const char* mode) {
            return doublesOf(NodeCase{"Conv", {x, w}, {{"auto_pad", std::string(mode)}}}.output());
        };
        QCOMPARE(with("SAME_UPPER"), (Doubles{21, 32, 43, 4}));
        QCOMPARE(with("SAME_LOWER"), (Doubles{10, 21, 32, 43}));
        QCOMPARE(with("VALID"), (Doubles{21, 32, 43}));
        const Tensor upper =
            NodeCase{"ConvTranspose", {x, w}, {{"auto_pad", std::string("SAME_UPPER")}, {"strides", Axes{2}}}}.output();
        QCOMPARE(doublesOf(upper), (Doubles{1, 10, 2, 20, 3, 30, 4, 40}));
        const Tensor shaped = NodeCase{"ConvTranspose", {x, w}, {{"output_shape", Axes{4}}}}.output();
        QCOMPARE(doublesOf(shaped), (Doubles{12, 23, 34, 40}));
    }

    void convOfOneAndThreeAxes()
    {
        const Tensor line =
            NodeCase{"Conv", {floats({1, 2, 3}, {1, 2, 3, 4, 5, 6}), floats({1, 2, 2}, {1, 0, 0, 1})}}.output();
        QCOMPARE(line.dims(), (Dims{1, 1, 2}));
        QCOMPARE(doublesOf(line), (Doubles{1 + 5, 2 + 6}));
        const Tensor cube = NodeCase{
            "Conv",
            {floats({1, 1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), floats({1, 1, 2, 1, 1}, {1, 10})},
            {{"pads", Axes{1, 0, 0, 0, 0,
                           0}}}}.output();
        QCOMPARE(cube.dims(), (Dims{1, 1, 2, 2, 2}));
        QCOMPARE(doublesOf(cube), (Doubles{10, 20, 30, 40, 51, 62, 73, 84}));
    }

    void biasIsAnInputOrAnAttribute()
    {
        const Tensor x = floats({1, 1, 2}, {1, 2});
        const Tensor w = floats({2, 1, 1}, {1, 10});
        QCOMPARE(doublesOf(NodeCase{"Conv", {x, w, floats({2}, {100, 200})}}.output()), (Doubles{101, 102, 210, 220}));
        const Attributes exact = {{"bias", std::vector<double>{0.5, 0.25}}};
        QCOMPARE(doublesOf(NodeCase{"Conv", {x, w}, exact}.output()), (Doubles{1.5, 2.5, 10.25, 20.25}));
        QCOMPARE(doublesOf(NodeCase{"MatMul", {floats({1, 2}, {1, 2}), floats({2, 2}, {1, 2, 3, 4})}, exact}.output()),
                 (Doubles{7.5, 10.25}));
        QCOMPARE(doublesOf(NodeCase{"Gemm", {floats({1, 2}, {1, 2}), floats({2, 2}, {1, 2, 3, 4})}, exact}.output()),
                 (Doubles{7.5, 10.25}));
        QVERIFY((NodeCase{"Conv", {x, w, floats({3}, {1, 2, 3})}}.fails()));
    }

    void refusesWhatDoesNotFit()
    {
        QVERIFY((NodeCase{"Conv", {floats({1, 3, 2}, sixFloats()), floats({1, 2, 1}, {1, 1})}}.fails()));
        QVERIFY((NodeCase{"MatMul", {floats({1, 3}, {1, 2, 3}), floats({2, 1}, {1, 1})}}.fails()));
        QVERIFY((NodeCase{"Gemm", {floats({1, 3}, {1, 2, 3}), floats({2, 1}, {1, 1})}}.fails()));
        QVERIFY((NodeCase{"Einsum", {floats({3}, {1, 2, 3}), floats({2}, {1, 1})}, {{"equation", std::string("i,i->")}}}
                     .fails()));
    }

    void refusesMixedTypes()
    {
        const Tensor x = floats({1, 1, 1}, {1});
        const Tensor wide = doubles({1, 1, 1}, {1});
        QVERIFY((NodeCase{"Conv", {x, wide}}.fails()));
        QVERIFY((NodeCase{"Conv", {x, x, doubles({1}, {1})}}.fails()));
        QVERIFY((NodeCase{"ConvTranspose", {x, wide}}.fails()));
        QVERIFY((NodeCase{"MatMul", {x, wide}}.fails()));
        QVERIFY((NodeCase{"Gemm", {floats({1, 1}, {1}), floats({1, 1}, {1}), doubles({1}, {1})}}.fails()));
        QVERIFY((NodeCase{"Einsum", {x, wide}, {{"equation", std::string("abc,abc->a")}}}.fails()));
    }

    void gemmTransposesScalesAndAdds()
    {
        const Tensor a = floats({2, 3}, {1, 2, 3, 4, 5, 6});
        const Tensor at = floats({3, 2}, {1, 4, 2, 5, 3, 6});
        const Tensor b = floats({3, 2}, {1, 0, 0, 1, 1, 1});
        const Tensor bt = floats({2, 3}, {1, 0, 1, 0, 1, 1});
        const Doubles expected = {4, 5, 10, 11};
        const auto with = [&](const Tensor& left, const Tensor& right, std::int64_t ta, std::int64_t tb) {
            return doublesOf(NodeCase{"Gemm", {left, right}, {{"transA", ta}, {"transB", tb}}}.output());
        };
        QCOMPARE(with(a, b, 0, 0), expected);
        QCOMPARE(with(at, b, 1, 0), expected);
        QCOMPARE(with(a, bt, 0, 1), expected);
        QCOMPARE(with(at, bt, 1, 1), expected);
        const Attributes scaled = {{"alpha", 2.0F}, {"beta", 0.5F}};
        QCOMPARE(doublesOf(NodeCase{"Gemm", {a, b, floats({}, {10})}, scaled}.output()), (Doubles{13, 15, 25, 27}));
        QCOMPARE(doublesOf(NodeCase{"Gemm", {a, b, floats({2}, {10, 20})}, scaled}.output()),
                 (Doubles{13, 20, 25, 32}));
        QCOMPARE(doublesOf(NodeCase{"Gemm", {a, b, floats({2, 1}, {10, 20})}, scaled}.output()),
                 (Doubles{13, 15, 30, 32}));
    }

    void matMulBroadcasts()
    {
        const Tensor a = floats({2, 1, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
        const Tensor b = floats({3, 2, 1}, {1, 0, 0, 1, 1, 1});
        const Tensor y = NodeCase{"MatMul", {a, b}}.output();
        QCOMPARE(y.dims(), (Dims{2, 3, 2, 1}));
        QCOMPARE(doublesOf(y), (Doubles{1, 3, 2, 4, 3, 7, 5, 7, 6, 8, 11, 15}));
        const Tensor stacked = NodeCase{"MatMul", {a, floats({2, 2}, {1, 0, 1, 1})}}.output();
        QCOMPARE(stacked.dims(), (Dims{2, 1, 2, 2}));
        QCOMPARE(doublesOf(stacked), (Doubles{3, 2, 7, 4, 11, 6, 15, 8}));
        const Tensor row = floats({2}, {1, 10});
        QCOMPARE(NodeCase({"MatMul", {row, row}}).output().dims(), Dims{});
        QCOMPARE(doublesOf(NodeCase{"MatMul", {row, row}}.output()), (Doubles{101}));
        QCOMPARE(doublesOf(NodeCase{"MatMul", {a, row}}.output()), (Doubles{21, 43, 65, 87}));
        QCOMPARE(NodeCase({"MatMul", {a, row}}).output().dims(), (Dims{2, 1, 2}));
        const Tensor empty = NodeCase{"MatMul", {floats({2, 0}, {}), floats({0, 3}, {})}}.output();
        QCOMPARE(doublesOf(empty), Doubles(6, 0.0));
        const Tensor wrapping =
            NodeCase{"MatMul", {ints(ElementType::Int32, {1, 1}, {65536}), ints(ElementType::Int32, {1, 1}, {65537})}}
                .output();
        QCOMPARE(intsOf(wrapping), (Ints{65536}));
    }

    void manyThreadsGiveTheSameSums()
    {
        std::mt19937 engine(3);
        std::uniform_real_distribution<float> value(-1.0F, 1.0F);
        const auto fill = [&](Dims dims) {
            std::vector<float> values(static_cast<std::size_t>(elementCount(dims).value()));
            for (float& v : values) {
                v = value(engine);
            }
            return Tensor::of<float>(std::move(dims), values);
        };
        const std::vector<Tensor> inputs = {fill({1, 300, 700}), fill({700, 290})};
        Graph graph;
        Node node;
        node.op = "MatMul";
        const KernelRow* row = findKernel(graph, node);
        QVERIFY(row != nullptr);
        const auto run = [&](int threads) {
            return row->kernel({graph, node, inputs, Precision::Float32, Job{}, nullptr, threads}).value().front();
        };
        QVERIFY(run(1).identical(run(3)));
    }

    void einsum()
    {
        const auto with = [](const char* equation, std::vector<Tensor> inputs) {
            return NodeCase{"Einsum", std::move(inputs), {{"equation", std::string(equation)}}}.output();
        };
        const Tensor m = floats({2, 2}, {1, 2, 3, 4});
        QCOMPARE(doublesOf(with("ij->ji", {m})), (Doubles{1, 3, 2, 4}));
        QCOMPARE(doublesOf(with("ij -> i", {m})), (Doubles{3, 7}));
        QCOMPARE(doublesOf(with("ii", {m})), (Doubles{5}));
        QCOMPARE(doublesOf(with("ij,jk", {m, m})), (Doubles{7, 10, 15, 22}));
        const Tensor stack = floats({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
        QCOMPARE(doublesOf(with("...ii ->...i", {stack})), (Doubles{1, 4, 5, 8}));
        QCOMPARE(with("...ij,jk->...ik", {stack, m}).dims(), (Dims{2, 2, 2}));
        QCOMPARE(doublesOf(with("bij,bjk->bik", {stack, stack})), (Doubles{7, 10, 15, 22, 67, 78, 91, 106}));
    }

    void einsumOfIntegersWraps()
    {
        const Tensor large = ints(ElementType::Int32, {1}, {1 << 30});
        const Tensor four = ints(ElementType::Int32, {1}, {4});
        QCOMPARE(intsOf(NodeCase{"Einsum", {large, four}, {{"equation", std::string("i,i->i")}}}.output()), Ints{0});
    }

    void negative_equations_data()
    {
        QTest::addColumn<QString>("equation");
        QTest::newRow("a label of the output twice") << "i->ii";
        QTest::newRow("a label of no operand") << "i->k";
        QTest::newRow("two ellipses") << "i->......";
        QTest::newRow("an operand too many") << "i,j->ij";
    }

    void negative_equations()
    {
        QFETCH(QString, equation);
        QVERIFY((NodeCase{"Einsum", {floats({2}, {1, 2})}, {{"equation", equation.toStdString()}}}.fails()));
    }

    void negative_missingOperand()
    {
        QVERIFY((NodeCase{
            "Einsum", {floats({2}, {1, 2}), Tensor{}, floats({2}, {1, 2})}, {{"equation", std::string("i,,j->ij")}}}
                     .fails()));
    }

    void gemmOfIntegersHasNoFactors()
    {
        const Tensor a = ints(ElementType::Int32, {1, 2}, {1, 2});
        const Tensor b = ints(ElementType::Int32, {2, 1}, {3, 4});
        const Tensor c = ints(ElementType::Int32, {1}, {5});
        QCOMPARE(intsOf(NodeCase{"Gemm", {a, b, c}}.output()), (Ints{16}));
        QVERIFY((NodeCase{"Gemm", {a, b, c}, {{"alpha", 0.5F}}}.fails()));
        QVERIFY((NodeCase{"Gemm", {a, b, c}, {{"beta", 0.5F}}}.fails()));
        QVERIFY((NodeCase{"MatMul", {ints(ElementType::Int16, {1, 1}, {1}), ints(ElementType::Int16, {1, 1}, {1})}}
                     .fails()));
    }

private:
    static std::vector<float> sixFloats() { return {1, 2, 3, 4, 5, 6}; }
};

QTEST_APPLESS_MAIN(TestLinearKernels)
#include "tst_linear_kernels.moc"
