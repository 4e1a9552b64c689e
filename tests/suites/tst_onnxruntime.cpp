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

/// ONNX Runtime, with optimization disabled, is the judge.
class TestOnnxRuntime : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (statusOf({"-c", "import numpy, onnx, onnxruntime"}) != 0) {
            QSKIP("no Python with onnx, onnxruntime and numpy (CREASE_PYTHON)");
        }
    }

    /// The integer operators of ONNX and com.microsoft give its own results, bit by bit.
    void integerOperators()
    {
        QByteArray output;
        const int status = statusOf({"-B", CREASE_JUDGE, CREASE_CLI}, &output);
        QVERIFY2(status == 0, output.constData());
        QVERIFY(output.count(" differ\n") >= 50);
    }

    /// Written files load and give their sources' results, whatever the network.
    void foldedNetworks()
    {
        QByteArray output;
        const QString count = qEnvironmentVariable("CREASE_RANDOM_NETWORKS", "40");
        const int status = statusOf({"-B", CREASE_FOLD_JUDGE, CREASE_CLI, count}, &output);
        QVERIFY2(status == 0, output.constData());
        QVERIFY(output.count(": agrees\n") >= 100);
    }
};

QTEST_APPLESS_MAIN(TestOnnxRuntime)
#include "tst_onnxruntime.moc"
