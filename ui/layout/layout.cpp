// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/layout/layout.h"

#include "ui/layout/layered.h"
#include "ui/layout/router.h"
#include "ui/layout/worker_pool.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace crease::layout {

namespace {

/// The placements of all segments: from the cache, else from the own engine, or from dot where that crosses less.
std::vector<PlacementPtr> placeSegments(const std::vector<SegmentGraph>& segments, const Options& options)
{
    std::vector<PlacementPtr> placements(segments.size());
    std::vector<std::string> keys(segments.size());
    std::unordered_map<std::string, std::size_t> first;
    std::vector<std::size_t> missing;
    for (std::size_t s = 0; s < segments.size(); ++s) {
        keys[s] = segments[s].key();
        placements[s] = options.cache != nullptr ? options.cache->find(keys[s]) : nullptr;
        if (!placements[s] && first.try_emplace(keys[s], s).second)
            missing.push_back(s);
    }
    std::vector<SegmentPlacement> own(missing.size());
    std::vector<std::size_t> crossings(missing.size(), 0);
    std::vector<std::size_t> hard;
    std::vector<const SegmentGraph*> work;
    for (std::size_t i = 0; i < missing.size(); ++i) {
        if (options.stop.stop_requested())
            return {};
        own[i] = placeLayered(segments[missing[i]], options.metrics);
        if (options.workers == nullptr)
            continue;
        crossings[i] = straightCrossings(segments[missing[i]], own[i]);
        if (options.dotAlways || crossings[i] > 0) {
            hard.push_back(i);
            work.push_back(&segments[missing[i]]);
        }
    }
    if (!work.empty()) {
        auto byDot = options.workers->place(work, options.metrics, options.stop);
        for (std::size_t h = 0; h < hard.size(); ++h) {
            if (byDot[h] &&
                (options.dotAlways || straightCrossings(segments[missing[hard[h]]], *byDot[h]) < crossings[hard[h]]))
                own[hard[h]] = std::move(*byDot[h]);
        }
    }
    if (options.stop.stop_requested())
        return {};
    for (std::size_t i = 0; i < missing.size(); ++i) {
        const std::size_t s = missing[i];
        placements[s] = std::make_shared<const SegmentPlacement>(std::move(own[i]));
        if (options.cache != nullptr)
            options.cache->insert(keys[s], placements[s]);
    }
    for (std::size_t s = 0; s < segments.size(); ++s) {
        if (!placements[s])
            placements[s] = placements[first.at(keys[s])];
    }
    return placements;
}

struct ChipPlace {
    Index box = kNone;
    double x = 0;
    int row = 0;
};

/// Joins the segments: rows below each other, each one moved sideways so that the tensors of the cut meet.
void stack(const std::vector<SegmentGraph>& segments, const std::vector<PlacementPtr>& placements, LayoutResult& result,
           std::vector<ChipPlace>& chips)
{
    std::unordered_map<std::uint64_t, double> exits;
    int base = 0;
    for (std::size_t s = 0; s < segments.size(); ++s) {
        const SegmentGraph& segment = segments[s];
        const SegmentPlacement& placement = *placements[s];
        // The first entry is that of the trunk, so the trunk runs straight through.
        double shift = 0;
        if (!segment.nodes.empty() && segment.nodes.front().kind == SegmentNodeKind::Entry) {
            if (const auto exit = exits.find(segment.tensor.front()); exit != exits.end())
                shift = exit->second - static_cast<double>(placement.xs.front());
        }
        exits.clear();
        for (Index n = 0; n < segment.nodes.size(); ++n) {
            const double x = static_cast<double>(placement.xs[n]) + shift;
            const int row = base + placement.rows[n] - 1;
            switch (segment.nodes[n].kind) {
            case SegmentNodeKind::Box:
                result.centres[segment.box[n]].x = x;
                result.ranks[segment.box[n]] = row;
                break;
            case SegmentNodeKind::Chip:
                chips.push_back({segment.box[n], x, row});
                break;
            case SegmentNodeKind::Exit:
                exits[segment.tensor[n]] = x;
                break;
            case SegmentNodeKind::Entry:
                break;
            }
        }
        base += placement.rowCount - 2;
    }
}

/// Gives every row its y. Rows that only tight edges join stand closer together.
std::vector<double> rowCentres(LayoutResult& result, const Metrics& metrics)
{
    int last = 0;
    for (int rank : result.ranks)
        last = std::max(last, rank);
    const std::size_t rows = static_cast<std::size_t>(last) + 1;
    std::vector<double> height(rows, 0);
    std::vector<int> tight(rows, 0);
    std::vector<int> loose(rows, 0);
    std::vector<int> bends(rows + 1, 0);
    for (Index b = 0; b < result.boxes.size(); ++b) {
        double& h = height[static_cast<std::size_t>(result.ranks[b])];
        h = std::max(h, result.boxes[b].height);
    }
    for (Index e = 0; e < result.edges.size(); ++e) {
        if (result.paths[e].shape == PathShape::Stub)
            continue;
        const int from = result.ranks[result.edges[e].from];
        const int to = result.ranks[result.edges[e].to];
        if (to == from + 1) {
            ++(result.edges[e].tight ? tight : loose)[static_cast<std::size_t>(to)];
            continue;
        }
        ++bends[static_cast<std::size_t>(from) + 1];
        ++bends[static_cast<std::size_t>(to)];
    }
    std::vector<double> centre(rows, 0);
    for (std::size_t r = 0; r < rows; ++r) {
        if (height[r] == 0)
            height[r] = 34;
        if (r > 0) {
            const double tightest = bends[r] > 0 ? metrics.bendGap : metrics.tightGap;
            const double gap = tight[r] > 0 && loose[r] == 0 ? tightest : metrics.rankGap;
            centre[r] = centre[r - 1] + height[r - 1] / 2 + gap + height[r] / 2;
        }
    }
    return centre;
}

} // namespace

LayoutPtr layoutGraph(Graph graph, const Options& options)
{
    auto result = std::make_shared<LayoutResult>();
    if (graph.boxes.empty())
        return result;
    const Adjacency adjacency(graph);
    const Ranking ranking = rankBoxes(graph, adjacency, options.metrics);
    const std::vector<Slice> slices = cutRanks(graph, adjacency, ranking);
    const std::vector<SegmentGraph> segments = buildSegments(graph, adjacency, ranking, slices, options.metrics);
    if (options.stop.stop_requested())
        return nullptr;
    const std::vector<PlacementPtr> placements = placeSegments(segments, options);
    if (placements.empty() || options.stop.stop_requested())
        return nullptr;
    result->centres.resize(graph.boxes.size());
    result->ranks.resize(graph.boxes.size());
    result->paths.resize(graph.edges.size());
    for (Index e = 0; e < graph.edges.size(); ++e) {
        if (ranking.stub[e])
            result->paths[e].shape = PathShape::Stub;
    }
    result->boxes = std::move(graph.boxes);
    result->edges = std::move(graph.edges);
    std::vector<ChipPlace> places;
    stack(segments, placements, *result, places);
    const std::vector<double> rows = rowCentres(*result, options.metrics);
    for (Index b = 0; b < result->boxes.size(); ++b)
        result->centres[b].y = rows[static_cast<std::size_t>(result->ranks[b])];
    int row = 0;
    for (std::size_t s = 0; s < segments.size(); ++s) {
        const int count = placements[s]->rowCount - 2;
        if (count < 1)
            continue;
        const std::size_t lastRow = std::min(static_cast<std::size_t>(row + count - 1), rows.size() - 1);
        result->segments.push_back({rows[static_cast<std::size_t>(row)] - 32, rows[lastRow] + 32});
        row += count;
    }
    result->chips = makeChips(*result);
    std::size_t place = 0;
    std::ranges::stable_sort(places, {}, &ChipPlace::box);
    for (StubChip& chip : result->chips) {
        if (chip.atSource)
            continue;
        while (place < places.size() && places[place].box < chip.box)
            ++place;
        if (place == places.size() || places[place].box != chip.box || places[place].row < 0)
            continue;
        const double width = result->boxes[result->edges[chip.edges.front()].from].chipWidth;
        const double y = rows[static_cast<std::size_t>(places[place].row)];
        const double half = options.metrics.chipHeight / 2;
        chip.rect = {places[place].x - width / 2, y - half, places[place].x + width / 2, y + half};
        ++place;
    }
    routeEdges(*result, std::vector<bool>(result->boxes.size(), true), options.metrics);
    if (options.stop.stop_requested())
        return nullptr;
    result->bounds = boundsOf(*result);
    return result;
}

} // namespace crease::layout
