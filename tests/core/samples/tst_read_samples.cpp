// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/tensor_proto.h"
#include "core/samples/npy.h"
#include "core/samples/samples.h"
#include "tests/support/graph_text.h"

#include <QDir>
#include <QTemporaryDir>

#include <fstream>

using namespace crease;
using crease::test::graphOf;

namespace {

constexpr auto oneImage = R"(graph "g" ir 8 opset "" 13
input %input: f32[1x1x2x2]
%y: f32[1x1x2x2] = Relu(%input)
output %y
)";

constexpr auto twoInputs = R"(graph "g" ir 8 opset "" 13
input %a: f32[Nx2]
input %b: s64[Nx1]
%y: f32[Nx2] = Relu(%a)
output %y
)";

Tensor ramp(Dims dims)
{
    std::vector<float> values(static_cast<std::size_t>(*elementCount(dims)));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i);
    }
    return Tensor::of<float>(std::move(dims), values);
}

void write(const std::string& path, const std::string& bytes)
{
    std::ofstream(path, std::ios::binary) << bytes;
}

} // namespace

class TestReadSamples : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::string path(const char* name) const { return m_folder.filePath(name).toStdString(); }

private slots:
    void a_batch_is_split_into_samples_with_their_labels()
    {
        QVERIFY(writeNpz(path("batch.npz"),
                         {{"input", ramp({5, 1, 2, 2})}, {"labels", Tensor::of<std::int64_t>({5}, {3, 1, 4, 1, 5})}}));
        const auto set = readSamples(path("batch.npz"), graphOf(oneImage), {}, {});
        VERIFY_RESULT(set);
        QCOMPARE(set->samples.size(), 5U);
        QCOMPARE(set->samples[2][0].dims(), (Dims{1, 1, 2, 2}));
        QCOMPARE(set->samples[2][0].asDouble(0), 8.0);
        QCOMPARE(set->labels[4], std::vector<std::int64_t>{5});
        QCOMPARE(set->source, std::string("batch.npz"));
        const auto some = readSamples(path("batch.npz"), graphOf(oneImage), {.limit = 2}, {});
        VERIFY_RESULT(some);
        QCOMPARE(some->samples.size(), 2U);
        QCOMPARE(some->labels.size(), 2U);
    }

    void labels_of_pixels_stay_with_their_image()
    {
        QVERIFY(writeNpz(path("pixels.npz"),
                         {{"input", ramp({2, 1, 2, 2})},
                          {"labels", Tensor::of<std::int64_t>({2, 1, 2, 2}, {0, 1, 0, 1, 1, 1, 0, 0})}}));
        const auto set = readSamples(path("pixels.npz"), graphOf(oneImage), {}, {});
        VERIFY_RESULT(set);
        QCOMPARE(set->labels[1], (std::vector<std::int64_t>{1, 1, 0, 0}));
    }

    void a_missing_batch_dimension_is_added()
    {
        QVERIFY(writeNpz(path("one.npz"), {{"anything", ramp({1, 2, 2})}}));
        const auto set = readSamples(path("one.npz"), graphOf(oneImage), {}, {});
        VERIFY_RESULT(set);
        QCOMPARE(set->samples.size(), 1U);
        QCOMPARE(set->samples[0][0].dims(), (Dims{1, 1, 2, 2}));
    }

    void a_free_batch_is_split_and_inputs_are_found_by_place()
    {
        QVERIFY(writeNpz(path("args.npz"),
                         {{"arr_0", ramp({3, 2})}, {"arr_1", Tensor::of<std::int32_t>({3, 1}, {7, 8, 9})}}));
        Diagnostics notes;
        const auto set = readSamples(path("args.npz"), graphOf(twoInputs), {.notes = &notes}, {});
        VERIFY_RESULT(set);
        QCOMPARE(set->samples.size(), 3U);
        QCOMPARE(set->samples[1][0].dims(), (Dims{1, 2}));
        QCOMPARE(set->samples[1][1].type(), ElementType::Int64);
        QCOMPARE(set->samples[1][1].asInt(0), 8);
        QCOMPARE(notes.size(), 3U);
        QCOMPARE(notes[0].id, std::string("sample-by-place"));
        QCOMPARE(notes[1].value, std::string("b"));
        QCOMPARE(notes[2].id, std::string("sample-converted"));
        const auto whole = readSamples(path("args.npz"), graphOf(twoInputs), {.shapes = {{"a", {3, 2}}}}, {});
        VERIFY_RESULT(whole);
        QCOMPARE(whole->samples.size(), 1U);
        QCOMPARE(whole->samples[0][0].dims(), (Dims{3, 2}));
    }

    void one_array_for_many_samples_is_said()
    {
        QVERIFY(writeNpz(path("one_b.npz"), {{"a", ramp({3, 2})}, {"b", Tensor::of<std::int64_t>({1, 1}, {7})}}));
        Diagnostics notes;
        const auto set = readSamples(path("one_b.npz"), graphOf(twoInputs), {.notes = &notes}, {});
        VERIFY_RESULT(set);
        QCOMPARE(set->samples.size(), 3U);
        QCOMPARE(notes.size(), 1U);
        QCOMPARE(notes[0].id, std::string("sample-repeated"));
        QVERIFY(
            writeNpz(path("three_b.npz"), {{"a", ramp({3, 2})}, {"b", Tensor::of<std::int64_t>({3, 1}, {7, 8, 9})}}));
        notes.clear();
        VERIFY_RESULT(readSamples(path("three_b.npz"), graphOf(twoInputs), {.notes = &notes}, {}));
        QVERIFY(notes.empty());
    }

    void a_fixed_batch_takes_as_many_images_at_a_time()
    {
        const Graph graph =
            graphOf("graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[2x3]\n%y: f32[2x3] = Relu(%x)\noutput %y\n");
        QVERIFY(writeNpz(path("six.npz"), {{"x", ramp({6, 3})}}));
        const auto set = readSamples(path("six.npz"), graph, {}, {});
        VERIFY_RESULT(set);
        QCOMPARE(set->samples.size(), 3U);
        QVERIFY(writeNpz(path("five.npz"), {{"x", ramp({5, 3})}}));
        QVERIFY(!readSamples(path("five.npz"), graph, {}, {}).has_value());
    }

    void test_data_sets_of_onnx()
    {
        QDir(m_folder.path()).mkpath("data/test_data_set_0");
        QDir(m_folder.path()).mkpath("data/test_data_set_1");
        for (const int set : {0, 1}) {
            const std::string folder = path(set == 0 ? "data/test_data_set_0" : "data/test_data_set_1");
            write(folder + "/input_0.pb", tensorToProtoBytes("b", Tensor::of<std::int64_t>({2, 1}, {set, 2})));
            write(folder + "/input_1.pb", tensorToProtoBytes("a", ramp({2, 2})));
            write(folder + "/output_0.pb", tensorToProtoBytes("y", ramp({2, 2})));
        }
        const auto set = readSamples(path("data"), graphOf(twoInputs), {}, {});
        VERIFY_RESULT(set);
        QCOMPARE(set->samples.size(), 2U);
        QCOMPARE(set->samples[1][0].dims(), (Dims{2, 2})); // by name, and not split
        QCOMPARE(set->samples[1][1].asInt(0), 1);
    }

    void protos_without_names_go_by_their_number()
    {
        QDir(m_folder.path()).mkpath("plain");
        write(path("plain/input_0.pb"), tensorToProtoBytes("", ramp({4, 2})));
        write(path("plain/input_1.pb"), tensorToProtoBytes("", Tensor::of<std::int64_t>({4, 1}, {1, 2, 3, 4})));
        const auto set = readSamples(path("plain/"), graphOf(twoInputs), {}, {});
        VERIFY_RESULT(set);
        QCOMPARE(set->samples.size(), 1U);
        QCOMPARE(set->source, std::string("plain"));
        write(path("plain/input_1.pb"), "\xFF\xFF\xFF");
        const auto broken = readSamples(path("plain"), graphOf(twoInputs), {}, {});
        QVERIFY(!broken.has_value());
        QCOMPARE(broken.error().kind, ErrorKind::Input);
        QCOMPARE(broken.error().file, path("plain/input_1.pb"));
    }

    void a_raw_file_needs_its_type_and_whole_samples()
    {
        const std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8};
        write(path("x.bin"), {reinterpret_cast<const char*>(values.data()), 32});
        const auto set = readSamples(path("x.bin"), graphOf(oneImage), {.rawType = "float32"}, {});
        VERIFY_RESULT(set);
        QCOMPARE(set->samples.size(), 2U);
        QCOMPARE(set->samples[1][0].asDouble(3), 8.0);
        const auto untyped = readSamples(path("x.bin"), graphOf(oneImage), {}, {});
        QVERIFY(!untyped.has_value());
        QCOMPARE(untyped.error().id, std::string("raw-type"));
        write(path("x.bin"), {reinterpret_cast<const char*>(values.data()), 31});
        const auto cut = readSamples(path("x.bin"), graphOf(oneImage), {.rawType = "float32"}, {});
        QVERIFY(!cut.has_value());
        QCOMPARE(cut.error().id, std::string("raw-size"));
    }

    void a_folder_of_arrays_is_one_sample_a_file()
    {
        QDir(m_folder.path()).mkpath("arrays");
        write(path("arrays/b.npy"), *npyFromTensor(ramp({1, 1, 2, 2})));
        write(path("arrays/a.npy"), *npyFromTensor(ramp({1, 2, 2})));
        const auto set = readSamples(path("arrays"), graphOf(oneImage), {}, {});
        VERIFY_RESULT(set);
        QCOMPARE(set->samples.size(), 2U);
    }

    void negative_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("id");
        QVERIFY(writeNpz(path("shape.npz"), {{"input", ramp({5, 1, 3, 2})}}));
        QVERIFY(writeNpz(path("name.npz"), {{"x", ramp({1, 1, 2, 2})}, {"y", ramp({1, 1, 2, 2})}}));
        QVERIFY(writeNpz(path("labels.npz"),
                         {{"input", ramp({5, 1, 2, 2})}, {"labels", Tensor::of<std::int64_t>({4}, {1, 2, 3, 4})}}));
        QVERIFY(
            writeNpz(path("half.npz"), {{"input", ramp({1, 1, 2, 2})}, {"labels", Tensor::of<float>({1}, {0.5F})}}));
        QDir(m_folder.path()).mkpath("empty");
        write(path("no.npz"), "PK\x03\x04 but no more");
        write(path("zero.npy"), "");
        QVERIFY(writeNpz(path("more.npz"),
                         {{"input", ramp({2, 1, 2, 2})}, {"labels", Tensor::of<std::int64_t>({4}, {1, 2, 3, 4})}}));
        QVERIFY(writeNpz(path("none.npz"), {{"input", ramp({0, 1, 2, 2})}}));
        QTest::newRow("labels for twice as many") << "more.npz" << "labels-count";
        QTest::newRow("no samples in the array") << "none.npz" << "no-samples";
        QTest::newRow("shape") << "shape.npz" << "sample-shape";
        QTest::newRow("no such name") << "name.npz" << "sample-missing";
        QTest::newRow("too few labels") << "labels.npz" << "labels-count";
        QTest::newRow("labels that are no numbers of classes") << "half.npz" << "labels-type";
        QTest::newRow("nothing there") << "nothing.npz" << "sample-unreadable";
        QTest::newRow("empty folder") << "empty" << "no-samples";
        QTest::newRow("no archive") << "no.npz" << "bad-npz";
        QTest::newRow("empty array file") << "zero.npy" << "bad-npy";
    }

    void negative()
    {
        QFETCH(QString, name);
        QFETCH(QString, id);
        const auto set = readSamples(path(qPrintable(name)), graphOf(oneImage), {}, {});
        QVERIFY(!set.has_value());
        QCOMPARE(QString::fromStdString(set.error().id), id);
        QCOMPARE(set.error().kind, ErrorKind::Input);
        QCOMPARE(set.error().file, path(qPrintable(name)));
        QVERIFY(describe(set.error()).find('\n') == std::string::npos);
    }

    void labels_go_along_the_rows_of_a_batch()
    {
        const Graph graph =
            graphOf("graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[2x3]\n%y: f32[2x3] = Relu(%x)\noutput %y\n");
        QVERIFY(
            writeNpz(path("rows.npz"), {{"x", ramp({4, 3})}, {"labels", Tensor::of<std::int64_t>({4}, {1, 2, 3, 4})}}));
        const auto set = readSamples(path("rows.npz"), graph, {}, {});
        VERIFY_RESULT(set);
        QCOMPARE(set->labels, (std::vector<std::vector<std::int64_t>>{{1, 2}, {3, 4}}));
    }

    void floats_are_quantized_on_the_grid_of_an_integer_input()
    {
        const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: s8[1x4]
const %s: f32[] = [0.5]
const %z: s8[] = [-3]
%y: f32[1x4] = DequantizeLinear(%x, %s, %z)
output %y
)";
        // 0.25 and 0.75 are ties: half to even.
        QVERIFY(writeNpz(path("reals.npz"), {{"x", Tensor::of<float>({1, 4}, {0.25F, 0.75F, -1.0F, 1000.0F})}}));
        Diagnostics notes;
        const auto set = readSamples(path("reals.npz"), graphOf(text), {.notes = &notes}, {});
        VERIFY_RESULT(set);
        QCOMPARE(set->samples[0][0].type(), ElementType::Int8);
        QCOMPARE(set->samples[0][0].toInts(), (std::vector<std::int64_t>{-3, -1, -5, 127}));
        QCOMPARE(notes.size(), 2U);
        QCOMPARE(notes[0].id, std::string("sample-quantized"));
        QCOMPARE(notes[1].id, std::string("sample-saturated"));
        std::string vector = text;
        vector.replace(vector.find("const %s: f32[] = [0.5]"), 23, "const %s: f32[4] = [1, 2, 3, 4]");
        vector.replace(vector.find("const %z: s8[] = [-3]"), 21, "const %z: s8[4] = [0, 0, 0, 0]");
        const auto refused = readSamples(path("reals.npz"), graphOf(vector), {}, {});
        QVERIFY(!refused.has_value());
        QCOMPARE(refused.error().id, std::string("sample-type"));
    }

    void negative_floats_for_an_integer_input_are_refused()
    {
        QVERIFY(writeNpz(path("floats.npz"), {{"a", ramp({3, 2})}, {"b", ramp({3, 1})}}));
        const auto set = readSamples(path("floats.npz"), graphOf(twoInputs), {}, {});
        QVERIFY(!set.has_value());
        QCOMPARE(set.error().id, std::string("sample-type"));
    }

    void the_digits()
    {
        const QString models = qEnvironmentVariable("CREASE_MODELS", "/work/shared/models");
        if (!QFile::exists(models + "/qat/digits_test.npz")) {
            QSKIP("CREASE_MODELS is not there");
        }
        const Graph graph = graphOf(
            "graph \"g\" ir 8 opset \"\" 13\ninput %input: f32[1x1x8x8]\n%y: f32[1x1x8x8] = Relu(%input)\noutput %y\n");
        const auto set = readSamples((models + "/qat/digits_test.npz").toStdString(), graph, {}, {});
        VERIFY_RESULT(set);
        QCOMPARE(set->samples.size(), 500U);
        QCOMPARE(set->labels.size(), 500U);
    }
};

QTEST_APPLESS_MAIN(TestReadSamples)
#include "tst_read_samples.moc"
