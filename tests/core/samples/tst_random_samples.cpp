// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/samples/generator.h"
#include "core/samples/samples.h"

#include <QTest>

using namespace crease;

namespace {

ValueId addInput(Graph& graph, std::string name, ElementType type, std::optional<Shape> shape)
{
    const ValueId id = graph.addValue({.name = std::move(name), .type = type, .shape = std::move(shape)});
    auto inputs = graph.inputs();
    inputs.push_back(id);
    graph.setInputs(inputs);
    return id;
}

ValueId addConstant(Graph& graph, std::string name, Tensor tensor)
{
    return graph.addValue(
        {.name = std::move(name), .type = tensor.type(), .shape = shapeOf(tensor.dims()), .constant = tensor});
}

ValueId addNode(Graph& graph, std::string op, std::vector<ValueId> inputs, Attributes attributes = {})
{
    const ValueId out = graph.addValue({.name = graph.freshName(op)});
    graph.addNode(
        {.op = std::move(op), .inputs = std::move(inputs), .outputs = {out}, .attributes = std::move(attributes)});
    return out;
}

} // namespace

class TestRandomSamples : public QObject {
    Q_OBJECT

private slots:
    void generator_gives_these_numbers_on_every_machine()
    {
        Generator generator(1, 0, 0);
        QCOMPARE(generator.bits(), std::uint64_t{0xE28195DDD9EE4956ULL});
        Generator normal(1, 2, 3);
        QCOMPARE(normal.normal(), -1.0567248431005491);
    }

    void normal_has_mean_zero_and_variance_one()
    {
        Generator generator(7, 0, 0);
        double sum = 0.0;
        double squares = 0.0;
        double fourth = 0.0;
        constexpr int count = 100000;
        for (int i = 0; i < count; ++i) {
            const double x = generator.normal();
            sum += x;
            squares += x * x;
            fourth += x * x * x * x;
        }
        QVERIFY(qAbs(sum / count) < 0.02);
        QVERIFY(qAbs(squares / count - 1.0) < 0.02);
        QVERIFY(qAbs(fourth / count - 3.0) < 0.15);
    }

    void same_seed_same_samples_and_other_seed_others()
    {
        Graph graph;
        addInput(graph, "x", ElementType::Float32, shapeOf({1, 16}));
        const auto a = randomSamples(graph, 3, 5, {});
        const auto b = randomSamples(graph, 2, 5, {});
        const auto c = randomSamples(graph, 2, 6, {});
        QVERIFY(a && b && c);
        QCOMPARE(a->samples.size(), 3U);
        QVERIFY(a->samples[1][0].identical(b->samples[1][0]));
        QVERIFY(!a->samples[0][0].identical(a->samples[1][0]));
        QVERIFY(!a->samples[0][0].identical(c->samples[0][0]));
        QCOMPARE(a->source, std::string("random, seed 5"));
    }

    void negative_a_reader_without_outputs()
    {
        Graph graph;
        const ValueId x = addInput(graph, "x", ElementType::Float32, shapeOf({2}));
        Node split;
        split.op = "Split";
        split.inputs = {x};
        graph.addNode(std::move(split));
        const auto set = randomSamples(graph, 1, 1, {});
        QVERIFY(set.has_value());
        QCOMPARE(set->samples[0][0].size(), std::size_t{2});
    }

    void uniform_within_the_grid_of_the_quantizer_that_reads_it()
    {
        Graph graph;
        const ValueId x = addInput(graph, "x", ElementType::Float32, shapeOf({1, 1, 32, 32}));
        const ValueId moved = addNode(graph, "Transpose", {x});
        const ValueId scale = addConstant(graph, "s", Tensor::scalar(0.5F));
        const ValueId zero = addConstant(graph, "z", Tensor::scalar<std::uint8_t>(200));
        addNode(graph, "QuantizeLinear", {moved, scale, zero});
        const auto set = randomSamples(graph, 1, 1, {});
        QVERIFY(set.has_value());
        double low = 0.0;
        double high = 0.0;
        for (const double value : set->samples[0][0].toDoubles()) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
        QVERIFY(low >= -100.0 && low < -95.0);
        QVERIFY(high <= 27.5 && high > 25.0);
    }

    void indices_stay_below_the_dimension_and_masks_are_bits()
    {
        Graph graph;
        const ValueId table = addConstant(graph, "table", zeros(ElementType::Float32, {7, 4}));
        const ValueId ids = addInput(graph, "ids", ElementType::Int64, shapeOf({1, 200}));
        addInput(graph, "attention_mask", ElementType::Int64, shapeOf({1, 200}));
        addInput(graph, "codes", ElementType::Int8, shapeOf({1, 2000}));
        addNode(graph, "Gather", {table, ids});
        const auto set = randomSamples(graph, 1, 1, {});
        QVERIFY(set.has_value());
        const auto range = [&](std::size_t input) {
            const auto values = set->samples[0][input].toInts();
            const auto [low, high] = std::ranges::minmax(values);
            return std::pair(low, high);
        };
        QCOMPARE(range(0), (std::pair<std::int64_t, std::int64_t>(0, 6)));
        QCOMPARE(range(1), (std::pair<std::int64_t, std::int64_t>(0, 1)));
        QCOMPARE(range(2), (std::pair<std::int64_t, std::int64_t>(-128, 127)));
    }

    void free_dimensions_are_guessed_and_announced()
    {
        Graph graph;
        addInput(graph, "image", ElementType::UInt8, Shape{{-1, "batch"}, {3}, {-1, "height"}, {-1, "width"}});
        addInput(graph, "other", ElementType::Float32, Shape{{-1, "batch"}, {8}, {-1, "n"}, {-1, "n"}});
        Diagnostics notes;
        const auto set = randomSamples(graph, 1, 1, {.notes = &notes});
        QVERIFY(set.has_value());
        QCOMPARE(set->samples[0][0].dims(), (Dims{1, 3, 224, 224}));
        QCOMPARE(set->samples[0][1].dims(), (Dims{1, 8, 1, 1}));
        QCOMPARE(notes.size(), 2U);
        QCOMPARE(notes[0].id, std::string("guessed-shape"));

        notes.clear();
        const auto shaped =
            randomSamples(graph, 1, 1, {.shapes = {{"image", {2, 3, 8, 8}}, {"other", {2, 8, 3, 3}}}, .notes = &notes});
        QVERIFY(shaped.has_value());
        QCOMPARE(shaped->samples[0][0].dims(), (Dims{2, 3, 8, 8}));
        QVERIFY(notes.empty());
    }

    void a_symbol_has_one_value()
    {
        Graph graph;
        addInput(graph, "a", ElementType::Float32, Shape{{-1, "n"}, {4}});
        addInput(graph, "b", ElementType::Float32, Shape{{-1, "n"}});
        const auto set = randomSamples(graph, 1, 1, {.shapes = {{"a", {5, 4}}}});
        QVERIFY(set.has_value());
        QCOMPARE(set->samples[0][1].dims(), (Dims{5}));
    }

    void negative_shapes_that_do_not_fit_are_usage_errors()
    {
        Graph graph;
        addInput(graph, "x", ElementType::Float32, shapeOf({1, 4}));
        const auto other = randomSamples(graph, 1, 1, {.shapes = {{"x", {1, 5}}}});
        QVERIFY(!other.has_value());
        QCOMPARE(other.error().id, std::string("shape-contradicts"));
        const auto none = randomSamples(graph, 1, 1, {.shapes = {{"y", {1, 4}}}});
        QVERIFY(!none.has_value());
        QCOMPARE(none.error().id, std::string("shape-no-input"));
        addInput(graph, "unknown", ElementType::Float32, std::nullopt);
        const auto unknown = randomSamples(graph, 1, 1, {});
        QVERIFY(!unknown.has_value());
        QCOMPARE(unknown.error().id, std::string("shape-needed"));
        QCOMPARE(unknown.error().kind, ErrorKind::Usage);
    }
};

QTEST_APPLESS_MAIN(TestRandomSamples)
#include "tst_random_samples.moc"
