// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/canonicalise.h"
#include "core/passes/fold_batch_norm.h"
#include "core/passes/fold_constants.h"
#include "core/passes/fold_weights.h"
#include "core/passes/recognise.h"
#include "core/passes/unshare.h"
#include "tests/support/graph_run.h"
#include "tests/support/pass_pipeline_test.h"

using namespace crease;

namespace {

constexpr auto run = runFoldBatchNorm;

/// A 1x1 Conv of two channels on quantized data, and what stands behind it.
std::string conv(const std::string& codes, const std::string& grid, const std::string& behind,
                 const std::string& inputs = "%xq, %wd")
{
    return R"(graph "g" ir 8 opset "" 13
input %x: f32[1x1x1x2]
const %w: )" +
           grid.substr(0, grid.find('(')) + "[2x1x1x1] codes " + grid + " = " + codes + R"(
%xq: f32[1x1x1x2] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0)}
%wd: f32[2x1x1x1] on )" +
           grid + " = crease.Dequantize(%w) \"w\"\n" + behind.substr(0, behind.find("%c:")) +
           "%c: f32[1x2x1x2] = Conv(" + inputs + ") \"conv\"\n" + behind.substr(behind.find("%c:") + 4) + "output %y\n";
}

std::string norm(const std::string& gamma, const std::string& beta, const std::string& mean, const std::string& var)
{
    return "const %g: f32[2] = " + gamma + "\nconst %b: f32[2] = " + beta + "\nconst %m: f32[2] = " + mean +
           "\nconst %v: f32[2] = " + var +
           "\n%c:\n%y: f32[1x2x1x2] = BatchNormalization(%c, %g, %b, %m, %v) {epsilon = 1.0} \"bn\"\n";
}

const Node& linearOf(const Stage& stage, const char* name = "conv")
{
    return stage.after.node(stage.after.findNode(name));
}

const Value& codesOf(const Stage& stage, const Node& linear)
{
    return stage.after.value(stage.after.node(stage.after.producer(linear.input(1))).input(0));
}

std::vector<double> evaluateAt(const Graph& graph, const std::vector<float>& x)
{
    const Value& input = graph.value(graph.inputs()[0]);
    return test::evaluate(graph, {Tensor::of<float>(*knownDims(*input.shape), x)});
}

} // namespace

class TestFoldBatchNorm : public QObject {
    Q_OBJECT

private slots:
    void normGoesIntoScalesAndBias();
    void negativeAndZeroGamma();
    void unsignedCodesAreMirrored();
    void perTensorStaysPerTensorForOneFactor();
    void styleB_data();
    void styleB();
    void zeroDivisorOfZeroGamma();
    void subAndNegFlipSigns();
    void matMulAdd();
    void gemmForms_data();
    void gemmForms();
    void biasBehindDequantizer();
    void convTransposeWithEqualFactorsOverGroups();
    void convTransposeSignsPerGroup();
    void worksWithoutQuantizerBehind();
    void behindMovement_data();
    void behindMovement();
    void negative_constantAlongAnotherAxis();
    void siteNamesRolesAndProvenance();
    void negative_convTransposeFactorsPerGroup();
    void negative_sharedOutput();
    void negative_graphOutput();
    void negative_notPerChannel();
    void negative_badVariance();
    void negative_divisionByZero();
    void negative_normOfMatMulOnOtherAxis();
    void negative_weightScalesOnInputAxis();
    void negative_floatData();
    void negative_floatWeight();
    void negative_normWithoutLinearOp();
    void secondRunChangesNothing();
};

void TestFoldBatchNorm::normGoesIntoScalesAndBias()
{
    const std::string text = conv("[100, 100]", "s8(0.5, 0)", norm("[2, 4]", "[1, 2]", "[0.5, 0.25]", "[3, 8]"));
    const Stage stage = test::runPasses(text, {run});
    const Node& folded = linearOf(stage);
    QVERIFY((codesOf(stage, folded).codes->scales == std::vector<double>{0.5, 0.5 * 4.0 / 3.0}));
    QCOMPARE(codesOf(stage, folded).codes->axis.value(), 0);
    const std::vector<double> bias = folded.doublesAttribute("bias");
    QCOMPARE(bias[0], 1.0 - 0.5);
    QCOMPARE(bias[1], 2.0 - 4.0 / 3.0 * 0.25);
    QCOMPARE(stage.after.nodeCount(), std::size_t{3});
    QCOMPARE(QString::fromStdString(stage.after.value(folded.output()).name), QString("y"));
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestFoldBatchNorm::negativeAndZeroGamma()
{
    const std::string text =
        conv("[-128, 100]", "s8([0.25, 0.5], [0, 0], axis 0)", norm("[-3, 0]", "[1, 2]", "[0.5, 0.25]", "[3, 8]"));
    const Stage stage = test::runPasses(text, {run});
    const Value& codes = codesOf(stage, linearOf(stage));
    QVERIFY((codes.constant.toInts() == std::vector<std::int64_t>{128, 0}));
    QCOMPARE(codes.type, ElementType::Int16);
    QCOMPARE(codes.codes->qmax, std::int64_t{128});
    QVERIFY((codes.codes->scales == std::vector<double>{0.375, 0.5}));
    QVERIFY((linearOf(stage).doublesAttribute("bias") == std::vector<double>{1.75, 2.0}));
    QCOMPARE(test::diagnosticIds(stage), QString("weight-widened"));
    SAME_NUMBERS(test::graphOf(text), stage.after);
    const Stage fits = test::runPasses(
        conv("[-127, 100]", "s8([0.25, 0.5], [0, 0], axis 0)", norm("[-3, 0]", "[1, 2]", "[0.5, 0.25]", "[3, 8]")),
        {run});
    QCOMPARE(codesOf(fits, linearOf(fits)).type, ElementType::Int8);
    QVERIFY(fits.diagnostics.empty());
}

void TestFoldBatchNorm::unsignedCodesAreMirrored()
{
    const std::string text = conv("[200, 10]", "u8(0.5, 128)", norm("[-2, 2]", "[0, 0]", "[0, 0]", "[3, 3]"));
    const Stage stage = test::runPasses(text, {run});
    const Value& codes = codesOf(stage, linearOf(stage));
    QVERIFY((codes.constant.toInts() == std::vector<std::int64_t>{55, 10}));
    QVERIFY((codes.codes->zeroPoints == std::vector<std::int64_t>{127, 128}));
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestFoldBatchNorm::perTensorStaysPerTensorForOneFactor()
{
    const std::string text =
        conv("[100, -100]", "s8(0.5, 0)", "const %k: f32[1x2x1x1] = [3, 3]\n%c:\n%y: f32[1x2x1x2] = Mul(%k, %c)\n");
    const Stage stage = test::runPasses(text, {run});
    QVERIFY(codesOf(stage, linearOf(stage)).codes->isPerTensor());
    QCOMPARE(codesOf(stage, linearOf(stage)).codes->scale(), 1.5);
    QVERIFY(linearOf(stage).attribute("bias") == nullptr);
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestFoldBatchNorm::styleB_data()
{
    QTest::addColumn<QString>("behind");
    QTest::addColumn<double>("bias");
    const QString head = "const %f: f32[1x2x1x1] = [-0.75, -0.75]\nconst %o: f32[1x2x1x1] = [0.2, 0.2]\n"
                         "const %g: f32[2] = [-1.5, -1.5]\nconst %b: f32[2] = [0.25, 0.25]\n"
                         "const %m: f32[2] = [0.5, 0.5]\nconst %v: f32[2] = [3, 3]\n%c:\n";
    const QString tail = "%y: f32[1x2x1x2] = BatchNormalization(%n, %g, %b, %m, %v) {epsilon = 1.0}\n";
    QTest::newRow("bias") << head + "%d: f32[1x2x1x2] = Div(%c, %f)\n%n: f32[1x2x1x2] = Add(%d, %o)\n" + tail << 0.475;
    QTest::newRow("no bias") << head + "%n: f32[1x2x1x2] = Div(%c, %f)\n" + tail << 0.625;
    QTest::newRow("commuted") << head + "%d: f32[1x2x1x2] = Div(%c, %f)\n%n: f32[1x2x1x2] = Add(%o, %d)\n" + tail
                              << 0.475;
}

void TestFoldBatchNorm::styleB()
{
    QFETCH(QString, behind);
    QFETCH(double, bias);
    const std::string text = conv("[100, -100]", "s8(0.5, 0)", behind.toStdString());
    const Stage stage = test::runPasses(text, {run});
    QCOMPARE(stage.after.nodeCount(), std::size_t{3});
    QVERIFY(std::abs(linearOf(stage).doublesAttribute("bias")[0] - bias) < 1e-7);
    QCOMPARE(codesOf(stage, linearOf(stage)).codes->scale(), 0.5);
    QVERIFY((codesOf(stage, linearOf(stage)).constant.toInts() == std::vector<std::int64_t>{100, -100}));
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestFoldBatchNorm::zeroDivisorOfZeroGamma()
{
    const std::string text =
        conv("[0, 100]", "s8(0.5, 0)",
             "const %f: f32[1x2x1x1] = [0, 1]\nconst %g: f32[2] = [0, 2]\nconst %b: f32[2] = [0.25, 0.5]\n"
             "const %m: f32[2] = [0.5, 0]\nconst %v: f32[2] = [3, 3]\n%c:\n%d: f32[1x2x1x2] = Div(%c, %f)\n"
             "%y: f32[1x2x1x2] = BatchNormalization(%d, %g, %b, %m, %v) {epsilon = 1.0}\n");
    const Stage stage = test::runPasses(text, {run});
    QVERIFY((evaluateAt(stage.after, {1.0F, 2.0F}) == std::vector<double>{0.25, 0.25, 50.5, 100.5}));
    QCOMPARE(test::diagnosticIds(stage), QString("zero-divisor"));
}

void TestFoldBatchNorm::subAndNegFlipSigns()
{
    const std::string text =
        conv("[100, -100]", "s8(0.5, 0)",
             "const %k: f32[2x1x1] = [1, 2]\n%c:\n%s: f32[1x2x1x2] = Sub(%k, %c)\n%n: f32[1x2x1x2] = Neg(%s)\n"
             "%y: f32[1x2x1x2] = Sub(%n, %k)\n");
    const Stage stage = test::runPasses(text, {run});
    QCOMPARE(stage.after.nodeCount(), std::size_t{3});
    QVERIFY((linearOf(stage).doublesAttribute("bias") == std::vector<double>{-2.0, -4.0}));
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestFoldBatchNorm::matMulAdd()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[?x3x2]
const %w: s8[2x3] codes s8([0.5, 0.25, 1], [0, 0, 0], axis 1) = [1, 2, 3, 4, 5, 6]
const %b: f32[3] = [1, 2, 3]
%xq: f32[?x3x2] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0)}
%wd: f32[2x3] on s8([0.5, 0.25, 1], [0, 0, 0], axis 1) = crease.Dequantize(%w)
%c: f32[?x3x3] = MatMul(%xq, %wd) "conv"
%y: f32[?x3x3] = Add(%b, %c)
output %y
)";
    const Stage stage = test::runPasses(text, {run});
    QCOMPARE(stage.after.nodeCount(), std::size_t{3});
    QVERIFY((linearOf(stage).doublesAttribute("bias") == std::vector<double>{1.0, 2.0, 3.0}));
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestFoldBatchNorm::gemmForms_data()
{
    QTest::addColumn<QString>("c");
    QTest::addColumn<QString>("attributes");
    QTest::addColumn<QList<double>>("right");
    const QList<double> plain{6.0, 7.5, 7.25};
    QTest::newRow("row") << "f32[1x3] = [1, 2, 3]" << "transB = 1" << plain;
    QTest::newRow("vector") << "f32[3] = [1, 2, 3]" << "transB = 1" << plain;
    QTest::newRow("scalar") << "f32[] = [1]" << "transB = 1" << QList<double>{6.0, 6.5, 5.25};
    QTest::newRow("one") << "f32[1] = [2]" << "transB = 1" << QList<double>{7.0, 7.5, 6.25};
    QTest::newRow("alpha 2") << "f32[3] = [1, 2, 3]" << "transB = 1, alpha = 2.0" << QList<double>{11.0, 13.0, 11.5};
    QTest::newRow("beta half") << "f32[3] = [1, 2, 3]" << "transB = 1, beta = 0.5" << QList<double>{5.5, 6.5, 5.75};
    QTest::newRow("both") << "f32[3] = [1, 2, 3]" << "transB = 1, alpha = 2.0, beta = 0.5"
                          << QList<double>{10.5, 12.0, 10.0};
    QTest::newRow("alpha 0") << "f32[3] = [1, 2, 3]" << "transB = 1, alpha = 0.0" << QList<double>{1.0, 2.0, 3.0};
    QTest::newRow("beta 0") << "f32[3] = [1, 2, 3]" << "transB = 1, beta = 0.0" << QList<double>{5.0, 5.5, 4.25};
    QTest::newRow("negative alpha") << "f32[3] = [1, 2, 3]" << "transB = 1, alpha = -1.0"
                                    << QList<double>{-4.0, -3.5, -1.25};
}

void TestFoldBatchNorm::gemmForms()
{
    QFETCH(QString, c);
    QFETCH(QString, attributes);
    QFETCH(QList<double>, right);
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[3x2] codes s8([1, 0.5, 0.25], [0, 0, 0], axis 0) = [1, 2, 3, 4, 5, 6]
const %b: )" + c.toStdString() +
                             R"(
%xq: f32[1x2] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0)}
%wd: f32[3x2] on s8([1, 0.5, 0.25], [0, 0, 0], axis 0) = crease.Dequantize(%w)
%y: f32[1x3] = Gemm(%xq, %wd, %b) {)" +
                             attributes.toStdString() + R"(} "conv"
output %y
)";
    const Stage stage = test::runPasses(text, {run});
    const Node& folded = linearOf(stage);
    QCOMPARE(folded.inputs.size(), std::size_t{2});
    QVERIFY(folded.attribute("alpha") == nullptr && folded.attribute("beta") == nullptr);
    const std::vector<double> y = evaluateAt(stage.after, {1.0F, 2.0F});
    QCOMPARE(QList<double>(y.begin(), y.end()), right);
}

void TestFoldBatchNorm::biasBehindDequantizer()
{
    const std::string text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x1x1x1]
const %w: s8[1x1x1x1] codes s8(0.25, 0) = [2]
const %b: s32[1] codes s32(0.01, 10) = [110]
%xq: f32[1x1x1x1] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0)}
%wd: f32[1x1x1x1] on s8(0.25, 0) = crease.Dequantize(%w)
%bd: f32[1] on s32(0.01, 10) = crease.Dequantize(%b) "bias"
%y: f32[1x1x1x1] = Conv(%xq, %wd, %bd) "conv"
output %y
)";
    const Stage stage = test::runPasses(text, {run});
    QCOMPARE(stage.after.nodeCount(), std::size_t{3});
    QCOMPARE(linearOf(stage).doublesAttribute("bias")[0], 1.0);
    QCOMPARE(evaluateAt(stage.after, {2.0F})[0], 2.0);
}

namespace {

/// ConvTranspose 2 -> 4 channels in two groups, and a Mul behind it.
std::string transposed(const std::string& factors)
{
    return R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2x1x1]
const %w: s8[2x2x1x1] codes s8([0.5, 0.25], [0, 0], axis 1) = [1, 2, 3, 4]
const %f: f32[1x4x1x1] = )" +
           factors + R"(
%xq: f32[1x2x1x1] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0)}
%wd: f32[2x2x1x1] on s8([0.5, 0.25], [0, 0], axis 1) = crease.Dequantize(%w)
%c: f32[1x4x1x1] = ConvTranspose(%xq, %wd) {group = 2} "conv"
%y: f32[1x4x1x1] = Mul(%c, %f)
output %y
)";
}

} // namespace

void TestFoldBatchNorm::convTransposeWithEqualFactorsOverGroups()
{
    const Stage stage = test::runPasses(transposed("[2, 3, 2, 3]"), {run});
    QCOMPARE(stage.after.nodeCount(), std::size_t{3});
    QVERIFY((codesOf(stage, linearOf(stage)).codes->scales == std::vector<double>{1.0, 0.75}));
    QCOMPARE(codesOf(stage, linearOf(stage)).codes->axis.value(), 1);
    SAME_NUMBERS(test::graphOf(transposed("[2, 3, 2, 3]")), stage.after);
}

void TestFoldBatchNorm::convTransposeSignsPerGroup()
{
    const Stage stage = test::runPasses(transposed("[2, -3, -2, 0]"), {run});
    QCOMPARE(stage.after.nodeCount(), std::size_t{3});
    QVERIFY((codesOf(stage, linearOf(stage)).constant.toInts() == std::vector<std::int64_t>{1, -2, -3, 0}));
    SAME_NUMBERS(test::graphOf(transposed("[2, -3, -2, 0]")), stage.after);
}

void TestFoldBatchNorm::negative_convTransposeFactorsPerGroup()
{
    const Stage stage = test::runPasses(transposed("[2, 3, 2, 4]"), {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("factor-per-group"));
    QVERIFY(QString::fromStdString(stage.missed[0].miss.text).contains("channels 1 and 3"));
}

void TestFoldBatchNorm::worksWithoutQuantizerBehind()
{
    const std::string text =
        conv("[100, 50]", "s8(0.5, 0)",
             norm("[2, 4]", "[1, 2]", "[0.5, 0.25]", "[3, 8]") + "%z: f32[1x2x1x2] = Add(%y, %y)\n");
    const Stage stage = test::runPasses(text, {run});
    QCOMPARE(stage.rewrites.size(), std::size_t{1});
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestFoldBatchNorm::behindMovement_data()
{
    QTest::addColumn<QString>("behind");
    QTest::addColumn<QString>("shape");
    QTest::newRow("reshape of unknown batch") << "const %n: s64[3] = [-1, 2, 3]\nconst %b: f32[3] = [1, 2, 3]\n"
                                                 "%r: f32[?x2x3] = Reshape(%c, %n)\n%y: f32[?x2x3] = Add(%r, %b)\n"
                                              << "?x2x3";
    QTest::newRow("transpose") << "const %b: f32[3x1] = [1, 2, 3]\n%r: f32[3x?] = Transpose(%c)\n"
                                  "%y: f32[3x?] = Mul(%b, %r)\n"
                               << "3x?";
    QTest::newRow("unsqueeze, transpose")
        << "const %a: s64[1] = [0]\nconst %b: f32[1x3x1] = [1, 2, 3]\n%u: f32[1x?x3] = Unsqueeze(%c, %a)\n"
           "%r: f32[1x3x?] = Transpose(%u) {perm = [0, 2, 1]}\n%y: f32[1x3x?] = Sub(%r, %b)\n"
        << "1x3x?";
    QTest::newRow("scalar") << "const %b: f32[1x1] = [2]\n%r: f32[3x?] = Transpose(%c)\n"
                               "%y: f32[3x?] = Div(%r, %b)\n"
                            << "3x?";
}

namespace {

std::string matMulThen(const std::string& behind)
{
    return R"(graph "g" ir 8 opset "" 13
input %x: f32[?x2]
const %w: s8[2x3] codes s8(0.5, 0) = [1, 2, 3, 4, 5, 6]
)" + behind.substr(0, behind.find("%c") == std::string::npos ? 0 : behind.find("\n%") + 1) +
           R"(%xq: f32[?x2] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0)}
%wd: f32[2x3] on s8(0.5, 0) = crease.Dequantize(%w)
%c: f32[?x3] = MatMul(%xq, %wd) "conv"
)" + behind.substr(behind.find("\n%") + 1) +
           "output %y\n";
}

} // namespace

void TestFoldBatchNorm::behindMovement()
{
    QFETCH(QString, behind);
    const std::string text = matMulThen(behind.toStdString());
    const Stage stage = test::runPasses(text, {run});
    QVERIFY(stage.missed.empty());
    for (const NodeId id : stage.after.order()) {
        const std::string& op = stage.after.node(id).op;
        QVERIFY2(op != "Add" && op != "Mul" && op != "Sub" && op != "Div", op.c_str());
    }
    SAME_NUMBERS(test::graphOf(text), stage.after);
}

void TestFoldBatchNorm::negative_constantAlongAnotherAxis()
{
    const Stage stage = test::runPasses(matMulThen("const %b: f32[6] = [1, 2, 3, 4, 5, 6]\nconst %n: s64[2] = [-1, 6]\n"
                                                   "%r: f32[?x6] = Reshape(%c, %n)\n%y: f32[?x6] = Add(%r, %b)\n"),
                                        {run});
    QVERIFY(stage.rewrites.empty());
    const Stage raised = test::runPasses(
        matMulThen("const %b: f32[1x1x1] = [2]\n%r: f32[3x?] = Transpose(%c)\n%y: f32[1x3x?] = Div(%r, %b)\n"), {run});
    QVERIFY(raised.rewrites.empty());
    const Stage transposed = test::runPasses(
        matMulThen("const %b: f32[2] = [1, 2]\n%r: f32[3x2] = Transpose(%c)\n%y: f32[3x2] = Add(%r, %b)\n"), {run});
    QVERIFY(transposed.rewrites.empty());
    QCOMPARE(test::missIds(transposed), QString("not-per-channel"));
}

void TestFoldBatchNorm::siteNamesRolesAndProvenance()
{
    const std::string text = conv("[100, 100]", "s8(0.5, 0)", norm("[2, 4]", "[1, 2]", "[0.5, 0.25]", "[3, 8]"));
    const Stage stage = test::runPasses(text, {run});
    QCOMPARE(QString::fromStdString(stage.rewrites[0].site), QString("fold-batch-norm/affine@c"));
    QStringList roles;
    const Graph before = test::graphOf(text);
    for (const Role& role : stage.rewrites[0].roles) {
        roles << QString::fromStdString(before.node(role.node).name + "=" + role.name);
    }
    QCOMPARE(roles.join(" "), QString("conv=linear w=weight bn=norm"));
    DriverOptions off;
    off.switchedOff = {"fold-batch-norm/affine@c"};
    const Stage kept = test::runPasses(text, {run}, off);
    QCOMPARE(kept.after.nodeCount(), std::size_t{4});
    QVERIFY(!kept.rewrites[0].on);
}

void TestFoldBatchNorm::negative_sharedOutput()
{
    const std::string text =
        conv("[100, 100]", "s8(0.5, 0)",
             norm("[2, 4]", "[1, 2]", "[0.5, 0.25]", "[3, 8]") + "%z: f32[1x2x1x2] = Relu(%c)\noutput %z\n");
    const Stage stage = test::runPasses(text, {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("shared-output"));
    QVERIFY(QString::fromStdString(stage.missed[0].miss.text).contains("'c' has 2 readers"));
}

void TestFoldBatchNorm::negative_graphOutput()
{
    const Stage stage = test::runPasses(
        conv("[100, 100]", "s8(0.5, 0)", norm("[2, 4]", "[1, 2]", "[0.5, 0.25]", "[3, 8]") + "output %c\n"), {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("shared-output"));
}

void TestFoldBatchNorm::negative_notPerChannel()
{
    const Stage stage = test::runPasses(
        conv("[100, 100]", "s8(0.5, 0)", "const %k: f32[2] = [3, 3]\n%c:\n%y: f32[1x2x1x2] = Mul(%c, %k) \"mul\"\n"),
        {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("not-per-channel"));
}

void TestFoldBatchNorm::negative_badVariance()
{
    const Stage stage =
        test::runPasses(conv("[100, 100]", "s8(0.5, 0)", norm("[2, 4]", "[1, 2]", "[0.5, 0.25]", "[3, -1]")), {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("bad-variance"));
    QVERIFY(QString::fromStdString(stage.missed[0].miss.text).contains("channel 1"));
}

void TestFoldBatchNorm::negative_divisionByZero()
{
    const Stage stage = test::runPasses(
        conv("[100, 100]", "s8(0.5, 0)", "const %k: f32[1x2x1x1] = [1, 0]\n%c:\n%y: f32[1x2x1x2] = Div(%c, %k)\n"),
        {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("division-by-zero"));
}

void TestFoldBatchNorm::negative_normOfMatMulOnOtherAxis()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x3x2]
const %w: s8[2x3] codes s8(0.5, 0) = [1, 2, 3, 4, 5, 6]
const %g: f32[3] = [1, 2, 3]
%xq: f32[1x3x2] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0)}
%wd: f32[2x3] on s8(0.5, 0) = crease.Dequantize(%w)
%c: f32[1x3x3] = MatMul(%xq, %wd)
%y: f32[1x3x3] = BatchNormalization(%c, %g, %g, %g, %g)
output %y
)",
                                        {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("norm-axis"));
}

void TestFoldBatchNorm::negative_weightScalesOnInputAxis()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8([0.5, 0.25], [0, 0], axis 0) = [1, 2, 3, 4]
const %k: f32[2] = [2, 3]
%xq: f32[1x2] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0)}
%wd: f32[2x2] on s8([0.5, 0.25], [0, 0], axis 0) = crease.Dequantize(%w)
%c: f32[1x2] = MatMul(%xq, %wd)
%y: f32[1x2] = Mul(%c, %k)
output %y
)",
                                        {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("weight-axis"));
}

void TestFoldBatchNorm::negative_floatData()
{
    const Stage stage = test::runPasses(
        conv("[100, 100]", "s8(0.5, 0)", norm("[2, 4]", "[1, 2]", "[0.5, 0.25]", "[3, 8]"), "%x, %wd"), {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("float-data"));
}

void TestFoldBatchNorm::negative_floatWeight()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x1x1x1]
const %w: f32[1x1x1x1] = [2]
const %g: f32[1] = [1]
%xq: f32[1x1x1x1] on s8(0.5, 0) = crease.FakeQuant(%x) {grid = s8(0.5, 0)}
%c: f32[1x1x1x1] = Conv(%xq, %w) "conv"
%y: f32[1x1x1x1] = BatchNormalization(%c, %g, %g, %g, %g)
output %y
)",
                                        {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("float-weight"));
}

void TestFoldBatchNorm::negative_normWithoutLinearOp()
{
    const Stage stage = test::runPasses(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x1x1x1]
const %g: f32[1] = [1]
%r: f32[1x1x1x1] = Relu(%x) "relu"
%y: f32[1x1x1x1] = BatchNormalization(%r, %g, %g, %g, %g)
output %y
)",
                                        {run});
    QVERIFY(stage.rewrites.empty());
    QCOMPARE(test::missIds(stage), QString("no-linear-op"));
    QVERIFY(QString::fromStdString(stage.missed[0].miss.text).contains("Relu"));
}

void TestFoldBatchNorm::secondRunChangesNothing()
{
    const Stage stage = test::runPasses(
        conv("[100, 100]", "s8(0.5, 0)", norm("[2, 4]", "[1, 2]", "[0.5, 0.25]", "[3, 8]")), {run, run});
    QVERIFY(stage.rewrites.empty());
    QVERIFY(stage.missed.empty());
}

QTEST_GUILESS_MAIN(TestFoldBatchNorm)
#include "tst_fold_batch_norm.moc"
