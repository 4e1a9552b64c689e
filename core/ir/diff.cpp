// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/diff.h"

#include "core/ir/text_format.h"

#include <algorithm>
#include <unordered_set>

namespace crease {

namespace {

bool sameEdges(const Node& a, const Node& b)
{
    return a.inputs == b.inputs && a.outputs == b.outputs && a.captures == b.captures;
}

bool sameContents(Value a, const Value& b)
{
    a.name = b.name;
    return sameValue(a, b);
}

} // namespace

GraphDiff diffGraphs(const Graph& before, const Graph& after)
{
    GraphDiff diff;
    const auto nodes = static_cast<std::uint32_t>(std::max(before.nodeCapacity(), after.nodeCapacity()));
    for (std::uint32_t i = 0; i < nodes; ++i) {
        const NodeId id{i};
        const bool was = before.contains(id);
        const bool is = after.contains(id);
        if (was && !is) {
            diff.removed.push_back(id);
        } else if (!was && is) {
            diff.added.push_back(id);
        } else if (was && is && before.nodeRef(id) != after.nodeRef(id)) {
            const Node& old = before.node(id);
            const Node& now = after.node(id);
            const bool sameArity = old.inputs.size() == now.inputs.size() && old.outputs.size() == now.outputs.size();
            if (!sameNode(old, now) || !sameArity) {
                diff.changed.push_back(id);
            } else if (!sameEdges(old, now)) {
                diff.rewired.push_back(id);
            }
        }
    }
    const auto values = static_cast<std::uint32_t>(std::max(before.valueCapacity(), after.valueCapacity()));
    for (std::uint32_t i = 0; i < values; ++i) {
        const ValueId id{i};
        const bool was = before.contains(id);
        const bool is = after.contains(id);
        if (was && !is) {
            diff.valuesRemoved.push_back(id);
        } else if (!was && is) {
            diff.valuesAdded.push_back(id);
        } else if (was && is && before.valueRef(id) != after.valueRef(id) &&
                   !sameContents(before.value(id), after.value(id))) {
            diff.valuesChanged.push_back(id);
        }
    }
    return diff;
}

std::string diffText(const Graph& before, const Graph& after)
{
    const GraphDiff diff = diffGraphs(before, after);
    std::unordered_set<NodeId> changed(diff.changed.begin(), diff.changed.end());
    changed.insert(diff.rewired.begin(), diff.rewired.end());
    const PrintOptions options{.maxElements = 16};
    std::string text;
    // Removed lines stand before the first kept node that follows them, as a text diff would show them.
    std::size_t at = 0;
    std::vector<std::size_t> place(before.nodeCapacity(), 0);
    for (std::size_t i = 0; i < before.order().size(); ++i) {
        place[before.order()[i].index] = i;
    }
    const auto removedUpTo = [&](NodeId kept) {
        while (at < before.order().size() && before.order()[at] != kept) {
            if (!after.contains(before.order()[at])) {
                text += "- " + printNode(before, before.order()[at], options) + "\n";
            }
            ++at;
        }
    };
    for (const NodeId id : after.order()) {
        if (!before.contains(id)) {
            text += "+ " + printNode(after, id, options) + "\n";
            continue;
        }
        if (place[id.index] >= at) {
            removedUpTo(id);
        }
        if (changed.contains(id)) {
            text += "~ " + printNode(before, id, options) + "\n~ " + printNode(after, id, options) + "\n";
        }
    }
    removedUpTo({});
    return text;
}

} // namespace crease
