// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/trace.h"

#include <string>
#include <vector>

namespace crease {

enum class QuantizerRole { Activation, Weight, Bias };

/// What became of one quantizer of the source. `name`: the name of its output in the source.
struct QuantizerReport {
    std::string name;
    QuantizerRole role = QuantizerRole::Activation;
    bool folded = false;
    std::string site;     // where folded
    std::string reasonId; // where kept
    std::string reasonText;
    std::string reasonNode;
};

/// Connected float nodes that remain between integer parts, with the reason.
struct Island {
    std::vector<std::string> nodes; // names in the final graph
    std::string reasonId;
    std::string reason;
};

struct FoldReport {
    std::vector<QuantizerReport> quantizers;
    std::vector<Island> islands;
    std::size_t linearOps = 0;                                   // Conv, ConvTranspose, Gemm, MatMul of the source
    std::size_t quantizedLinearOps = 0;                          // of them: data and weight behind quantizers
    std::size_t integerLinearOps = 0;                            // of them: integer at the end
    std::int64_t macsBefore = 0, macsInteger = 0, macsFloat = 0; // per sample, where shapes are known
};

FoldReport makeReport(const Trace& trace);

} // namespace crease
