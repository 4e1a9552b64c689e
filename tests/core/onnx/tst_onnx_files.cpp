// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/equal.h"
#include "core/onnx/importer.h"
#include "core/onnx/sha256.h"
#include "core/onnx/wire.h"
#include "core/onnx/writer.h"
#include "tests/core/onnx/model_text.h"
#include "tests/support/graph_text.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <ctime>

using namespace crease;

namespace {

constexpr const char* smallGraph = "g (float[2] x) => (float[2] y) <float[2] w = {1.0, 2.0}> { y = Add (x, w) }";

std::string smallModel()
{
    return test::bytesOf(test::protoOf(13, smallGraph));
}

Result<ImportedModel> importedBytes(const std::string& bytes)
{
    return importModelFromBytes(bytes, {}, {}, {});
}

void write(const QString& path, const QByteArray& data)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(data) != data.size()) {
        qFatal("cannot write %s", qPrintable(path));
    }
}

/// A model whose weight of two floats is external.
onnx::ModelProto externalModel(const std::string& location, const std::string& offset = {},
                               const std::string& length = {})
{
    onnx::ModelProto model = test::protoOf(13, smallGraph);
    onnx::TensorProto& w = *model.mutable_graph()->mutable_initializer(0);
    w.clear_float_data();
    w.set_data_location(onnx::TensorProto::EXTERNAL);
    const auto add = [&w](const char* key, const std::string& value) {
        if (!value.empty()) {
            auto& entry = *w.add_external_data();
            entry.set_key(key);
            entry.set_value(value);
        }
    };
    add("location", location);
    add("offset", offset);
    add("length", length);
    return model;
}

QByteArray floats(std::initializer_list<float> values)
{
    return {reinterpret_cast<const char*>(std::data(values)), qsizetype(values.size() * sizeof(float))};
}

} // namespace

class TestOnnxFiles : public QObject {
    Q_OBJECT

private slots:
    void negative_otherFormats_data();
    void negative_otherFormats();
    void negative_malformed_data();
    void negative_malformed();
    void everyPrefixIsRefusedOrRead();
    void everyByteChanged();
    void negative_claims();
    void deepNesting();
    void absurdNumbersAreRead_data();
    void absurdNumbersAreRead();
    void negative_dimension();
    void negative_paths();
    void unicodePath();
    void externalData();
    void externalDataAtAnOffset();
    void farOffsetInASparseFile();
    void negative_externalData_data();
    void negative_externalData();
    void externalDataOverTheLimit();
    void symlinks();
    void writeIsAtomic();
    void negative_write();
    void largeModelsWriteExternalData();
    void cancelled();
    void hugeGraphIsReadInTime();
    void sha256Vectors();
};

void TestOnnxFiles::negative_otherFormats_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("expected");
    QTest::newRow("empty") << QByteArray() << "the file is empty";
    QTest::newRow("html") << QByteArray("\n<!DOCTYPE html><html>404</html>") << "HTML";
    QTest::newRow("html in capitals") << QByteArray("<HTML>") << "HTML";
    QTest::newRow("git-lfs") << QByteArray("version https://git-lfs.github.com/spec/v1\noid sha256:0\n") << "git-lfs";
    QTest::newRow("zip") << QByteArray("PK\x03\x04rest") << "zip";
    QTest::newRow("gzip") << QByteArray("\x1f\x8b\x08rest") << "gzip";
    QTest::newRow("text") << QByteArray("ir_version: 8\ngraph {\n}\n") << "text form";
    QTest::newRow("json") << QByteArray("{\"irVersion\": 8}") << "JSON";
    QTest::newRow("tflite") << QByteArray("\x1c\0\0\0TFL3\0\0", 10) << "TensorFlow Lite";
    QTest::newRow("no graph, 2 bytes") << QByteArray("\x08\x08") << "it has no graph";
}

void TestOnnxFiles::negative_otherFormats()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, expected);
    const auto result = importedBytes(bytes.toStdString());
    QVERIFY(!result.has_value());
    QCOMPARE(result.error().kind, ErrorKind::Input);
    const QString message = QString::fromStdString(result.error().message);
    QVERIFY2(message.contains(expected), qPrintable(message));
    QVERIFY(!message.contains('\n'));
}

void TestOnnxFiles::negative_malformed_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("expected");
    QTest::newRow("wire type 7") << QByteArray("\x08\x08\x3f\x00", 4) << "wire type 7 is invalid at byte 2";
    QTest::newRow("giant length") << QByteArray("\x08\x08\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x01")
                                  << "field 7 says 9223372036854775807 bytes and 1 are left at byte 2";
    QTest::newRow("endless varint") << QByteArray("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")
                                    << "a varint is longer than 10 bytes at byte 1";
    QTest::newRow("field number 0") << QByteArray("\x08\x08\x02\x00", 4) << "field number 0 is invalid at byte 2";
    QTest::newRow("cut in the graph") << QByteArray("\x08\x08\x3a\x04\x0a\x0a\x00\x00", 8)
                                      << "field 1 says 10 bytes and 2 are left at byte 4 (in graph[0])";
}

void TestOnnxFiles::negative_malformed()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, expected);
    const auto result = importedBytes(bytes.toStdString());
    QVERIFY(!result.has_value());
    QCOMPARE(result.error().kind, ErrorKind::Input);
    QCOMPARE(QString::fromStdString(result.error().message),
             QString("truncated or corrupt: %1, of %2 bytes").arg(expected).arg(bytes.size()));
}

void TestOnnxFiles::everyPrefixIsRefusedOrRead()
{
    onnx::ModelProto model = test::protoOf(R"(<ir_version: 8, producer_name: "p", opset_import: ["" : 13, "local" : 1]>
g (float[2] x, bool c) => (float[2] y) <float[2] w = {1.0, 2.0}, int64[1] a = {0}> {
    s = local.f (x)
    r = ReduceMean <axes = [0], keepdims = 1> (s)
    t = If (c) < then_branch = t () => (float[2] o) { o = Add (x, w) }, else_branch = e () => (float[2] o) { o = Neg (x) } >
    u = Add (t, r)
    y = Unsqueeze (u, a)
}
<domain: "local", opset_import: ["" : 13]> f (v) => (w) { w = Neg (v) })");
    for (int i = 0; i < 80; ++i) {
        auto& node = *model.mutable_graph()->add_node();
        node.set_op_type("Relu");
        node.add_input("x");
        node.add_output("filler with a long name " + std::to_string(i));
    }
    const std::string bytes = test::bytesOf(model);
    QVERIFY(bytes.size() > 2048);
    VERIFY_RESULT(importedBytes(bytes));
    int read = 0;
    for (std::size_t size = 0; size <= 2048; ++size) {
        const auto result = importedBytes(bytes.substr(0, size));
        read += result.has_value() ? 1 : 0;
        if (!result) {
            QCOMPARE(result.error().kind, ErrorKind::Input);
            QVERIFY(!result.error().message.empty());
        }
    }
    QCOMPARE(read, 0);
    QVERIFY(!importedBytes(bytes.substr(0, bytes.size() / 2)).has_value());
}

void TestOnnxFiles::everyByteChanged()
{
    const std::string bytes = smallModel();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        for (const int change : {0x01, 0x80, 0xFF, 0x07}) {
            std::string changed = bytes;
            changed[i] = static_cast<char>(changed[i] ^ change);
            const auto result = importedBytes(changed);
            if (result) {
                static_cast<void>(modelBytes(result->graph)); // may refuse, must not crash
            } else {
                QVERIFY(!result.error().message.empty());
            }
        }
    }
}

void TestOnnxFiles::negative_claims()
{
    onnx::ModelProto model = test::protoOf(13, smallGraph);
    onnx::TensorProto& w = *model.mutable_graph()->mutable_initializer(0);
    const auto refused = [&model](const char* expected) {
        const auto result = importedBytes(test::bytesOf(model));
        const QString message = result ? QString("read") : QString::fromStdString(result.error().message);
        return message.contains(expected) && result.error().value == "w" ? QString() : message;
    };
    w.set_dims(0, std::int64_t{1} << 50);
    QCOMPARE(refused("over the limit"), QString());
    w.set_dims(0, 1000);
    QCOMPARE(refused("1000 elements of float32 (1000) and 2 entries of float_data"), QString());
    w.add_dims(std::int64_t{1} << 62);
    QCOMPARE(refused("are no shape"), QString());
    w.clear_dims();
    w.add_dims(-2);
    QCOMPARE(refused("are no shape"), QString());
    w.set_dims(0, 2);
    w.set_data_type(99);
    QCOMPARE(refused("element type 99 is unknown"), QString());
    w.set_data_type(1);
    w.set_raw_data("1234567");
    QCOMPARE(refused("2 elements of float32 (2) need 8 bytes and there are 7"), QString());
    w.clear_raw_data();
    w.clear_float_data();
    w.set_data_type(3);
    w.add_int32_data(1);
    w.add_int32_data(200);
    QCOMPARE(refused("200 of int32_data is no int8"), QString());
}

void TestOnnxFiles::deepNesting()
{
    onnx::ModelProto model = test::protoOf(13, "g (float[2] x) => (float[2] y) { y = Relu (x) }");
    onnx::GraphProto inner = model.graph();
    for (int depth = 0; depth < 90; ++depth) {
        onnx::GraphProto outer;
        auto& node = *outer.add_node();
        node.set_op_type("If");
        node.add_input("x");
        node.add_output("y");
        auto& attribute = *node.add_attribute();
        attribute.set_name("then_branch");
        attribute.set_type(onnx::AttributeProto::GRAPH);
        *attribute.mutable_g() = inner;
        inner = outer;
        if (depth < 20) {
            continue;
        }
        *model.mutable_graph() = inner;
        const auto result = importedBytes(test::bytesOf(model));
        QVERIFY(!result.has_value());
        QCOMPARE(result.error().kind, ErrorKind::Input);
    }
}

void TestOnnxFiles::absurdNumbersAreRead_data()
{
    QTest::addColumn<QString>("graph");
    const auto row = [](const char* name, const char* graph) { QTest::newRow(name) << graph; };
    row("rank of a Reshape", "g (float[2] x, int64[281474976710656] s) => (float y) { y = Reshape (x, s) }");
    row("product of dimensions", R"(g (float[281474976710656] x) => (float y) <int64[2] r = {9223372036854775807, 1}> {
        y = Tile (x, r) })");
    row("sum of shapes", R"(g (float[2] x) => (float y) <int64[1] a = {9223372036854775807}> {
        s = Shape (x) t = Add (s, a) y = ConstantOfShape (t) })");
    row("smallest number negated", "g (float x) => (int64 y) <int64[1] a = {-9223372036854775808}> { y = Neg (a) }");
    row("strides", R"(g (float[1,1,4,4] x, float[1,1,3,3] w) => (float y) {
        y = ConvTranspose <strides = [9223372036854775807, 2]> (x, w) })");
    row("output padding", R"(g (float[1,1,4,4] x, float[1,1,3,3] w) => (float y) {
        y = ConvTranspose <output_padding = [1]> (x, w) })");
    row("block size", "g (float[1,4,4,4] x) => (float y) { y = DepthToSpace <blocksize = 4611686018427387904> (x) }");
    row("scale", "g (float[1,1,4,4] x) => (float y) <float[4] s = {1.0, 1.0, 1e30, -1e30}> { y = Resize (x, , s) }");
    row("backwards through nothing",
        R"(g (float[0] x) => (float y) <int64[1] a = {5}, int64[1] b = {-5}, int64[1] c = {0}, int64[1] d = {-1}> {
        y = Slice (x, a, b, c, d) })");
    row("range",
        R"(g (float x) => (int64 y) <int64 a = {-9223372036854775808}, int64 b = {9223372036854775807}, int64 c = {1}> {
        y = Range (a, b, c) })");
}

/// A model is shown whatever numbers it holds; who runs it says what is wrong.
void TestOnnxFiles::absurdNumbersAreRead()
{
    QFETCH(QString, graph);
    const auto model = importedBytes(test::bytesOf(test::protoOf(13, graph.toStdString())));
    VERIFY_RESULT(model);
    VERIFY_RESULT(modelBytes(model->graph));
}

void TestOnnxFiles::negative_dimension()
{
    const auto model =
        importedBytes(test::bytesOf(test::protoOf(13, "g (float[281474976710657] x) => (float y) { y = Neg (x) }")));
    QVERIFY(!model.has_value());
    QCOMPARE(model.error().message, std::string("dimension 281474976710657 is larger than any tensor's"));
}

void TestOnnxFiles::negative_paths()
{
    const QTemporaryDir folder;
    const auto missing = importModel(folder.filePath("none.onnx").toStdString(), {}, {});
    QVERIFY(!missing.has_value());
    QCOMPARE(missing.error().message, std::string("there is no such file"));
    QVERIFY(missing.error().file.ends_with("none.onnx"));
    const auto directory = importModel(folder.path().toStdString(), {}, {});
    QVERIFY(!directory.has_value());
    QCOMPARE(directory.error().message, std::string("this is a folder"));
    const auto device = importModel("/dev/zero", {}, {});
    QVERIFY(!device.has_value());
    QCOMPARE(device.error().message, std::string("this is no regular file"));
    write(folder.filePath("m.onnx"), QByteArray::fromStdString(smallModel()));
    ImportOptions options;
    options.maxFileBytes = 10;
    const auto large = importModel(folder.filePath("m.onnx").toStdString(), options, {});
    QVERIFY(!large.has_value());
    QVERIFY(large.error().message.ends_with("the limit is 10 (crease-cli --max-file raises it)"));
}

void TestOnnxFiles::unicodePath()
{
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir("模型"));
    const std::string path = folder.filePath("模型/ü.onnx").toStdString();
    write(QString::fromStdString(path), QByteArray::fromStdString(smallModel()));
    const auto model = importModel(path, {}, {});
    VERIFY_RESULT(model);
    QCOMPARE(model->file, path);
    QCOMPARE(model->bytes, smallModel().size());
    QCOMPARE(model->sha256, sha256Hex(smallModel()));
    const std::string written = folder.filePath("模型/ж.onnx").toStdString();
    VERIFY_RESULT(writeModel(model->graph, written));
    VERIFY_RESULT(importModel(written, {}, {}));
}

void TestOnnxFiles::externalData()
{
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir("sub"));
    write(folder.filePath("sub/w.bin"), floats({3, 4}));
    write(folder.filePath("m.onnx"), QByteArray::fromStdString(test::bytesOf(externalModel("sub/w.bin"))));
    const auto model = importModel(folder.filePath("m.onnx").toStdString(), {}, {});
    VERIFY_RESULT(model);
    QCOMPARE(model->externalData, std::vector<std::string>{"sub/w.bin"});
    QCOMPARE(model->graph.value(model->graph.findValue("w")).constant.toDoubles(), (std::vector<double>{3, 4}));
}

void TestOnnxFiles::externalDataAtAnOffset()
{
    const QTemporaryDir folder;
    write(folder.filePath("w.bin"), QByteArray(4096, 'x') + floats({5, 6}) + "rest");
    write(folder.filePath("m.onnx"), QByteArray::fromStdString(test::bytesOf(externalModel("w.bin", "4096", "8"))));
    const auto model = importModel(folder.filePath("m.onnx").toStdString(), {}, {});
    VERIFY_RESULT(model);
    QCOMPARE(model->graph.value(model->graph.findValue("w")).constant.toDoubles(), (std::vector<double>{5, 6}));
}

void TestOnnxFiles::farOffsetInASparseFile()
{
    const QTemporaryDir folder;
    QFile data(folder.filePath("w.bin"));
    QVERIFY(data.open(QIODevice::WriteOnly));
    QVERIFY(data.seek(2147483648LL));
    QCOMPARE(data.write(floats({7, 8})), 8);
    data.close();
    const auto model =
        importModelFromBytes(test::bytesOf(externalModel("w.bin", "2147483648")), folder.path().toStdString(), {}, {});
    VERIFY_RESULT(model);
    QCOMPARE(model->graph.value(model->graph.findValue("w")).constant.toDoubles(), (std::vector<double>{7, 8}));
}

void TestOnnxFiles::negative_externalData_data()
{
    QTest::addColumn<QByteArray>("location");
    QTest::addColumn<QByteArray>("offset");
    QTest::addColumn<QByteArray>("length");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* location, const char* offset, const char* length,
                        const char* expected) {
        QTest::newRow(name) << QByteArray(location) << QByteArray(offset) << QByteArray(length) << expected;
    };
    row("absolute", "/etc/passwd", "", "", "external data '/etc/passwd' is no path inside the model's folder");
    row("parent", "../../etc/passwd", "", "", "external data '../../etc/passwd' is no path inside the model's folder");
    row("parent inside", "a/../../x", "", "", "external data 'a/../../x' is no path inside the model's folder");
    row("backslashes", "..\\x", "", "", "external data '..\\x' is no path inside the model's folder");
    row("no location", "", "", "", "external data '' is no path inside the model's folder");
    row("missing", "none.bin", "", "", "external data 'none.bin' cannot be opened: No such file or directory");
    row("folder", ".", "", "", "external data '.' is no regular file");
    row("far offset", "w.bin", "1000000000000000", "",
        "external data 'w.bin' has 8 bytes, the tensor needs 8 at offset 1000000000000000");
    row("overflowing offset", "w.bin", "18446744073709551615", "8",
        "external data 'w.bin' has 8 bytes, the tensor needs 8 at offset 18446744073709551615");
    row("longer than the file", "w.bin", "0", "800",
        "external data 'w.bin' is said to be 800 bytes long, the tensor needs 8");
    row("no number", "w.bin", "-1", "", "external data has offset '-1'");
    row("no number either", "w.bin", "0", "8 bytes", "external data has length '8 bytes'");
}

void TestOnnxFiles::negative_externalData()
{
    QFETCH(QByteArray, location);
    QFETCH(QByteArray, offset);
    QFETCH(QByteArray, length);
    QFETCH(QString, expected);
    const QTemporaryDir folder;
    write(folder.filePath("w.bin"), floats({3, 4}));
    const auto result = importModelFromBytes(
        test::bytesOf(externalModel(location.toStdString(), offset.toStdString(), length.toStdString())),
        folder.path().toStdString(), {}, {});
    QVERIFY(!result.has_value());
    QCOMPARE(result.error().kind, ErrorKind::Input);
    QCOMPARE(QString::fromStdString(result.error().message), expected);
    QCOMPARE(result.error().value, std::string("w"));
}

void TestOnnxFiles::externalDataOverTheLimit()
{
    const QTemporaryDir folder;
    write(folder.filePath("w.bin"), floats({3, 4}));
    ImportOptions options;
    options.maxExternalBytes = 7;
    const auto result =
        importModelFromBytes(test::bytesOf(externalModel("w.bin")), folder.path().toStdString(), options, {});
    QVERIFY(!result.has_value());
    QCOMPARE(result.error().message, std::string("dimensions 2 of float32 are over the limit of 7 bytes"));
}

void TestOnnxFiles::symlinks()
{
    const QTemporaryDir outside;
    const QTemporaryDir folder;
    write(outside.filePath("secret.bin"), floats({3, 4}));
    write(folder.filePath("w.bin"), floats({3, 4}));
    QVERIFY(QFile::link(outside.filePath("secret.bin"), folder.filePath("leaves.bin")));
    QVERIFY(QFile::link(outside.path(), folder.filePath("door")));
    QVERIFY(QFile::link(folder.filePath("w.bin"), folder.filePath("stays.bin")));
    const auto read = [&folder](const char* location) {
        return importModelFromBytes(test::bytesOf(externalModel(location)), folder.path().toStdString(), {}, {});
    };
    VERIFY_RESULT(read("stays.bin"));
    for (const char* location : {"leaves.bin", "door/secret.bin"}) {
        const auto result = read(location);
        QVERIFY(!result.has_value());
        QVERIFY(result.error().message.ends_with("leads out of the model's folder"));
    }
    const auto nowhere = importModelFromBytes(test::bytesOf(externalModel("w.bin")), {}, {}, {});
    QVERIFY(!nowhere.has_value());
    QCOMPARE(nowhere.error().message, std::string("external data 'w.bin' has no folder to lie in"));
}

void TestOnnxFiles::writeIsAtomic()
{
    const QTemporaryDir folder;
    const auto model = importedBytes(smallModel());
    VERIFY_RESULT(model);
    write(folder.filePath("m.onnx"), "old");
    Graph broken = model->graph;
    Node node = broken.node(broken.order()[0]);
    node.domain = "crease";
    broken.setNode(broken.order()[0], node);
    const auto refused = writeModel(broken, folder.filePath("m.onnx").toStdString());
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().kind, ErrorKind::Unsupported);
    QFile old(folder.filePath("m.onnx"));
    QVERIFY(old.open(QIODevice::ReadOnly));
    QCOMPARE(old.readAll(), QByteArray("old"));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{"m.onnx"});
    VERIFY_RESULT(writeModel(model->graph, folder.filePath("m.onnx").toStdString()));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{"m.onnx"});
    VERIFY_RESULT(importModel(folder.filePath("m.onnx").toStdString(), {}, {}));
}

void TestOnnxFiles::negative_write()
{
    const auto model = importedBytes(smallModel());
    VERIFY_RESULT(model);
    const auto nowhere = writeModel(model->graph, "/no/such/folder/m.onnx");
    QVERIFY(!nowhere.has_value());
    QCOMPARE(nowhere.error().kind, ErrorKind::Output);
    QCOMPARE(nowhere.error().message, std::string("No such file or directory"));
    QCOMPARE(nowhere.error().file, std::string("/no/such/folder/m.onnx"));
    const auto readOnly = writeModel(model->graph, "/proc/m.onnx");
    QVERIFY(!readOnly.has_value());
    QCOMPARE(readOnly.error().kind, ErrorKind::Output);
}

void TestOnnxFiles::largeModelsWriteExternalData()
{
    const QTemporaryDir folder;
    auto model = importedBytes(smallModel());
    VERIFY_RESULT(model);
    Value value = model->graph.value(model->graph.findValue("w"));
    value.constant = Tensor::of<float>({1000}, std::vector<float>(1000, 0.5F));
    value.shape = shapeOf({1000});
    model->graph.setValue(model->graph.findValue("w"), value);
    Value other;
    other.name = "other";
    other.type = ElementType::Int4;
    other.shape = shapeOf({4097});
    other.constant = tensorOfInts(ElementType::Int4, {4097}, std::vector<std::int64_t>(4097, -3));
    model->graph.addValue(other);
    WriteOptions options;
    options.externalAbove = 1000;
    const std::string path = folder.filePath("m.onnx").toStdString();
    VERIFY_RESULT(writeModel(model->graph, path, options));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList({"m.onnx", "m.onnx.data"}));
    QVERIFY(QFile(folder.filePath("m.onnx")).size() < 1000);
    const auto again = importModel(path, {}, {});
    VERIFY_RESULT(again);
    QCOMPARE(again->externalData, std::vector<std::string>{"m.onnx.data"});
    QVERIFY(again->graph.value(again->graph.findValue("w")).constant.identical(value.constant));
    QVERIFY(again->graph.value(again->graph.findValue("other")).constant.identical(other.constant));
}

void TestOnnxFiles::cancelled()
{
    std::stop_source source;
    source.request_stop();
    Job job;
    job.stop = source.get_token();
    const auto result = importModelFromBytes(smallModel(), {}, {}, job);
    QVERIFY(!result.has_value());
    QCOMPARE(result.error().kind, ErrorKind::Cancelled);
}

void TestOnnxFiles::hugeGraphIsReadInTime()
{
    const auto seconds = [](int pairs) {
        onnx::ModelProto model =
            test::protoOf(13, "g (float[2] x) => (float[2] y) <float s = {0.5}, uint8 z = {0}> { }");
        auto& graph = *model.mutable_graph();
        std::string last = "x";
        for (int i = 0; i < pairs; ++i) {
            for (const char* op : {"QuantizeLinear", "DequantizeLinear"}) {
                auto& node = *graph.add_node();
                node.set_op_type(op);
                node.add_input(last);
                node.add_input("s");
                node.add_input("z");
                last = op[0] + std::to_string(i);
                node.add_output(last);
            }
        }
        graph.mutable_output(0)->set_name(last);
        const std::string bytes = test::bytesOf(model);
        const std::clock_t start = std::clock(); // of this process, whatever else the machine does
        const auto imported = importedBytes(bytes);
        if (!imported || !modelBytes(imported->graph)) {
            return -1.0;
        }
        return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    };
    const double half = seconds(25'000);
    const double whole = seconds(50'000);
    qInfo("50,000 nodes: %.2f s, 100,000 nodes: %.2f s", half, whole);
    QVERIFY(half > 0 && whole > 0);
    QVERIFY(whole < 20);
    QVERIFY(whole < 3.5 * half + 0.5);
}

void TestOnnxFiles::sha256Vectors()
{
    QCOMPARE(sha256Hex(""), std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    QCOMPARE(sha256Hex("abc"), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    QCOMPARE(sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
             std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
    for (const std::size_t piece : {1U, 63U, 64U, 65U, 1000U}) {
        Sha256 sum;
        for (std::size_t start = 0; start < 1'000'000; start += piece) {
            sum.add(std::string(std::min<std::size_t>(piece, 1'000'000 - start), 'a'));
        }
        QCOMPARE(sum.hex(), std::string("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
    }
    QCOMPARE(sha256Hex(std::string(1'000'000, 'a')),
             std::string("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
}

QTEST_GUILESS_MAIN(TestOnnxFiles)
#include "tst_onnx_files.moc"
