// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/deduplicate.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

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

std::size_t hashOf(const Value& constant)
{
    return mixed(hashOf(constant.constant), constant.codes ? std::hash<double>{}(constant.codes->scales.front()) : 0);
}

/// Of the kinds that nodes differ in; 0 for the others. Equal attributes have equal hashes.
std::size_t hashOf(const Attribute& attribute)
{
    const auto ofList = [](const auto& list) {
        std::size_t seed = list.size();
        for (const auto& entry : list) {
            seed = mixed(seed, std::hash<std::decay_t<decltype(entry)>>{}(entry));
        }
        return seed;
    };
    const auto hash = [&]<class T>(const T& content) -> std::size_t {
        if constexpr (std::is_same_v<T, Grid>) {
            return mixed(ofList(content.scales), ofList(content.zeroPoints));
        } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
            return std::hash<T>{}(content);
        } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>> || std::is_same_v<T, std::vector<double>> ||
                             std::is_same_v<T, std::vector<float>>) {
            return ofList(content);
        } else {
            return 0;
        }
    };
    return std::visit(hash, attribute);
}

std::size_t hashOf(const Graph& graph, const Node& node)
{
    std::size_t seed = std::hash<std::string>{}(node.op);
    for (const ValueId input : node.inputs) {
        seed = mixed(seed, input.index);
    }
    for (const auto& [name, attribute] : node.attributes) {
        seed = mixed(seed, hashOf(attribute));
    }
    for (const ValueId output : node.outputs) {
        const auto& codes = output.valid() ? graph.value(output).codes : std::nullopt;
        seed = mixed(seed, codes ? std::hash<double>{}(codes->scales.front()) : 0);
    }
    return seed;
}

/// What was seen so far in the pass; entries may have died since.
struct Seen {
    std::unordered_multimap<std::size_t, ValueId> constants;
    std::unordered_map<ValueId, std::size_t> hashes;
    std::unordered_multimap<std::size_t, NodeId> nodes;
    std::unordered_map<NodeId, std::size_t> nodeHashes; // of those in `nodes`: as they were when they came there
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
        const std::size_t hash = known != seen.hashes.end() ? known->second : hashOf(value);
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
            if (x.type != y.type || x.codes != y.codes) {
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
    const std::size_t hash = hashOf(graph, node);
    const bool stays =
        std::ranges::any_of(node.outputs, [&](ValueId output) { return output.valid() && graph.isOutput(output); });
    const auto [first, last] = seen.nodes.equal_range(hash);
    for (auto other = first; !stays && other != last; ++other) {
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
    const auto [known, fresh] = seen.nodeHashes.try_emplace(id, hash);
    if (fresh || std::exchange(known->second, hash) != hash) {
        seen.nodes.emplace(hash, id);
    }
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
