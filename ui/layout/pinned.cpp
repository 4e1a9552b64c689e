// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/layout/free_space.h"
#include "ui/layout/layout.h"
#include "ui/layout/ranks.h"
#include "ui/layout/router.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace crease::layout {

namespace {

constexpr double kRow = 64;

class NextStage {
public:
    NextStage(const LayoutResult& previous, Graph graph, std::span<const Origin> origins, const Options& options)
        : m_previous(previous), m_options(options), m_adjacency(graph), m_result(std::make_shared<LayoutResult>()),
          m_placed(graph.boxes.size(), false), m_fresh(graph.boxes.size(), true)
    {
        m_order = rankBoxes(graph, m_adjacency, options.metrics).order;
        m_result->boxes = std::move(graph.boxes);
        m_result->edges = std::move(graph.edges);
        m_result->centres.resize(m_result->boxes.size());
        m_result->ranks.resize(m_result->boxes.size());
        m_result->paths.resize(m_result->edges.size());
        for (Index b = 0; b < previous.boxes.size(); ++b)
            m_before[previous.boxes[b].id] = b;
        for (const Origin& origin : origins)
            m_origins[origin.box] = &origin;
    }

    LayoutPtr run()
    {
        keepBoxes();
        for (Index box : m_order) {
            if (m_options.stop.stop_requested())
                return nullptr;
            if (!m_placed[box])
                placeNew(box);
        }
        markStubs();
        keepPaths();
        keepChips();
        routeEdges(*m_result, m_fresh, m_options.metrics);
        m_result->segments = m_previous.segments;
        m_result->bounds = boundsOf(*m_result);
        return m_result;
    }

private:
    void put(Index box, Point centre)
    {
        m_result->centres[box] = centre;
        m_result->ranks[box] = static_cast<int>(std::lround(centre.y / kRow));
        m_placed[box] = true;
        m_taken.insert(box, m_result->rect(box));
    }

    void keepBoxes()
    {
        std::vector<Index> moving;
        for (Index b = 0; b < m_result->boxes.size(); ++b) {
            if (!m_before.contains(m_result->boxes[b].id))
                continue;
            const auto origin = m_origins.find(m_result->boxes[b].id);
            if (origin != m_origins.end() && origin->second->heir != 0)
                moving.push_back(b);
            else
                keep(b);
        }
        // First the boxes that take over a free place of their own kind, so that nobody else sits down there.
        for (Index box : m_order) {
            const auto origin = m_origins.find(m_result->boxes[box].id);
            if (m_placed[box] || origin == m_origins.end() || origin->second->heir == 0)
                continue;
            const auto heir = m_before.find(origin->second->heir);
            if (heir != m_before.end())
                takePlace(box, heir->second);
        }
        for (Index box : moving) {
            const Index old = m_before.at(m_result->boxes[box].id);
            if (!m_placed[box] && m_taken.isFree(m_previous.rect(old)))
                keep(box);
        }
    }

    void keep(Index box)
    {
        const Index old = m_before.at(m_result->boxes[box].id);
        m_result->boxes[box].width = m_previous.boxes[old].width;
        m_result->boxes[box].height = m_previous.boxes[old].height;
        m_fresh[box] = false;
        put(box, m_previous.centres[old]);
        m_result->ranks[box] = m_previous.ranks[old];
    }

    /// Puts the box where a previous one stood, if that place is free now; it may not grow over a neighbour.
    bool takePlace(Index box, Index before)
    {
        const Point centre = m_previous.centres[before];
        m_result->centres[box] = centre;
        if (!m_taken.isFree(m_result->rect(box).grown(3)))
            return false;
        put(box, centre);
        return true;
    }

    void placeNew(Index box)
    {
        std::vector<Index> ancestors;
        if (const auto origin = m_origins.find(m_result->boxes[box].id); origin != m_origins.end()) {
            for (std::uint64_t id : origin->second->ancestors) {
                if (const auto before = m_before.find(id); before != m_before.end())
                    ancestors.push_back(before->second);
            }
        }
        // Of several places the one in the column of its producer comes first.
        if (const Index producer = placedEnd(m_adjacency.in(box), true); producer != kNone) {
            std::ranges::stable_sort(ancestors, {}, [&](Index a) {
                return std::abs(m_previous.centres[a].x - m_result->centres[producer].x);
            });
        }
        const auto [top, bottom] = room(box);
        if (takeMiddle(box, ancestors))
            return;
        for (Index a : ancestors) {
            const double y = m_previous.centres[a].y;
            if (y > top && y < bottom && takePlace(box, a))
                return;
        }
        PlaceWish wish;
        wish.width = m_result->boxes[box].width;
        wish.height = m_result->boxes[box].height;
        wish.gapX = m_options.metrics.columnGap;
        wish.gapY = m_options.metrics.tightGap;
        wish.top = top;
        wish.bottom = bottom;
        wish.at = wishFor(box, ancestors, top, bottom);
        put(box, findPlace(m_taken, wish));
    }

    /// A box that replaces a straight column of boxes stands in its middle.
    bool takeMiddle(Index box, const std::vector<Index>& ancestors)
    {
        if (ancestors.size() < 2)
            return false;
        double low = std::numeric_limits<double>::max();
        double high = std::numeric_limits<double>::lowest();
        const double x = m_previous.centres[ancestors.front()].x;
        for (Index a : ancestors) {
            if (std::abs(m_previous.centres[a].x - x) > 0.5)
                return false;
            low = std::min(low, m_previous.centres[a].y);
            high = std::max(high, m_previous.centres[a].y);
        }
        if (high - low > kRow * 1.5)
            return false;
        m_result->centres[box] = {x, (low + high) / 2};
        if (!m_taken.isFree(m_result->rect(box).grown(3)))
            return false;
        put(box, m_result->centres[box]);
        return true;
    }

    /// Between the lowest placed producer and the highest placed consumer.
    std::pair<double, double> room(Index box) const
    {
        double top = std::numeric_limits<double>::lowest();
        double bottom = std::numeric_limits<double>::max();
        for (Index e : m_adjacency.in(box)) {
            const Index from = m_result->edges[e].from;
            if (m_placed[from])
                top = std::max(top, m_result->rect(from).bottom + m_options.metrics.tightGap);
        }
        for (Index e : m_adjacency.out(box)) {
            const Index to = m_result->edges[e].to;
            if (m_placed[to])
                bottom = std::min(bottom, m_result->rect(to).top - m_options.metrics.tightGap);
        }
        return {top, bottom};
    }

    Point wishFor(Index box, const std::vector<Index>& ancestors, double top, double bottom) const
    {
        const bool hasTop = top > std::numeric_limits<double>::lowest();
        const bool hasBottom = bottom < std::numeric_limits<double>::max();
        for (Index a : ancestors) {
            const double y = m_previous.centres[a].y;
            if (y > top && y < bottom)
                return m_previous.centres[a];
        }
        Point at;
        if (const Index producer = placedEnd(m_adjacency.in(box), true); producer != kNone)
            at = {m_result->centres[producer].x, m_result->centres[producer].y + kRow};
        else if (const Index consumer = placedEnd(m_adjacency.out(box), false); consumer != kNone)
            at = {m_result->centres[consumer].x, m_result->centres[consumer].y - kRow};
        else if (!ancestors.empty())
            at = m_previous.centres[ancestors.front()];
        else
            return {0, m_previous.bounds.bottom + kRow};
        const double half = m_result->boxes[box].height / 2;
        if (hasTop && at.y - half < top)
            at.y = top + half + (hasBottom && bottom - top > kRow ? 15 : 0);
        if (hasBottom && at.y + half > bottom)
            at.y = bottom - half;
        return at;
    }

    /// The first end of these edges that has its place; main operands before others.
    Index placedEnd(Adjacency::Range edges, bool isSource) const
    {
        Index found = kNone;
        for (Index e : edges) {
            const Index end = isSource ? m_result->edges[e].from : m_result->edges[e].to;
            if (m_placed[end] && (found == kNone || m_result->edges[e].port == Port::Main))
                found = end;
        }
        return found;
    }

    void markStubs()
    {
        std::unordered_map<std::uint64_t, std::size_t> readers;
        std::unordered_map<std::uint64_t, Index> nearest;
        for (Index e = 0; e < m_result->edges.size(); ++e) {
            const Edge& edge = m_result->edges[e];
            if (edge.tensor == 0)
                continue;
            ++readers[edge.tensor];
            const auto [known, isNew] = nearest.try_emplace(edge.tensor, e);
            if (!isNew && m_result->centres[edge.to].y < m_result->centres[m_result->edges[known->second].to].y)
                known->second = e;
        }
        for (Index e = 0; e < m_result->edges.size(); ++e) {
            const Edge& edge = m_result->edges[e];
            const double span = m_result->centres[edge.to].y - m_result->centres[edge.from].y;
            const bool hub = edge.tensor != 0 && nearest.at(edge.tensor) != e &&
                             readers.at(edge.tensor) > static_cast<std::size_t>(m_options.metrics.fanOut);
            const bool straight =
                std::abs(m_result->centres[edge.to].x + edge.toOffset - m_result->centres[edge.from].x) < 0.5 &&
                m_taken
                    .find({m_result->centres[edge.to].x - 2, m_result->rect(edge.from).bottom + 1,
                           m_result->centres[edge.to].x + 2, m_result->rect(edge.to).top - 1})
                    .empty();
            if (hub || (span > m_options.metrics.longEdge * kRow && !straight))
                m_result->paths[e].shape = PathShape::Stub;
        }
    }

    /// What identifies an edge from stage to stage.
    static std::string edgeKey(const LayoutResult& layout, Index e)
    {
        const Edge& edge = layout.edges[e];
        std::string key(reinterpret_cast<const char*>(&layout.boxes[edge.from].id), sizeof(std::uint64_t));
        key.append(reinterpret_cast<const char*>(&layout.boxes[edge.to].id), sizeof(std::uint64_t));
        key.append(reinterpret_cast<const char*>(&edge.toOffset), sizeof(double));
        return key;
    }

    void keepPaths()
    {
        for (Index e = 0; e < m_previous.edges.size(); ++e)
            m_edgeBefore.try_emplace(edgeKey(m_previous, e), e);
        for (Index e = 0; e < m_result->edges.size(); ++e) {
            const Edge& edge = m_result->edges[e];
            if (m_result->paths[e].shape == PathShape::Stub || m_fresh[edge.from] || m_fresh[edge.to])
                continue;
            const auto before = m_edgeBefore.find(edgeKey(*m_result, e));
            if (before != m_edgeBefore.end() && m_previous.paths[before->second].shape != PathShape::Stub)
                m_result->paths[e] = m_previous.paths[before->second];
        }
    }

    void keepChips()
    {
        m_result->chips = makeChips(*m_result);
        std::unordered_map<std::string, const StubChip*> before;
        for (const StubChip& chip : m_previous.chips)
            before.try_emplace((chip.atSource ? "s" : "t") + edgeKey(m_previous, chip.edges.front()), &chip);
        for (StubChip& chip : m_result->chips) {
            const auto known = before.find((chip.atSource ? "s" : "t") + edgeKey(*m_result, chip.edges.front()));
            if (known != before.end() && m_taken.isFree(known->second->rect))
                chip.rect = known->second->rect;
        }
    }

    const LayoutResult& m_previous;
    const Options& m_options;
    Adjacency m_adjacency;
    std::shared_ptr<LayoutResult> m_result;
    std::vector<bool> m_placed, m_fresh;
    std::vector<Index> m_order;
    std::unordered_map<std::uint64_t, Index> m_before;
    std::unordered_map<std::uint64_t, const Origin*> m_origins;
    std::unordered_map<std::string, Index> m_edgeBefore;
    RectIndex m_taken;
};

} // namespace

LayoutPtr layoutNextStage(const LayoutResult& previous, Graph graph, std::span<const Origin> origins,
                          const Options& options)
{
    return NextStage(previous, std::move(graph), origins, options).run();
}

} // namespace crease::layout
