// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/layout/ranks.h"

#include <algorithm>
#include <unordered_map>

namespace crease::layout {

Adjacency::Adjacency(const Graph& graph)
{
    const std::size_t boxes = graph.boxes.size();
    outStart.assign(boxes + 1, 0);
    inStart.assign(boxes + 1, 0);
    for (const Edge& e : graph.edges) {
        ++outStart[e.from + 1];
        ++inStart[e.to + 1];
    }
    for (std::size_t b = 0; b < boxes; ++b) {
        outStart[b + 1] += outStart[b];
        inStart[b + 1] += inStart[b];
    }
    outEdge.resize(graph.edges.size());
    inEdge.resize(graph.edges.size());
    std::vector<Index> outNext(outStart.begin(), outStart.end() - 1);
    std::vector<Index> inNext(inStart.begin(), inStart.end() - 1);
    for (Index e = 0; e < graph.edges.size(); ++e) {
        outEdge[outNext[graph.edges[e].from]++] = e;
        inEdge[inNext[graph.edges[e].to]++] = e;
    }
}

std::uint64_t tensorKey(const Graph& graph, Index edge)
{
    const std::uint64_t tensor = graph.edges[edge].tensor;
    return tensor != 0 ? tensor : (std::uint64_t{1} << 63) | edge;
}

namespace {

/// Kahn's order by input position; an edge that closes a cycle becomes a stub and stops counting.
void orderBoxes(const Graph& graph, const Adjacency& adjacency, Ranking& ranking)
{
    const std::size_t boxes = graph.boxes.size();
    std::vector<Index> waiting(boxes);
    std::vector<bool> done(boxes, false);
    for (Index b = 0; b < boxes; ++b)
        waiting[b] = static_cast<Index>(adjacency.in(b).size());
    std::vector<Index> ready;
    for (Index b = 0; b < boxes; ++b) {
        if (waiting[b] == 0)
            ready.push_back(b);
    }
    std::size_t head = 0;
    Index stuck = 0;
    while (ranking.order.size() < boxes) {
        if (head == ready.size()) {
            while (done[stuck])
                ++stuck;
            for (Index e : adjacency.in(stuck)) {
                if (!done[graph.edges[e].from])
                    ranking.stub[e] = true;
            }
            ready.push_back(stuck);
        }
        const Index box = ready[head++];
        if (done[box])
            continue;
        done[box] = true;
        ranking.order.push_back(box);
        for (Index e : adjacency.out(box)) {
            if (!ranking.stub[e] && --waiting[graph.edges[e].to] == 0 && !done[graph.edges[e].to])
                ready.push_back(graph.edges[e].to);
        }
    }
}

std::size_t distinctOutputs(const Graph& graph, const Adjacency& adjacency, Index box)
{
    std::vector<std::uint64_t> seen;
    for (Index e : adjacency.out(box)) {
        const std::uint64_t key = tensorKey(graph, e);
        if (std::ranges::find(seen, key) == seen.end())
            seen.push_back(key);
        if (seen.size() > 8)
            break;
    }
    return seen.size();
}

/// Boxes that no input leads to: weights, their quantizers, constant subgraphs.
std::vector<bool> constants(const Graph& graph, const Adjacency& adjacency, const Ranking& ranking)
{
    const bool anyInput = std::ranges::any_of(graph.boxes, &Box::isInput);
    std::vector<bool> constant(graph.boxes.size(), true);
    bool first = !anyInput; // without inputs the first source is one
    for (Index box : ranking.order) {
        bool isConstant = !graph.boxes[box].isInput;
        if (first) {
            isConstant = false;
            first = false;
        }
        for (Index e : adjacency.in(box))
            isConstant = isConstant && constant[graph.edges[e].from];
        constant[box] = isConstant;
    }
    return constant;
}

void pushDown(const Graph& graph, const Adjacency& adjacency, Ranking& ranking)
{
    const std::vector<bool> constant = constants(graph, adjacency, ranking);
    for (auto it = ranking.order.rbegin(); it != ranking.order.rend(); ++it) {
        const Index box = *it;
        int lowest = ranking.count;
        for (Index e : adjacency.out(box)) {
            if (!ranking.stub[e])
                lowest = std::min(lowest, ranking.rank[graph.edges[e].to] - graph.edges[e].minSpan);
        }
        if (lowest == ranking.count || lowest <= ranking.rank[box])
            continue;
        std::size_t inputs = 0;
        for (Index e : adjacency.in(box))
            inputs += constant[graph.edges[e].from] || ranking.stub[e] ? 0 : 1;
        if (constant[box] || distinctOutputs(graph, adjacency, box) >= inputs)
            ranking.rank[box] = lowest;
    }
}

void markStubs(const Graph& graph, const Adjacency& adjacency, const Metrics& metrics, Ranking& ranking)
{
    std::unordered_map<std::uint64_t, std::vector<Index>> readers;
    for (Index box = 0; box < graph.boxes.size(); ++box) {
        const auto out = adjacency.out(box);
        if (out.size() > static_cast<std::size_t>(metrics.fanOut)) {
            readers.clear();
            for (Index e : out)
                readers[tensorKey(graph, e)].push_back(e);
            for (const auto& [tensor, edges] : readers) {
                if (edges.size() <= static_cast<std::size_t>(metrics.fanOut))
                    continue;
                const Index nearest = *std::ranges::min_element(edges, [&](Index a, Index b) {
                    return std::pair(ranking.rank[graph.edges[a].to], a) <
                           std::pair(ranking.rank[graph.edges[b].to], b);
                });
                for (Index e : edges)
                    ranking.stub[e] = ranking.stub[e] || e != nearest;
            }
        }
        for (Index e : out) {
            const int span = ranking.rank[graph.edges[e].to] - ranking.rank[box];
            if (span > metrics.longEdge || span < 1)
                ranking.stub[e] = true;
        }
    }
}

} // namespace

Ranking rankBoxes(const Graph& graph, const Adjacency& adjacency, const Metrics& metrics)
{
    Ranking ranking;
    ranking.rank.assign(graph.boxes.size(), 0);
    ranking.stub.assign(graph.edges.size(), false);
    ranking.order.reserve(graph.boxes.size());
    orderBoxes(graph, adjacency, ranking);
    for (Index box : ranking.order) {
        for (Index e : adjacency.out(box)) {
            if (!ranking.stub[e])
                ranking.rank[graph.edges[e].to] =
                    std::max(ranking.rank[graph.edges[e].to], ranking.rank[box] + graph.edges[e].minSpan);
        }
        ranking.count = std::max(ranking.count, ranking.rank[box] + 1);
    }
    pushDown(graph, adjacency, ranking);
    markStubs(graph, adjacency, metrics, ranking);
    return ranking;
}

} // namespace crease::layout
