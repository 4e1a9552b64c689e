// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"

#include <functional>
#include <optional>
#include <vector>

namespace crease {

/// What the integer epilogue of a linear op (a Requantize, or a linear op fused with one) can move a value by, in steps
/// of its output grid. One entry, or one a channel of `axis`.
struct Epilogue {
    std::vector<double> biasError; // of the rounding of the bias to codes of the accumulator; 0 where it is exact
    std::vector<double> biasSteps; // |bias|
    std::optional<int> axis;
    NodeId node;
};

/// The exact bias that a node had before it was rounded, in real units; empty where it is not known.
using ExactBias = std::function<std::vector<double>(NodeId)>;

/// Of the node that makes `value`, also behind a Clamp or a Dequantize; nothing where there is none. A bias that is
/// further from the exact one than half a code is no rounding, and explains nothing. Where the exact bias is not known,
/// half a code is taken if `halfWhereUnknown`.
std::optional<Epilogue> epilogueOf(const Graph& graph, ValueId value, const ExactBias& exactBias,
                                   bool halfWhereUnknown);

} // namespace crease
