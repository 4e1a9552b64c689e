// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"

#include <string>
#include <vector>

namespace crease {

/// What an edit did to a graph: both graphs share ids (the second came from a copy of the first).
struct GraphDiff {
    std::vector<NodeId> added;   // in the graph after
    std::vector<NodeId> removed; // in the graph before
    std::vector<NodeId> changed; // in both: op, attributes, or the number of inputs or outputs differ
    std::vector<NodeId> rewired; // in both: only what it reads or makes differs
    std::vector<ValueId> valuesAdded;
    std::vector<ValueId> valuesRemoved;
    std::vector<ValueId> valuesChanged; // type, shape, grid or contents; a new name alone does not count

    bool empty() const
    {
        return added.empty() && removed.empty() && changed.empty() && rewired.empty() && valuesAdded.empty() &&
               valuesRemoved.empty() && valuesChanged.empty();
    }
};

/// Linear in the size of the graphs.
GraphDiff diffGraphs(const Graph& before, const Graph& after);

/// Lines of the text form in the order of the graphs: "- " removed, "+ " added, "~ " changed (old line, then new line).
std::string diffText(const Graph& before, const Graph& after);

} // namespace crease
