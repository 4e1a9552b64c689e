// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QProcess>
#include <QTest>

namespace {

QString python()
{
    return qEnvironmentVariable("CREASE_PYTHON", "python3");
}

int statusOf(const QStringList& arguments, QByteArray* output = nullptr)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(python(), arguments);
    const bool ended = process.waitForFinished(280000) && process.exitStatus() == QProcess::NormalExit;
    if (output != nullptr) {
        *output = process.readAll();
    }
    return ended ? process.exitCode() : -1;
}

} // namespace

/// One evaluation takes at most five times what ONNX Runtime with optimization disabled takes, on one thread each.
class TestEvaluatorSpeed : public QObject {
    Q_OBJECT

private slots:
    void mobilenet()
    {
        const QString models = qEnvironmentVariable("CREASE_MODELS", CREASE_SOURCE_DIR "/../shared/models");
        const QString model = models + "/qat-mobilenetv4s-torch.onnx";
        if (!QFile::exists(model)) {
            QSKIP("no models (CREASE_MODELS)");
        }
        if (statusOf({"-c", "import numpy, onnxruntime"}) != 0) {
            QSKIP("no Python with onnxruntime and numpy (CREASE_PYTHON)");
        }
        QByteArray output;
        const int status =
            statusOf({"-B", CREASE_SOURCE_DIR "/scripts/bench_ratio.py", "--build", CREASE_BUILD_DIR, model}, &output);
        qInfo("%s", output.constData());
        QVERIFY2(status == 0, output.constData());
        QVERIFY(output.contains("qat-mobilenetv4s-torch.onnx | "));
    }
};

QTEST_APPLESS_MAIN(TestEvaluatorSpeed)
#include "tst_evaluator_speed.moc"
