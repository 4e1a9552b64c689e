// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/layout/graph.h"

namespace crease::layout {

/// Edges by box, as one flat list a direction.
struct Adjacency {
    std::vector<Index> outStart, outEdge, inStart, inEdge;

    explicit Adjacency(const Graph& graph);
    struct Range {
        const Index* first;
        const Index* last;
        const Index* begin() const { return first; }
        const Index* end() const { return last; }
        std::size_t size() const { return static_cast<std::size_t>(last - first); }
    };
    Range out(Index box) const { return {outEdge.data() + outStart[box], outEdge.data() + outStart[box + 1]}; }
    Range in(Index box) const { return {inEdge.data() + inStart[box], inEdge.data() + inStart[box + 1]}; }
};

/// Rank of every box (0 is the top) and the edges that are not drawn through the picture.
struct Ranking {
    std::vector<int> rank;
    std::vector<Index> order;
    /// By edge: spans too many ranks, belongs to a tensor read too often, or closes a cycle.
    std::vector<bool> stub;
    int count = 0;
};

/// Longest path from the sources, then boxes move down where that does not lengthen the tensors around them.
Ranking rankBoxes(const Graph& graph, const Adjacency& adjacency, const Metrics& metrics);

/// The tensor of an edge; edges without one get a number of their own.
std::uint64_t tensorKey(const Graph& graph, Index edge);

} // namespace crease::layout
