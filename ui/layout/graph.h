// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

/// Boxes and edges in, positions out. Plain C++: no widget, no core type.
namespace crease::layout {

using Index = std::uint32_t;
inline constexpr Index kNone = 0xffffffffu;

struct Point {
    double x = 0;
    double y = 0;
    friend bool operator==(const Point&, const Point&) = default;
};

struct Rect {
    double left = 0;
    double top = 0;
    double right = 0;
    double bottom = 0;

    double width() const { return right - left; }
    double height() const { return bottom - top; }
    bool intersects(const Rect& other) const
    {
        return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
    Rect grown(double by) const { return {left - by, top - by, right + by, bottom + by}; }
    friend bool operator==(const Rect&, const Rect&) = default;
};

struct Box {
    std::uint64_t id = 0;
    double width = 136;
    double height = 34;
    /// Room kept free beside the box, for what is drawn there (a weight badge, stub chips).
    double padLeft = 0;
    double padRight = 0;
    /// Width of a stub chip that names this box.
    double chipWidth = 96;
    /// The data of the graph flows in here; what no such box leads to is a constant and stands above its reader.
    bool isInput = false;
    friend bool operator==(const Box&, const Box&) = default;
};

/// Where an edge enters its box: the main operand at the centre, a weight left of it, a second operand right of it.
enum class Port : std::uint8_t { Main, Weight, Operand };

struct Edge {
    Index from = kNone;
    Index to = kNone;
    Port port = Port::Main;
    /// Offset of the start from the centre of the source, for a source with several outputs.
    double fromOffset = 0;
    /// Offset of the end from the centre of the target.
    double toOffset = 0;
    /// Edges of one tensor share its id; it is unique in the graph, 0 stands for "its own".
    std::uint64_t tensor = 0;
    /// The two boxes may stand closer together (Quantize and Dequantize of one pair).
    bool tight = false;
    /// Ranks between the two boxes at least; 2 leaves a place for a box that a later stage puts in.
    int minSpan = 1;
    friend bool operator==(const Edge&, const Edge&) = default;
};

struct Graph {
    std::vector<Box> boxes;
    std::vector<Edge> edges;
};

struct Metrics {
    double rankGap = 30;
    double tightGap = 10;
    /// Between tight rows where another edge bends.
    double bendGap = 16;
    double columnGap = 16;
    double laneGap = 10;
    double chipHeight = 16;
    int longEdge = 20;
    int fanOut = 6;
    double operandOffset = 52;
};

} // namespace crease::layout
