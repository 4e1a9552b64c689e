// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/layout/segment_graph.h"

#include <memory>
#include <mutex>
#include <unordered_map>

namespace crease::layout {

using PlacementPtr = std::shared_ptr<const SegmentPlacement>;

/// Placements of segments that were laid out before, by structure and sizes. Shared by every layout of a document and
/// safe to use from several threads.
class SegmentCache {
public:
    explicit SegmentCache(std::size_t limit = 4096) : m_limit(limit) {}

    PlacementPtr find(const std::string& key);
    void insert(const std::string& key, PlacementPtr placement);
    std::size_t hits() const;
    std::size_t misses() const;

private:
    mutable std::mutex m_mutex;
    std::unordered_map<std::string, PlacementPtr> m_placements;
    std::size_t m_limit;
    std::size_t m_hits = 0;
    std::size_t m_misses = 0;
};

} // namespace crease::layout
