// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/absorb_activations.h"
#include "tests/support/pass_test.h"

#include <fmt/format.h>

using namespace crease;

namespace {

std::string model(std::string_view constants, std::string_view activation, std::string_view grid)
{
    return fmt::format("graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[4]\n{}%a: f32[4] = {}\n%y: f32[4] on {} = "
                       "crease.FakeQuant(%a) {{grid = {}}}\noutput %y\n",
                       constants, activation, grid, grid);
}

const Node& quantizer(const Stage& stage)
{
    return stage.after.node(stage.after.producer(stage.after.outputs()[0]));
}

} // namespace

class TestAbsorbActivations : public QObject {
    Q_OBJECT

private slots:
    void boundsBecomeCodes_data();
    void boundsBecomeCodes();
    void clampsCompose();
    void otherReadersKeepTheActivation();
    void no_otherActivationIsAbsorbed();
    void no_dynamicBoundIsAbsorbed();
    void no_perAxisGridAbsorbs();
};

void TestAbsorbActivations::boundsBecomeCodes_data()
{
    QTest::addColumn<QString>("constants");
    QTest::addColumn<QString>("activation");
    QTest::addColumn<QString>("grid");
    QTest::addColumn<int>("lo");
    QTest::addColumn<int>("hi");
    const QString sixes = "const %l: f32[] = [0]\nconst %h: f32[] = [6]\n";
    QTest::newRow("Relu, zero point at qmin") << "" << "Relu(%x)" << "s8(0.125, -128)" << -128 << 127;
    QTest::newRow("BC-51 Relu, symmetric") << "" << "Relu(%x)" << "s8(0.125, 0)" << 0 << 127;
    QTest::newRow("Relu, uint8 zero point inside") << "" << "Relu(%x)" << "u8(0.1, 117)" << 117 << 255;
    QTest::newRow("BC-52 Relu6 inside the range") << sixes << "Clip(%x, %l, %h)" << "s8(0.05, -128)" << -128 << -8;
    QTest::newRow("Relu6 implied") << sixes << "Clip(%x, %l, %h)" << "u8(0.023529411764705882, 0)" << 0 << 255;
    QTest::newRow("BC-52 half a step of slack") << "const %l: f32[] = [0]\nconst %h: f32[] = [25.54]\n"
                                                << "Clip(%x, %l, %h)" << "u8(0.1, 0)" << 0 << 255;
    QTest::newRow("BC-52 one code less") << "const %l: f32[] = [0]\nconst %h: f32[] = [25.4]\n"
                                         << "Clip(%x, %l, %h)" << "u8(0.1, 0)" << 0 << 254;
    QTest::newRow("ties to even") << "const %l: f32[] = [-0.75]\nconst %h: f32[] = [1.25]\n"
                                  << "Clip(%x, %l, %h)" << "s8(0.5, 0)" << -2 << 2;
    QTest::newRow("no lower bound") << "const %h: f32[] = [1]\n" << "Clip(%x, _, %h)" << "s8(0.5, 0)" << -128 << 2;
    QTest::newRow("min over max") << "const %l: f32[] = [2]\nconst %h: f32[] = [1]\n"
                                  << "Clip(%x, %l, %h)" << "s8(0.5, 0)" << 2 << 2;
    QTest::newRow("Max with a constant") << "const %l: f32[] = [1]\n" << "Max(%l, %x)" << "s8(0.5, 0)" << 2 << 127;
    QTest::newRow("huge bound") << "const %l: f32[] = [0]\nconst %h: f32[] = [3.4e38]\n"
                                << "Clip(%x, %l, %h)" << "s8(1e-30, 0)" << 0 << 127;
}

void TestAbsorbActivations::boundsBecomeCodes()
{
    QFETCH(QString, constants);
    QFETCH(QString, activation);
    QFETCH(QString, grid);
    QFETCH(int, lo);
    QFETCH(int, hi);
    const Stage stage = test::runRules(model(constants.toStdString(), activation.toStdString(), grid.toStdString()),
                                       absorbActivationsRules());
    QCOMPARE(stage.after.nodeCount(), std::size_t{1});
    const Node& node = quantizer(stage);
    QCOMPARE(node.intAttribute("lo", node.gridAttribute("grid")->qmin), std::int64_t{lo});
    QCOMPARE(node.intAttribute("hi", node.gridAttribute("grid")->qmax), std::int64_t{hi});
}

void TestAbsorbActivations::clampsCompose()
{
    const Stage stage = test::runRules(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
const %l: f32[] = [-1]
const %h: f32[] = [2]
%a: f32[4] = Relu(%x)
%b: f32[4] = Clip(%a, %l, %h)
%y: f32[4] on s8(0.5, 1) = crease.FakeQuant(%b) {grid = s8(0.5, 1)}
output %y
)",
                                       absorbActivationsRules());
    QCOMPARE(stage.after.nodeCount(), std::size_t{1});
    QCOMPARE(quantizer(stage).intAttribute("lo", -1000), std::int64_t{1});
    QCOMPARE(quantizer(stage).intAttribute("hi", -1000), std::int64_t{5});
}

void TestAbsorbActivations::otherReadersKeepTheActivation()
{
    const Stage stage = test::runRules(R"(graph "g" ir 8 opset "" 13
input %x: f32[4]
%a: f32[4] = Relu(%x)
%y: f32[4] on s8(0.5, 0) = crease.FakeQuant(%a) {grid = s8(0.5, 0)}
%z: f32[4] = Tanh(%a)
output %y
output %z
)",
                                       absorbActivationsRules());
    QCOMPARE(stage.after.nodeCount(), std::size_t{3});
    QVERIFY(quantizer(stage).inputs[0] == stage.after.inputs()[0]);
}

void TestAbsorbActivations::no_otherActivationIsAbsorbed()
{
    for (const char* op : {"LeakyRelu(%x)", "Sigmoid(%x)", "HardSwish(%x)", "Elu(%x)"}) {
        NO_CHANGE(model("", op, "s8(0.5, 0)"), absorbActivationsRules());
    }
}

void TestAbsorbActivations::no_dynamicBoundIsAbsorbed()
{
    NO_CHANGE(model("input %h: f32[]\n", "Clip(%x, _, %h)", "s8(0.5, 0)"), absorbActivationsRules());
}

void TestAbsorbActivations::no_perAxisGridAbsorbs()
{
    const std::string text = model("", "Relu(%x)", "s8([1, 2, 3, 4], [0, 0, 0, 0], axis 0)");
    NO_CHANGE(text, absorbActivationsRules());
    QCOMPARE(test::runRules(text, absorbActivationsRules()).missed.at(0).miss.id,
             std::string("per-axis-activation-grid"));
}

QTEST_APPLESS_MAIN(TestAbsorbActivations)
#include "tst_absorb_activations.moc"
