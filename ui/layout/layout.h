// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/layout/layout_result.h"
#include "ui/layout/segment_cache.h"

#include <span>
#include <stop_token>

namespace crease::layout {

class WorkerPool;

struct Options {
    Metrics metrics;
    /// Remembers segments between layouts; may be null.
    SegmentCache* cache = nullptr;
    /// Tries dot for those segments in which the own engine leaves crossings and takes its layout where that has fewer;
    /// may be null. Where dot fails or takes too long the own layout stands.
    WorkerPool* workers = nullptr;
    /// Lays all segments out with dot.
    bool dotAlways = false;
    std::stop_token stop;
};

/// Lays a graph out from nothing: ranks, stubs, cuts, segments, stacking, edges. Null when it was stopped.
LayoutPtr layoutGraph(Graph graph, const Options& options = {});

/// For one box of the next graph: the boxes of the previous one that it came from (by id).
struct Origin {
    std::uint64_t box = 0;
    std::vector<std::uint64_t> ancestors;
    /// The ancestor whose place it takes if that is free; a box that was there before moves for it. 0: the first
    /// ancestor, and a box that was there before stays.
    std::uint64_t heir = 0;
};

/// Lays out the next stage on top of the previous one. A box whose id was there before keeps its place to the bit, and
/// an edge between such boxes its path unless a new box stands on it. A new box stands where its ancestors stood, the
/// further ones of the same ancestors beside them in free space. Nothing overlaps.
LayoutPtr layoutNextStage(const LayoutResult& previous, Graph graph, std::span<const Origin> origins,
                          const Options& options = {});

} // namespace crease::layout
