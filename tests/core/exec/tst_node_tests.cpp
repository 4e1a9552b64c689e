// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/exec/node_test_suite.h"

#include <QTest>
#include <filesystem>

using namespace crease::test;

namespace {

void report(const SuiteReport& suite)
{
    for (const std::string& failure : suite.failures) {
        qWarning("%s", failure.c_str());
    }
    qInfo("%s", suite.text().c_str());
}

} // namespace

/// ONNX's own node tests: every one that falls under a claim of the op table passes, in the file's types and in
/// float64, and shape inference agrees with what comes out.
class TestNodeTests : public QObject {
    Q_OBJECT

private slots:
    void debianPackage()
    {
        const std::string folder = "/usr/share/libonnx-testdata/data/node";
        if (!std::filesystem::exists(folder)) {
            QSKIP("libonnx-testdata is not installed");
        }
        const SuiteReport suite = runNodeTests(folder);
        report(suite);
        QVERIFY(suite.failures.empty());
        QVERIFY2(suite.ran() >= 735, "fewer tests ran than the op table claims");
    }

    void generated()
    {
        const QByteArray folder = qgetenv("CREASE_NODE_TESTS");
        if (folder.isEmpty() || !std::filesystem::exists(folder.toStdString())) {
            QSKIP("CREASE_NODE_TESTS names no folder made by scripts/generate_node_tests.py");
        }
        const SuiteReport suite = runNodeTests(folder.toStdString());
        report(suite);
        QVERIFY(suite.failures.empty());
        QVERIFY2(suite.ran() >= 1500, "fewer tests ran than the op table claims");
    }
};

QTEST_GUILESS_MAIN(TestNodeTests)
#include "tst_node_tests.moc"
