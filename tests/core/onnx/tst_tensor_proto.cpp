// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/proto.h"
#include "core/onnx/tensor_proto.h"
#include "core/tensor/onnx_types.h"
#include "tests/support/graph_text.h"

#include <bit>

using namespace crease;

namespace {

std::string hex(const char* text)
{
    return QByteArray::fromHex(text).toStdString();
}

} // namespace

class TestTensorProto : public QObject {
    Q_OBJECT

private slots:
    void realFile();
    void fourAndTwoBits_data();
    void fourAndTwoBits();
    void everyTypeSurvives_data();
    void everyTypeSurvives();
    void typedFields();
    void packedAndUnpackedDims();
    void strings();
    void negative_bytes_data();
    void negative_bytes();
};

void TestTensorProto::realFile()
{
    const auto scale = tensorFromProtoBytes(hex("10014207785f7363616c654a0445f6713b"));
    VERIFY_RESULT(scale);
    QCOMPARE(scale->name, std::string("x_scale"));
    QCOMPARE(scale->tensor.type(), ElementType::Float32);
    QVERIFY(scale->tensor.dims().empty());
    QCOMPARE(scale->tensor.asDouble(0), static_cast<double>(std::bit_cast<float>(0x3b71f645U)));
    const auto zero = tensorFromProtoBytes(hex("1002420c785f7a65726f5f706f696e744a0184"));
    VERIFY_RESULT(zero);
    QCOMPARE(zero->tensor.type(), ElementType::UInt8);
    QCOMPARE(zero->tensor.asInt(0), 132);
}

void TestTensorProto::fourAndTwoBits_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<QList<int>>("codes");
    QTest::addColumn<QByteArray>("raw");
    QTest::newRow("int4, odd") << int(ElementType::Int4) << QList<int>{1, 2, -1} << QByteArray("\x21\x0f");
    QTest::newRow("int4, lowest") << int(ElementType::Int4) << QList<int>{-8, 7} << QByteArray("\x78");
    QTest::newRow("uint4") << int(ElementType::UInt4) << QList<int>{15, 0, 9} << QByteArray("\x0f\x09");
    QTest::newRow("int2") << int(ElementType::Int2) << QList<int>{-2, -1, 0, 1, 1} << QByteArray("\x4e\x01");
    QTest::newRow("uint2") << int(ElementType::UInt2) << QList<int>{3, 2, 1, 0} << QByteArray("\x1b");
    QTest::newRow("none") << int(ElementType::Int4) << QList<int>{} << QByteArray();
}

void TestTensorProto::fourAndTwoBits()
{
    QFETCH(int, type);
    QFETCH(QList<int>, codes);
    QFETCH(QByteArray, raw);
    const auto element = static_cast<ElementType>(type);
    onnx::TensorProto proto;
    proto.set_data_type(static_cast<int>(onnxNumber(element)));
    proto.add_dims(codes.size());
    onnx::TensorProto inFields = proto;
    proto.set_raw_data(raw.toStdString());
    for (const char byte : raw) {
        inFields.add_int32_data(static_cast<unsigned char>(byte));
    }
    for (const onnx::TensorProto& form : {proto, inFields}) {
        const auto read = tensorFromProtoBytes(form.SerializeAsString());
        VERIFY_RESULT(read);
        QCOMPARE(read->tensor.type(), element);
        QCOMPARE(read->tensor.toInts(), std::vector<std::int64_t>(codes.begin(), codes.end()));
        QCOMPARE(tensorToProtoBytes("", read->tensor),
                 tensorToProtoBytes("", tensorOfInts(element, {codes.size()}, read->tensor.toInts())));
        onnx::TensorProto written;
        QVERIFY(written.ParseFromString(tensorToProtoBytes("", read->tensor)));
        QCOMPARE(QByteArray::fromStdString(written.raw_data()), raw);
    }
}

void TestTensorProto::everyTypeSurvives_data()
{
    QTest::addColumn<int>("type");
    for (int number = 1; number <= 26; ++number) {
        if (elementTypeFromOnnx(number) != ElementType::String) {
            QTest::newRow(longName(elementTypeFromOnnx(number)).data()) << number;
        }
    }
}

void TestTensorProto::everyTypeSurvives()
{
    QFETCH(int, type);
    const ElementType element = elementTypeFromOnnx(type);
    QVERIFY(element != ElementType::Undefined);
    onnx::TensorProto proto;
    proto.set_name("t");
    proto.set_data_type(type);
    proto.add_dims(2);
    proto.add_dims(2);
    const std::size_t bits = 4 * static_cast<std::size_t>(bitWidth(element) == 1 ? 8 : bitWidth(element));
    std::string raw;
    for (std::size_t i = 0; i < (bits + 7) / 8; ++i) {
        raw.push_back(element == ElementType::Bool ? static_cast<char>(i % 2) : static_cast<char>(0x31 + 7 * i));
    }
    proto.set_raw_data(raw);
    const auto read = tensorFromProtoBytes(proto.SerializeAsString());
    VERIFY_RESULT(read);
    QCOMPARE(read->tensor.size(), 4U);
    onnx::TensorProto written;
    QVERIFY(written.ParseFromString(tensorToProtoBytes("t", read->tensor)));
    QCOMPARE(written.SerializeAsString(), proto.SerializeAsString());
}

void TestTensorProto::typedFields()
{
    const auto read = [](const onnx::TensorProto& proto) {
        const auto result = tensorFromProtoBytes(proto.SerializeAsString());
        return result ? result->tensor.toDoubles() : std::vector<double>{};
    };
    const auto of = [](ElementType type) {
        onnx::TensorProto proto;
        proto.set_data_type(static_cast<int>(onnxNumber(type)));
        proto.add_dims(1);
        return proto;
    };
    for (const ElementType type : {ElementType::Int8, ElementType::Int16, ElementType::Int32}) {
        auto proto = of(type);
        proto.add_int32_data(-7);
        QCOMPARE(read(proto), std::vector<double>{-7});
    }
    for (const ElementType type : {ElementType::UInt8, ElementType::UInt16, ElementType::Bool}) {
        auto proto = of(type);
        proto.add_int32_data(1);
        QCOMPARE(read(proto), std::vector<double>{1});
    }
    auto half = of(ElementType::Float16);
    half.add_int32_data(0x3e00);
    QCOMPARE(read(half), std::vector<double>{1.5});
    auto brain = of(ElementType::BFloat16);
    brain.add_int32_data(0x3fc0);
    QCOMPARE(read(brain), std::vector<double>{1.5});
    auto single = of(ElementType::Float32);
    single.add_float_data(1.5F);
    QCOMPARE(read(single), std::vector<double>{1.5});
    auto twice = of(ElementType::Float64);
    twice.add_double_data(0.1);
    QCOMPARE(read(twice), std::vector<double>{0.1});
    auto wide = of(ElementType::Int64);
    wide.add_int64_data(-9);
    QCOMPARE(read(wide), std::vector<double>{-9});
    for (const ElementType type : {ElementType::UInt32, ElementType::UInt64}) {
        auto proto = of(type);
        proto.add_uint64_data(4'000'000'000);
        QCOMPARE(read(proto), std::vector<double>{4e9});
    }
    auto outside = of(ElementType::UInt32);
    outside.add_uint64_data(std::uint64_t{1} << 32);
    QVERIFY(read(outside).empty());
}

void TestTensorProto::packedAndUnpackedDims()
{
    for (const char* bytes : {"0802080310024a06010203040506", "0a02020310024a06010203040506"}) {
        const auto read = tensorFromProtoBytes(hex(bytes));
        VERIFY_RESULT(read);
        QCOMPARE(read->tensor.dims(), (Dims{2, 3}));
        QCOMPARE(read->tensor.asInt(5), 6);
    }
}

void TestTensorProto::strings()
{
    const Tensor tensor = Tensor::strings({2}, {"a", std::string("\xFF\0", 2)});
    const auto read = tensorFromProtoBytes(tensorToProtoBytes("s", tensor));
    VERIFY_RESULT(read);
    QVERIFY(read->tensor.identical(tensor));
}

void TestTensorProto::negative_bytes_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("expected");
    QTest::newRow("no protobuf") << QByteArray("\xff\xff\xff") << "the bytes are no TensorProto";
    QTest::newRow("empty") << QByteArray() << "element type 0 is unknown";
    QTest::newRow("cut") << QByteArray::fromHex("10014a0445f6") << "the bytes are no TensorProto";
    QTest::newRow("external") << QByteArray::fromHex("10016a0d0a086c6f636174696f6e1201777001")
                              << "external data 'w' has no folder to lie in";
    QTest::newRow("segment") << QByteArray::fromHex("10011a00") << "a tensor in segments is not supported";
}

void TestTensorProto::negative_bytes()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, expected);
    const auto result = tensorFromProtoBytes(bytes.toStdString());
    QVERIFY(!result.has_value());
    QCOMPARE(result.error().kind, ErrorKind::Input);
    QCOMPARE(QString::fromStdString(result.error().message), expected);
}

QTEST_GUILESS_MAIN(TestTensorProto)
#include "tst_tensor_proto.moc"
