// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/importer.h"
#include "core/passes/pipeline.h"
#include "core/samples/samples.h"
#include "core/verify/verify.h"
#include "tests/support/graph_text.h"

#include <QDir>

#include <cstdlib>

using namespace crease;

namespace {

struct Model {
    const char* file;
    const char* samples; // a file beside it; empty: random ones
};

constexpr const char* digits = "digits_test.npz";
constexpr const char* digitsLast = "digits_test_nhwc.npz";

constexpr Model shared[] = {
    {"qat/a1_resnet_bn_ts13.onnx", digits},
    {"qat/a1_resnet_bn_dynamo18.onnx", digits},
    {"qat/a1_resnet_bn_u7_ts17dyn.onnx", digits},
    {"qat/a2_resnet_convbn_ts13.onnx", digits},
    {"qat/a2_resnet_convbn_ts13nofold.onnx", digits},
    {"qat/a2_eager_plain_dynamo18.onnx", digits},
    {"qat/a3_mobilenet_u8_dynamo18.onnx", digits},
    {"qat/a3_mobilenet_u8_ts17dyn.onnx", digits},
    {"qat/a4_transformer_ts17dyn.onnx", digits},
    {"qat/a5_mlp_ts13.onnx", digits},
    {"qat/a6_unet_dynamo18.onnx", "digits_unet_test.npz"},
    {"qat/b_brevitas_resnet_w8_qcdq_ts13.onnx", digits},
    {"qat/b_brevitas_mobile_w4_qcdq_ts17dyn.onnx", digits},
    {"qat/b_brevitas_resnet_w8_qonnx_ts13.onnx", digits},
    {"qat/c_ort_qdq_u8s8_pc.onnx", digits},
    {"qat/c_ort_qdq_s8s8_pc_sym.onnx", digits},
    {"qat/d_modelopt_resnet_ts13.onnx", digits},
    {"qat/d_torchao_pt2e_x86_resnet_dynamo18.onnx", digits},
    {"qat/t1_stock_op17.onnx", digitsLast},
    {"qat/t1_noopt_op13.onnx", digitsLast},
    {"qat/t1n_wq_op13.onnx", digitsLast},
    {"qat/t2_wq_op17.onnx", digitsLast},
    {"qat/t2_fromtflite_i8io_op17.onnx", ""},
    {"qat/t3_wq_op13.onnx", digitsLast},
    {"kws-qdq-ort.onnx", ""},
    {"kws-qdq-perchannel.onnx", ""},
    {"cnn-qcdq-brevitas.onnx", ""},
    {"mlp-qdq-identity-chains.onnx", ""},
    {"qdq-reshape-transpose.onnx", ""},
    {"qdq-multi-consumer-q-axis.onnx", ""},
    {"qdq-convtranspose-s8.onnx", ""},
};

constexpr Model own[] = {
    {"mlp.onnx", "digits.npz"},
    {"residual_cnn.onnx", "digits.npz"},
    {"separable_cnn.onnx", "digits.npz"},
    {"transformer.onnx", "digits.npz"},
};

bool onlyExactRules(const Stage& stage)
{
    return std::ranges::all_of(stage.rewrites, [](const Rewrite& r) { return r.fidelity == Fidelity::X; });
}

struct Certified {
    Trace trace;
    Verification verification;
};

Certified certified(const QString& file, const QString& samplesFile)
{
    Job job;
    job.threads = 2;
    const auto model = importModel(file.toStdString(), {}, job);
    if (!model) {
        qFatal("%s", describe(model.error()).c_str());
    }
    const auto target = findTarget("onnxruntime-qoperator");
    auto trace = runPipeline(model->graph, {}, *target, job);
    const auto samples = samplesFile.isEmpty() ? randomSamples(model->graph, 16, 1, {})
                                               : readSamples(samplesFile.toStdString(), model->graph, {}, job);
    if (!trace || !samples) {
        qFatal("%s", describe(trace ? samples.error() : trace.error()).c_str());
    }
    auto verification = verifyTrace(*trace, *samples, {}, job);
    if (!verification) {
        qFatal("%s", describe(verification.error()).c_str());
    }
    return {std::move(*trace), std::move(*verification)};
}

} // namespace

class TestCertificates : public QObject {
    Q_OBJECT

private slots:
    /// What folding.md §0 promises of every fold: exact rules differ nowhere, what differs in the end is off by one and
    /// attributed, and no network loses more than an image.
    void models_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("samples");
        const QString ownFolder = QStringLiteral(CREASE_SOURCE_DIR "/samples/");
        for (const Model& model : own) {
            QTest::newRow(model.file) << ownFolder + model.file << ownFolder + model.samples;
        }
        const QDir folder(qEnvironmentVariable("CREASE_MODELS", CREASE_SOURCE_DIR "/../shared/models"));
        for (const Model& model : shared) {
            const QString samples =
                QString(model.samples).isEmpty() ? QString() : folder.filePath("qat/") + model.samples;
            QTest::newRow(model.file) << folder.filePath(model.file) << samples;
        }
    }

    void models()
    {
        QFETCH(QString, file);
        QFETCH(QString, samples);
        if (!QFile::exists(file)) {
            QSKIP("the model is not there (CREASE_MODELS)");
        }
        const auto [trace, result] = certified(file, samples);
        for (std::size_t i = 0; i < trace.stages.size(); ++i) {
            const Certificate& certificate = result.stages[i];
            const std::string what = trace.stages[i].pass + ": " + certificate.note;
            QVERIFY2(certificate.verdict != Verdict::Failed && certificate.verdict != Verdict::NotChecked,
                     what.c_str());
            QVERIFY2(certificate.counts.maxSteps <= 1 && certificate.counts.unexplained == 0, what.c_str());
            if (onlyExactRules(trace.stages[i])) {
                QVERIFY2(certificate.verdict == Verdict::Exact, what.c_str());
            }
            for (const Certificate& site : result.sites[i]) {
                QVERIFY2(site.verdict != Verdict::Failed && site.verdict != Verdict::NotChecked, site.note.c_str());
            }
        }
        const Certificate& whole = result.whole;
        QVERIFY2(whole.verdict != Verdict::Failed && whole.verdict != Verdict::NotChecked, whole.note.c_str());
        QVERIFY(whole.tensors > 0);
        QVERIFY(whole.counts.compared() > 0);
        QCOMPARE(whole.counts.unexplained, 0);
        QVERIFY(whole.counts.maxSteps <= 1);
        QCOMPARE(whole.counts.ties + whole.counts.noise + whole.counts.bias, whole.counts.offBy[1]);
        QCOMPARE(result.accuracy.has_value(), !samples.isEmpty());
        if (result.accuracy) {
            const std::int64_t anImage = result.accuracy->count / 500;
            QVERIFY(std::abs(result.accuracy->correctAfter - result.accuracy->correctBefore) <= anImage);
        }
    }

    /// folding.md §2.4, measured there by other means: 1,405 of the codes differ once the bias is int32, 0 before.
    void the_figures_of_a_residual_network()
    {
        const QDir folder(qEnvironmentVariable("CREASE_MODELS", CREASE_SOURCE_DIR "/../shared/models"));
        const QString file = folder.filePath("qat/a1_resnet_bn_ts13.onnx");
        if (!QFile::exists(file)) {
            QSKIP("the model is not there (CREASE_MODELS)");
        }
        const auto [trace, result] = certified(file, folder.filePath("qat/digits_test.npz"));
        const auto& counts = result.whole.counts;
        QVERIFY2(qAbs(counts.offBy[1] - 1405) <= 2, std::to_string(counts.offBy[1]).c_str());
        QVERIFY(counts.bias >= counts.offBy[1] - 2);
        QCOMPARE(result.accuracy->correctBefore, 496);
    }
};

QTEST_APPLESS_MAIN(TestCertificates)
#include "tst_certificates.moc"
