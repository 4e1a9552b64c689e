// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/layout/segment_cache.h"

namespace crease::layout {

PlacementPtr SegmentCache::find(const std::string& key)
{
    const std::scoped_lock lock(m_mutex);
    const auto known = m_placements.find(key);
    if (known == m_placements.end()) {
        ++m_misses;
        return nullptr;
    }
    ++m_hits;
    return known->second;
}

void SegmentCache::insert(const std::string& key, PlacementPtr placement)
{
    const std::scoped_lock lock(m_mutex);
    if (m_placements.size() >= m_limit)
        m_placements.clear();
    m_placements[key] = std::move(placement);
}

std::size_t SegmentCache::hits() const
{
    const std::scoped_lock lock(m_mutex);
    return m_hits;
}

std::size_t SegmentCache::misses() const
{
    const std::scoped_lock lock(m_mutex);
    return m_misses;
}

} // namespace crease::layout
