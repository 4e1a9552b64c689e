// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"

#include <string>
#include <vector>

namespace crease {

/// How a source model writes its quantization (formats.md §1 to §6), and how often.
struct DialectSummary {
    std::vector<std::string> names; // QDQ, QCDQ, integer weights, per channel, QONNX, QOperator, dynamic ...; "float"
                                    // alone where there is none
    std::size_t quantizers =
        0; // Q nodes, fake-quant nodes, and constants that are stored as integers behind a DequantizeLinear
};

/// A quantizer of a dialect that is not read here (formats.md §3 to §6).
bool isForeignQuantizer(const Node& node);

DialectSummary summarizeDialects(const Graph& graph);

} // namespace crease
