// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/tabulate.h"
#include "tests/support/pass_test.h"

#include <cmath>

using namespace crease;

namespace {

const Node* tableNode(const Graph& graph)
{
    for (const NodeId id : graph.order()) {
        if (graph.node(id).op == "Table") {
            return &graph.node(id);
        }
    }
    return nullptr;
}

} // namespace

class TestTabulate : public QObject {
    Q_OBJECT

private slots:
    void sigmoidBecomesATable();
    void writtenOutSiluIsOneTable();
    void no_twoGriddedInputsAreTabulated();
    void no_floatInputIsTabulated();
    void no_sixteenBitInputIsTabulated();
    void no_perChannelConstantIsTabulated();
    void no_jumpThatFloat32DecidesOtherwiseIsTabulated();
    void constantOfFewerDimensionsIsTabulated();
    void no_constantOfMoreDimensionsIsTabulated();
};

std::string timesConstant(const std::string& input, const std::string& constant, const std::string& output)
{
    return "graph \"g\" ir 8 opset \"\" 13\ninput %x: f32" + input + "\nconst %k: f32" + constant +
           " = [0.7]\n%a: f32" + input + " on s8(0.1, 10) = crease.FakeQuant(%x) {grid = s8(0.1, 10)}\n%b: f32" +
           output + " = Mul(%a, %k)\n%y: f32" + output +
           " on s8(0.05, 0) = crease.FakeQuant(%b) {grid = s8(0.05, 0)}\noutput %y\n";
}

void TestTabulate::constantOfFewerDimensionsIsTabulated()
{
    for (const char* dims : {"[]", "[1]", "[1x1]"}) {
        QVERIFY(tableNode(test::runRules(timesConstant("[2x2]", dims, "[2x2]"), tabulateRules()).after) != nullptr);
    }
    QVERIFY(tableNode(test::runRules(timesConstant("[*]", "[]", "[*]"), tabulateRules()).after) != nullptr);
}

void TestTabulate::no_constantOfMoreDimensionsIsTabulated()
{
    const auto refused = [](const std::string& text) {
        const Stage stage = test::runRules(text, tabulateRules());
        return tableNode(stage.after) == nullptr && !stage.missed.empty() && stage.missed[0].miss.id == "rank-raised";
    };
    QVERIFY(refused(timesConstant("[4]", "[1x1]", "[1x4]")));
    QVERIFY(refused(timesConstant("[]", "[1]", "[1]")));
    QVERIFY(refused(timesConstant("[*]", "[1]", "[*]")));
}

void TestTabulate::sigmoidBecomesATable()
{
    // formats.md §9, vector 12.
    const Stage stage = test::runRules(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
%a: f32[4] on s8(0.1, 10) = crease.FakeQuant(%x) {grid = s8(0.1, 10)}
%b: f32[4] = Sigmoid(%a)
%y: f32[4] on s8(0.00390625, -128) = crease.FakeQuant(%b) {grid = s8(0.00390625, -128)}
output %y
)",
                                       tabulateRules());
    const Node* table = tableNode(stage.after);
    QVERIFY(table != nullptr);
    const Tensor& entries = *table->tensorAttribute("table");
    QCOMPARE(entries.size(), std::size_t{256});
    const auto entry = [&](int code) { return entries.asInt(static_cast<std::size_t>(code + 128)); };
    QCOMPARE(entry(0), std::int64_t{-59});
    QCOMPARE(entry(10), std::int64_t{0});
    QCOMPARE(entry(20), std::int64_t{59});
    QCOMPARE(entry(100), std::int64_t{127});
}

void TestTabulate::writtenOutSiluIsOneTable()
{
    const Stage stage = test::runRules(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
%a: f32[4] on s8(0.05, 3) = crease.FakeQuant(%x) {grid = s8(0.05, 3)}
%b: f32[4] = Sigmoid(%a)
%c: f32[4] on u8(0.00390625, 0) = crease.FakeQuant(%b) {grid = u8(0.00390625, 0)}
%d: f32[4] = Mul(%a, %c)
%y: f32[4] on s8(0.04, -100) = crease.FakeQuant(%d) {grid = s8(0.04, -100)}
output %y
)",
                                       tabulateRules());
    const Node* table = tableNode(stage.after);
    QVERIFY(table != nullptr);
    QCOMPARE(stage.after.nodeCount(), std::size_t{4}); // FakeQuant, Quantize, Table, Dequantize
    const Tensor& entries = *table->tensorAttribute("table");
    for (int code = -128; code < 128; ++code) {
        const double x = 0.05 * (code - 3);
        const double sigmoid = std::clamp(std::nearbyint(1.0 / (1.0 + std::exp(-x)) * 256.0), 0.0, 255.0) / 256.0;
        const double expected = std::clamp(std::nearbyint(x * sigmoid / 0.04) - 100.0, -128.0, 127.0);
        QCOMPARE(entries.asInt(static_cast<std::size_t>(code + 128)), static_cast<std::int64_t>(expected));
    }
}

void TestTabulate::no_twoGriddedInputsAreTabulated()
{
    NO_CHANGE(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
input %z: f32[4]
%a: f32[4] on s8(0.05, 3) = crease.FakeQuant(%x) {grid = s8(0.05, 3)}
%b: f32[4] on s8(0.05, 3) = crease.FakeQuant(%z) {grid = s8(0.05, 3)}
%d: f32[4] = Mul(%a, %b)
%y: f32[4] on s8(0.04, -100) = crease.FakeQuant(%d) {grid = s8(0.04, -100)}
output %y
)",
              tabulateRules());
}

void TestTabulate::no_floatInputIsTabulated()
{
    NO_CHANGE(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
%b: f32[4] = Sigmoid(%x)
%y: f32[4] on s8(0.04, -100) = crease.FakeQuant(%b) {grid = s8(0.04, -100)}
output %y
)",
              tabulateRules());
}

void TestTabulate::no_sixteenBitInputIsTabulated()
{
    NO_CHANGE(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
%a: f32[4] on s16(0.001, 0) = crease.FakeQuant(%x) {grid = s16(0.001, 0)}
%b: f32[4] = Sigmoid(%a)
%y: f32[4] on s8(0.04, -100) = crease.FakeQuant(%b) {grid = s8(0.04, -100)}
output %y
)",
              tabulateRules());
}

void TestTabulate::no_perChannelConstantIsTabulated()
{
    NO_CHANGE(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
const %c: f32[4] = [1, 2, 3, 4]
%a: f32[4] on s8(0.1, 0) = crease.FakeQuant(%x) {grid = s8(0.1, 0)}
%b: f32[4] = Mul(%a, %c)
%y: f32[4] on s8(0.04, -100) = crease.FakeQuant(%b) {grid = s8(0.04, -100)}
output %y
)",
              tabulateRules());
}

void TestTabulate::no_jumpThatFloat32DecidesOtherwiseIsTabulated()
{
    // 20 * float32(0.05) is 1 in float32 and a little more in exact arithmetic: Floor of its negative is -1 or -2.
    const std::string_view text = R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
%a: f32[4] on u8(0.05000000074505806, 128) = crease.FakeQuant(%x) {grid = u8(0.05000000074505806, 128)}
%b: f32[4] = Floor(%a)
%y: f32[4] on u8(0.07, 128) = crease.FakeQuant(%b) {grid = u8(0.07, 128)}
output %y
)";
    NO_CHANGE(text, tabulateRules());
    QCOMPARE(test::runRules(text, tabulateRules()).missed.at(0).miss.id, std::string("discontinuous"));
}

QTEST_APPLESS_MAIN(TestTabulate)
#include "tst_tabulate.moc"
