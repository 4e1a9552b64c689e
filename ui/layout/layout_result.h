// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/layout/graph.h"

#include <memory>
#include <string>
#include <vector>

namespace crease::layout {

enum class PathShape : std::uint8_t {
    /// Each piece between two points is vertical at both ends: a straight line, or a cubic.
    Flow,
    /// Straight pieces with rounded corners.
    Orthogonal,
    /// Nothing is drawn between the boxes: the edge has stub chips at its ends.
    Stub,
};

struct EdgePath {
    PathShape shape = PathShape::Flow;
    std::vector<Point> points;
    friend bool operator==(const EdgePath&, const EdgePath&) = default;
};

/// A labelled end of a long edge. It stands at `at` (centre of the chip) and leads to the other end of `edges`.
struct StubChip {
    Index box = kNone;
    bool atSource = false;
    std::vector<Index> edges;
    Rect rect;
    /// Where the line from the chip meets the box.
    Point anchor;
    friend bool operator==(const StubChip&, const StubChip&) = default;
};

/// A slice of the drawing between two cuts.
struct Segment {
    double top = 0;
    double bottom = 0;
    friend bool operator==(const Segment&, const Segment&) = default;
};

/// Positions of everything, in scene coordinates (y down). Immutable once it is handed out.
struct LayoutResult {
    std::vector<Box> boxes;
    std::vector<Edge> edges;
    std::vector<Point> centres;
    std::vector<int> ranks;
    std::vector<EdgePath> paths;
    std::vector<StubChip> chips;
    std::vector<Segment> segments;
    Rect bounds;

    Rect rect(Index box) const
    {
        const Point& c = centres[box];
        const Box& b = boxes[box];
        return {c.x - b.width / 2, c.y - b.height / 2, c.x + b.width / 2, c.y + b.height / 2};
    }
};

using LayoutPtr = std::shared_ptr<const LayoutResult>;

} // namespace crease::layout
