// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/layout/segment_graph.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

namespace crease::layout {

namespace {

constexpr int kMinBoxes = 16;
constexpr int kGoodBoxes = 48;
constexpr int kMaxBoxes = 250;

float quantise(double size)
{
    return static_cast<float>(std::ceil(size / 12.0) * 12.0);
}

template <class T>
void append(std::string& out, const T& value)
{
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out.append(bytes, sizeof(T));
}

struct RankFigures {
    std::vector<int> boxes;
    std::vector<int> crossing;
    std::vector<bool> branches;
};

RankFigures figures(const Graph& graph, const Adjacency& adjacency, const Ranking& ranking)
{
    RankFigures f;
    const std::size_t ranks = static_cast<std::size_t>(ranking.count);
    f.boxes.assign(ranks, 0);
    f.crossing.assign(ranks + 1, 0);
    f.branches.assign(ranks, false);
    std::vector<std::pair<std::uint64_t, int>> lowest;
    for (Index box = 0; box < graph.boxes.size(); ++box) {
        const int rank = ranking.rank[box];
        ++f.boxes[static_cast<std::size_t>(rank)];
        lowest.clear();
        std::size_t readers = 0;
        for (Index e : adjacency.out(box)) {
            if (ranking.stub[e])
                continue;
            ++readers;
            const int to = ranking.rank[graph.edges[e].to];
            const std::uint64_t tensor = tensorKey(graph, e);
            const auto known = std::ranges::find(lowest, tensor, &std::pair<std::uint64_t, int>::first);
            if (known == lowest.end())
                lowest.emplace_back(tensor, to);
            else
                known->second = std::max(known->second, to);
        }
        if (readers > 1)
            f.branches[static_cast<std::size_t>(rank)] = true;
        for (const auto& [tensor, to] : lowest) {
            ++f.crossing[static_cast<std::size_t>(rank)];
            --f.crossing[static_cast<std::size_t>(to)];
        }
    }
    for (std::size_t r = 1; r < ranks; ++r)
        f.crossing[r] += f.crossing[r - 1];
    return f;
}

} // namespace

std::string SegmentGraph::key() const
{
    std::string out;
    out.reserve(nodes.size() * 24 + edges.size() * 20 + 4);
    append(out, rows);
    for (const SegmentNode& n : nodes) {
        append(out, n.kind);
        append(out, n.row);
        append(out, n.width);
        append(out, n.height);
        append(out, n.padLeft);
        append(out, n.padRight);
    }
    for (const SegmentEdge& e : edges) {
        append(out, e.from);
        append(out, e.to);
        append(out, e.fromOffset);
        append(out, e.toOffset);
        append(out, e.port);
    }
    return out;
}

std::size_t straightCrossings(const SegmentGraph& segment, const SegmentPlacement& placement)
{
    struct Line {
        double top, bottom, from, to;
        double at(double y) const { return from + (to - from) * (y - top) / (bottom - top); }
    };
    std::vector<Line> lines;
    for (const SegmentEdge& e : segment.edges) {
        const Line line{static_cast<double>(placement.rows[e.from]), static_cast<double>(placement.rows[e.to]),
                        static_cast<double>(placement.xs[e.from] + e.fromOffset),
                        static_cast<double>(placement.xs[e.to] + e.toOffset)};
        if (line.top < line.bottom)
            lines.push_back(line);
    }
    std::ranges::sort(lines, {}, &Line::top);
    std::size_t count = 0;
    for (std::size_t a = 0; a < lines.size(); ++a) {
        for (std::size_t b = a + 1; b < lines.size() && lines[b].top < lines[a].bottom; ++b) {
            const double top = lines[b].top;
            const double bottom = std::min(lines[a].bottom, lines[b].bottom);
            const double above = lines[a].at(top) - lines[b].at(top);
            const double below = lines[a].at(bottom) - lines[b].at(bottom);
            count += above * below < -1e-6 ? 1 : 0;
        }
    }
    return count;
}

std::vector<Slice> cutRanks(const Graph& graph, const Adjacency& adjacency, const Ranking& ranking)
{
    const RankFigures f = figures(graph, adjacency, ranking);
    std::vector<Slice> slices;
    int first = 0;
    int boxes = 0;
    int narrowest = -1;
    for (int r = 0; r < ranking.count; ++r) {
        const std::size_t i = static_cast<std::size_t>(r);
        boxes += f.boxes[i];
        if (r == ranking.count - 1)
            break;
        const bool single = f.crossing[i] <= 1;
        const bool clean = single && f.boxes[i] == 1;
        int cutAt = -1;
        if ((boxes >= kMinBoxes && clean && f.branches[i]) || (boxes >= kGoodBoxes && clean) ||
            (boxes >= 2 * kGoodBoxes && single))
            cutAt = r;
        if (boxes >= kMinBoxes && (narrowest < 0 || f.crossing[i] <= f.crossing[static_cast<std::size_t>(narrowest)]))
            narrowest = r;
        if (cutAt < 0 && boxes >= kMaxBoxes && narrowest >= 0)
            cutAt = narrowest;
        if (cutAt < 0)
            continue;
        slices.push_back({first, cutAt});
        first = cutAt + 1;
        boxes = 0;
        narrowest = -1;
        for (int later = first; later <= r; ++later)
            boxes += f.boxes[static_cast<std::size_t>(later)];
    }
    if (ranking.count > 0)
        slices.push_back({first, ranking.count - 1});
    return slices;
}

namespace {

/// Marks the longest path from an entry to an exit (from the top to the bottom, where there is none). Returns the
/// tensor in which it leaves, 0 for none.
std::uint64_t markTrunk(SegmentGraph& segment)
{
    constexpr int kFromEntry = 1 << 20;
    constexpr int kFirstEntry = 1 << 21; // the trunk of the segment above goes on
    std::vector<std::vector<Index>> in(segment.nodes.size());
    for (Index e = 0; e < segment.edges.size(); ++e) {
        if (segment.edges[e].port != Port::Weight && segment.nodes[segment.edges[e].from].kind != SegmentNodeKind::Chip)
            in[segment.edges[e].to].push_back(e);
    }
    std::vector<Index> byRow(segment.nodes.size());
    for (Index n = 0; n < byRow.size(); ++n)
        byRow[n] = n;
    std::ranges::stable_sort(byRow, {}, [&](Index n) { return segment.nodes[n].row; });
    std::vector<int> best(segment.nodes.size(), 0);
    std::vector<Index> via(segment.nodes.size(), kNone);
    for (Index n : byRow) {
        if (segment.nodes[n].kind == SegmentNodeKind::Entry)
            best[n] = n == 0 ? kFirstEntry : kFromEntry;
        for (Index e : in[n]) {
            // A step counts 4, so that the main operand wins a tie and never a longer way.
            const int length = best[segment.edges[e].from] + 4 + (segment.edges[e].port == Port::Main ? 1 : 0);
            if (length > best[n]) {
                best[n] = length;
                via[n] = e;
            }
        }
    }
    Index end = kNone;
    for (Index n : byRow) {
        const bool exit = segment.nodes[n].kind == SegmentNodeKind::Exit;
        const bool endIsExit = end != kNone && segment.nodes[end].kind == SegmentNodeKind::Exit;
        if (end == kNone || (exit && !endIsExit) || (exit == endIsExit && best[n] > best[end]))
            end = n;
    }
    for (Index n = end; n != kNone && via[n] != kNone; n = segment.edges[via[n]].from)
        segment.edges[via[n]].trunk = true;
    return end != kNone ? segment.tensor[end] : 0;
}

/// The trunk enters at the centre: it trades places with the main operand of its target.
void centreTrunk(Graph& graph, SegmentGraph& segment)
{
    for (Index e = 0; e < segment.edges.size(); ++e) {
        if (!segment.edges[e].trunk || segment.edges[e].port != Port::Operand)
            continue;
        for (Index other = 0; other < segment.edges.size(); ++other) {
            SegmentEdge& main = segment.edges[other];
            SegmentEdge& trunk = segment.edges[e];
            if (main.to != trunk.to || main.port != Port::Main || main.toOffset != 0 || segment.edge[e] == kNone ||
                segment.edge[other] == kNone)
                continue;
            std::swap(main.port, trunk.port);
            std::swap(main.toOffset, trunk.toOffset);
            std::swap(graph.edges[segment.edge[other]].port, graph.edges[segment.edge[e]].port);
            std::swap(graph.edges[segment.edge[other]].toOffset, graph.edges[segment.edge[e]].toOffset);
            break;
        }
    }
}

class Builder {
public:
    Builder(const Graph& graph, const Adjacency& adjacency, const Ranking& ranking, const std::vector<Slice>& slices,
            const Metrics& metrics)
        : m_graph(graph), m_adjacency(adjacency), m_ranking(ranking), m_slices(slices), m_metrics(metrics),
          m_local(graph.boxes.size(), kNone), m_sliceOf(static_cast<std::size_t>(ranking.count), 0),
          m_members(slices.size()), m_passing(slices.size())
    {
        for (std::size_t s = 0; s < slices.size(); ++s) {
            for (int r = slices[s].first; r <= slices[s].last; ++r)
                m_sliceOf[static_cast<std::size_t>(r)] = s;
        }
        for (Index box : ranking.order)
            m_members[sliceOf(box)].push_back(box);
        for (Index e = 0; e < graph.edges.size(); ++e) {
            if (ranking.stub[e])
                continue;
            const std::size_t from = sliceOf(graph.edges[e].from);
            const std::size_t to = sliceOf(graph.edges[e].to);
            for (std::size_t s = from; s < to; ++s)
                m_passing[s].push_back(e);
        }
    }

    /// `trunk`: the tensor in which the trunk of the segment above ends; its entry becomes the first node.
    SegmentGraph build(std::size_t s, std::uint64_t trunk)
    {
        SegmentGraph out;
        const Slice slice = m_slices[s];
        out.rows = slice.last - slice.first + 3;
        std::ranges::stable_sort(m_members[s], {}, [&](Index b) { return m_ranking.rank[b]; });
        std::unordered_map<std::uint64_t, Index> entries;
        if (s > 0) {
            auto& passing = m_passing[s - 1];
            std::ranges::stable_partition(passing, [&](Index e) { return tensorKey(m_graph, e) == trunk; });
            for (Index e : passing) {
                const std::uint64_t tensor = tensorKey(m_graph, e);
                if (entries.try_emplace(tensor, static_cast<Index>(out.nodes.size())).second)
                    addNode(out, {SegmentNodeKind::Entry, 0, 0, 0, 0, 0}, kNone, tensor);
            }
        }
        for (Index box : m_members[s]) {
            m_local[box] = static_cast<Index>(out.nodes.size());
            addNode(out, boxNode(box, slice), box, 0);
        }
        for (Index box : m_members[s])
            addInputs(out, box, slice, entries);
        std::unordered_map<std::uint64_t, Index> exits;
        for (Index e : m_passing[s]) {
            const std::uint64_t tensor = tensorKey(m_graph, e);
            if (!exits.try_emplace(tensor, 0).second)
                continue;
            const Index exit = static_cast<Index>(out.nodes.size());
            addNode(out, {SegmentNodeKind::Exit, out.rows - 1, 0, 0, 0, 0}, kNone, tensor);
            const bool inside = sliceOf(m_graph.edges[e].from) == s;
            const Index from = inside ? m_local[m_graph.edges[e].from] : entries.at(tensor);
            const float offset = inside ? static_cast<float>(m_graph.edges[e].fromOffset) : 0;
            addEdge(out, {from, exit, offset, 0, Port::Main, false}, kNone);
        }
        return out;
    }

private:
    std::size_t sliceOf(Index box) const { return m_sliceOf[static_cast<std::size_t>(m_ranking.rank[box])]; }

    static void addNode(SegmentGraph& out, SegmentNode node, Index box, std::uint64_t tensor)
    {
        out.nodes.push_back(node);
        out.box.push_back(box);
        out.tensor.push_back(tensor);
    }

    static void addEdge(SegmentGraph& out, SegmentEdge edge, Index whole)
    {
        out.edges.push_back(edge);
        out.edge.push_back(whole);
    }

    SegmentNode boxNode(Index box, Slice slice) const
    {
        const Box& b = m_graph.boxes[box];
        double padRight = b.padRight;
        for (Index e : m_adjacency.out(box)) {
            if (m_ranking.stub[e]) {
                padRight = std::max(padRight, 20 + m_graph.boxes[m_graph.edges[e].to].chipWidth);
                break;
            }
        }
        return {SegmentNodeKind::Box, m_ranking.rank[box] - slice.first + 1,
                quantise(b.width),    quantise(b.height),
                quantise(b.padLeft),  quantise(padRight)};
    }

    void addInputs(SegmentGraph& out, Index box, Slice slice, const std::unordered_map<std::uint64_t, Index>& entries)
    {
        std::size_t chips = 0;
        for (Index e : m_adjacency.in(box)) {
            const Edge& edge = m_graph.edges[e];
            const float toOffset = static_cast<float>(edge.toOffset);
            const int row = m_ranking.rank[box] - slice.first + 1;
            if (m_ranking.stub[e]) {
                if (row < 2 || ++chips > kMaxChips)
                    continue;
                const Index chip = static_cast<Index>(out.nodes.size());
                addNode(out,
                        {SegmentNodeKind::Chip, row - 1, quantise(m_graph.boxes[edge.from].chipWidth),
                         static_cast<float>(m_metrics.chipHeight), 0, 0},
                        box, 0);
                addEdge(out, {chip, m_local[box], 0, toOffset, edge.port, false}, kNone);
                continue;
            }
            const bool inside = m_ranking.rank[edge.from] >= slice.first;
            const Index from = inside ? m_local[edge.from] : entries.at(tensorKey(m_graph, e));
            addEdge(out,
                    {from, m_local[box], inside ? static_cast<float>(edge.fromOffset) : 0, toOffset, edge.port, false},
                    e);
        }
    }

    const Graph& m_graph;
    const Adjacency& m_adjacency;
    const Ranking& m_ranking;
    const std::vector<Slice>& m_slices;
    const Metrics& m_metrics;
    std::vector<Index> m_local;
    std::vector<std::size_t> m_sliceOf;
    std::vector<std::vector<Index>> m_members;
    std::vector<std::vector<Index>> m_passing;
};

} // namespace

std::vector<SegmentGraph> buildSegments(Graph& graph, const Adjacency& adjacency, const Ranking& ranking,
                                        const std::vector<Slice>& slices, const Metrics& metrics)
{
    std::vector<SegmentGraph> segments;
    segments.reserve(slices.size());
    Builder builder(graph, adjacency, ranking, slices, metrics);
    std::uint64_t trunk = 0;
    for (std::size_t s = 0; s < slices.size(); ++s) {
        SegmentGraph segment = builder.build(s, trunk);
        trunk = markTrunk(segment);
        centreTrunk(graph, segment);
        segments.push_back(std::move(segment));
    }
    return segments;
}

} // namespace crease::layout
