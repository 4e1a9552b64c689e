// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/kernel.h"
#include "core/ir/integer_nodes.h"
#include "core/ops/op_table.h"
#include "core/ops/window.h"
#include "core/tensor/onnx_types.h"

#include <QTest>
#include <set>

using namespace crease;

namespace {

Node nodeOf(const OpInfo& info)
{
    Node node;
    node.op = std::string(info.op);
    node.domain = std::string(info.domain);
    return node;
}

Node poolOf(Attributes attributes)
{
    Node node;
    node.op = "MaxPool";
    node.attributes = std::move(attributes);
    return node;
}

using Ints = std::vector<std::int64_t>;

} // namespace

class TestOpTable : public QObject {
    Q_OBJECT

private slots:
    void everyRowIsFoundAndRuns();
    void no_unknownOps();
    void claimedTypes();
    void onnxTypeNumbers();
    void windows();
};

/// A claim without a kernel would be a promise that nothing keeps.
void TestOpTable::everyRowIsFoundAndRuns()
{
    std::set<std::pair<std::string_view, std::string_view>> names;
    for (const OpInfo& info : opTable()) {
        QVERIFY2(names.insert({info.op, info.domain}).second, info.op.data());
        QCOMPARE(findOp(info.op, info.domain), &info);
        QVERIFY2(info.since <= info.until && info.minInputs >= 0, info.op.data());
        QVERIFY2(info.shape != nullptr || info.folding == FoldingClass::Control, info.op.data());
        QVERIFY2(canEvaluate(Graph{}, nodeOf(info)), info.op.data());
    }
    QVERIFY(names.size() > 150);
}

void TestOpTable::no_unknownOps()
{
    QCOMPARE(findOp("Conv", "com.example"), nullptr);
    QCOMPARE(findOp("NoSuchOp"), nullptr);
    Node unknown;
    unknown.op = "NoSuchOp";
    QCOMPARE(foldingClass(unknown), FoldingClass::Float);
    QCOMPARE(opClass(unknown), OpClass::Other);
    QVERIFY(!canEvaluate(Graph{}, unknown));
}

void TestOpTable::claimedTypes()
{
    const OpInfo& conv = *findOp("Conv");
    QVERIFY(claimsType(conv, ElementType::Float16));
    QVERIFY(!claimsType(conv, ElementType::Int8));
    const OpInfo& reshape = *findOp("Reshape");
    QVERIFY(claimsType(reshape, ElementType::Int4));
    QVERIFY(claimsType(reshape, ElementType::Bool));
    QVERIFY(!claimsType(reshape, ElementType::String));
    QVERIFY(!claimsType(reshape, ElementType::Float8E4M3FN));
}

void TestOpTable::onnxTypeNumbers()
{
    QCOMPARE(elementTypeFromOnnx(1), ElementType::Float32);
    QCOMPARE(elementTypeFromOnnx(3), ElementType::Int8);
    QCOMPARE(elementTypeFromOnnx(16), ElementType::BFloat16);
    QCOMPARE(elementTypeFromOnnx(22), ElementType::Int4);
    QCOMPARE(elementTypeFromOnnx(26), ElementType::Int2);
    QCOMPARE(elementTypeFromOnnx(0), ElementType::Undefined);
    QCOMPARE(elementTypeFromOnnx(99), ElementType::Undefined);
    QCOMPARE(elementTypeFromOnnx(-1), ElementType::Undefined);
    for (std::int64_t number = 1; number <= 26; ++number) {
        QCOMPARE(onnxNumber(elementTypeFromOnnx(number)), number);
    }
    QCOMPARE(quantizedType(ElementType::Undefined, 0), ElementType::UInt8); // BC-72
    QCOMPARE(quantizedType(ElementType::Undefined, 3), ElementType::Int8);
    QCOMPARE(quantizedType(ElementType::Int16, 3), ElementType::Int16);
    QCOMPARE(quantizedType(ElementType::Undefined, 99), ElementType::Undefined);
}

void TestOpTable::windows()
{
    const Window same = windowOf(poolOf({{"kernel_shape", Ints{3}}, {"strides", Ints{2}}, {"auto_pad", "SAME_UPPER"}}));
    QCOMPARE(same.output(0, 7), 4);
    QCOMPARE(same.padBegin(0, 8), 0);
    QCOMPARE(same.padEnd(0, 8), 1);
    const Window lower =
        windowOf(poolOf({{"kernel_shape", Ints{3}}, {"strides", Ints{2}}, {"auto_pad", "SAME_LOWER"}}));
    QCOMPARE(lower.padBegin(0, 8), 1);
    const Window ceil =
        windowOf(poolOf({{"kernel_shape", Ints{3}}, {"strides", Ints{2}}, {"ceil_mode", std::int64_t{1}}}));
    QCOMPARE(ceil.output(0, 6), 3);
    QCOMPARE(windowOf(poolOf({{"kernel_shape", Ints{3}}, {"strides", Ints{2}}})).output(0, 6), 2);
    // The third window would start in the padding: it is dropped.
    const Window dropped = windowOf(poolOf(
        {{"kernel_shape", Ints{1}}, {"strides", Ints{2}}, {"pads", Ints{0, 1}}, {"ceil_mode", std::int64_t{1}}}));
    QCOMPARE(dropped.output(0, 4), 2);
    QCOMPARE(windowOf(poolOf({{"kernel_shape", Ints{5}}})).output(0, 3), 0);
    QCOMPARE(windowFault(windowOf(poolOf({{"kernel_shape", Ints{3, 3}}})), 2), std::string());
    QVERIFY(!windowFault(windowOf(poolOf({{"kernel_shape", Ints{3, 3}}})), 3).empty());
    QVERIFY(!windowFault(windowOf(poolOf({{"kernel_shape", Ints{3}}, {"strides", Ints{0}}})), 1).empty());
}

QTEST_GUILESS_MAIN(TestOpTable)
#include "tst_op_table.moc"
