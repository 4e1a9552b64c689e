// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/integer_nodes.h"
#include "core/passes/legalise.h"
#include "tests/core/passes/stage_of.h"

#include <QtTest>

using namespace crease;
using namespace crease::test;

class TestLegalise : public QObject {
    Q_OBJECT
private slots:
    void signedActivationsBecomeUnsigned();
    void constantsMoveWithTheirCodes();
    void tablesMoveTheirEntries();
    void fourBitCodesBecomeBytes();
    void graphInputsAndOutputsKeepTheirType();
    void aFusedOutputIsSeparatedToo();
    void weightScalesAreRoundedToFloat32();
    void aVanishingChannelIsZero();
    void aFlippedWeightFitsUnsigned_data();
    void aFlippedWeightFitsUnsigned();
    void no_changeWhereAllIsLegal();
    void negative_aNineBitWeightIsAMiss();
    void negative_anOpWithoutKernelIsNamed();
};

void TestLegalise::signedActivationsBecomeUnsigned()
{
    const Stage stage = stageOf(runLegalise, R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
%q: s8[1x2] codes s8(0.5, 3, -100..127) = crease.Quantize(%x) {hi = 100, lo = -3}
%t: s8[2x1] codes s8(0.5, 3, -100..127) = Transpose(%q) {perm = [1, 0]}
%y: f32[2x1] on s8(0.5, 3, -100..127) = crease.Dequantize(%t)
output %y
)");
    COMPARE_GRAPH(stage.after, R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
%q: u8[1x2] codes u8(0.5, 131, 28..255) = crease.Quantize(%x) {hi = 228, lo = 125}
%t: u8[2x1] codes u8(0.5, 131, 28..255) = Transpose(%q) {perm = [1, 0]}
%y: f32[2x1] on s8(0.5, 3, -100..127) = crease.Dequantize(%t)
output %y
)");
    QVERIFY(!stage.relations.empty());
}

void TestLegalise::constantsMoveWithTheirCodes()
{
    const Stage stage = stageOf(runLegalise, R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
const %c: s8[2] codes s8(0.25, 0) = [-128, 127]
%q: u8[2] codes u8(0.5, 3) = crease.Quantize(%x)
%a: u8[2] codes u8(1.0, 0) = Add(%q, %c)
%y: f32[2] on u8(1.0, 0) = crease.Dequantize(%a)
output %y
)");
    const Value& constant = stage.after.value(makerOf(stage.after, "a").inputs[1]);
    QVERIFY(constant.type == ElementType::UInt8);
    QCOMPARE(constant.constant.toInts(), (std::vector<std::int64_t>{0, 255}));
    QCOMPARE(constant.codes->zeroPoint(), std::int64_t{128});
}

void TestLegalise::tablesMoveTheirEntries()
{
    std::string entries;
    for (int i = 0; i < 256; ++i) {
        entries += (i ? ", " : "") + std::to_string(127 - i);
    }
    const Stage stage = stageOf(runLegalise, R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
%q: s8[2] codes s8(0.5, 0) = crease.Quantize(%x)
%t: s8[2] codes s8(0.25, 0) = crease.Table(%q) {table = tensor s8[256] [)" +
                                                 entries + R"(]}
%y: f32[2] on s8(0.25, 0) = crease.Dequantize(%t)
output %y
)");
    const Tensor& table = *makerOf(stage.after, "t").tensorAttribute(nodes::tableEntries);
    QVERIFY(table.type() == ElementType::UInt8);
    QCOMPARE(table.asInt(0), std::int64_t{255}); // code -128 (now 0) -> 127 (now 255)
    QCOMPARE(table.asInt(255), std::int64_t{0});
}

void TestLegalise::fourBitCodesBecomeBytes()
{
    std::string entries;
    for (int i = 0; i < 16; ++i) {
        entries += (i ? ", " : "") + std::to_string(i * 10);
    }
    const Stage stage = stageOf(runLegalise, R"(graph "g" ir 8 opset "" 21
input %x: f32[2]
%q: s4[2] codes s4(0.5, 1) = crease.Quantize(%x)
%t: u8[2] codes u8(0.25, 0) = crease.Table(%q) {table = tensor u8[16] [)" +
                                                 entries + R"(]}
%y: f32[2] on u8(0.25, 0) = crease.Dequantize(%t)
output %y
)");
    const Grid& grid = *named(stage.after, "q").codes;
    QVERIFY(grid == Grid::perTensor(0.5, 129, ElementType::UInt8, 120, 135));
    const Tensor& table = *makerOf(stage.after, "t").tensorAttribute(nodes::tableEntries);
    QCOMPARE(table.size(), std::size_t{256});
    QCOMPARE(table.asInt(120), std::int64_t{0});   // code -8
    QCOMPARE(table.asInt(135), std::int64_t{150}); // code 7
    QCOMPARE(table.asInt(128), std::int64_t{80});  // code 0
}

void TestLegalise::graphInputsAndOutputsKeepTheirType()
{
    const Stage stage = stageOf(runLegalise, R"(graph "g" ir 8 opset "" 13
input %x: s8[2] codes s8(0.5, 3)
const %shape: s64[1] = [2]
%r: s8[2] codes s8(0.5, 3) = Reshape(%x, %shape)
%m: s8[1] codes s8(0.5, 3) = ReduceMax(%r)
output %r
output %m
)");
    COMPARE_GRAPH(stage.after, R"(graph "g" ir 8 opset "" 13
input %x: s8[2] codes s8(0.5, 3)
const %shape: s64[1] = [2]
%x_uint8: u8[2] codes u8(0.5, 131) = crease.Requantize(%x)
%r_int8: u8[2] codes u8(0.5, 131) = Reshape(%x_uint8, %shape)
%r: s8[2] codes s8(0.5, 3) = crease.Requantize(%r_int8)
%m_int8: u8[1] codes u8(0.5, 131) = ReduceMax(%r_int8)
%m: s8[1] codes s8(0.5, 3) = crease.Requantize(%m_int8)
output %r
output %m
)");
}

void TestLegalise::aFusedOutputIsSeparatedToo()
{
    const Stage stage = stageOf(runLegalise, R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8(0.5, 0) = [1, 2, 3, 4]
%q: s8[1x2] codes s8(0.5, 0) = crease.Quantize(%x)
%acc: s32[1x2] codes s32(0.25, 0) = MatMul(%q, %w)
%y: s8[1x2] codes s8(0.5, 0) = crease.Requantize(%acc)
output %y
)");
    const Node& last = makerOf(stage.after, "y");
    QVERIFY(last.is(nodes::requantize, nodes::domain));
    QVERIFY(stage.after.value(last.inputs[0]).type == ElementType::UInt8);
    QVERIFY(named(stage.after, "y").type == ElementType::Int8);
    QVERIFY(named(stage.after, "w").type == ElementType::Int8);
}

void TestLegalise::weightScalesAreRoundedToFloat32()
{
    const Stage stage = stageOf(runLegalise, R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8([0.1, 0.5], [0, 0], axis 1) = [1, 2, 3, 4]
%q: u8[1x2] codes u8(0.5, 0) = crease.Quantize(%x)
%acc: s32[1x2] codes s32([0.05, 0.25], [0, 0], axis 1) = MatMul(%q, %w)
%y: f32[1x2] = crease.Dequantize(%acc) {bias = f64 [0.1, 0.2]}
output %y
)");
    const double rounded = static_cast<double>(0.1F);
    QVERIFY(rounded != 0.1);
    const Node& matmul = makerOf(stage.after, "acc");
    QCOMPARE(stage.after.value(matmul.inputs[1]).codes->scales, (std::vector{rounded, 0.5}));
    QCOMPARE(named(stage.after, "acc").codes->scales, (std::vector{0.5 * rounded, 0.25}));
    QCOMPARE(makerOf(stage.after, "y").doublesAttribute(nodes::bias), (std::vector{0.1, 0.2}));
    for (const Rewrite& rewrite : stage.rewrites) {
        QVERIFY(rewrite.fidelity == Fidelity::R);
    }
}

void TestLegalise::aVanishingChannelIsZero()
{
    const Stage stage = stageOf(runLegalise, R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8([1e-42, 0.5], [0, 0], axis 1) = [100, 2, 3, 4]
%q: u8[1x2] codes u8(0.5, 0) = crease.Quantize(%x)
%acc: s32[1x2] codes s32([5e-43, 0.25], [0, 0], axis 1) = MatMul(%q, %w)
%y: f32[1x2] = crease.Dequantize(%acc) {bias = f64 [0.1, 0.2]}
output %y
)");
    const Value& weight = stage.after.value(makerOf(stage.after, "acc").inputs[1]);
    QCOMPARE(weight.constant.toInts(), (std::vector<std::int64_t>{0, 2, 0, 4}));
    QVERIFY(weight.codes->scales[0] >= static_cast<double>(std::numeric_limits<float>::min()));
}

void TestLegalise::aFlippedWeightFitsUnsigned_data()
{
    QTest::addColumn<QString>("codes");
    QTest::addColumn<std::vector<std::int64_t>>("expected");
    QTest::addColumn<std::vector<std::int64_t>>("zeros");
    QTest::addColumn<bool>("isSigned");
    using Ints = std::vector<std::int64_t>;
    QTest::newRow("fits int8") << "-128, 2, 127, 4" << Ints{-128, 2, 127, 4} << Ints{0, 0} << true;
    QTest::newRow("128") << "128, -127, -127, 5" << Ints{255, 0, 0, 132} << Ints{127, 127} << false;
    QTest::newRow("below -128") << "124, -131, 0, 5" << Ints{255, 0, 131, 136} << Ints{131, 131} << false;
    QTest::newRow("a zero point each, below -128")
        << "-131, 147, 0, -108" << Ints{0, 255, 131, 0} << Ints{131, 108} << false;
    QTest::newRow("a zero point each") << "128, -128, -127, 5" << Ints{255, 0, 0, 133} << Ints{127, 128} << false;
}

void TestLegalise::aFlippedWeightFitsUnsigned()
{
    QFETCH(QString, codes);
    QFETCH(std::vector<std::int64_t>, expected);
    QFETCH(std::vector<std::int64_t>, zeros);
    QFETCH(bool, isSigned);
    const Stage stage = stageOf(runLegalise, R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s16[2x2] codes s16([0.25, 0.5], [0, 0], axis 1) = [)" +
                                                 codes.toStdString() + R"(]
%q: u8[1x2] codes u8(0.5, 0) = crease.Quantize(%x)
%acc: s32[1x2] codes s32([0.125, 0.25], [0, 0], axis 1) = MatMul(%q, %w)
%y: f32[1x2] = crease.Dequantize(%acc)
output %y
)");
    const Value& weight = stage.after.value(makerOf(stage.after, "acc").inputs[1]);
    QCOMPARE(weight.type == ElementType::Int8, isSigned);
    QCOMPARE(weight.constant.toInts(), expected);
    QCOMPARE(weight.codes->zeroPoints, zeros);
    QCOMPARE(stage.rewrites.size(), std::size_t{1});
    QVERIFY(stage.rewrites[0].fidelity == Fidelity::X);
}

void TestLegalise::no_changeWhereAllIsLegal()
{
    constexpr auto text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8(0.5, 0) = [1, 2, 3, 4]
%q: u8[1x2] codes u8(0.5, 0) = crease.Quantize(%x)
%acc: s32[1x2] codes s32(0.25, 0) = MatMul(%q, %w)
%y: u8[1x2] codes u8(0.5, 7) = crease.Requantize(%acc)
output %y
)";
    const Stage stage = stageOf(runLegalise, text);
    COMPARE_GRAPH(stage.after, text);
    QVERIFY(stage.rewrites.empty());
}

void TestLegalise::negative_aNineBitWeightIsAMiss()
{
    constexpr auto text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s16[2x2] codes s16(0.25, 0) = [128, -129, 0, 1]
%q: u8[1x2] codes u8(0.5, 0) = crease.Quantize(%x)
%acc: s32[1x2] codes s32(0.125, 0) = MatMul(%q, %w)
%y: f32[1x2] = crease.Dequantize(%acc)
output %y
)";
    const Stage stage = stageOf(runLegalise, text);
    COMPARE_GRAPH(stage.after, text);
    QCOMPARE(stage.missed.size(), std::size_t{1});
    QCOMPARE(stage.missed[0].miss.id, std::string("weight-range"));
    QVERIFY(stage.missed[0].miss.text.find("-129 to 128") != std::string::npos);
}

void TestLegalise::negative_anOpWithoutKernelIsNamed()
{
    constexpr auto text = R"(graph "g" ir 8 opset "" 13
input %q: u8[1x1x2x2] codes u8(0.5, 0)
const %w: s8[1x1x2x2] codes s8(0.5, 0) = [1, 2, 3, 4]
%acc: s32[1x1x4x4] codes s32(0.25, 0) = ConvTranspose(%q, %w) {strides = [2, 2]}
%y: f32[1x1x4x4] = crease.Dequantize(%acc)
output %y
)";
    const Stage stage = stageOf(runLegalise, text);
    COMPARE_GRAPH(stage.after, text);
    QCOMPARE(stage.missed.size(), std::size_t{1});
    QCOMPARE(stage.missed[0].miss.id, std::string("no-kernel"));
    QVERIFY(stage.missed[0].miss.text.find("ConvTranspose") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestLegalise)
#include "tst_legalise.moc"
