// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/verify/element_walk.h"

#include <map>

namespace crease {

/// What the integer epilogues of linear ops (a Requantize, or a linear op fused with one) can move a value by: for each
/// element, in steps of the grid.
struct EpilogueError {
    std::vector<double> rounding{};  // of the bias to codes of the accumulator, signed; 0 where it is exact
    std::vector<double> magnitude{}; // |bias|
    bool signKnown = true;           // else the rounding may as well be of the other sign
};

/// The exact bias that a node had before it was rounded, in real units; empty where it is not known.
using ExactBias = std::function<std::vector<double>(NodeId)>;

/// The epilogues that a value comes from, also through movement, clamps and Dequantize. A bias that is further from the
/// exact one than half a code is no rounding, and explains nothing. Where the exact bias is not known, half a code is
/// taken if `halfWhereUnknown`.
class Epilogues {
public:
    /// Nothing where the value comes from none.
    static std::optional<Epilogues> of(const Graph& graph, ValueId value, const ExactBias& exactBias,
                                       bool halfWhereUnknown);

    /// Values of a run that errors() needs (constants aside).
    const std::vector<ValueId>& needs() const { return m_needs; }
    /// Whether elements are moved between there and the value; else any tensor of the value's shape serves errors().
    bool moves() const { return m_moves; }
    Result<EpilogueError> errors(const Graph& graph, const TensorOf& tensorOf, const Job& job) const;

private:
    struct Channels {
        std::vector<double> rounding;
        std::vector<double> magnitude;
        std::optional<int> axis;
        bool signKnown = true;
    };
    static std::optional<Channels> channelsOf(const Graph& graph, NodeId id, const ExactBias& exactBias,
                                              bool halfWhereUnknown);

    ValueId m_value;
    std::vector<ValueId> m_needs;
    bool m_signKnown = true;
    bool m_moves = false;
    std::map<ValueId, Channels> m_channels; // by the output of the rounding node
};

} // namespace crease
