// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/exec/node_test_suite.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>

using namespace crease::test;

namespace {

void report(const SuiteReport& suite)
{
    for (const std::string& failure : suite.failures) {
        qWarning("%s", failure.c_str());
    }
    qInfo("%s", suite.text().c_str());
}

/// onnx 1.17 (Debian 13) ships these with results that onnx corrected later: QLinearMatMul and Cast to 4 bits wrapped
/// where they saturate, and an average counted the overhang. The generated tests hold the corrected ones of these
/// names.
void setCorrectedAside(SuiteReport& suite)
{
    // With what comes out here and what that data expects: any other failure of theirs stays one.
    static const std::array<std::pair<std::string, std::string>, 9> corrected{
        {{"test_averagepool_3d_dilations_large_count_include_pad_is_1_ceil_mode_is_True",
          "0.10582701861858368 instead of 0.08466159552335739"},
         {"test_cast_FLOAT16_to_INT4", "7 instead of -8"},
         {"test_cast_FLOAT16_to_UINT4", "7 instead of 0"},
         {"test_cast_FLOAT_to_INT4", "7 instead of -8"},
         {"test_cast_FLOAT_to_UINT4", "7 instead of 0"},
         {"test_qlinearmatmul_2D_int8_float16", "-128 instead of 20"},
         {"test_qlinearmatmul_2D_int8_float32", "-128 instead of 20"},
         {"test_qlinearmatmul_3D_int8_float16", "-128 instead of 116"},
         {"test_qlinearmatmul_3D_int8_float32", "-128 instead of 117"}}};
    std::erase_if(suite.failures, [&](const std::string& failure) {
        const auto known = std::ranges::find_if(corrected, [&](const auto& entry) {
            return failure.starts_with(entry.first + " ") &&
                   failure.find(": " + entry.second + " at ") != std::string::npos;
        });
        if (known != corrected.end()) {
            suite.notClaimed["results that a later onnx corrected"].push_back(known->first);
        }
        return known != corrected.end();
    });
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
        SuiteReport suite = runNodeTests(folder);
        setCorrectedAside(suite);
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
