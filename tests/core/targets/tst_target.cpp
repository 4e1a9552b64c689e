// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/targets/target.h"

#include <QtTest>

using namespace crease;

class TestTarget : public QObject {
    Q_OBJECT
private slots:
    void shippedTargetsAreRead();
    void acceptsTheTypeMatrixOfTheKernels();
    void anOptionFollowsTheName();
    void negative_unknownTargetNamesTheNearest();
    void negative_badJson_data();
    void negative_badJson();
};

void TestTarget::shippedTargetsAreRead()
{
    const std::vector<Target> targets = shippedTargets();
    QCOMPARE(targets.size(), std::size_t{2});
    const auto qoperator = findTarget("onnxruntime-qoperator");
    QVERIFY(qoperator.has_value());
    QCOMPARE(qoperator->format, std::string("onnx-qoperator"));
    QVERIFY(qoperator->op("Add")->zeroPointBeforeRounding);
    QVERIFY(!qoperator->op("Conv")->zeroPointBeforeRounding);
    QVERIFY(!qoperator->op("ConvTranspose"));
    QCOMPARE(findTarget("onnxruntime-qdq")->format, std::string("onnx-qdq"));
}

void TestTarget::acceptsTheTypeMatrixOfTheKernels()
{
    using enum ElementType;
    const Target target = *findTarget("onnxruntime-qoperator");
    const auto accepts = [&](std::string_view op, std::vector<ElementType> types) { return target.accepts(op, types); };
    QVERIFY(accepts("Conv", {UInt8, UInt8, UInt8}));
    QVERIFY(accepts("Conv", {UInt8, Int8, UInt8}));
    QVERIFY(accepts("Conv", {Int8, Int8, Int8}));
    QVERIFY(!accepts("Conv", {Int8, UInt8, Int8}));
    QVERIFY(!accepts("Conv", {UInt8, Int8, Int8}));
    QVERIFY(!accepts("Conv", {Int8, Int8, UInt8}));
    QVERIFY(accepts("Add", {Int8, Int8, Int8}));
    QVERIFY(!accepts("Add", {Int8, UInt8, Int8}));
    QVERIFY(!accepts("Add", {Int16, Int16, Int16}));
    QVERIFY(!accepts("ConvTranspose", {UInt8, Int8, UInt8}));
}

void TestTarget::anOptionFollowsTheName()
{
    QVERIFY(!findTarget("onnxruntime-qdq")->exactTies);
    const auto exact = findTarget("onnxruntime-qdq:ties=exact");
    QVERIFY(exact.has_value());
    QVERIFY(exact->exactTies);
    QCOMPARE(exact->name, std::string("onnxruntime-qdq:ties=exact"));
    const auto wrong = findTarget("onnxruntime-qdq:ties=no");
    QVERIFY(!wrong.has_value());
    QVERIFY(wrong.error().kind == ErrorKind::Usage);
    QCOMPARE(wrong.error().id, std::string("unknown-target-option"));
}

void TestTarget::negative_unknownTargetNamesTheNearest()
{
    const auto target = findTarget("onnxruntime-qop");
    QVERIFY(!target.has_value());
    QVERIFY(target.error().kind == ErrorKind::Usage);
    QVERIFY(target.error().message.find("onnxruntime-qdq") != std::string::npos ||
            target.error().message.find("onnxruntime-qoperator") != std::string::npos);
}

void TestTarget::negative_badJson_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("word");
    QTest::newRow("no object") << "[]" << "object";
    QTest::newRow("no name") << R"({"title": "t", "format": "onnx-qdq", "ops": {}})" << "'name'";
    QTest::newRow("format") << R"({"name": "n", "title": "t", "format": "tflite", "ops": {}})" << "'format'";
    QTest::newRow("unknown key") << R"({"name": "n", "title": "t", "format": "onnx-qdq", "ops": {}, "x": 1})" << "'x'";
    QTest::newRow("type")
        << R"({"name": "n", "title": "t", "format": "onnx-qdq", "ops": {"Conv": {"types": [["f32"]]}}})"
        << "Conv.types";
    QTest::newRow("ties") << R"({"name": "n", "title": "t", "format": "onnx-qdq", "ties": "no", "ops": {}})"
                          << "'ties'";
    QTest::newRow("opset") << R"({"name": "n", "title": "t", "format": "onnx-qdq", "min_opset": 9, "ops": {}})"
                           << "'min_opset'";
}

void TestTarget::negative_badJson()
{
    QFETCH(QString, text);
    QFETCH(QString, word);
    const auto target = targetFromJson(text.toStdString());
    QVERIFY(!target.has_value());
    QVERIFY(target.error().kind == ErrorKind::Usage);
    QVERIFY2(QString::fromStdString(target.error().message).contains(word), target.error().message.c_str());
}

QTEST_GUILESS_MAIN(TestTarget)
#include "tst_target.moc"
