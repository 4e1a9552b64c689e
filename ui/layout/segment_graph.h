// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/layout/ranks.h"

#include <string>

namespace crease::layout {

enum class SegmentNodeKind : std::uint8_t { Box, Chip, Entry, Exit };

struct SegmentNode {
    SegmentNodeKind kind = SegmentNodeKind::Box;
    int row = 0;
    float width = 0;
    float height = 0;
    float padLeft = 0;
    float padRight = 0;
};

struct SegmentEdge {
    Index from = kNone;
    Index to = kNone;
    float fromOffset = 0;
    float toOffset = 0;
    Port port = Port::Main;
    bool trunk = false;
};

/// One slice of the graph between two cuts, with rows counted from 0 (the row of its entries) to rows - 1 (its exits).
struct SegmentGraph {
    std::vector<SegmentNode> nodes;
    std::vector<SegmentEdge> edges;
    int rows = 0;
    /// In the whole graph: the box of each node (the target for a chip) and the tensor of each entry and exit.
    std::vector<Index> box;
    std::vector<std::uint64_t> tensor;
    /// In the whole graph: the edge of each segment edge, kNone for those to exits and from chips.
    std::vector<Index> edge;

    /// Equal for segments of equal structure and sizes, wherever they stand.
    std::string key() const;
};

/// What an engine answers: the row and the x of every node, the trunk at 0.
struct SegmentPlacement {
    std::vector<int> rows;
    std::vector<float> xs;
    int rowCount = 0;
};

/// How often the edges cross when each is drawn as one straight line: the same measure for every engine.
std::size_t straightCrossings(const SegmentGraph& segment, const SegmentPlacement& placement);

/// Ranks [first, last] of one slice.
struct Slice {
    int first = 0;
    int last = 0;
};

/// Cuts after ranks that one tensor alone leaves, preferably where it branches; at the narrowest rank where none comes.
std::vector<Slice> cutRanks(const Graph& graph, const Adjacency& adjacency, const Ranking& ranking);

/// Builds every slice. Where the longest path enters a box by its second operand, that edge takes the centre.
std::vector<SegmentGraph> buildSegments(Graph& graph, const Adjacency& adjacency, const Ranking& ranking,
                                        const std::vector<Slice>& slices, const Metrics& metrics);

/// Most chips that stand at one end of a box; the last one speaks for the rest.
inline constexpr std::size_t kMaxChips = 3;

} // namespace crease::layout
