// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/layout/rect_index.h"

#include <algorithm>
#include <cmath>

namespace crease::layout {

namespace {

std::uint64_t cellKey(std::int64_t column, std::int64_t row)
{
    return (static_cast<std::uint64_t>(column) << 32) ^ (static_cast<std::uint64_t>(row) & 0xffffffffu);
}

} // namespace

template <class Visit>
bool RectIndex::visit(const Rect& area, Visit&& visit) const
{
    const auto first = [&](double x) { return static_cast<std::int64_t>(std::floor(x / m_cell)); };
    for (std::int64_t row = first(area.top); row <= first(area.bottom); ++row) {
        for (std::int64_t column = first(area.left); column <= first(area.right); ++column) {
            const auto cell = m_cells.find(cellKey(column, row));
            if (cell == m_cells.end())
                continue;
            for (Index id : cell->second) {
                if (m_rects.at(id).intersects(area) && !visit(id))
                    return false;
            }
        }
    }
    return true;
}

void RectIndex::insert(Index id, const Rect& rect)
{
    m_rects[id] = rect;
    const auto cell = [&](double x) { return static_cast<std::int64_t>(std::floor(x / m_cell)); };
    for (std::int64_t row = cell(rect.top); row <= cell(rect.bottom); ++row) {
        for (std::int64_t column = cell(rect.left); column <= cell(rect.right); ++column)
            m_cells[cellKey(column, row)].push_back(id);
    }
}

void RectIndex::remove(Index id)
{
    const auto known = m_rects.find(id);
    if (known == m_rects.end())
        return;
    const Rect rect = known->second;
    const auto cell = [&](double x) { return static_cast<std::int64_t>(std::floor(x / m_cell)); };
    for (std::int64_t row = cell(rect.top); row <= cell(rect.bottom); ++row) {
        for (std::int64_t column = cell(rect.left); column <= cell(rect.right); ++column)
            std::erase(m_cells[cellKey(column, row)], id);
    }
    m_rects.erase(known);
}

std::vector<Index> RectIndex::find(const Rect& area) const
{
    std::vector<Index> found;
    visit(area, [&](Index id) {
        found.push_back(id);
        return true;
    });
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
}

bool RectIndex::isFree(const Rect& area) const
{
    return visit(area, [](Index) { return false; });
}

} // namespace crease::layout
