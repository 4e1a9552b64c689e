// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/rule.h"
#include "core/support/diagnostic.h"

#include <set>
#include <string>
#include <vector>

namespace crease {

/// One applied (or switched-off) site. Its name is rule + "@" + the name of the anchor's first output: the same from
/// run to run.
struct Rewrite {
    std::string site;
    std::string rule;
    std::string law;
    Fidelity fidelity = Fidelity::X;
    bool on = true;            // false: matched, but switched off by the recipe
    std::string text;          // why and what, one sentence
    NodeId anchor;             // in the graph before
    std::vector<Role> roles;   // nodes of the graph before
    std::vector<NodeId> added; // nodes of the graph after, changed ones as well
    std::vector<ValueRelation> values;
};

struct MissedSite {
    std::string site;
    std::string rule;
    Miss miss;
};

/// A node of the graph before and one of the graph after that came from it. Untouched nodes (same id) are not listed.
struct NodeOrigin {
    NodeId before;
    NodeId after;
    bool operator==(const NodeOrigin&) const = default;
};

/// What one pass did.
struct Stage {
    std::string pass;
    Graph after;
    std::vector<Rewrite> rewrites;
    std::vector<MissedSite> missed;
    std::vector<NodeOrigin> origins;      // provenance of nodes
    std::vector<ValueRelation> relations; // provenance of values (all rewrites')
    Diagnostics diagnostics;
    double milliseconds = 0.0;
    std::size_t nodesBefore = 0;
};

/// A model and what the passes made of it, stage by stage.
struct Trace {
    Graph original;
    std::vector<Stage> stages;

    const Graph& graph(std::size_t stage) const { return stage == 0 ? original : stages[stage - 1].after; }
    const Graph& final() const { return graph(stages.size()); }
};

/// Where the nodes of a trace came from and what became of them, for many questions about one trace, which must stay.
class Lineage {
public:
    explicit Lineage(const Trace& trace);

    /// Nodes of graph(stage - 1) that nodes of graph(stage) came from. Ids are sorted, as in all answers here.
    std::vector<NodeId> stepBack(const std::vector<NodeId>& nodes, std::size_t stage) const;
    /// The same as the function of that name.
    std::vector<NodeId> counterparts(NodeId node, std::size_t from, std::size_t to) const;

private:
    const Trace* m_trace;
    std::vector<std::vector<NodeOrigin>> m_byBefore; // one list a stage
    std::vector<std::vector<NodeOrigin>> m_byAfter;
};

/// Nodes of graph(to) that came from `node` of graph(from), or the reverse where to < from. Stage numbers as in
/// Trace::graph.
std::vector<NodeId> counterparts(const Trace& trace, NodeId node, std::size_t from, std::size_t to);
/// The same for values; a value that kept its id is its own counterpart.
std::vector<ValueId> counterparts(const Trace& trace, ValueId value, std::size_t from, std::size_t to);

} // namespace crease
