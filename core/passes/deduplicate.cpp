// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/deduplicate.h"

#include <array>
#include <fmt/format.h>
#include <memory>
#include <string_view>
#include <unordered_map>

namespace crease {

namespace {

std::size_t mixed(std::size_t seed, std::size_t value)
{
    return seed ^ (value + 0x9e3779b97f4a7c15U + (seed << 6U) + (seed >> 2U));
}

std::size_t hashOf(const Tensor& tensor)
{
    std::size_t seed = mixed(static_cast<std::size_t>(tensor.type()), tensor.size());
    for (const std::int64_t dim : tensor.dims()) {
        seed = mixed(seed, static_cast<std::size_t>(dim));
    }
    const char* bytes = reinterpret_cast<const char*>(tensor.raw());
    return tensor.type() == ElementType::String
               ? seed
               : mixed(seed, std::hash<std::string_view>{}(std::string_view(bytes, tensor.bytes())));
}

std::size_t hashOf(const Node& node)
{
    std::size_t seed = std::hash<std::string>{}(node.op);
    for (const ValueId input : node.inputs) {
        seed = mixed(seed, input.index);
    }
    return mixed(seed, node.attributes.size());
}

/// What was seen so far in the pass; entries may have died since.
struct Seen {
    std::unordered_multimap<std::size_t, ValueId> constants;
    std::unordered_map<ValueId, std::size_t> hashes;
    std::unordered_multimap<std::size_t, NodeId> nodes;
};

bool equalConstants(const Value& a, const Value& b)
{
    return a.codes == b.codes && a.liesOn == b.liesOn && a.constant.identical(b.constant);
}

Outcome mergeConstants(const Graph& graph, NodeId id, Seen& seen)
{
    const Node& node = graph.node(id);
    Patch patch(graph, id);
    bool any = false;
    for (std::uint32_t slot = 0; slot < node.inputs.size(); ++slot) {
        const ValueId input = node.inputs[slot];
        if (!input.valid() || !graph.value(input).isConstant()) {
            continue;
        }
        const Value& value = graph.value(input);
        const auto known = seen.hashes.find(input);
        const std::size_t hash = known != seen.hashes.end() ? known->second : hashOf(value.constant);
        const auto [first, last] = seen.constants.equal_range(hash);
        ValueId same;
        for (auto other = first; other != last && !same.valid(); ++other) {
            if (graph.contains(other->second) && equalConstants(graph.value(other->second), value)) {
                same = other->second;
            }
        }
        if (!same.valid()) {
            seen.constants.emplace(hash, input);
            seen.hashes.emplace(input, hash);
        } else if (same != input) {
            patch.replaceUse({id, slot}, same);
            patch.relate(input, same, Relation::SameReal);
            any = true;
        }
    }
    if (!any) {
        return NoMatch{};
    }
    patch.role(id, "reader");
    patch.explain("reads a constant that the graph holds already");
    return patch;
}

bool isPure(const Node& node)
{
    return node.captures.empty() && !node.op.starts_with("Random") && node.op != "Multinomial" &&
           node.op != "Bernoulli" && node.op != "Dropout" && (node.domain.empty() || node.domain == "crease") &&
           node.op != "If" && node.op != "Loop" && node.op != "Scan";
}

bool equalNodes(const Graph& graph, const Node& a, const Node& b)
{
    if (a.op != b.op || a.domain != b.domain || a.version != b.version || a.inputs != b.inputs ||
        a.outputs.size() != b.outputs.size() || a.attributes.size() != b.attributes.size()) {
        return false;
    }
    for (auto x = a.attributes.begin(), y = b.attributes.begin(); x != a.attributes.end(); ++x, ++y) {
        if (x->first != y->first || !sameAttribute(x->second, y->second)) {
            return false;
        }
    }
    for (std::size_t i = 0; i < a.outputs.size(); ++i) {
        if (a.outputs[i].valid() != b.outputs[i].valid()) {
            return false;
        }
        if (a.outputs[i].valid()) {
            const Value& x = graph.value(a.outputs[i]);
            const Value& y = graph.value(b.outputs[i]);
            if (x.type != y.type || x.codes != y.codes || graph.isOutput(b.outputs[i])) {
                return false;
            }
        }
    }
    return true;
}

Outcome mergeNodes(const Graph& graph, NodeId id, Seen& seen)
{
    const Node& node = graph.node(id);
    if (!isPure(node)) {
        return NoMatch{};
    }
    const std::size_t hash = hashOf(node);
    const auto [first, last] = seen.nodes.equal_range(hash);
    for (auto other = first; other != last; ++other) {
        if (other->second == id) {
            return NoMatch{};
        }
        if (!graph.contains(other->second) || !equalNodes(graph, graph.node(other->second), node)) {
            continue;
        }
        Patch patch(graph, id);
        const Node& kept = graph.node(other->second);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i].valid()) {
                patch.replace(node.outputs[i], kept.outputs[i]);
            }
        }
        patch.remove(id);
        patch.role(other->second, "kept");
        patch.role(id, "copy");
        patch.explain(fmt::format("computes what '{}' holds already", graph.value(kept.output()).name));
        return patch;
    }
    seen.nodes.emplace(hash, id);
    return NoMatch{};
}

} // namespace

Result<Stage> runDeduplicate(const Graph& before, const PassContext& context, const Job& job)
{
    const auto seen = std::make_shared<Seen>();
    const std::array rules{Rule{"deduplicate/constant", "CSE", Fidelity::X,
                                [seen](const Graph& graph, NodeId id) { return mergeConstants(graph, id, *seen); }},
                           Rule{"deduplicate/node", "CSE", Fidelity::X,
                                [seen](const Graph& graph, NodeId id) { return mergeNodes(graph, id, *seen); }}};
    return applyRules(before, "deduplicate", rules, context.driver, job);
}

} // namespace crease
