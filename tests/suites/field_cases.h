// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace crease::test {

/// A small model from a public report, and what it must give, as real numbers or codes.
struct FieldCase {
    std::string name;
    std::string text;
    std::vector<std::vector<double>> inputs;
    std::vector<double> right;
    int integerLinear = -1; // linear ops that must be integer; -1: not asked
};

// Pieces of the text form.
/// %in quantized and dequantized as %out.
std::string pair(const std::string& in, const std::string& out, const std::string& scale, int zeroPoint,
                 const std::string& type, const std::string& shape);
/// Constant codes dequantized as %out; `scales` like "[1, 0.5]" or "0.5".
std::string weight(const std::string& out, const std::string& type, const std::string& shape, const std::string& codes,
                   const std::string& scales, const std::string& axis = {}, const std::string& zeroPoints = {});
std::string head(int opset = 13);

std::vector<FieldCase> biasCases();      // cases.md A
std::vector<FieldCase> affineCases();    // B, C
std::vector<FieldCase> patternCases();   // E
std::vector<FieldCase> parameterCases(); // F
std::vector<FieldCase> dialectCases();   // B, D, E, G

} // namespace crease::test
