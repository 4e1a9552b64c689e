// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/layout/graph.h"

#include <unordered_map>

namespace crease::layout {

/// A grid of square cells that knows which rectangles lie where.
class RectIndex {
public:
    explicit RectIndex(double cell = 256) : m_cell(cell) {}

    void insert(Index id, const Rect& rect);
    void remove(Index id);
    bool contains(Index id) const { return m_rects.contains(id); }
    /// The ids of what touches `area`, each once, in ascending order.
    std::vector<Index> find(const Rect& area) const;
    bool isFree(const Rect& area) const;
    std::size_t size() const { return m_rects.size(); }

private:
    template <class Visit>
    bool visit(const Rect& area, Visit&& visit) const;

    double m_cell;
    std::unordered_map<std::uint64_t, std::vector<Index>> m_cells;
    std::unordered_map<Index, Rect> m_rects;
};

} // namespace crease::layout
