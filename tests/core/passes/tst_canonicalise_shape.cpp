// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/canonicalise.h"
#include "tests/core/passes/stage_of.h"

#include <QTest>
#include <fmt/format.h>

using namespace crease;
using namespace crease::test;

namespace {

/// x -> MatMul -> `middle` -> FakeQuant -> y; the shape of `asked` is an output too.
Stage stage(std::string_view middle, std::string_view asked, std::string_view reader = "Shape")
{
    return stageOf(
        runCanonicalise,
        fmt::format("graph \"g\" ir 8 opset \"\" 13\ninput %x: f32[2x4]\nconst %w: f32[4x4] = "
                    "[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]\n%m: f32[2x4] = MatMul(%x, %w)\n"
                    "%v: f32[2x4] = {}\n%y: f32[2x4] on u8(0.1, 0) = crease.FakeQuant(%v) {{grid = u8(0.1, 0)}}\n"
                    "%s: s64[2] = {}(%{})\noutput %y\noutput %s\n",
                    middle, reader, asked));
}

std::string askedValue(const Stage& stage)
{
    return stage.after.value(makerOf(stage.after, "s").input(0)).name;
}

} // namespace

class TestCanonicaliseShape : public QObject {
    Q_OBJECT

private slots:
    void the_shape_is_that_of_the_quantized_value_data();
    void the_shape_is_that_of_the_quantized_value();
    void no_other_reader_moves();
    void no_shape_moves_where_nothing_is_quantized();
};

void TestCanonicaliseShape::the_shape_is_that_of_the_quantized_value_data()
{
    QTest::addColumn<QString>("middle");
    QTest::addColumn<QString>("asked");
    QTest::newRow("right before the quantizer") << "Neg(%m)" << "v";
    QTest::newRow("before a Relu") << "Relu(%m)" << "m";
    QTest::newRow("of the quantized value itself") << "Neg(%m)" << "y";
}

void TestCanonicaliseShape::the_shape_is_that_of_the_quantized_value()
{
    QFETCH(QString, middle);
    QFETCH(QString, asked);
    const Stage result = stage(middle.toStdString(), asked.toStdString());
    QCOMPARE(askedValue(result), std::string("y"));
}

void TestCanonicaliseShape::no_other_reader_moves()
{
    QCOMPARE(askedValue(stage("Neg(%m)", "v", "NonZero")), std::string("v"));
}

void TestCanonicaliseShape::no_shape_moves_where_nothing_is_quantized()
{
    QCOMPARE(askedValue(stage("MatMul(%m, %w)", "m")), std::string("m"));
}

QTEST_GUILESS_MAIN(TestCanonicaliseShape)
#include "tst_canonicalise_shape.moc"
