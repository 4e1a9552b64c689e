// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/layout/segment_graph.h"

namespace crease::layout {

/// A segment whose long edges are split by dummy vertices, one a row.
struct Vertex {
    Index node = kNone;
    int row = 0;
    float left = 0;
    float right = 0;
    bool dummy = false;
};

inline constexpr int kTrunk = 4;

struct Link {
    Index upper = kNone;
    Index lower = kNone;
    float upperOffset = 0;
    float lowerOffset = 0;
    /// Which links become straight first: trunk, inside of long edges, main operands, second operands; 0 never.
    int priority = 0;
};

struct Rows {
    std::vector<Vertex> vertices;
    std::vector<Link> links;
    std::vector<std::vector<Index>> order;
    std::vector<Index> position;

    Rows(const SegmentGraph& segment, const Metrics& metrics);
};

/// Reorders the rows so that few links cross (medians up and down, then neighbours exchanged).
void orderRows(Rows& rows);

} // namespace crease::layout
