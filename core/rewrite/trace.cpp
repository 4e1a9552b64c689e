// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/trace.h"

#include <algorithm>

namespace crease {

namespace {

template <class Id>
void makeUnique(std::vector<Id>& ids)
{
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

/// One stage further, or one back, for a set of ids, along pairs (before, after) and along ids that both graphs have.
template <class Id, class Pairs>
std::vector<Id> step(const std::vector<Id>& ids, const Graph& to, const Pairs& pairs, bool forward)
{
    std::vector<Id> result;
    for (const Id id : ids) {
        if (to.contains(id)) {
            result.push_back(id);
        }
    }
    for (const auto& pair : pairs) {
        const Id from = forward ? pair.before : pair.after;
        const Id into = forward ? pair.after : pair.before;
        if (std::ranges::binary_search(ids, from) && to.contains(into)) {
            result.push_back(into);
        }
    }
    makeUnique(result);
    return result;
}

template <class Id, class PairsOf>
std::vector<Id> walk(const Trace& trace, Id id, std::size_t from, std::size_t to, PairsOf pairsOf)
{
    std::vector<Id> ids;
    if (trace.graph(from).contains(id)) {
        ids.push_back(id);
    }
    for (std::size_t at = from; at < to; ++at) {
        ids = step(ids, trace.graph(at + 1), pairsOf(trace.stages[at]), true);
    }
    for (std::size_t at = from; at > to; --at) {
        ids = step(ids, trace.graph(at - 1), pairsOf(trace.stages[at - 1]), false);
    }
    return ids;
}

/// step() along pairs that are sorted by `key`.
std::vector<NodeId> sortedStep(const std::vector<NodeId>& ids, const Graph& to, const std::vector<NodeOrigin>& pairs,
                               NodeId NodeOrigin::* key, NodeId NodeOrigin::* into)
{
    std::vector<NodeId> result;
    for (const NodeId id : ids) {
        if (to.contains(id)) {
            result.push_back(id);
        }
        for (const NodeOrigin& pair : std::ranges::equal_range(pairs, id, {}, key)) {
            if (to.contains(pair.*into)) {
                result.push_back(pair.*into);
            }
        }
    }
    makeUnique(result);
    return result;
}

} // namespace

Lineage::Lineage(const Trace& trace) : m_trace(&trace)
{
    for (const Stage& stage : trace.stages) {
        std::ranges::sort(m_byBefore.emplace_back(stage.origins), {}, &NodeOrigin::before);
        std::ranges::sort(m_byAfter.emplace_back(stage.origins), {}, &NodeOrigin::after);
    }
}

std::vector<NodeId> Lineage::stepBack(const std::vector<NodeId>& nodes, std::size_t stage) const
{
    return sortedStep(nodes, m_trace->graph(stage - 1), m_byAfter[stage - 1], &NodeOrigin::after, &NodeOrigin::before);
}

std::vector<NodeId> Lineage::counterparts(NodeId node, std::size_t from, std::size_t to) const
{
    std::vector<NodeId> ids;
    if (m_trace->graph(from).contains(node)) {
        ids.push_back(node);
    }
    for (std::size_t at = from; at < to; ++at) {
        ids = sortedStep(ids, m_trace->graph(at + 1), m_byBefore[at], &NodeOrigin::before, &NodeOrigin::after);
    }
    for (std::size_t at = from; at > to; --at) {
        ids = stepBack(ids, at);
    }
    return ids;
}

std::vector<NodeId> counterparts(const Trace& trace, NodeId node, std::size_t from, std::size_t to)
{
    return walk(trace, node, from, to, [](const Stage& stage) -> const auto& { return stage.origins; });
}

std::vector<ValueId> counterparts(const Trace& trace, ValueId value, std::size_t from, std::size_t to)
{
    return walk(trace, value, from, to, [](const Stage& stage) -> const auto& { return stage.relations; });
}

} // namespace crease
