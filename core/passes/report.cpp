// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/report.h"

#include "core/passes/quantized_data.h"
#include "core/passes/report_reasons.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace crease {

namespace {

/// What became of nodes of the source, stage by stage, for many nodes at once.
class Descendants {
public:
    explicit Descendants(const Trace& trace) : m_trace(trace)
    {
        for (const Stage& stage : trace.stages) {
            auto& map = m_forward.emplace_back();
            for (const NodeOrigin& origin : stage.origins) {
                map[origin.before.index].push_back(origin.after);
            }
        }
    }

    /// The sets at every stage, from a node of graph `from` on; those before are empty.
    std::vector<std::vector<NodeId>> of(NodeId node, std::size_t from = 0) const
    {
        std::vector<std::vector<NodeId>> sets(from);
        sets.push_back({node});
        for (std::size_t stage = from; stage < m_trace.stages.size(); ++stage) {
            std::vector<NodeId> next;
            for (const NodeId id : sets.back()) {
                if (m_trace.stages[stage].after.contains(id)) {
                    next.push_back(id);
                }
                if (const auto found = m_forward[stage].find(id.index); found != m_forward[stage].end()) {
                    for (const NodeId after : found->second) {
                        if (m_trace.stages[stage].after.contains(after)) {
                            next.push_back(after);
                        }
                    }
                }
            }
            std::ranges::sort(next);
            next.erase(std::unique(next.begin(), next.end()), next.end());
            sets.push_back(std::move(next));
        }
        return sets;
    }

private:
    const Trace& m_trace;
    std::vector<std::unordered_map<std::uint32_t, std::vector<NodeId>>> m_forward;
};

bool isIntegerLinear(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    return isLinearOp(node) && node.input(0).valid() && graph.value(node.input(0)).codes.has_value();
}

std::int64_t product(const Shape& shape)
{
    std::int64_t count = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (!shape[i].known() && i > 0) {
            return 0;
        }
        count *= shape[i].known() ? shape[i].value : 1;
    }
    return count;
}

/// Products of one sample; 0 where shapes are not known. A free first dimension counts as 1.
std::int64_t macsOf(const Graph& graph, const Node& node)
{
    const auto shape = [&](ValueId id) { return id.valid() ? graph.value(id).shape : std::nullopt; };
    const std::optional<Shape> x = shape(node.input(0));
    const std::optional<Shape> w = shape(node.input(1));
    const std::optional<Shape> y = shape(node.output());
    if (!x || !w || !y || x->empty() || w->empty()) {
        return 0;
    }
    if (node.is("Conv") || node.is("ConvTranspose")) {
        const std::int64_t filters = (*w)[0].known() ? (*w)[0].value : 0;
        const std::int64_t taps = filters > 0 ? product(*w) / filters : 0; // of one row of the weight
        return taps * (node.is("Conv") ? product(*y) : product(*x));
    }
    const bool turned = node.is("Gemm") && node.intAttribute("transA", 0) != 0;
    const Dim& inner = turned ? x->front() : x->back();
    return inner.known() ? product(*y) * inner.value : 0;
}

void countLinear(const Trace& trace, const Descendants& descendants, FoldReport& report)
{
    const Graph& source = trace.original;
    const Graph& final = trace.final();
    for (const NodeId id : source.order()) {
        if (!source.contains(id) || !isLinearOp(source.node(id))) {
            continue;
        }
        const Node& node = source.node(id);
        const std::int64_t macs = macsOf(source, node);
        ++report.linearOps;
        report.macsBefore += macs;
        const bool quantized = comesFromQuantizer(source, node.input(0)) && comesFromQuantizer(source, node.input(1));
        const std::vector<NodeId> now = descendants.of(id).back();
        const bool integer = std::ranges::any_of(now, [&](NodeId after) {
            return isIntegerLinear(final, after) && final.node(after).op == node.op &&
                   (node.name.empty() || final.node(after).name == node.name);
        });
        report.quantizedLinearOps += quantized ? 1 : 0;
        report.integerLinearOps += quantized && integer ? 1 : 0;
        (integer ? report.macsInteger : report.macsFloat) += macs;
    }
}

/// The pass that reads the quantizers of the file; the number of stages where it did not run.
std::size_t recogniseStage(const Trace& trace)
{
    const auto found = std::ranges::find(trace.stages, "recognise", &Stage::pass);
    return static_cast<std::size_t>(found - trace.stages.begin());
}

QuantizerRole roleOf(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!node.input(0).valid() || !graph.value(node.input(0)).isConstant() || !node.output().valid()) {
        return QuantizerRole::Activation;
    }
    const Value& source = graph.value(node.input(0));
    const bool wide = source.codes && source.codes->isWide();
    const std::span<const Use> uses = graph.uses(node.output());
    const bool addends = !uses.empty() && std::ranges::all_of(uses, [&](const Use& use) {
        return use.slot == 2 && isLinearOp(graph.node(use.node));
    });
    return wide || addends ? QuantizerRole::Bias : QuantizerRole::Weight;
}

/// The site that did most for a quantizer: the last one that named it, up to fusing.
std::string lastSite(const Trace& trace, const std::vector<std::vector<NodeId>>& sets,
                     const std::vector<std::unordered_map<std::uint32_t, const Rewrite*>>& byRole)
{
    for (std::size_t stage = trace.stages.size(); stage > 0; --stage) {
        for (const NodeId id : sets[stage - 1]) {
            if (const auto found = byRole[stage - 1].find(id.index); found != byRole[stage - 1].end()) {
                return found->second->site;
            }
        }
    }
    return {};
}

std::vector<std::unordered_map<std::uint32_t, const Rewrite*>> rewritesByRole(const Trace& trace)
{
    std::vector<std::unordered_map<std::uint32_t, const Rewrite*>> maps(trace.stages.size());
    for (std::size_t i = 0; i < trace.stages.size(); ++i) {
        const std::string_view pass = trace.stages[i].pass;
        if (pass == "legalise" || pass == "quantize-bias" || pass == "deduplicate" || pass == "eliminate-dead") {
            continue;
        }
        for (const Rewrite& rewrite : trace.stages[i].rewrites) {
            if (!rewrite.on) {
                continue;
            }
            for (const Role& role : rewrite.roles) {
                if (role.name == "quantizer" || role.name == "weight" || role.name == "bias") {
                    maps[i][role.node.index] = &rewrite;
                }
            }
        }
    }
    return maps;
}

std::string outputName(const Graph& graph, NodeId id)
{
    const ValueId output = graph.contains(id) ? graph.node(id).output() : ValueId{};
    return output.valid() ? graph.value(output).name : std::string{};
}

/// What stands for a quantizer of the file after recognise: its own node, or an equal one that was there already.
NodeId quantizerMade(const Graph& after, const Rewrite& rewrite)
{
    if (after.contains(rewrite.anchor)) {
        return rewrite.anchor;
    }
    for (const ValueRelation& relation : rewrite.values) {
        if (relation.kind == Relation::SameReal && after.contains(relation.after) &&
            after.producer(relation.after).valid()) {
            return after.producer(relation.after);
        }
    }
    return {};
}

void keep(QuantizerReport& entry, const Reason& reason)
{
    entry.folded = false;
    entry.reasonId = reason.id;
    entry.reasonText = reason.text;
    entry.reasonNode = reason.node;
}

void listQuantizers(const Trace& trace, const Descendants& descendants, const Reasons& reasons, FoldReport& report)
{
    const std::size_t at = recogniseStage(trace);
    const Graph& source = trace.original;
    if (at == trace.stages.size()) {
        for (const NodeId id : source.order()) {
            if (source.node(id).op == "DequantizeLinear") {
                QuantizerReport entry{outputName(source, id), QuantizerRole::Activation, false, {}, {}, {}, {}};
                keep(entry, {"recognise-off", "the pass recognise did not run", source.node(id).name});
                report.quantizers.push_back(std::move(entry));
            }
        }
        return;
    }
    const Stage& stage = trace.stages[at];
    const auto byRole = rewritesByRole(trace);
    for (const Rewrite& rewrite : stage.rewrites) {
        if (rewrite.rule == "recognise/shape-of-codes") {
            continue;
        }
        const std::string name = outputName(trace.graph(at), rewrite.anchor);
        if (!rewrite.on) {
            QuantizerReport entry{name, QuantizerRole::Activation, false, {}, {}, {}, {}};
            keep(entry, {"switched-off", "the site " + rewrite.site + " is switched off", name});
            report.quantizers.push_back(std::move(entry));
            continue;
        }
        QuantizerReport entry{name, QuantizerRole::Activation, true, rewrite.site, {}, {}, {}};
        const NodeId made = quantizerMade(stage.after, rewrite);
        if (made.valid()) {
            entry.role = roleOf(stage.after, made);
        }
        const std::vector<std::vector<NodeId>> sets = descendants.of(made.valid() ? made : rewrite.anchor, at + 1);
        if (const std::optional<Reason> reason = reasons.keptBecause(sets.back(), entry.role)) {
            keep(entry, *reason);
        } else if (const std::string site = lastSite(trace, sets, byRole); !site.empty()) {
            entry.site = site;
        }
        report.quantizers.push_back(std::move(entry));
    }
    for (const MissedSite& missed : stage.missed) {
        const std::size_t name = missed.site.find('@');
        QuantizerReport entry{name == std::string::npos ? missed.site : missed.site.substr(name + 1),
                              QuantizerRole::Activation,
                              false,
                              {},
                              {},
                              {},
                              {}};
        const Graph& graph = stage.after.contains(missed.miss.node) ? stage.after : trace.graph(at);
        keep(entry, {missed.miss.id, missed.miss.text,
                     graph.contains(missed.miss.node) ? graph.node(missed.miss.node).name : std::string{}});
        report.quantizers.push_back(std::move(entry));
    }
}

} // namespace

FoldReport makeReport(const Trace& trace)
{
    FoldReport report;
    const Descendants descendants(trace);
    const Reasons reasons(trace);
    countLinear(trace, descendants, report);
    listQuantizers(trace, descendants, reasons, report);
    report.islands = reasons.islands();
    return report;
}

} // namespace crease
