// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/layout/worker_message.h"

#include "ui/layout/protocol.h"

#include <algorithm>
#include <cmath>

namespace crease::layout {

std::string encodeRequest(const std::vector<const SegmentGraph*>& segments, const Metrics& metrics)
{
    std::string body;
    protocol::put(body, protocol::Header{protocol::kMagic, static_cast<std::uint32_t>(segments.size())});
    for (const SegmentGraph* segment : segments) {
        protocol::put(body, protocol::SegmentHead{static_cast<std::uint32_t>(segment->nodes.size()),
                                                  static_cast<std::uint32_t>(segment->edges.size()),
                                                  static_cast<float>(metrics.columnGap),
                                                  static_cast<float>(metrics.rankGap)});
        for (const SegmentNode& node : segment->nodes) {
            protocol::Node out;
            out.role = node.kind == SegmentNodeKind::Entry  ? protocol::Role::Entry
                       : node.kind == SegmentNodeKind::Exit ? protocol::Role::Exit
                                                            : protocol::Role::Box;
            // dot knows boxes that are even on both sides only.
            out.width = node.width + 2 * std::max(node.padLeft, node.padRight);
            out.height = node.height;
            protocol::put(body, out);
        }
        for (const SegmentEdge& edge : segment->edges) {
            const auto side = edge.toOffset < 0   ? protocol::Side::Left
                              : edge.toOffset > 0 ? protocol::Side::Right
                                                  : protocol::Side::Centre;
            protocol::put(body, protocol::Edge{edge.from, edge.to, side, edge.trunk ? 1u : 0u});
        }
    }
    std::string message;
    protocol::put(message, static_cast<protocol::Length>(body.size()));
    return message + body;
}

std::optional<std::string> takeMessage(std::string& input)
{
    protocol::Length length = 0;
    const char* at = input.data();
    if (!protocol::take(at, input.data() + input.size(), length))
        return std::nullopt;
    if (length > protocol::kMaxLength) {
        input.clear();
        return std::string();
    }
    if (input.size() < sizeof(length) + length)
        return std::nullopt;
    std::string message = input.substr(sizeof(length), length);
    input.erase(0, sizeof(length) + length);
    return message;
}

namespace {

/// dot's heights become rows; the x of the trunk becomes 0.
SegmentPlacement rowsOf(const std::vector<protocol::Place>& places, const SegmentGraph& segment)
{
    SegmentPlacement placement;
    std::vector<float> levels;
    const auto isPort = [&](std::size_t n) {
        return segment.nodes[n].kind == SegmentNodeKind::Entry || segment.nodes[n].kind == SegmentNodeKind::Exit;
    };
    for (std::size_t n = 0; n < places.size(); ++n) {
        if (!isPort(n))
            levels.push_back(places[n].y);
    }
    std::ranges::sort(levels);
    constexpr float kSameRow = 2;
    levels.erase(std::ranges::unique(levels, [](float a, float b) { return b - a < kSameRow; }).begin(), levels.end());
    placement.rowCount = static_cast<int>(levels.size()) + 2;
    for (std::size_t n = 0; n < places.size(); ++n) {
        const auto at = std::ranges::upper_bound(levels, places[n].y + kSameRow / 2);
        int row = static_cast<int>(at - levels.begin());
        if (segment.nodes[n].kind == SegmentNodeKind::Entry)
            row = 0;
        else if (segment.nodes[n].kind == SegmentNodeKind::Exit)
            row = placement.rowCount - 1;
        placement.rows.push_back(row);
        placement.xs.push_back(std::round(places[n].x * 2) / 2);
    }
    float trunk = placement.xs.empty() ? 0 : placement.xs.front();
    for (const SegmentEdge& e : segment.edges) {
        if (e.trunk) {
            trunk = placement.xs[e.from];
            break;
        }
    }
    for (float& x : placement.xs)
        x -= trunk;
    return placement;
}

} // namespace

Answer decodeAnswer(const std::string& message, const SegmentGraph& segment)
{
    Answer answer;
    const char* at = message.data();
    const char* end = at + message.size();
    protocol::AnswerHead head;
    if (!protocol::take(at, end, head)) {
        answer.malformed = true;
        return answer;
    }
    answer.segment = head.segment;
    if (head.failed != 0)
        return answer;
    std::vector<protocol::Place> places(segment.nodes.size());
    if (head.nodes != places.size()) {
        answer.malformed = true;
        return answer;
    }
    for (protocol::Place& place : places) {
        if (!protocol::take(at, end, place) || !std::isfinite(place.x) || !std::isfinite(place.y)) {
            answer.malformed = true;
            return answer;
        }
    }
    answer.placement = rowsOf(places, segment);
    return answer;
}

} // namespace crease::layout
