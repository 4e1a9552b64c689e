// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/layout/layered.h"

#include "ui/layout/row_order.h"

#include <algorithm>
#include <limits>

namespace crease::layout {

namespace {

/// Vertices that stand exactly above each other, and where they may stand: right of some columns, left of others.
struct Column {
    float x = 0;
    bool trunk = false;
    std::vector<Index> members;
    std::vector<Index> links;
};

class Columns {
public:
    Columns(const Rows& rows, const Metrics& metrics) : m_rows(rows), m_metrics(metrics)
    {
        align();
        collect();
        sortLeftToRight();
    }

    void place()
    {
        for (Index c : m_sorted)
            m_columns[c].x = lowest(c, 0);
        constexpr int kSweeps = 5;
        for (int sweep = 0; sweep < kSweeps; ++sweep) {
            for (auto it = m_sorted.rbegin(); it != m_sorted.rend(); ++it)
                settle(*it);
            for (Index c : m_sorted)
                settle(c);
        }
    }

    float x(Index vertex) const { return m_columns[m_column[vertex]].x + m_shift[vertex]; }

    float trunkX() const
    {
        for (const Column& c : m_columns) {
            if (c.trunk)
                return c.x;
        }
        return m_columns.empty() ? 0 : m_columns.front().x;
    }

private:
    void align()
    {
        std::vector<Index> byPriority;
        for (Index l = 0; l < m_rows.links.size(); ++l) {
            if (m_rows.links[l].priority > 0)
                byPriority.push_back(l);
        }
        std::ranges::stable_sort(byPriority, std::greater(), [&](Index l) { return m_rows.links[l].priority; });
        m_above.assign(m_rows.vertices.size(), kNone);
        m_below.assign(m_rows.vertices.size(), kNone);
        m_aligned.assign(m_rows.links.size(), false);
        std::vector<std::vector<Index>> taken(m_rows.order.size());
        for (Index l : byPriority) {
            const Link& link = m_rows.links[l];
            if (m_below[link.upper] != kNone || m_above[link.lower] != kNone)
                continue;
            auto& rivals = taken[static_cast<std::size_t>(m_rows.vertices[link.upper].row)];
            const bool crosses = std::ranges::any_of(rivals, [&](Index other) {
                const Link& o = m_rows.links[other];
                return (m_rows.position[o.upper] < m_rows.position[link.upper]) !=
                       (m_rows.position[o.lower] < m_rows.position[link.lower]);
            });
            if (crosses)
                continue;
            rivals.push_back(l);
            m_below[link.upper] = l;
            m_above[link.lower] = l;
            m_aligned[l] = true;
        }
    }

    void collect()
    {
        m_column.assign(m_rows.vertices.size(), kNone);
        m_shift.assign(m_rows.vertices.size(), 0);
        for (Index v = 0; v < m_rows.vertices.size(); ++v) {
            if (m_above[v] != kNone)
                continue;
            const Index c = static_cast<Index>(m_columns.size());
            Column column;
            float shift = 0;
            for (Index at = v;;) {
                m_column[at] = c;
                m_shift[at] = shift;
                column.members.push_back(at);
                const Index l = m_below[at];
                if (l == kNone)
                    break;
                const Link& link = m_rows.links[l];
                column.trunk = column.trunk || link.priority == kTrunk;
                // The trunk's boxes stand exactly below each other, whichever port it takes.
                if (link.priority < kTrunk)
                    shift += link.upperOffset - link.lowerOffset;
                at = link.lower;
            }
            m_columns.push_back(std::move(column));
        }
        for (Index l = 0; l < m_rows.links.size(); ++l) {
            if (m_aligned[l])
                continue;
            const Index a = m_column[m_rows.links[l].upper];
            const Index b = m_column[m_rows.links[l].lower];
            if (a == b)
                continue;
            m_columns[a].links.push_back(l);
            m_columns[b].links.push_back(l);
        }
    }

    void sortLeftToRight()
    {
        std::vector<Index> waiting(m_columns.size(), 0);
        for (const auto& line : m_rows.order) {
            for (std::size_t i = 1; i < line.size(); ++i)
                ++waiting[m_column[line[i]]];
        }
        for (Index c = 0; c < m_columns.size(); ++c) {
            if (waiting[c] == 0)
                m_sorted.push_back(c);
        }
        for (std::size_t head = 0; head < m_sorted.size(); ++head) {
            for (Index v : m_columns[m_sorted[head]].members) {
                const Index right = neighbour(v, 1);
                if (right != kNone && --waiting[m_column[right]] == 0)
                    m_sorted.push_back(m_column[right]);
            }
        }
    }

    Index neighbour(Index v, int step) const
    {
        const auto& line = m_rows.order[static_cast<std::size_t>(m_rows.vertices[v].row)];
        const std::size_t at = m_rows.position[v];
        if ((step < 0 && at == 0) || (step > 0 && at + 1 == line.size()))
            return kNone;
        return line[step < 0 ? at - 1 : at + 1];
    }

    float distance(Index left, Index right) const
    {
        const Vertex& a = m_rows.vertices[left];
        const Vertex& b = m_rows.vertices[right];
        const double gap = a.dummy && b.dummy ? 0 : a.dummy || b.dummy ? m_metrics.laneGap : m_metrics.columnGap;
        return a.right + b.left + static_cast<float>(gap);
    }

    float lowest(Index c, float floor) const
    {
        float least = floor;
        for (Index v : m_columns[c].members) {
            const Index left = neighbour(v, -1);
            if (left != kNone)
                least = std::max(least, x(left) + distance(left, v) - m_shift[v]);
        }
        return least;
    }

    float highest(Index c) const
    {
        float most = std::numeric_limits<float>::max();
        for (Index v : m_columns[c].members) {
            const Index right = neighbour(v, 1);
            if (right != kNone)
                most = std::min(most, x(right) - distance(v, right) - m_shift[v]);
        }
        return most;
    }

    void settle(Index c)
    {
        Column& column = m_columns[c];
        if (column.trunk || column.links.empty())
            return;
        m_wanted.clear();
        for (Index l : column.links) {
            const Link& link = m_rows.links[l];
            const bool isUpper = m_column[link.upper] == c;
            const float own = isUpper ? m_shift[link.upper] + link.upperOffset : m_shift[link.lower] + link.lowerOffset;
            const float other = isUpper ? x(link.lower) + link.lowerOffset : x(link.upper) + link.upperOffset;
            m_wanted.push_back(other - own);
        }
        std::ranges::sort(m_wanted);
        const std::size_t half = m_wanted.size() / 2;
        const float wanted = m_wanted.size() % 2 == 1 ? m_wanted[half] : (m_wanted[half - 1] + m_wanted[half]) / 2;
        const float most = highest(c);
        const float least = lowest(c, std::numeric_limits<float>::lowest());
        column.x = std::max(least, std::min(most, wanted));
    }

    const Rows& m_rows;
    const Metrics& m_metrics;
    std::vector<Column> m_columns;
    std::vector<Index> m_column, m_above, m_below, m_sorted;
    std::vector<float> m_shift, m_wanted;
    std::vector<bool> m_aligned;
};

} // namespace

SegmentPlacement placeLayered(const SegmentGraph& segment, const Metrics& metrics)
{
    SegmentPlacement placement;
    placement.rowCount = segment.rows;
    Rows rows(segment, metrics);
    orderRows(rows);
    Columns columns(rows, metrics);
    columns.place();
    const float trunk = columns.trunkX();
    for (Index n = 0; n < segment.nodes.size(); ++n) {
        placement.rows.push_back(segment.nodes[n].row);
        placement.xs.push_back(columns.x(n) - trunk);
    }
    return placement;
}

} // namespace crease::layout
