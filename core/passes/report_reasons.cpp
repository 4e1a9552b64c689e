// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/report_reasons.h"

#include "core/ops/op_table.h"
#include "core/passes/match.h"
#include "core/passes/quantized_data.h"
#include "core/passes/quantizer_params.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

namespace crease {

namespace {

/// Passes whose misses say why something stays in float, the most telling first. That a factor was not folded is no
/// such reason.
constexpr std::array<std::string_view, 6> telling{"lower",           "recognise",     "fold-weights",
                                                  "fold-batch-norm", "quantize-bias", "tabulate"};

std::unordered_map<std::string_view, NodeId> producersByName(const Graph& graph)
{
    std::unordered_map<std::string_view, NodeId> map;
    for (const NodeId id : graph.order()) {
        for (const ValueId output : graph.node(id).outputs) {
            if (output.valid()) {
                map.emplace(graph.value(output).name, id);
            }
        }
    }
    return map;
}

std::string nameOf(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    return node.name.empty() && node.output().valid() ? graph.value(node.output()).name : node.name;
}

} // namespace

Reasons::Reasons(const Trace& trace) : m_trace(&trace), m_graph(&trace.final())
{
    m_readers.resize(m_graph->valueCapacity());
    for (const ValueId id : m_graph->values()) {
        Readers& readers = m_readers[id.index];
        for (const Use& use : m_graph->uses(id)) {
            const Node& reader = m_graph->node(use.node);
            readers.quantizer = readers.quantizer || isCrease(reader, nodes::quantize);
            readers.other = readers.other || !isCrease(reader, nodes::dequantize);
            if (!readers.linear.valid() && isLinearOp(reader)) {
                readers.linear = use.node;
            }
        }
    }
    for (const Stage& stage : trace.stages) {
        for (const Rewrite& rewrite : stage.rewrites) {
            for (const Role& role : rewrite.roles) {
                if (!rewrite.on && m_graph->contains(role.node)) {
                    m_off.emplace(role.node.index, rewrite.site);
                }
            }
        }
    }
    const auto byName = producersByName(*m_graph);
    for (const std::string_view pass : telling) {
        for (const Stage& stage : trace.stages) {
            if (stage.pass != pass) {
                continue;
            }
            for (const MissedSite& missed : stage.missed) {
                if (missed.miss.id == "shared-output" || missed.miss.id == "not-per-channel") {
                    continue;
                }
                const std::size_t at = missed.site.find('@');
                const auto anchor =
                    at == std::string::npos ? byName.end() : byName.find(std::string_view(missed.site).substr(at + 1));
                if (anchor != byName.end()) {
                    m_misses.emplace(anchor->second.index, &missed.miss);
                }
                if (m_graph->contains(missed.miss.node)) {
                    m_blamed.emplace(missed.miss.node.index, &missed.miss);
                }
            }
        }
    }
}

std::optional<Reason> Reasons::missAt(NodeId id) const
{
    const auto own = m_misses.find(id.index);
    const Miss* miss = own != m_misses.end() ? own->second : nullptr;
    if (miss == nullptr) {
        const auto blamed = m_blamed.find(id.index);
        miss = blamed != m_blamed.end() && blamed->second->id != "float-producer" ? blamed->second : nullptr;
    }
    if (miss == nullptr) {
        return std::nullopt;
    }
    return Reason{miss->id, miss->text,
                  m_graph->contains(miss->node) ? nameOf(*m_graph, miss->node) : nameOf(*m_graph, id)};
}

/// That a person switched the rewrite of a node off, which is then the reason before all others.
std::optional<Reason> Reasons::switchedOffAt(NodeId id) const
{
    const auto off = m_off.find(id.index);
    if (off == m_off.end()) {
        return std::nullopt;
    }
    return Reason{"switched-off", fmt::format("the rewrite '{}' is switched off by the recipe", off->second),
                  nameOf(*m_graph, id)};
}

/// What makes a quantizer invalid for anyone (a scale of NaN ...), with the quantizer's name.
std::optional<Reason> Reasons::faultAt(NodeId id) const
{
    const auto own = m_misses.find(id.index);
    if (own == m_misses.end() || !isFaultOfFile(own->second->id)) {
        return std::nullopt;
    }
    return Reason{own->second->id, fmt::format("{} is invalid: {}", labelOf(*m_graph, id), own->second->text),
                  nameOf(*m_graph, id)};
}

/// The fault of a node, or of a quantizer that it reads or that reads it: what is wrong with one half of a pair is
/// wrong with the other, and an op on either side cannot become integer for that.
std::optional<Reason> Reasons::faultBeside(NodeId id) const
{
    if (const std::optional<Reason> own = faultAt(id)) {
        return own;
    }
    const Node& node = m_graph->node(id);
    for (const ValueId input : node.inputs) {
        const NodeId producer = input.valid() ? m_graph->producer(input) : NodeId{};
        if (const auto fault = producer.valid() ? faultAt(producer) : std::nullopt) {
            return fault;
        }
    }
    for (const ValueId output : node.outputs) {
        if (!output.valid()) {
            continue;
        }
        for (const Use& use : m_graph->uses(output)) {
            if (const auto fault = faultAt(use.node)) {
                return fault;
            }
        }
    }
    return std::nullopt;
}

/// Why this float op has no integer form.
Reason Reasons::ofNode(NodeId id) const
{
    if (const std::optional<Reason> off = switchedOffAt(id)) {
        return *off;
    }
    if (const std::optional<Reason> fault = faultBeside(id)) {
        return *fault;
    }
    if (const std::optional<Reason> miss = missAt(id)) {
        return *miss;
    }
    const Node& node = m_graph->node(id);
    const std::string label = labelOf(*m_graph, id);
    if (findOp(node.op, node.domain) == nullptr) {
        return {"unknown-op", fmt::format("{} is not known here", label), nameOf(*m_graph, id)};
    }
    for (const ValueId input : node.inputs) {
        if (!input.valid()) {
            continue;
        }
        const NodeId source = producerIs(*m_graph, input, nodes::dequantize, nodes::domain);
        if (source.valid() && m_graph->value(m_graph->node(source).input(0)).codes->isWide() &&
            !m_graph->value(m_graph->node(source).input(0)).isConstant()) {
            const NodeId linear = m_graph->producer(m_graph->node(source).input(0));
            return {"no-quantizer-before",
                    fmt::format("no quantizer stands between {} and {}, which reads its accumulator in real numbers",
                                linear.valid() ? labelOf(*m_graph, linear) : "an accumulator", label),
                    nameOf(*m_graph, id)};
        }
    }
    for (const ValueId input : node.inputs) {
        if (input.valid() && m_graph->isInput(input) && !m_graph->value(input).codes) {
            return {
                "unquantized-input",
                fmt::format("{} reads the graph input '{}' before any quantizer", label, m_graph->value(input).name),
                nameOf(*m_graph, id)};
        }
    }
    const bool quantizedBehind = std::ranges::any_of(
        node.outputs, [&](ValueId output) { return output.valid() && m_readers[output.index].quantizer; });
    if (!quantizedBehind) {
        return {"no-quantizer-behind", fmt::format("no quantizer follows {}", label), nameOf(*m_graph, id)};
    }
    return {"no-integer-form", fmt::format("{} has no integer form here", label), nameOf(*m_graph, id)};
}

/// Why the float op behind a quantizer is float: its own reason, or that of the nearest op before it that has one.
Reason Reasons::ofSource(NodeId id) const
{
    NodeId at = id;
    for (int i = 0; i < 32 && at.valid() && isFloatOp(at); ++i) {
        if (const std::optional<Reason> off = switchedOffAt(at)) {
            return *off;
        }
        if (const std::optional<Reason> fault = faultBeside(at)) {
            return *fault;
        }
        if (const std::optional<Reason> reason = missAt(at)) {
            return *reason;
        }
        NodeId next;
        for (const ValueId input : m_graph->node(at).inputs) {
            if (input.valid() && m_graph->producer(input).valid() && isFloatOp(m_graph->producer(input))) {
                next = m_graph->producer(input);
                break;
            }
        }
        at = next;
    }
    return ofNode(id);
}

bool Reasons::feedsInteger(ValueId codes) const
{
    return m_graph->isOutput(codes) || m_readers[codes.index].other;
}

/// The reason of whoever reads real numbers where codes could have been read.
std::optional<Reason> Reasons::ofReaders(ValueId real) const
{
    if (const NodeId linear = m_readers[real.index].linear; linear.valid()) {
        return ofNode(linear);
    }
    const std::span<const Use> uses = m_graph->uses(real);
    return uses.empty() ? std::nullopt : std::optional(ofNode(uses.front().node));
}

std::optional<Reason> Reasons::keptBecause(const std::vector<NodeId>& descendants, QuantizerRole role) const
{
    std::optional<Reason> kept;
    for (const NodeId id : descendants) {
        const Node& node = m_graph->node(id);
        if (isCrease(node, nodes::fakeQuant) || isQuantizeLinear(node) || isDequantizeLinear(node)) {
            kept = switchedOffAt(id);
            kept = kept ? kept : faultBeside(id);
            kept = kept ? kept : missAt(id);
            return kept ? kept
                        : Reason{"not-lowered", fmt::format("{} is left as it is", labelOf(*m_graph, id)),
                                 nameOf(*m_graph, id)};
        }
        const bool dequantizes = isCrease(node, nodes::dequantize);
        const bool quantizes = isCrease(node, nodes::quantize);
        const bool onCodes = node.output().valid() && m_graph->value(node.output()).codes.has_value();
        if (!dequantizes && !quantizes) {
            const bool readsCodes = node.input(0).valid() && m_graph->value(node.input(0)).codes.has_value();
            if (onCodes || readsCodes) {
                return std::nullopt;
            }
            continue;
        }
        const ValueId codes = quantizes ? node.output() : node.input(0);
        const bool constant = m_graph->value(codes).isConstant();
        if (!constant && feedsInteger(codes)) {
            return std::nullopt;
        }
        const NodeId maker = m_graph->producer(codes);
        if (dequantizes && maker.valid() && !isCrease(m_graph->node(maker), nodes::quantize)) {
            return std::nullopt;
        }
        if (kept) {
            continue;
        }
        for (const Use& use : m_graph->uses(codes)) {
            if (isCrease(m_graph->node(use.node), nodes::dequantize)) {
                kept = ofReaders(m_graph->node(use.node).output());
            }
            if (kept) {
                break;
            }
        }
        if (!kept && quantizes && m_graph->producer(node.input(0)).valid()) {
            kept = ofSource(m_graph->producer(node.input(0)));
        }
        if (!kept) {
            kept = Reason{"graph-border", "it stands between graph inputs and outputs and no op computes on its codes",
                          nameOf(*m_graph, id)};
        }
    }
    if (!kept && descendants.empty() && role == QuantizerRole::Weight) {
        return std::nullopt;
    }
    return kept;
}

/// A node that computes on real numbers: neither integer, nor a border, nor about shapes, indices or truths alone.
/// QLinearConv and its like read float scales, but compute on codes; an invalid quantizer is no border.
bool Reasons::isFloatOp(NodeId id) const
{
    const Node& node = m_graph->node(id);
    const bool fake = isCrease(node, nodes::fakeQuant);
    if ((foldingClass(node) == FoldingClass::Quantizer && !fake) || node.domain == nodes::domain) {
        return fake || faultAt(id).has_value(); // what cannot be valid is computed in float, whatever comes out
    }
    const auto isReal = [&](ValueId value) {
        return value.valid() && isFloat(m_graph->value(value).type) && !m_graph->value(value).codes;
    };
    const bool readsCodes = std::ranges::any_of(
        node.inputs, [&](ValueId input) { return input.valid() && m_graph->value(input).codes.has_value(); });
    const bool makesReal = std::ranges::any_of(node.outputs, isReal);
    const bool readsReal = std::ranges::any_of(
        node.inputs, [&](ValueId input) { return isReal(input) && !m_graph->value(input).isConstant(); });
    return !readsCodes && (makesReal || readsReal) && foldingClass(node) != FoldingClass::Constant &&
           !node.is("Shape") && !node.is("Size");
}

std::vector<Island> Reasons::islands() const
{
    std::vector<Island> islands;
    std::vector<bool> seen(m_graph->nodeCapacity(), false);
    for (const NodeId start : m_graph->order()) {
        if (seen[start.index] || !isFloatOp(start)) {
            continue;
        }
        std::vector<NodeId> members;
        std::vector<NodeId> waiting{start};
        seen[start.index] = true;
        const auto visit = [&](NodeId id) {
            if (id.valid() && !seen[id.index] && isFloatOp(id)) {
                seen[id.index] = true;
                waiting.push_back(id);
            }
        };
        while (!waiting.empty()) {
            const NodeId id = waiting.back();
            waiting.pop_back();
            members.push_back(id);
            for (const ValueId input : m_graph->node(id).inputs) {
                if (input.valid() && isFloat(m_graph->value(input).type)) {
                    visit(m_graph->producer(input));
                }
            }
            for (const ValueId output : m_graph->node(id).outputs) {
                if (output.valid() && isFloat(m_graph->value(output).type)) {
                    for (const Use& use : m_graph->uses(output)) {
                        visit(use.node);
                    }
                }
            }
        }
        const bool moves = std::ranges::all_of(
            members, [&](NodeId id) { return foldingClass(m_graph->node(id)) == FoldingClass::Movement; });
        if (moves) {
            continue;
        }
        std::ranges::sort(members);
        Island island;
        std::optional<Reason> reason;
        for (const NodeId id : members) {
            reason = reason ? reason : faultBeside(id);
        }
        for (const NodeId id : members) {
            island.nodes.push_back(nameOf(*m_graph, id));
            if (!reason && isLinearOp(m_graph->node(id))) {
                reason = missAt(id);
            }
        }
        for (const NodeId id : members) {
            if (!reason) {
                reason = missAt(id);
            }
        }
        for (const NodeId id : members) {
            if (!reason && foldingClass(m_graph->node(id)) != FoldingClass::Movement) {
                reason = ofNode(id);
            }
        }
        island.reasonId = reason->id;
        island.reason = reason->text;
        islands.push_back(std::move(island));
    }
    return islands;
}

} // namespace crease
