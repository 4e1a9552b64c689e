// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/canonicalise.h"

#include "core/passes/canonicalise_rules.h"
#include "core/passes/match.h"
#include "core/passes/shape_of_quantized.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace crease {

namespace {

bool isFalse(const Graph& graph, ValueId value)
{
    return !value.valid() || scalarConstant(graph, value) == 0.0;
}

/// The input that the node hands through unchanged for every input, and why.
std::optional<std::string> handsThrough(const Graph& graph, const Node& node)
{
    if (!node.domain.empty() || node.inputs.empty() || !node.input(0).valid() || !node.output().valid()) {
        return std::nullopt;
    }
    if (node.is("Identity")) {
        return "Identity";
    }
    if (node.is("Dropout") && isFalse(graph, node.input(2)) &&
        (!node.output(1).valid() || graph.fanOut(node.output(1)) == 0)) {
        return "Dropout without training";
    }
    const Value& from = graph.value(node.input(0));
    const Value& to = graph.value(node.output());
    if (node.is("Cast") && from.type == to.type && from.type != ElementType::Undefined) {
        return fmt::format("Cast of {} to the same type", longName(from.type));
    }
    static constexpr std::array joins{"Concat", "Sum", "Max", "Min", "Mean"};
    if (node.inputs.size() == 1 && std::ranges::find(joins, node.op) != joins.end()) {
        return node.op + " of one input";
    }
    if (node.is("Clip") && !node.input(1).valid() && !node.input(2).valid()) {
        return "Clip without bounds";
    }
    return std::nullopt;
}

Outcome removeIdentity(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    const std::optional<std::string> why = handsThrough(graph, node);
    if (!why || !replaceable(graph, node.output(), node.input(0))) {
        return NoMatch{};
    }
    Patch patch(graph, id);
    patch.role(id, "identity");
    patch.replace(node.output(), node.input(0));
    patch.explain(*why + " does nothing");
    return patch;
}

bool sameQuantizer(const Graph& graph, const Node& a, const Node& b)
{
    if (a.inputs != b.inputs || graph.value(a.output()).type != graph.value(b.output()).type) {
        return false;
    }
    Node alike = b;
    alike.name = a.name;
    alike.doc = a.doc;
    alike.metadata = a.metadata;
    alike.attributes.erase(std::string(nodes::source));
    Node plain = a;
    plain.attributes.erase(std::string(nodes::source));
    return sameNode(plain, alike);
}

/// Two quantizers of one value that say the same are one. Constants are left: unshare would part them again.
Outcome mergeQuantizers(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!isCrease(node, nodes::fakeQuant) || graph.value(node.input(0)).isConstant()) {
        return NoMatch{};
    }
    std::size_t seen = 0;
    for (const Use& use : graph.uses(node.input(0))) {
        if (++seen > 64) {
            break;
        }
        const Node& other = graph.node(use.node);
        if (use.node >= id || !isCrease(other, nodes::fakeQuant) || !sameQuantizer(graph, other, node) ||
            !replaceable(graph, node.output(), other.output())) {
            continue;
        }
        Patch patch(graph, id);
        patch.role(id, "quantizer");
        patch.role(use.node, "quantizer");
        patch.replace(node.output(), other.output());
        patch.explain(fmt::format("'{}' quantizes the same value on the same grid", graph.value(other.output()).name));
        return patch;
    }
    return NoMatch{};
}

std::vector<std::int64_t> permutation(const Graph& graph, const Node& node)
{
    std::vector<std::int64_t> perm = node.intsAttribute("perm");
    if (perm.empty() && graph.value(node.input(0)).shape) {
        const auto rank = static_cast<std::int64_t>(graph.value(node.input(0)).shape->size());
        for (std::int64_t i = rank; i > 0; --i) {
            perm.push_back(i - 1);
        }
    }
    return perm;
}

/// A Transpose that undoes the one before it.
Outcome inverseTransposes(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!node.is("Transpose")) {
        return NoMatch{};
    }
    const NodeId first = producerIs(graph, node.input(0), "Transpose");
    if (!first.valid()) {
        return NoMatch{};
    }
    const std::vector<std::int64_t> inner = permutation(graph, graph.node(first));
    const std::vector<std::int64_t> outer = permutation(graph, node);
    if (inner.empty() || inner.size() != outer.size()) {
        return NoMatch{};
    }
    for (std::size_t i = 0; i < outer.size(); ++i) {
        const auto at = static_cast<std::size_t>(outer[i]);
        if (at >= inner.size() || inner[at] != static_cast<std::int64_t>(i)) {
            return NoMatch{};
        }
    }
    const ValueId source = graph.node(first).input(0);
    if (!replaceable(graph, node.output(), source)) {
        return NoMatch{};
    }
    Patch patch(graph, id);
    patch.role(first, "movement");
    patch.role(id, "movement");
    patch.replace(node.output(), source);
    patch.explain("two Transposes undo each other");
    return patch;
}

} // namespace

Result<Stage> runCanonicalise(const Graph& before, const PassContext& context, const Job& job)
{
    const std::array rules{
        Rule{"canonicalise/identity", "no-op", Fidelity::X, removeIdentity},
        Rule{"canonicalise/transposes", "no-op", Fidelity::X, inverseTransposes},
        Rule{"canonicalise/shape-of-quantized", "P28", Fidelity::X, shapeOfQuantized},
        Rule{"canonicalise/equal-quantizers", "P1", Fidelity::X, mergeQuantizers},
        Rule{"canonicalise/gemm-transpose", "BC-27", Fidelity::X, gemmTranspose},
        Rule{"canonicalise/gemm-addend", "BC-04", Fidelity::X, gemmAddend},
        Rule{"canonicalise/gemm-alpha", "BC-28", Fidelity::X, gemmAlpha},
        Rule{"canonicalise/conv-bias", "P10", Fidelity::X, convBias},
    };
    return applyRules(before, "canonicalise", rules, context.driver, job);
}

} // namespace crease
