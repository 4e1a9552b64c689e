// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/trace.h"
#include "tests/support/graph_text.h"

#include <tuple>

namespace crease::test {

using Related = std::tuple<std::string, std::string, Relation>;

/// A graph whose ids are none of those of `before`.
inline Graph graphBeside(const Graph& before, const std::string& text)
{
    std::string padding;
    for (std::size_t i = 0; i < std::max(before.valueCapacity(), before.nodeCapacity()); ++i) {
        padding += "const %pad" + std::to_string(i) + ": f32[] = [0.0]\n%padded" + std::to_string(i) +
                   ": f32[] = Identity(%pad" + std::to_string(i) + ")\n";
    }
    const std::size_t line = text.find('\n') + 1;
    Graph graph = graphOf(text.substr(0, line) + padding + text.substr(line));
    for (const ValueId id : graph.values()) {
        if (graph.value(id).name.starts_with("padded")) {
            graph.removeNode(graph.producer(id));
            graph.removeValue(id);
        }
    }
    for (const ValueId id : graph.values()) {
        if (graph.value(id).name.starts_with("pad")) {
            graph.removeValue(id);
        }
    }
    if (const auto sorted = graph.sort(); !sorted) {
        qFatal("%s", describe(sorted.error()).c_str());
    }
    return graph;
}

/// Adds a stage that rewrote the whole graph at one site.
inline void addStage(Trace& trace, const std::string& pass, const std::string& text,
                     const std::vector<Related>& related, Fidelity fidelity)
{
    const Graph& before = trace.final();
    Stage stage;
    stage.pass = pass;
    stage.after = graphBeside(before, text);
    Rewrite rewrite;
    rewrite.site = pass + "@site";
    rewrite.rule = pass;
    rewrite.fidelity = fidelity;
    for (const auto& [from, to, kind] : related) {
        const ValueRelation relation{before.findValue(from), stage.after.findValue(to), kind};
        if (!relation.before.valid() || !relation.after.valid()) {
            qFatal("no value %s or %s", from.c_str(), to.c_str());
        }
        rewrite.values.push_back(relation);
    }
    for (const NodeId after : stage.after.order()) {
        rewrite.added.push_back(after);
        for (const NodeId node : before.order()) {
            if (before.node(node).op == stage.after.node(after).op) {
                stage.origins.push_back({node, after});
            }
        }
    }
    stage.relations = rewrite.values;
    stage.rewrites.push_back(std::move(rewrite));
    trace.stages.push_back(std::move(stage));
}

} // namespace crease::test
