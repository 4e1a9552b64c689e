// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/unshare.h"

#include "core/ops/op_table.h"
#include "core/passes/match.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace crease {

namespace {

/// The nodes from a quantizer of a constant down to `id`, through data movement of one input; empty where `id` is no
/// such thing.
std::vector<NodeId> chainFromConstant(const Graph& graph, NodeId id)
{
    std::vector<NodeId> chain;
    for (NodeId at = id; at.valid() && chain.size() < 64;) {
        const Node& node = graph.node(at);
        if (node.outputs.size() != 1 || !node.input(0).valid()) {
            return {};
        }
        chain.insert(chain.begin(), at);
        if (isCrease(node, nodes::fakeQuant) || isCrease(node, nodes::dequantize)) {
            return graph.value(node.input(0)).isConstant() ? chain : std::vector<NodeId>{};
        }
        const bool moves = node.domain.empty() && !node.is("Pad") && foldingClass(node) == FoldingClass::Movement;
        for (std::size_t slot = 1; slot < node.inputs.size(); ++slot) {
            if (node.inputs[slot].valid() && !graph.value(node.inputs[slot]).isConstant()) {
                return {};
            }
        }
        if (!moves) {
            return {};
        }
        at = graph.producer(node.input(0));
    }
    return {};
}

/// A copy of the chain; returns its last value.
ValueId copyChain(const Graph& graph, const std::vector<NodeId>& chain, Patch& patch)
{
    ValueId made;
    for (const NodeId id : chain) {
        Node copy = graph.node(id);
        Value output = graph.value(copy.output());
        output.doc.clear();
        if (made.valid()) {
            copy.inputs[0] = made;
        }
        copy.outputs.clear();
        made = patch.addNode(std::move(copy), std::move(output));
    }
    return made;
}

Outcome unshare(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!node.output().valid() || graph.fanOut(node.output()) < 2) {
        return NoMatch{};
    }
    const std::vector<NodeId> chain = chainFromConstant(graph, id);
    if (chain.empty()) {
        return NoMatch{};
    }
    const ValueId output = node.output();
    Patch patch(graph, id);
    std::size_t copies = 0;
    bool kept = graph.isOutput(output);
    for (const Use& use : graph.uses(output)) {
        if (use.slot == Use::captured || !kept) {
            kept = true;
            continue;
        }
        const ValueId copy = copyChain(graph, chain, patch);
        patch.replaceUse(use, copy);
        patch.relate(output, copy, Relation::SameReal);
        ++copies;
    }
    if (copies == 0) {
        return NoMatch{};
    }
    for (const NodeId each : chain) {
        patch.role(each, graph.node(each).domain == nodes::domain ? "weight" : "movement");
    }
    patch.explain(fmt::format("'{}' has {} readers: each gets its own", graph.value(output).name, copies + 1));
    return patch;
}

} // namespace

Result<Stage> runUnshare(const Graph& before, const PassContext& context, const Job& job)
{
    const std::array rules{Rule{"unshare/constant", "P7", Fidelity::X, unshare}};
    return applyRules(before, "unshare", rules, context.driver, job);
}

} // namespace crease
