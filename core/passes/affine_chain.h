// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/rule.h"

#include <optional>
#include <string>
#include <vector>

namespace crease {

/// One op behind a linear op that multiplies and shifts each output channel by constants: y = factor * x + shift, or
/// y = x / divisor.
struct AffineLink {
    NodeId node;
    std::vector<double> factors;
    std::vector<double> shifts;
    bool divides = false; // factors are divisors
    bool isNorm = false;
};

/// The links behind a linear op, up to the first reader that is none, and what they amount to.
struct AffineChain {
    std::vector<AffineLink> links;
    std::vector<double> factors;           // one a channel: of the linear op's result without its bias
    std::optional<Miss> stopped;           // why a link that looks right was not taken
    std::vector<std::string> deadChannels; // a channel that is divided by 0 and multiplied by 0

    /// Composes the links, in double: factors, and `bias` (that of the linear op) becomes that behind the last link. A
    /// miss where a channel is divided by zero and not multiplied by zero later.
    std::optional<Miss> resolve(std::vector<double>& bias);
};

/// `alpha`: what the linear op itself multiplies its product by.
AffineChain affineChain(const Graph& graph, NodeId linear, std::size_t channels, double alpha);

} // namespace crease
