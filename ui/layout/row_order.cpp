// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/layout/row_order.h"

#include <algorithm>

namespace crease::layout {

Rows::Rows(const SegmentGraph& segment, const Metrics& metrics)
{
    const float lane = static_cast<float>(metrics.laneGap / 2);
    vertices.reserve(segment.nodes.size() * 2);
    for (Index n = 0; n < segment.nodes.size(); ++n) {
        const SegmentNode& node = segment.nodes[n];
        const bool port = node.kind == SegmentNodeKind::Entry || node.kind == SegmentNodeKind::Exit;
        const float half = port ? lane : node.width / 2;
        vertices.push_back({n, node.row, half + node.padLeft, half + node.padRight, port});
    }
    for (const SegmentEdge& e : segment.edges) {
        const int base = e.trunk ? kTrunk : e.port == Port::Main ? 2 : e.port == Port::Operand ? 1 : 0;
        Index upper = e.from;
        float offset = e.fromOffset;
        for (int row = segment.nodes[e.from].row + 1; row < segment.nodes[e.to].row; ++row) {
            const Index dummy = static_cast<Index>(vertices.size());
            vertices.push_back({kNone, row, lane, lane, true});
            links.push_back({upper, dummy, offset, 0, upper == e.from ? std::max(base, 1) : std::max(base, 3)});
            upper = dummy;
            offset = 0;
        }
        links.push_back({upper, e.to, offset, e.toOffset, base});
    }
    order.resize(static_cast<std::size_t>(segment.rows));
    position.resize(vertices.size());
    for (Index v = 0; v < vertices.size(); ++v) {
        auto& row = order[static_cast<std::size_t>(vertices[v].row)];
        position[v] = static_cast<Index>(row.size());
        row.push_back(v);
    }
}

namespace {

float fraction(float offset)
{
    return std::clamp(offset / 140.0f, -0.45f, 0.45f);
}

struct LinkLists {
    std::vector<std::vector<Index>> up, down;

    explicit LinkLists(const Rows& rows) : up(rows.vertices.size()), down(rows.vertices.size())
    {
        for (Index l = 0; l < rows.links.size(); ++l) {
            down[rows.links[l].upper].push_back(l);
            up[rows.links[l].lower].push_back(l);
        }
    }
};

/// Crossings of the links between one row and the next.
std::size_t crossingsBelow(const Rows& rows, const LinkLists& lists, std::size_t row)
{
    std::vector<std::pair<float, float>> ends;
    for (Index v : rows.order[row]) {
        for (Index l : lists.down[v]) {
            const Link& link = rows.links[l];
            ends.emplace_back(static_cast<float>(rows.position[v]) + fraction(link.upperOffset),
                              static_cast<float>(rows.position[link.lower]) + fraction(link.lowerOffset));
        }
    }
    std::ranges::sort(ends);
    std::vector<float> seen;
    std::size_t count = 0;
    for (const auto& [upper, lower] : ends) {
        const auto at = std::ranges::upper_bound(seen, lower);
        count += static_cast<std::size_t>(seen.end() - at);
        seen.insert(at, lower);
    }
    return count;
}

std::size_t allCrossings(const Rows& rows, const LinkLists& lists)
{
    std::size_t count = 0;
    for (std::size_t row = 0; row + 1 < rows.order.size(); ++row)
        count += crossingsBelow(rows, lists, row);
    return count;
}

float median(std::vector<float>& values)
{
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void sweepRow(Rows& rows, const LinkLists& lists, std::size_t row, bool downwards)
{
    std::vector<Index>& line = rows.order[row];
    std::vector<std::pair<float, Index>> keyed;
    std::vector<float> values;
    for (Index v : line) {
        values.clear();
        for (Index l : downwards ? lists.up[v] : lists.down[v]) {
            const Link& link = rows.links[l];
            const Index other = downwards ? link.upper : link.lower;
            const float offset = downwards ? link.upperOffset : link.lowerOffset;
            const float own = downwards ? link.lowerOffset : link.upperOffset;
            values.push_back(static_cast<float>(rows.position[other]) + fraction(offset) - 0.1f * fraction(own));
        }
        keyed.emplace_back(values.empty() ? static_cast<float>(rows.position[v]) : median(values), v);
    }
    std::ranges::stable_sort(keyed, {}, &std::pair<float, Index>::first);
    for (Index i = 0; i < keyed.size(); ++i) {
        line[i] = keyed[i].second;
        rows.position[line[i]] = i;
    }
}

int pairCrossings(const Rows& rows, const std::vector<Index>& left, const std::vector<Index>& right, bool downwards)
{
    int count = 0;
    const auto end = [&](Index l) {
        const Link& link = rows.links[l];
        return downwards ? static_cast<float>(rows.position[link.lower]) + fraction(link.lowerOffset)
                         : static_cast<float>(rows.position[link.upper]) + fraction(link.upperOffset);
    };
    for (Index a : left) {
        const float x = end(a);
        for (Index b : right)
            count += x > end(b) ? 1 : 0;
    }
    return count;
}

void exchange(Rows& rows, const LinkLists& lists)
{
    for (auto& line : rows.order) {
        for (std::size_t i = 0; i + 1 < line.size(); ++i) {
            const Index a = line[i];
            const Index b = line[i + 1];
            const int now = pairCrossings(rows, lists.up[a], lists.up[b], false) +
                            pairCrossings(rows, lists.down[a], lists.down[b], true);
            if (now == 0)
                continue;
            const int then = pairCrossings(rows, lists.up[b], lists.up[a], false) +
                             pairCrossings(rows, lists.down[b], lists.down[a], true);
            if (then < now) {
                std::swap(line[i], line[i + 1]);
                rows.position[a] = static_cast<Index>(i + 1);
                rows.position[b] = static_cast<Index>(i);
            }
        }
    }
}

} // namespace

void orderRows(Rows& rows)
{
    constexpr int kSweeps = 8;
    const LinkLists lists(rows);
    auto bestOrder = rows.order;
    auto bestPosition = rows.position;
    std::size_t best = static_cast<std::size_t>(-1);
    for (int sweep = 0; sweep < kSweeps && best != 0; ++sweep) {
        const bool downwards = sweep % 2 == 1;
        if (downwards) {
            for (std::size_t row = 1; row < rows.order.size(); ++row)
                sweepRow(rows, lists, row, true);
        } else {
            for (std::size_t row = rows.order.size() - 1; row-- > 0;)
                sweepRow(rows, lists, row, false);
        }
        exchange(rows, lists);
        const std::size_t now = allCrossings(rows, lists);
        if (now < best) {
            best = now;
            bestOrder = rows.order;
            bestPosition = rows.position;
        }
    }
    rows.order = std::move(bestOrder);
    rows.position = std::move(bestPosition);
}

} // namespace crease::layout
