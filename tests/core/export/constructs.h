// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace crease::test {

/// A final graph with one construct of the integer form, and what its file may do.
struct Construct {
    std::string name;
    std::string text;
    std::string qoperator;     // ops of the QOperator file, sorted, joined by a space
    double offByOne = 0.0;     // share of codes that ONNX Runtime's kernel may get off by one
    bool exactTies = false;    // the target's option
    double qdqOffByOne = 0.02; // the same for the QDQ file: float32 sums and scales
};

std::vector<Construct> constructs();

} // namespace crease::test
