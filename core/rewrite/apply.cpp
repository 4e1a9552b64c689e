// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/apply.h"

#include <algorithm>
#include <cassert>

namespace crease {

namespace {

void replaceOutput(Graph& graph, ValueId old, ValueId now)
{
    if (!graph.isOutput(old) || !replaceable(graph, old, now)) {
        return;
    }
    graph.replaceOutput(old, now);
    Value oldValue = graph.value(old);
    Value newValue = graph.value(now);
    std::swap(oldValue.name, newValue.name);
    newValue.doc = oldValue.doc;
    if (!newValue.shape.has_value()) {
        newValue.shape = oldValue.shape;
    }
    graph.setValue(old, std::move(oldValue));
    graph.setValue(now, std::move(newValue));
}

void gatherAround(const Graph& graph, NodeId id, std::vector<NodeId>& around)
{
    for (const ValueId input : graph.node(id).inputs) {
        if (input.valid() && graph.producer(input).valid()) {
            around.push_back(graph.producer(input));
        }
    }
    for (const ValueId output : graph.node(id).outputs) {
        if (output.valid()) {
            for (const Use& use : graph.uses(output)) {
                around.push_back(use.node);
            }
        }
    }
}

bool isDead(const Graph& graph, NodeId id)
{
    return std::ranges::all_of(graph.node(id).outputs,
                               [&](ValueId output) { return !output.valid() || graph.fanOut(output) == 0; });
}

} // namespace

void sweepDead(Graph& graph, std::vector<NodeId> candidates, std::vector<NodeId>& removed)
{
    while (!candidates.empty()) {
        const NodeId id = candidates.back();
        candidates.pop_back();
        if (!graph.contains(id) || !isDead(graph, id)) {
            continue;
        }
        const Node node = graph.node(id);
        graph.removeNode(id);
        removed.push_back(id);
        for (const ValueId output : node.outputs) {
            if (output.valid()) {
                graph.removeValue(output);
            }
        }
        std::vector<ValueId> reads = node.inputs;
        for (const Capture& capture : node.captures) {
            reads.push_back(capture.outer);
        }
        for (const ValueId read : reads) {
            if (!read.valid() || !graph.contains(read) || graph.fanOut(read) > 0) {
                continue;
            }
            if (graph.producer(read).valid()) {
                candidates.push_back(graph.producer(read));
            } else if (!graph.isInput(read)) {
                graph.removeValue(read);
            }
        }
    }
}

Applied PatchApplier::apply(Graph& graph, const Patch& patch)
{
    assert(patch.m_graph == &graph);
    Applied applied;
    std::vector<NodeId> maybeDead;
    std::vector<ValueId> orphans;
    const auto mayDie = [&](ValueId id) {
        if (id.valid() && graph.contains(id)) {
            if (graph.producer(id).valid()) {
                maybeDead.push_back(graph.producer(id));
            } else {
                orphans.push_back(id);
            }
        }
    };
    for (const Value& value : patch.m_newValues) {
        graph.addValue(value);
    }
    for (const auto& [use, now] : patch.m_uses) {
        mayDie(graph.node(use.node).inputs[use.slot]);
        graph.setUse(use, now);
        applied.around.push_back(use.node);
    }
    for (const Patch::Replacement& replacement : patch.m_replacements) {
        mayDie(replacement.old);
        graph.replaceUses(replacement.old, replacement.now);
    }
    for (const auto& [id, node] : patch.m_setNodes) {
        for (const ValueId input : graph.node(id).inputs) {
            mayDie(input);
        }
        graph.setNode(id, node);
        applied.added.push_back(id);
    }
    std::vector<NodeId> fresh;
    for (const Node& node : patch.m_newNodes) {
        fresh.push_back(graph.addNode(node, patch.m_anchor));
    }
    applied.added.insert(applied.added.begin(), fresh.begin(), fresh.end());
    for (const Patch::Replacement& replacement : patch.m_replacements) {
        replaceOutput(graph, replacement.old, replacement.now);
    }
    for (const auto& [id, value] : patch.m_setValues) {
        graph.setValue(id, value);
        for (const Use& use : graph.uses(id)) {
            applied.around.push_back(use.node);
        }
    }
    for (const NodeId id : patch.m_removed) {
        if (graph.contains(id)) {
            maybeDead.push_back(id);
        }
    }
    for (const Patch::Replacement& replacement : patch.m_replacements) {
        orphans.push_back(replacement.old);
    }
    sweepDead(graph, std::move(maybeDead), applied.removed);
    for (const ValueId id : orphans) {
        if (graph.contains(id) && !graph.producer(id).valid() && graph.fanOut(id) == 0 && !graph.isInput(id)) {
            graph.removeValue(id);
        }
    }
    for (const NodeId id : applied.added) {
        if (graph.contains(id)) {
            gatherAround(graph, id, applied.around);
        }
    }
    return applied;
}

} // namespace crease
