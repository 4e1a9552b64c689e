// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/equal.h"
#include "core/ir/verifier.h"
#include "tests/support/graph_text.h"

using namespace crease;

class TestTextFormat : public QObject {
    Q_OBJECT

private slots:
    void printIsReadBack_data();
    void printIsReadBack();
    void errorsNameThePlace_data();
    void errorsNameThePlace();
};

void TestTextFormat::printIsReadBack_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("grids") << R"(graph "g" ir 8 opset "" 13
input %x: f32[1x3xHx?]
const %w: s8[2x2] codes s8([0.5, 0.1], [0, 3], axis 1, -127..127) = [1, -2, 3, 4]
%y: f32[*] on s8(0.5, 3) = crease.FakeQuant(%x) {grid = s8(0.5, 3), hi = 100, lo = -3} "fq:0"
%z: s32[] codes s32(0.05, 0) = MatMul@9(%y, _, %w) {a = [1, 2], b = 1.0, c = "s\"\x0A", d = f64 0.1, e = f64 [0.1, 1e-300], f = [1.5, 2.0], g = ["a"], h = ints []}
output %z
)";
    QTest::newRow("names") << R"(graph "" ir 3
input %"a b": ?[*]
%/block/conv:0: f16["batch x"x1] = com.microsoft.QGemm(%"a b") {t = tensor s64[2] [1, -9223372036854775808]}
output %/block/conv:0
)";
    QTest::newRow("subgraph") << R"(graph "outer" ir 8 opset "" 13
input %c: b1[]
const %w: f32[1] = [0.1]
%y: f32[1] = If(%c) {then_branch = {
    graph "then" ir 8 opset "" 13
    captured %w: f32[1]
    %o: f32[1] = Neg(%w)
    output %o
}} captures then_branch %w
output %y
)";
}

void TestTextFormat::printIsReadBack()
{
    QFETCH(QString, text);
    const auto graph = parse(text.toStdString());
    VERIFY_RESULT(graph);
    const std::string printed = print(*graph);
    const auto again = parse(printed);
    VERIFY_RESULT(again);
    std::string why;
    QVERIFY2(equalGraphs(*graph, *again, &why), why.c_str());
    QCOMPARE(QString::fromStdString(print(*again)), QString::fromStdString(printed));
    if (!text.contains("{then_branch")) {
        QCOMPARE(QString::fromStdString(printed), text);
    }
}

void TestTextFormat::errorsNameThePlace_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    QTest::newRow("unknown value") << "graph \"g\" ir 8\n%y: f32[] = Relu(%x)\n"
                                   << "line 2, column 20: value 'x' is not known here";
    QTest::newRow("no type") << "graph \"g\" ir 8\ninput %x: f33[]\n" << "line 2, column 14: 'f33' is no element type";
    QTest::newRow("twice") << "graph \"g\" ir 8\ninput %x: f32[]\ninput %x: f32[]\n" << "declared twice";
    QTest::newRow("count") << "graph \"g\" ir 8\nconst %x: f32[2] = [1]\n" << "1 elements for a tensor of 2";
    QTest::newRow("no end") << "graph \"g" << "a string does not end";
}

void TestTextFormat::errorsNameThePlace()
{
    QFETCH(QString, text);
    QFETCH(QString, message);
    const auto graph = parse(text.toStdString());
    QVERIFY(!graph.has_value());
    QVERIFY2(QString::fromStdString(graph.error().message).contains(message), graph.error().message.c_str());
}

QTEST_APPLESS_MAIN(TestTextFormat)
#include "tst_text_format.moc"
