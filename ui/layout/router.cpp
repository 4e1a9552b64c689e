// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/layout/router.h"

#include "ui/layout/free_space.h"
#include "ui/layout/segment_graph.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace crease::layout {

namespace {

constexpr double kBend = 30;
constexpr double kBoxMargin = 7;

class Router {
public:
    Router(LayoutResult& result, const std::vector<bool>& fresh, const Metrics& metrics)
        : m_result(result), m_fresh(fresh), m_metrics(metrics)
    {
        for (Index b = 0; b < boxCount(); ++b)
            m_taken.insert(b, m_result.rect(b));
    }

    void run()
    {
        std::vector<std::pair<double, Index>> todo;
        for (Index e = 0; e < m_result.edges.size(); ++e) {
            EdgePath& path = m_result.paths[e];
            if (path.shape == PathShape::Stub)
                continue;
            if (!path.points.empty() && staysFree(e)) {
                reserve(e);
                continue;
            }
            path = {};
            todo.emplace_back(std::abs(end(e).y - start(e).y) + 0.001 * std::abs(end(e).x - start(e).x), e);
        }
        std::ranges::stable_sort(todo, {}, &std::pair<double, Index>::first);
        for (const auto& [length, e] : todo) {
            m_result.paths[e] = route(e);
            reserve(e);
        }
        placeChips();
    }

private:
    Index boxCount() const { return static_cast<Index>(m_result.boxes.size()); }

    Point start(Index e) const
    {
        const Edge& edge = m_result.edges[e];
        return {m_result.centres[edge.from].x + edge.fromOffset, m_result.rect(edge.from).bottom};
    }

    Point end(Index e) const
    {
        const Edge& edge = m_result.edges[e];
        return {m_result.centres[edge.to].x + edge.toOffset, m_result.rect(edge.to).top};
    }

    std::uint64_t tensor(Index e) const
    {
        const std::uint64_t id = m_result.edges[e].tensor;
        return id != 0 ? id : (std::uint64_t{1} << 63) | e;
    }

    bool boxesFree(const Rect& area) const
    {
        return std::ranges::none_of(m_taken.find(area), [&](Index id) { return id < boxCount(); });
    }

    bool lanesFree(const Rect& area, std::uint64_t own) const
    {
        return std::ranges::none_of(m_taken.find(area),
                                    [&](Index id) { return id >= boxCount() && m_laneTensor[id - boxCount()] != own; });
    }

    bool staysFree(Index e) const
    {
        const auto& points = m_result.paths[e].points;
        if (points.front() != start(e) || points.back() != end(e))
            return false;
        for (std::size_t i = 1; i < points.size(); ++i) {
            Rect piece{std::min(points[i - 1].x, points[i].x) - 2, std::min(points[i - 1].y, points[i].y) + 1,
                       std::max(points[i - 1].x, points[i].x) + 2, std::max(points[i - 1].y, points[i].y) - 1};
            for (Index id : m_taken.find(piece)) {
                if (id < boxCount() && m_fresh[id] && id != m_result.edges[e].from && id != m_result.edges[e].to)
                    return false;
            }
        }
        return true;
    }

    void reserve(Index e)
    {
        const auto& points = m_result.paths[e].points;
        for (std::size_t i = 1; i < points.size(); ++i) {
            if (std::abs(points[i].x - points[i - 1].x) > 0.5)
                continue;
            const auto [top, bottom] = std::minmax(points[i - 1].y, points[i].y);
            if (bottom - top < 2)
                continue;
            m_taken.insert(static_cast<Index>(boxCount() + m_laneTensor.size()),
                           {points[i].x - 1, top + 1, points[i].x + 1, bottom - 1});
            m_laneTensor.push_back(tensor(e));
        }
    }

    EdgePath route(Index e) const
    {
        const Point s = start(e);
        const Point t = end(e);
        const double gap = t.y - s.y;
        if (gap < 8)
            return upwards(e, s, t);
        const bool straight = std::abs(t.x - s.x) < 0.5;
        const Rect between{std::min(s.x, t.x) - 3, s.y + 1, std::max(s.x, t.x) + 3, t.y - 1};
        if ((straight || gap <= kBend * 2) && boxesFree(between))
            return {PathShape::Flow, {s, t}};
        return lane(e, s, t);
    }

    struct Candidate {
        double cost = 0;
        double x = 0;
        friend bool operator>(const Candidate& a, const Candidate& b)
        {
            return std::pair(a.cost, a.x) > std::pair(b.cost, b.x);
        }
    };

    /// How far below (above) an end the path may swing sideways to x without touching a box.
    double bend(Point from, double x, double direction) const
    {
        for (double reach : {kBend, kBend / 2, m_metrics.tightGap}) {
            const double a = from.y + direction;
            const double b = from.y + direction * reach;
            if (boxesFree({std::min(from.x, x) - 2, std::min(a, b), std::max(from.x, x) + 2, std::max(a, b)}))
                return reach;
        }
        return m_metrics.tightGap / 2;
    }

    EdgePath lane(Index e, Point s, Point t) const
    {
        const double low = std::min(s.x, t.x);
        const double high = std::max(s.x, t.x);
        std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
        std::vector<double> seen;
        const auto offer = [&](double x) {
            for (double known : seen) {
                if (std::abs(known - x) < 1)
                    return;
            }
            seen.push_back(x);
            double cost = std::abs(x - s.x) + std::abs(x - t.x) + (x < std::min(s.x, t.x) ? 2 : 0);
            // A main operand comes straight down on its box; a second one stays with its source, away from the trunk.
            const bool isMain = m_result.edges[e].port == Port::Main || m_result.edges[e].toOffset == 0;
            if (std::abs(x - (isMain ? t.x : s.x)) < 0.5)
                cost -= 24;
            queue.push({cost, x});
        };
        offer(t.x);
        offer(s.x);
        offer(high + m_metrics.columnGap);
        for (Index id : m_taken.find({low - 40, s.y + 1, high + 40, t.y - 1})) {
            if (id < boxCount()) {
                offer(m_result.rect(id).left - m_metrics.laneGap);
                offer(m_result.rect(id).right + m_metrics.laneGap);
            }
        }
        constexpr int kTries = 400;
        for (int i = 0; i < kTries && !queue.empty(); ++i) {
            const double x = queue.top().x;
            queue.pop();
            const bool fromStart = std::abs(x - s.x) < 0.5;
            const bool toEnd = std::abs(x - t.x) < 0.5;
            const double top = fromStart ? s.y : s.y + bend(s, x, 1);
            const double bottom = toEnd ? t.y : t.y - bend(t, x, -1);
            if (bottom < top)
                continue;
            const Rect body{x - kBoxMargin, top + 1, x + kBoxMargin, bottom - 1};
            const auto hit = m_taken.find(body);
            bool blocked = false;
            for (Index id : hit) {
                if (id < boxCount()) {
                    blocked = true;
                    offer(m_result.rect(id).left - m_metrics.laneGap);
                    offer(m_result.rect(id).right + m_metrics.laneGap);
                }
            }
            if (blocked)
                continue;
            if (!lanesFree({x - m_metrics.laneGap / 2 - 2, top + 1, x + m_metrics.laneGap / 2 + 2, bottom - 1},
                           tensor(e))) {
                offer(x + m_metrics.laneGap);
                offer(x - m_metrics.laneGap);
                continue;
            }
            EdgePath path;
            path.points.push_back(s);
            if (!fromStart)
                path.points.push_back({x, top});
            if (!toEnd)
                path.points.push_back({x, bottom});
            path.points.push_back(t);
            return path;
        }
        return {PathShape::Flow, {s, t}};
    }

    EdgePath upwards(Index e, Point s, Point t) const
    {
        const Rect u = m_result.rect(m_result.edges[e].from);
        const Rect v = m_result.rect(m_result.edges[e].to);
        const double low = s.y + m_metrics.tightGap;
        const double high = t.y - m_metrics.tightGap;
        double x = std::max(u.right, v.right) + m_metrics.laneGap;
        constexpr int kTries = 100;
        for (int i = 0; i < kTries; ++i, x += m_metrics.laneGap) {
            const Rect body{x - kBoxMargin, std::min(low, high), x + kBoxMargin, std::max(low, high)};
            if (boxesFree(body) && lanesFree(body, tensor(e)))
                break;
        }
        return {PathShape::Orthogonal, {s, {s.x, low}, {x, low}, {x, high}, {t.x, high}, t}};
    }

    void placeChips()
    {
        Index id = static_cast<Index>(boxCount() + m_laneTensor.size());
        m_laneTensor.resize(m_laneTensor.size() + m_result.chips.size(), ~std::uint64_t{0});
        for (const StubChip& chip : m_result.chips) {
            if (chip.rect.width() > 0)
                m_taken.insert(id++, chip.rect);
        }
        Index last = kNone;
        std::size_t nth = 0;
        for (StubChip& chip : m_result.chips) {
            nth = chip.box == last ? nth + 1 : 0;
            last = chip.box;
            const Rect box = m_result.rect(chip.box);
            const Edge& edge = m_result.edges[chip.edges.front()];
            chip.anchor = chip.atSource ? Point{box.right, (box.top + box.bottom) / 2} : end(chip.edges.front());
            if (chip.rect.width() > 0)
                continue;
            PlaceWish wish;
            wish.width = m_result.boxes[chip.atSource ? edge.to : edge.from].chipWidth;
            wish.height = m_metrics.chipHeight;
            wish.gapX = 8;
            wish.gapY = 4;
            const double step = m_metrics.chipHeight + 6;
            if (chip.atSource) {
                wish.at = {box.right + 20 + wish.width / 2,
                           box.top + m_metrics.chipHeight / 2 - 4 + step * static_cast<double>(nth)};
                wish.top = box.top - 8;
                wish.bottom = box.bottom + 80;
            } else {
                wish.at = {chip.anchor.x, box.top - 46};
                wish.top = box.top - 110;
                wish.bottom = box.top - 8;
            }
            const Point at = findPlace(m_taken, wish);
            chip.rect = {at.x - wish.width / 2, at.y - wish.height / 2, at.x + wish.width / 2, at.y + wish.height / 2};
            m_taken.insert(id++, chip.rect);
        }
    }

    LayoutResult& m_result;
    const std::vector<bool>& m_fresh;
    const Metrics& m_metrics;
    RectIndex m_taken;
    std::vector<std::uint64_t> m_laneTensor;
};

} // namespace

void routeEdges(LayoutResult& result, const std::vector<bool>& fresh, const Metrics& metrics)
{
    result.paths.resize(result.edges.size());
    Router(result, fresh, metrics).run();
}

std::vector<StubChip> makeChips(const LayoutResult& result)
{
    std::vector<std::vector<Index>> sources(result.boxes.size()), targets(result.boxes.size());
    for (Index e = 0; e < result.edges.size(); ++e) {
        if (result.paths[e].shape == PathShape::Stub) {
            sources[result.edges[e].from].push_back(e);
            targets[result.edges[e].to].push_back(e);
        }
    }
    std::vector<StubChip> chips;
    const auto add = [&](Index box, bool atSource, std::vector<Index>& edges) {
        std::ranges::stable_sort(
            edges, {}, [&](Index e) { return result.centres[atSource ? result.edges[e].to : result.edges[e].from].y; });
        for (std::size_t i = 0; i < edges.size() && i < kMaxChips; ++i) {
            const bool rest = i + 1 == kMaxChips;
            chips.push_back({box,
                             atSource,
                             {edges.begin() + static_cast<std::ptrdiff_t>(i),
                              rest ? edges.end() : edges.begin() + static_cast<std::ptrdiff_t>(i + 1)},
                             {},
                             {}});
        }
    };
    for (Index box = 0; box < result.boxes.size(); ++box) {
        add(box, true, sources[box]);
        add(box, false, targets[box]);
    }
    return chips;
}

Rect boundsOf(const LayoutResult& result)
{
    if (result.boxes.empty())
        return {};
    Rect all = result.rect(0);
    const auto unite = [&](const Rect& r) {
        all = {std::min(all.left, r.left), std::min(all.top, r.top), std::max(all.right, r.right),
               std::max(all.bottom, r.bottom)};
    };
    for (Index b = 0; b < result.boxes.size(); ++b) {
        Rect r = result.rect(b);
        r.left -= result.boxes[b].padLeft;
        r.right += result.boxes[b].padRight;
        unite(r);
    }
    for (const EdgePath& path : result.paths) {
        for (const Point& p : path.points)
            unite({p.x, p.y, p.x, p.y});
    }
    for (const StubChip& chip : result.chips)
        unite(chip.rect);
    return all;
}

} // namespace crease::layout
