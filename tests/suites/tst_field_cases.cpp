// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/pipeline.h"
#include "core/passes/report.h"
#include "tests/suites/field_cases.h"
#include "tests/support/graph_run.h"

using namespace crease;

namespace {

std::vector<Tensor> inputsOf(const Graph& graph, const std::vector<std::vector<double>>& values)
{
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Value& value = graph.value(graph.inputs()[i]);
        const Dims dims = knownDims(*value.shape).value();
        if (isFloat(value.type)) {
            inputs.push_back(tensorOfDoubles(value.type, dims, values[i]));
            continue;
        }
        const std::vector<std::int64_t> integers(values[i].begin(), values[i].end());
        inputs.push_back(tensorOfInts(value.type, dims, integers));
    }
    return inputs;
}

QString listed(const std::vector<double>& values)
{
    QStringList list;
    for (const double value : values) {
        list << QString::number(value, 'g', 10);
    }
    return list.join(", ");
}

} // namespace

/// Public reports of wrong folds (cases.md), folded by the whole pipeline: each stage must give the right numbers.
class TestFieldCases : public QObject {
    Q_OBJECT

private slots:
    void everyStage_data();
    void everyStage();
    void noFloatCopyOfAWeightIsLeft();
};

void TestFieldCases::everyStage_data()
{
    QTest::addColumn<test::FieldCase>("fieldCase");
    for (const auto& group :
         {test::biasCases(), test::affineCases(), test::patternCases(), test::parameterCases(), test::dialectCases()}) {
        for (const test::FieldCase& each : group) {
            QTest::newRow(each.name.c_str()) << each;
        }
    }
}

void TestFieldCases::everyStage()
{
    QFETCH(test::FieldCase, fieldCase);
    const Graph graph = test::graphOf(fieldCase.text);
    const std::vector<Tensor> inputs = inputsOf(graph, fieldCase.inputs);
    const auto check = [&](const Graph& stage, const char* name) {
        const std::vector<double> got = test::evaluate(stage, inputs);
        const double apart = test::difference(fieldCase.right, got);
        QVERIFY2(
            apart < 1e-6,
            qPrintable(QString("%1 gives %2, right is %3").arg(QString(name), listed(got), listed(fieldCase.right))));
    };
    check(graph, "the source");
    if (QTest::currentTestFailed()) {
        return;
    }
    for (const char* name : {"onnxruntime-qoperator", "onnxruntime-qdq"}) {
        const auto target = findTarget(name);
        VERIFY_RESULT(target);
        const auto trace = runPipeline(graph, {}, *target, Job{});
        VERIFY_RESULT(trace);
        for (const Stage& stage : trace->stages) {
            check(stage.after, stage.pass.c_str());
            if (QTest::currentTestFailed()) {
                return;
            }
        }
        const FoldReport report = makeReport(*trace);
        if (fieldCase.integerLinear >= 0) {
            QCOMPARE(static_cast<int>(report.integerLinearOps), fieldCase.integerLinear);
        }
    }
}

/// BC-65: codes stay codes.
void TestFieldCases::noFloatCopyOfAWeightIsLeft()
{
    const std::string weights = "[1x1x3x3]";
    const std::string codes = "[1, -2, 3, -4, 5, -6, 7, -8, 9]";
    for (const bool quantized : {true, false}) {
        const std::string w = quantized ? test::weight("w", "s8", weights, codes, "0.5")
                                        : "const %w: f32" + weights + " = " + codes + "\n";
        const Graph graph =
            test::graphOf(test::head() + "input %x: f32[1x1x3x3]\n" + test::pair("x", "xd", "0.5", 3, "u8", weights) +
                          w + "%y: f32[1x1x1x1] = Conv(%xd, %w)\noutput %y\n");
        const auto trace = runPipeline(graph, {}, *findTarget("onnxruntime-qoperator"), Job{});
        VERIFY_RESULT(trace);
        bool floats = false;
        for (const ValueId id : trace->final().values()) {
            const Value& value = trace->final().value(id);
            floats = floats || (value.isConstant() && isFloat(value.type) && value.constant.size() == 9);
        }
        QCOMPARE(floats, !quantized); // a weight without a quantizer is never quantized
    }
}

QTEST_GUILESS_MAIN(TestFieldCases)
#include "tst_field_cases.moc"
