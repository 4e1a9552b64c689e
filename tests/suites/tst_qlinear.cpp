// SPDX-License-Identifier: GPL-3.0-or-later
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
    const bool ended = process.waitForFinished(240000) && process.exitStatus() == QProcess::NormalExit;
    if (output != nullptr) {
        *output = process.readAll();
    }
    return ended ? process.exitCode() : -1;
}

} // namespace

/// The integer operators of ONNX and com.microsoft give ONNX Runtime's own results, bit by bit.
class TestQLinear : public QObject {
    Q_OBJECT

private slots:
    void equalsOnnxRuntime()
    {
        if (statusOf({"-c", "import numpy, onnx, onnxruntime"}) != 0) {
            QSKIP("no Python with onnx, onnxruntime and numpy (CREASE_PYTHON)");
        }
        QByteArray output;
        const int status = statusOf({"-B", CREASE_JUDGE, CREASE_CLI}, &output);
        QVERIFY2(status == 0, output.constData());
        QVERIFY(output.count(" differ\n") >= 50);
    }
};

QTEST_APPLESS_MAIN(TestQLinear)
#include "tst_qlinear.moc"
