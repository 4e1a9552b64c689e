// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

namespace crease::test {

/// What became of the node tests of one folder (one sub-folder a test: model.onnx and test_data_set_N).
struct SuiteReport {
    int found = 0;
    int passed = 0;
    int shapesInferred = 0;                                     // outputs whose whole shape follows from the inputs
    int outputs = 0;                                            // outputs of the tests that ran
    std::vector<std::string> failures;                          // "name: why"
    std::map<std::string, std::vector<std::string>> notClaimed; // reason -> names

    int ran() const { return passed + static_cast<int>(failures.size()); }
    std::string text() const;
};

SuiteReport runNodeTests(const std::string& folder);

} // namespace crease::test
