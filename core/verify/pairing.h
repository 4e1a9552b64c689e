// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/trace.h"

#include <optional>
#include <string>
#include <vector>

namespace crease {

/// A value of the graph after and the value of the graph before that it stands for.
struct Pair {
    enum class Kind {
        Steps,    // as codes of `grid`
        Reals,    // float: relative to the range
        Integers, // indices, booleans: equal or not
    };
    ValueId before;
    ValueId after;
    Kind kind = Kind::Steps;
    Grid grid{};
    bool output = false;   // of the graph
    bool constant = false; // the same for every sample
};

/// What can be compared between two graphs: every value on a grid that has a counterpart, and the outputs by place.
struct Pairing {
    std::vector<Pair> pairs; // at most one for a value of the graph after
    std::vector<std::string> unpairedOutputs;
};

/// Of stage `stage` (1-based, as Trace::graph) against the stage before.
Pairing pairStage(const Trace& trace, std::size_t stage);
/// Of the final graph against the original, along the relations of all stages.
Pairing pairWhole(const Trace& trace);

} // namespace crease
