// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/exec/kernel_runner.h"

#include "core/exec/arithmetic.h"

#include <numeric>
#include <random>

using namespace crease;
using namespace crease::test;

__extension__ typedef __int128 Int128;

namespace {

const std::string crs = "crease";
using Axes = std::vector<std::int64_t>;

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

Grid s8Grid(double scale, std::int64_t zero = 0)
{
    return Grid::perTensor(scale, zero, ElementType::Int8);
}
Grid u8Grid(double scale, std::int64_t zero = 0)
{
    return Grid::perTensor(scale, zero, ElementType::UInt8);
}

/// rne(p / q), clamped: the judge of the tests below, on scales that are whole multiples of one unit.
std::int64_t roundedRatio(Int128 p, Int128 q)
{
    Int128 floor = p / q;
    if (p % q < 0) {
        --floor;
    }
    const Int128 twice = 2 * (p - floor * q);
    return static_cast<std::int64_t>(floor + ((twice > q || (twice == q && floor % 2 != 0)) ? 1 : 0));
}

std::int64_t onGrid(Int128 p, Int128 q, const Grid& grid)
{
    return std::clamp(roundedRatio(p, q) + grid.zeroPoint(), grid.qmin, grid.qmax);
}

/// An op on codes in Float32 and in Exact, which must agree.
Ints run(const std::string& op, const std::vector<Tensor>& inputs, const std::vector<std::optional<Grid>>& grids,
         const Grid& out, Attributes attributes = {}, const std::string& domain = {})
{
    NodeCase node{.op = op,
                  .inputs = inputs,
                  .attributes = std::move(attributes),
                  .domain = domain,
                  .inputGrids = grids,
                  .outputGrids = {out}};
    const Tensor single = node.output();
    node.precision = Precision::Exact;
    const Tensor wide = node.output();
    if (!single.valid() || !single.identical(wide) || single.type() != out.storage) {
        return {};
    }
    return single.toInts();
}

Ints randomCodes(std::mt19937& engine, std::size_t count, std::int64_t lo, std::int64_t hi)
{
    std::uniform_int_distribution<std::int64_t> code(lo, hi);
    Ints values(count);
    for (std::int64_t& value : values) {
        value = code(engine);
    }
    return values;
}

} // namespace

class TestIntegerKernels : public QObject {
    Q_OBJECT

private slots:
    void fakeQuant()
    {
        NodeCase node{"FakeQuant", {floats({6}, {.5F, 1.5F, 2.5F, -.5F, 300, -300})}, {{"grid", u8Grid(1, 1)}}, crs};
        QCOMPARE(doublesOf(node.output()), (Doubles{0, 2, 2, 0, 254, -1}));
        node.attributes["lo"] = std::int64_t{1};
        node.attributes["hi"] = std::int64_t{2};
        QCOMPARE(doublesOf(node.output()), (Doubles{0, 1, 1, 0, 1, 0}));
        node.precision = Precision::Exact;
        QCOMPARE(node.output().type(), ElementType::Float64); // a constant of the file: codes by float32 division
        node.inputs[0] = doubles({2}, {0.4999999999, 0.5000001});
        node.attributes["grid"] = s8Grid(1.0);
        node.attributes.erase("lo");
        node.attributes.erase("hi");
        QCOMPARE(doublesOf(node.output()), (Doubles{0, 1}));
        const NodeCase channels{"FakeQuant",
                                {floats({2, 2}, {1, 2, 3, 4})},
                                {{"grid", Grid::perChannel({1.0, 4.0}, {0, 1}, 0, ElementType::Int8)}},
                                crs};
        QCOMPARE(doublesOf(channels.output()), (Doubles{1, 2, 4, 4}));
        QVERIFY((NodeCase{"FakeQuant", {floats({1}, {1})}, {}, crs}.fails()));
    }

    void fakeQuantRoundingOrderAndDivision() // formats.md §0, §3.1
    {
        const Tensor x = floats({6}, {.5F, 1.5F, 2.5F, -.5F, -1.5F, -2.5F});
        const auto with = [&](const std::string& rounding, const std::string& order, std::int64_t zero) {
            const NodeCase node{
                "FakeQuant", {x}, {{"grid", s8Grid(1, zero)}, {"rounding", rounding}, {"order", order}}, crs};
            return doublesOf(node.output());
        };
        QCOMPARE(with("half_even", "A", 1), (Doubles{0, 2, 2, 0, -2, -2}));
        QCOMPARE(with("half_even", "B", 1), (Doubles{1, 1, 3, -1, -1, -3}));
        QCOMPARE(with("half_even", "C", 1), (Doubles{1, 1, 3, -1, -1, -3}));
        QCOMPARE(with("half_away", "A", 0), (Doubles{1, 2, 3, -1, -2, -3}));
        QCOMPARE(with("half_up", "D", 0), (Doubles{1, 2, 3, 0, -1, -2}));
        QCOMPARE(with("floor", "A", 0), (Doubles{0, 1, 2, -1, -2, -3}));
        const auto divided = [](const std::string& divide) {
            const NodeCase node{"FakeQuant",
                                {floats({1}, {1.5499999523162842F})},
                                {{"grid", s8Grid(static_cast<double>(.1F))}, {"divide", divide}},
                                crs};
            return std::nearbyint(doublesOf(node.output())[0] / 0.1);
        };
        QCOMPARE(divided("division"), 15.0);
        QCOMPARE(divided("reciprocal"), 16.0);
    }

    void quantizeAndDequantize()
    {
        const NodeCase quantize{.op = "Quantize",
                                .inputs = {doubles({3}, {.25, .75, 1e9})},
                                .domain = crs,
                                .outputGrids = {u8Grid(.5, 3)},
                                .precision = Precision::Exact};
        QCOMPARE(intsOf(quantize.output()), (Ints{3, 5, 255}));
        NodeCase dequantize{.op = "Dequantize",
                            .inputs = {s32({2, 2}, {1, 2, 16777217, 4})},
                            .attributes = {{"bias", std::vector<double>{.5, .25}}},
                            .domain = crs,
                            .inputGrids = {Grid::accumulator({1.0, .125}, 0)}};
        QCOMPARE(doublesOf(dequantize.output()), (Doubles{1.5, 2.5, 2097152.5, .75}));
        QCOMPARE(dequantize.output().type(), ElementType::Float32);
        dequantize.precision = Precision::Exact;
        QCOMPARE(doublesOf(dequantize.output()), (Doubles{1.5, 2.5, 2097152.375, .75}));
        dequantize.attributes["bias"] = std::vector<double>{1, 2, 3};
        QVERIFY(dequantize.fails());
    }

    void requantizeIsExact() // BC-40
    {
        const double sx = static_cast<double>(0.05296124517917633F);
        const double sw = static_cast<double>(0.024093778803944588F);
        const double sy = static_cast<double>(0.11484327912330627F);
        QCOMPARE(run("Requantize", {s32({1}, {585})}, {Grid::accumulator({sx * sw}, {})}, s8Grid(sy, -126), {}, crs),
                 (Ints{-119}));
        // Ties to even, before the zero point; 1/6 is no dyadic fraction.
        const Grid accumulator = Grid::accumulator({1.0}, {});
        QCOMPARE(run("Requantize", {s32({6}, {3, 9, 15, -3, -9, -15})}, {accumulator}, s8Grid(6, 1), {}, crs),
                 (Ints{1, 3, 3, 1, -1, -1}));
        // The bias takes part in the one rounding, also where it makes a tie.
        const Attributes bias = {{"bias", std::vector<double>{.5, -.5}}};
        QCOMPARE(
            run("Requantize", {s32({2, 2}, {1, 2, 1, 2})}, {Grid::accumulator({1.0, 1.0}, 0)}, s8Grid(1), bias, crs),
            (Ints{2, 2, 0, 2}));
        const Attributes codes = {
            {"bias_codes", s32({2}, {10, -10})}, {"lo", std::int64_t{-5}}, {"hi", std::int64_t{6}}};
        QCOMPARE(
            run("Requantize", {s32({2, 2}, {1, 2, 1, 9})}, {Grid::accumulator({.5, .5}, 0)}, s8Grid(1), codes, crs),
            (Ints{6, 6, -4, 0}));
    }

    void requantizeOfRandomGridsAgreesWithIntegers()
    {
        std::mt19937 engine(5);
        std::uniform_int_distribution<std::int64_t> step(1, 60);
        for (int round = 0; round < 200; ++round) {
            const std::int64_t p = step(engine);
            const std::int64_t q = step(engine);
            const Grid out = s8Grid(static_cast<double>(q) * 0x1p-7, step(engine) - 30);
            const Ints codes = randomCodes(engine, 300, -4000, 4000);
            Ints expected;
            for (const std::int64_t code : codes) {
                expected.push_back(onGrid(static_cast<Int128>(code) * p, q, out));
            }
            QCOMPARE(run("Requantize", {s32({300}, codes)}, {Grid::accumulator({static_cast<double>(p) * 0x1p-7}, {})},
                         out, {}, crs),
                     expected);
        }
    }

    void table()
    {
        Ints entries(256);
        std::iota(entries.begin(), entries.end(), 0);
        std::reverse(entries.begin(), entries.end());
        QCOMPARE(run("Table", {s8({3}, {-128, 0, 127})}, {s8Grid(1)}, u8Grid(1), {{"table", u8({256}, entries)}}, crs),
                 (Ints{255, 127, 0}));
        Ints two = entries;
        two.insert(two.end(), 256, 7);
        QCOMPARE(run("Table", {u8({1, 2, 2}, {0, 1, 2, 3})}, {u8Grid(1)}, u8Grid(1),
                     {{"table", u8({2, 256}, two)}, {"axis", std::int64_t{1}}}, crs),
                 (Ints{255, 254, 7, 7}));
        QCOMPARE(run("Table", {u8({1}, {0})}, {u8Grid(1)}, u8Grid(1), {{"table", u8({3}, {1, 2, 3})}}, crs), Ints{});
    }

    void clamp()
    {
        QCOMPARE(run("Clamp", {s8({3}, {-100, 3, 100})}, {s8Grid(1)}, s8Grid(1),
                     {{"lo", std::int64_t{-5}}, {"hi", std::int64_t{5}}}, crs),
                 (Ints{-5, 3, 5}));
    }

    void convAccumulatesAndFuses() // BC-58, 60
    {
        const Tensor x = u8({1, 1, 2}, {138, 148});
        const Grid xGrid = u8Grid(.1, 128);
        const Tensor w = s8({1, 1, 3}, {1, 2, 3});
        const Attributes pads = {{"pads", Axes{1, 1}}};
        QCOMPARE(run("Conv", {x, w}, {xGrid, s8Grid(1)}, Grid::accumulator({.1}, 1), pads), (Ints{80, 50}));
        QCOMPARE(run("Conv", {x, w}, {xGrid, s8Grid(1)}, u8Grid(.1), pads), (Ints{80, 50}));
        Attributes fused = pads;
        fused["bias_codes"] = s32({1}, {-15});
        fused["hi"] = std::int64_t{40};
        QCOMPARE(run("Conv", {x, w}, {xGrid, s8Grid(1)}, u8Grid(.2), fused), (Ints{32, 18}));
        // Asymmetric weights, one zero point or one a channel.
        const Tensor a = u8({1, 2}, {110, 60});
        QCOMPARE(run("MatMul", {a, u8({2, 1}, {200, 50})}, {u8Grid(.1, 10), u8Grid(.01, 100)}, u8Grid(.1, 7)),
                 (Ints{82}));
        const Grid channels = Grid::perChannel({1.0, .5}, {10, 0}, 0, ElementType::UInt8);
        QCOMPARE(run("Conv", {x, u8({2, 1, 1}, {11, 2})}, {xGrid, channels}, s8Grid(.1)), (Ints{10, 20, 10, 20}));
        QCOMPARE(run("Conv", {x, u8({2, 1, 1}, {11, 2})}, {xGrid, channels}, Grid::accumulator({.1, .05}, 1)),
                 (Ints{10, 20, 20, 40}));
    }

    void convRefusesWhatItCannotDo()
    {
        const Tensor x = u8({1, 1, 1}, {1});
        const Tensor w = s8({2, 1, 1}, {1, 1});
        const Grid byInput = Grid::perChannel({1.0}, {0}, 1, ElementType::Int8);
        QVERIFY(!run("Conv", {x, w}, {u8Grid(1), byInput}, s8Grid(1)).empty());
        const auto fails = [&](const Grid& weights, const Tensor& weight, const Grid& out,
                               std::vector<Tensor> more = {}) {
            std::vector<Tensor> inputs = {x, weight};
            inputs.insert(inputs.end(), more.begin(), more.end());
            return NodeCase{.op = "Conv", .inputs = inputs, .inputGrids = {u8Grid(1), weights}, .outputGrids = {out}}
                .fails();
        };
        QVERIFY(fails(Grid::perChannel({1.0, 2.0}, {0, 0}, 1, ElementType::Int8), w, s8Grid(1)));
        QVERIFY(fails(s8Grid(1), w, s8Grid(1), {floats({2}, {1, 2})}));
        const Tensor wide = ints(ElementType::Int16, {1, 1, 1}, {32767});
        const NodeCase overflow{
            .op = "Conv",
            .inputs = {ints(ElementType::Int32, {1, 1, 1}, {200000}), wide},
            .inputGrids = {Grid::perTensor(1, 0, ElementType::Int32), Grid::perTensor(1, 0, ElementType::Int16)},
            .outputGrids = {Grid::accumulator({1.0}, {})}};
        QVERIFY(overflow.fails());
        QCOMPARE(overflow.run().error().id, std::string("accumulator-overflow"));
    }

    void convTransposeAndGroups() // BC-19
    {
        const Grid w = Grid::perChannel({1, .5, .25}, {0, 0, 0}, 1, ElementType::Int8);
        const Tensor weight = s8({2, 3, 1, 1}, {10, 10, 10, 1, 2, 3});
        const Tensor x = s8({1, 2, 1, 1}, {1, 1});
        QCOMPARE(run("ConvTranspose", {x, weight}, {s8Grid(1), w}, Grid::accumulator({1, .5, .25}, 1)),
                 (Ints{11, 12, 13}));
        QCOMPARE(run("ConvTranspose", {x, weight}, {s8Grid(1), w}, s8Grid(1)), (Ints{11, 6, 3}));
        QCOMPARE(run("ConvTranspose", {x, weight}, {s8Grid(1), w}, s8Grid(.25), {{"group", std::int64_t{2}}}),
                 (Ints{40, 20, 10, 4, 4, 3}));
        QCOMPARE(run("Conv", {s8({1, 2, 1}, {3, 5}), s8({2, 1, 1}, {2, -7})},
                     {s8Grid(1), Grid::perChannel({1, 2}, {0, 0}, 0, ElementType::Int8)}, s8Grid(1),
                     {{"group", std::int64_t{2}}}),
                 (Ints{6, -70}));
    }

    void sumsBeyondFloatAreExact()
    {
        // 2048 taps of 127 * 127 + 1 odd rest: 33032193 is odd and above 2^24.
        Ints a(2049, 127);
        Ints b(2049, 127);
        a.back() = 1;
        b.back() = 1;
        QCOMPARE(
            run("MatMul", {s8({1, 2049}, a), s8({2049, 1}, b)}, {s8Grid(1), s8Grid(1)}, Grid::accumulator({1.0}, {})),
            (Ints{2048LL * 127 * 127 + 1}));
        // int16 * int16 needs int64.
        const Tensor wide = ints(ElementType::Int16, {1, 3}, {32767, 32767, 1});
        const Grid grid = Grid::perTensor(1, 0, ElementType::Int16);
        QCOMPARE(run("MatMul", {wide, wide.reshaped({3, 1})}, {grid, grid},
                     Grid::accumulator({1.0}, {}, ElementType::Int64)),
                 (Ints{2LL * 32767 * 32767 + 1}));
    }

    void gemm()
    {
        const Tensor a = u8({2, 2}, {4, 2, 6, 8});
        const Grid byRow = Grid::perChannel({.25, .5}, {0, 0}, 0, ElementType::UInt8);
        QCOMPARE(run("Gemm", {a, u8({2, 2}, {2, 4, 1, 1})}, {u8Grid(.5), byRow}, u8Grid(.125),
                     {{"transB", std::int64_t{1}}}),
                 (Ints{16, 12, 44, 28}));
        QCOMPARE(run("Gemm", {a, u8({2, 1}, {2, 4})}, {u8Grid(.5), u8Grid(.25)}, u8Grid(.125),
                     {{"transA", std::int64_t{1}}}),
                 (Ints{32, 36})); // BC-27
        const NodeCase scaled{.op = "Gemm",
                              .inputs = {a, a},
                              .attributes = {{"alpha", 2.0F}},
                              .inputGrids = {u8Grid(1), u8Grid(1)},
                              .outputGrids = {u8Grid(1)}};
        QVERIFY(scaled.fails());
    }

    void addRoundsOnce() // BC-33
    {
        QCOMPARE(run("Add", {u8({6}, {0, 1, 2, 3, 4, 5}), u8({1}, {1})}, {u8Grid(.5), u8Grid(.25)}, u8Grid(.5, 1)),
                 (Ints{1, 3, 3, 5, 5, 7}));
        QCOMPARE(run("Sub", {u8({3}, {3, 5, 7}), u8({1}, {1})}, {u8Grid(.5), u8Grid(.5)}, s8Grid(2, 1)),
                 (Ints{1, 2, 3}));
        QCOMPARE(run("Add", {s8({2}, {1, 100}), s8({2}, {1, 100})}, {s8Grid(1), s8Grid(1)}, s8Grid(1),
                     {{"lo", std::int64_t{0}}, {"hi", std::int64_t{100}}}),
                 (Ints{2, 100}));
        QCOMPARE(run("Sum", {s8({1}, {1}), s8({1}, {1}), s8({1}, {1})}, {s8Grid(1), s8Grid(2), s8Grid(4)}, s8Grid(2)),
                 (Ints{4}));
        // A float constant takes part exactly.
        QCOMPARE(run("Add", {s8({2}, {1, 2}), floats({1}, {.5F})}, {s8Grid(1), std::nullopt}, s8Grid(1)), (Ints{2, 2}));
        QCOMPARE(run("Mul", {s8({2}, {1, 3}), floats({1}, {.5F})}, {s8Grid(1), std::nullopt}, s8Grid(1)), (Ints{0, 2}));
    }

    void randomBinaryOpsAgreeWithIntegers()
    {
        std::mt19937 engine(9);
        std::uniform_int_distribution<std::int64_t> step(1, 40);
        for (int round = 0; round < 100; ++round) {
            const std::int64_t pa = step(engine);
            const std::int64_t pb = step(engine);
            const std::int64_t q = step(engine);
            const Grid a = s8Grid(static_cast<double>(pa) * 0x1p-5, step(engine) - 20);
            const Grid b = u8Grid(static_cast<double>(pb) * 0x1p-5, step(engine));
            const Grid out = s8Grid(static_cast<double>(q) * 0x1p-5, step(engine) - 20);
            const Ints x = randomCodes(engine, 200, -128, 127);
            const Ints y = randomCodes(engine, 200, 0, 255);
            Ints sum;
            Ints product;
            Ints ratio;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const Int128 n = x[i] - a.zeroPoint();
                const Int128 m = y[i] - b.zeroPoint();
                sum.push_back(onGrid(n * pa + m * pb, q, out));
                product.push_back(onGrid(n * m * pa * pb, static_cast<Int128>(q) * 32, out));
                if (m == 0) {
                    ratio.push_back(n > 0 ? out.qmax : out.qmin);
                } else {
                    const Int128 sign = m < 0 ? -1 : 1;
                    ratio.push_back(onGrid(sign * n * pa * 32, sign * m * pb * q, out));
                }
            }
            const std::vector<Tensor> inputs = {s8({200}, x), u8({200}, y)};
            QCOMPARE(run("Add", inputs, {a, b}, out), sum);
            QCOMPARE(run("Mul", inputs, {a, b}, out), product);
            QCOMPARE(run("Div", inputs, {a, b}, out), ratio);
        }
    }

    void selection()
    {
        const std::vector<Tensor> inputs = {u8({3}, {2, 4, 9}), u8({1}, {3})};
        QCOMPARE(run("Max", inputs, {u8Grid(.5), u8Grid(1)}, u8Grid(1)), (Ints{3, 3, 4}));
        QCOMPARE(run("Min", inputs, {u8Grid(.5), u8Grid(1)}, u8Grid(1)), (Ints{1, 2, 3}));
        const Tensor condition = Tensor::of<bool>({3}, {true, false, true});
        QCOMPARE(run("Where", {condition, inputs[0], inputs[1]}, {std::nullopt, u8Grid(.5), u8Grid(1)}, u8Grid(1, 1)),
                 (Ints{2, 4, 5}));
        QCOMPARE(run("Where", {condition, inputs[0], floats({}, {-1.0F})}, {std::nullopt, u8Grid(.5), std::nullopt},
                     s8Grid(1)),
                 (Ints{1, -1, 4}));
        QCOMPARE(run("Concat", {s8({1, 2}, {1, 3}), s8({1, 1}, {9})}, {s8Grid(.5), s8Grid(1)}, s8Grid(1, 1),
                     {{"axis", std::int64_t{-1}}}),
                 (Ints{1, 3, 10}));
        QCOMPARE(run("Relu", {s8({3}, {-5, 3, 7})}, {s8Grid(1, 3)}, s8Grid(1, 3)), (Ints{3, 3, 7}));
        QCOMPARE(run("Relu", {s8({3}, {-5, 3, 7})}, {s8Grid(1, 3)}, s8Grid(2, -1)), (Ints{-1, -1, 1}));
    }

    void pools() // BC-33
    {
        const Attributes pairs = {{"kernel_shape", Axes{1, 2}}, {"strides", Axes{1, 2}}};
        QCOMPARE(run("AveragePool", {u8({1, 1, 1, 6}, {0, 1, 1, 2, 2, 3})}, {u8Grid(.5)}, u8Grid(.5, 1), pairs),
                 (Ints{1, 3, 3}));
        // Counts differ at the border; thirds are decided exactly.
        const Tensor line = s8({1, 1, 3}, {1, 2, 2});
        QCOMPARE(run("AveragePool", {line}, {s8Grid(3)}, s8Grid(1), {{"kernel_shape", Axes{3}}, {"pads", Axes{1, 1}}}),
                 (Ints{4, 5, 6}));
        QCOMPARE(run("AveragePool", {line}, {s8Grid(3, 1)}, s8Grid(1),
                     {{"kernel_shape", Axes{3}}, {"pads", Axes{1, 1}}, {"count_include_pad", std::int64_t{1}}}),
                 (Ints{1, 2, 2}));
        // 7.5 / 3 is the tie 2.5.
        QCOMPARE(run("GlobalAveragePool", {u8({1, 2, 3}, {5, 5, 5, 4, 5, 6})}, {u8Grid(.5)}, u8Grid(1)), (Ints{2, 2}));
        QCOMPARE(run("GlobalAveragePool", {u8({1, 1, 3}, {7, 7, 7})}, {u8Grid(.5, 0)}, u8Grid(1, 5)), (Ints{9}));
        const Tensor axes = ints(ElementType::Int64, {1}, {-1});
        const Tensor x = s8({2, 3}, {1, 2, 4, -1, -2, -4});
        QCOMPARE(run("ReduceMean", {x, axes}, {s8Grid(.5, 1)}, s8Grid(.25, -1)), (Ints{2, -8}));
        QCOMPARE(run("ReduceSum", {x, axes}, {s8Grid(.5)}, s8Grid(1), {{"keepdims", std::int64_t{0}}}), (Ints{4, -4}));
        QCOMPARE(run("ReduceSum", {x}, {s8Grid(.5)}, s8Grid(1)), (Ints{0}));
    }

    void movementOnCodes() // BC-57
    {
        const Tensor pads = ints(ElementType::Int64, {2}, {1, 1});
        QCOMPARE(run("Pad", {u8({2}, {130, 120}), pads}, {u8Grid(.1, 128)}, u8Grid(.1, 128)),
                 (Ints{128, 130, 120, 128}));
        QCOMPARE(run("Pad", {u8({2}, {130, 120}), pads, u8({}, {118})}, {u8Grid(.1, 128)}, u8Grid(.1, 128)),
                 (Ints{118, 130, 120, 118}));
        QCOMPARE(
            run("MaxPool", {s8({1, 1, 3}, {-5, 3, 1})}, {s8Grid(1, -3)}, s8Grid(1, -3), {{"kernel_shape", Axes{2}}}),
            (Ints{3, 3}));
        const NodeCase sigmoid{
            .op = "Sigmoid", .inputs = {s8({1}, {1})}, .inputGrids = {s8Grid(1)}, .outputGrids = {s8Grid(1)}};
        QVERIFY(sigmoid.fails());
    }
};

QTEST_APPLESS_MAIN(TestIntegerKernels)
#include "tst_integer_kernels.moc"
