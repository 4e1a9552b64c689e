// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/exec/kernel_runner.h"

#include <numeric>

using namespace crease;
using namespace crease::test;

namespace {

Tensor longs(Dims dims, const Ints& values)
{
    return ints(ElementType::Int64, std::move(dims), values);
}

Tensor counted(Dims dims, ElementType type = ElementType::Float32)
{
    Ints values(static_cast<std::size_t>(elementCount(dims).value()));
    std::iota(values.begin(), values.end(), 0);
    return ints(type, std::move(dims), values);
}

Doubles result(const std::string& op, std::vector<Tensor> inputs, Attributes attributes = {})
{
    return doublesOf(NodeCase{.op = op, .inputs = std::move(inputs), .attributes = std::move(attributes)}.output());
}

bool fails(const std::string& op, std::vector<Tensor> inputs, Attributes attributes = {})
{
    return NodeCase{.op = op, .inputs = std::move(inputs), .attributes = std::move(attributes)}.fails();
}

} // namespace

/// What ONNX's node tests leave out: every width of element, large transpositions, empty results, wrong indices.
class TestMovementKernels : public QObject {
    Q_OBJECT

private slots:
    void everyWidth_data()
    {
        QTest::addColumn<int>("type");
        for (const ElementType type : {ElementType::Int4, ElementType::UInt8, ElementType::Float16, ElementType::Int32,
                                       ElementType::Float64, ElementType::Bool}) {
            QTest::newRow(longName(type).data()) << static_cast<int>(type);
        }
    }

    void everyWidth()
    {
        QFETCH(int, type);
        const Tensor x = ints(static_cast<ElementType>(type), {2, 3}, {0, 1, 1, 0, 0, 1});
        QCOMPARE(result("Transpose", {x}), (Doubles{0, 0, 1, 0, 1, 1}));
        QCOMPARE(result("Slice", {x, longs({1}, {2}), longs({1}, {-4}), longs({1}, {1}), longs({1}, {-2})}),
                 (Doubles{1, 0, 1, 0}));
        QCOMPARE(result("Gather", {x, longs({2}, {-1, 0})}, {{"axis", std::int64_t{1}}}), (Doubles{1, 0, 1, 0}));
        QCOMPARE(result("Concat", {x, x}, {{"axis", std::int64_t{1}}}), (Doubles{0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1}));
        QCOMPARE(result("Expand", {x, longs({3}, {2, 1, 1})}), (Doubles{0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1}));
        QCOMPARE(result("Tile", {x, longs({2}, {1, 2})}), (Doubles{0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1}));
    }

    /// Larger than a tile, so that every part of the tiled copy runs.
    void largeTranspositions()
    {
        const std::int64_t rows = 37;
        const std::int64_t columns = 50;
        const Tensor x = counted({2, rows, columns});
        const Doubles got = result("Transpose", {x}, {{"perm", Ints{0, 2, 1}}});
        QCOMPARE(got.size(), x.size());
        for (std::int64_t b = 0; b < 2; ++b) {
            for (std::int64_t c = 0; c < columns; ++c) {
                for (std::int64_t r = 0; r < rows; ++r) {
                    const auto at = static_cast<std::size_t>((b * columns + c) * rows + r);
                    QCOMPARE(got[at], static_cast<double>((b * rows + r) * columns + c));
                }
            }
        }
    }

    void slicesThatReachOut()
    {
        const Tensor x = counted({5});
        const auto sliced = [&](std::int64_t from, std::int64_t to, std::int64_t step) {
            return result("Slice", {x, longs({1}, {from}), longs({1}, {to}), longs({1}, {0}), longs({1}, {step})});
        };
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min() + 1;
        QCOMPARE(sliced(3, most, 1), (Doubles{3, 4}));
        QCOMPARE(sliced(most, least, -2), (Doubles{4, 2, 0}));
        QCOMPARE(sliced(least, 2, 1), (Doubles{0, 1}));
        QCOMPARE(sliced(4, 2, 1), Doubles{});
        QCOMPARE(sliced(0, 5, most), (Doubles{0}));
        QCOMPARE(sliced(9, 9, 1), Doubles{});
    }

    void padding()
    {
        const Tensor x = counted({1, 3});
        const auto padded = [&](const char* mode, std::int64_t before, std::int64_t after) {
            return result("Pad", {x, longs({4}, {0, before, 0, after})}, {{"mode", std::string(mode)}});
        };
        QCOMPARE(padded("constant", 1, 2), (Doubles{0, 0, 1, 2, 0, 0}));
        QCOMPARE(padded("edge", 2, 1), (Doubles{0, 0, 0, 1, 2, 2}));
        QCOMPARE(padded("reflect", 2, 2), (Doubles{2, 1, 0, 1, 2, 1, 0}));
        QCOMPARE(padded("wrap", 2, 4), (Doubles{1, 2, 0, 1, 2, 0, 1, 2, 0}));
        QCOMPARE(padded("constant", -1, 1), (Doubles{1, 2, 0}));
        QVERIFY(fails("Pad", {x, longs({4}, {0, -4, 0, 0})}));
        QVERIFY(fails("Pad", {x, longs({2}, {0, 1})}));
        QVERIFY(fails("Pad", {x, longs({4}, {0, 1, 0, 0})}, {{"mode", std::string("sideways")}}));
    }

    /// Real zero is the zero point.
    void paddingOfCodes()
    {
        NodeCase pad{.op = "Pad",
                     .inputs = {ints(ElementType::UInt8, {2}, {1, 2}), longs({2}, {1, 0})},
                     .inputGrids = {Grid::perTensor(0.5, 128, ElementType::UInt8)},
                     .outputGrids = {Grid::perTensor(0.5, 128, ElementType::UInt8)}};
        QCOMPARE(intsOf(pad.output()), (Ints{128, 1, 2}));
    }

    void scatteringAddsUp()
    {
        const Tensor x = floats({3}, {1, 1, 1});
        const Tensor at = longs({3}, {0, 0, -1});
        const Tensor updates = floats({3}, {5, 7, 9});
        const auto scattered = [&](const char* reduction) {
            return result("ScatterElements", {x, at, updates}, {{"reduction", std::string(reduction)}});
        };
        QCOMPARE(scattered("none"), (Doubles{7, 1, 9}));
        QCOMPARE(scattered("add"), (Doubles{13, 1, 10}));
        QCOMPARE(scattered("mul"), (Doubles{35, 1, 9}));
        QCOMPARE(scattered("max"), (Doubles{7, 1, 9}));
        QCOMPARE(scattered("min"), (Doubles{1, 1, 1}));
    }

    void reductionsOfAxes()
    {
        const Tensor x = counted({2, 3, 4});
        const Tensor none;
        const auto axes = [](const Ints& values) { return longs({static_cast<std::int64_t>(values.size())}, values); };
        QCOMPARE(result("ReduceSum", {x, axes({1})}, {{"keepdims", std::int64_t{0}}}),
                 (Doubles{12, 15, 18, 21, 48, 51, 54, 57}));
        QCOMPARE(result("ReduceSum", {x, axes({0, 2})}), (Doubles{60, 92, 124}));
        QCOMPARE(result("ReduceMax", {x, axes({-1})}), (Doubles{3, 7, 11, 15, 19, 23}));
        QCOMPARE(result("ReduceMean", {x}), (Doubles{11.5}));
        QCOMPARE(result("ReduceSum", {floats({0, 2}, {}), axes({0})}), (Doubles{0, 0}));
        QCOMPARE(result("ReduceMax", {floats({0, 2}, {}), axes({0})}), (Doubles{-HUGE_VAL, -HUGE_VAL}));
        QVERIFY(fails("ReduceSum", {x, axes({3})}));
        QVERIFY(fails("ArgMax", {floats({0}, {})}));
    }

    /// Before opset 13 everything from the axis on is one row.
    void softmaxOfOldOpsets()
    {
        NodeCase node{.op = "Softmax", .inputs = {floats({1, 2, 2}, {0, 0, 0, 0})}, .version = 12};
        QCOMPARE(doublesOf(node.output()), (Doubles{0.25, 0.25, 0.25, 0.25}));
        node.version = 13;
        QCOMPARE(doublesOf(node.output()), (Doubles{0.5, 0.5, 0.5, 0.5}));
    }

    void topKOfTies()
    {
        NodeCase node{.op = "TopK", .inputs = {floats({4}, {2, 3, 3, 1}), longs({1}, {3})}, .outputs = 2};
        const auto outputs = node.run();
        QVERIFY(outputs.has_value());
        QCOMPARE((*outputs)[0].toDoubles(), (Doubles{3, 3, 2}));
        QCOMPARE((*outputs)[1].toInts(), (Ints{1, 2, 0}));
        QVERIFY(fails("TopK", {floats({2}, {1, 2}), longs({1}, {3})}));
    }

    void widestElements()
    {
        auto numbers = std::make_shared<const std::vector<double>>(std::vector<double>{1, -1, 2, -2, 3, -3});
        const void* data = numbers->data();
        const Tensor x = Tensor::view(ElementType::Complex128, {3, 1}, std::move(numbers), data);
        const Tensor y = NodeCase{.op = "Expand", .inputs = {x, longs({2}, {3, 2})}}.output();
        QCOMPARE(y.dims(), (Dims{3, 2}));
        const std::span<const double> parts(reinterpret_cast<const double*>(y.raw()), 12);
        QVERIFY(std::ranges::equal(parts, Doubles{1, -1, 1, -1, 2, -2, 2, -2, 3, -3, 3, -3}));
    }

    void rangesOfLargeIntegers()
    {
        const std::int64_t large = std::int64_t{1} << 60; // double cannot tell these from their neighbours
        const auto range = [](std::int64_t start, std::int64_t limit, std::int64_t delta) {
            return intsOf(
                NodeCase{.op = "Range", .inputs = {longs({}, {start}), longs({}, {limit}), longs({}, {delta})}}
                    .output());
        };
        QCOMPARE(range(large, large + 3, 1), (Ints{large, large + 1, large + 2}));
        QCOMPARE(range(large + 3, large, -2), (Ints{large + 3, large + 1}));
        QCOMPARE(range(large, large, 1), Ints{});
        QCOMPARE(range(5, -2, -3), (Ints{5, 2, -1}));
        QVERIFY(fails("Range", {longs({}, {-large}), longs({}, {large}), longs({}, {1})}));
    }

    void emptyTensorsOfHugeDimensions()
    {
        // They need no memory, but kernels walk the other axes.
        QVERIFY(fails("ConstantOfShape", {longs({3}, {std::int64_t{1} << 40, 0, 5})}));
        QVERIFY(fails("ConstantOfShape", {longs({3}, {std::int64_t{1} << 62, 0, 4})}));
        QCOMPARE((NodeCase{.op = "ConstantOfShape", .inputs = {longs({3}, {1000, 0, 1000})}}.output().dims()),
                 (Dims{1000, 0, 1000}));
        QVERIFY(fails("Pad", {floats({1, 1}, {1}), longs({4}, {0, -1, std::int64_t{1} << 36, 0})}));
    }

    void negative_axesGivenTwice()
    {
        const Tensor x = counted({2, 4});
        QVERIFY(fails("Slice", {x, longs({2}, {3, 3}), longs({2}, {9, 9}), longs({2}, {1, -1})}));
        QVERIFY(!fails("Slice", {x, longs({2}, {3, 1}), longs({2}, {9, 9}), longs({2}, {1, 0})}));
        QVERIFY(fails("Transpose", {x}, {{"perm", Ints{0, 0}}}));
        QVERIFY(!fails("Transpose", {x}, {{"perm", Ints{1, 0}}}));
        QVERIFY(fails("Pad", {x, longs({4}, {1, 1, 1, 1}), Tensor{}, longs({2}, {0, 0})}));
        QVERIFY(!fails("Pad", {x, longs({4}, {1, 1, 1, 1}), Tensor{}, longs({2}, {1, 0})}));
    }

    void negative_inputsThatAreNoSingleElement()
    {
        const Tensor x = counted({2, 3});
        const Tensor nothing = longs({0}, {});
        QVERIFY(fails("Trilu", {x, nothing}));
        QVERIFY(fails("Dropout", {x, Tensor{}, ints(ElementType::Bool, {0}, {})}));
        QVERIFY(fails("NonMaxSuppression", {floats({1, 1, 4}, {0, 0, 1, 1}), floats({1, 1, 1}, {1}), nothing}));
        QVERIFY(fails("Compress", {x, longs({2}, {1, 0})}, {{"axis", std::int64_t{0}}}));
        QVERIFY(!fails("Compress", {x, ints(ElementType::Bool, {2}, {1, 0})}, {{"axis", std::int64_t{0}}}));
        QVERIFY((NodeCase{.op = "Split", .inputs = {x}, .outputs = 0}.fails()));
        QVERIFY(fails("TensorScatter", {floats({1, 0, 2}, {}), floats({1, 1, 2}, {1, 2})},
                      {{"mode", std::string("circular")}}));
    }

    void negative_indicesAndShapes()
    {
        const Tensor x = counted({2, 3});
        QVERIFY(fails("Gather", {x, longs({1}, {2})}));
        QVERIFY(fails("GatherElements", {x, longs({2, 4}, Ints(8, 0))}));
        QVERIFY(fails("GatherND", {x, longs({1, 3}, {0, 0, 0})}));
        QVERIFY(fails("GatherND", {x, longs({1, 2}, {0, 3})}));
        QVERIFY(fails("ScatterND", {x, longs({1, 1}, {0}), floats({2}, {1, 2})}));
        QVERIFY(fails("Reshape", {x, longs({1}, {5})}));
        QVERIFY(fails("Reshape", {x, longs({2}, {-1, 4})}));
        QVERIFY(fails("Concat", {x, counted({2, 3}, ElementType::Int8)}, {{"axis", std::int64_t{0}}}));
        QVERIFY(fails("Concat", {x, counted({3, 2})}, {{"axis", std::int64_t{0}}}));
        QVERIFY(fails("Transpose", {x}, {{"perm", Ints{0}}}));
        QVERIFY(fails("Squeeze", {x, longs({1}, {0})}));
        QVERIFY(fails("Unsqueeze", {x, longs({2}, {0, 0})}));
        QVERIFY(fails("Slice", {x, longs({1}, {0}), longs({1}, {1}), longs({1}, {0}), longs({1}, {0})}));
        QVERIFY(fails("Expand", {x, longs({2}, {3, 3})}));
        QVERIFY(fails("Tile", {x, longs({1}, {2})}));
        QVERIFY(fails("OneHot", {longs({1}, {0}), longs({1}, {0}), floats({2}, {0, 1})}));
        QVERIFY(fails("Dropout", {x, floats({}, {0.5F}), ints(ElementType::Bool, {}, {1})}));
    }
};

QTEST_GUILESS_MAIN(TestMovementKernels)
#include "tst_movement_kernels.moc"
