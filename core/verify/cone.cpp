// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/cone.h"

#include "core/ir/integer_nodes.h"

#include <algorithm>
#include <set>

namespace crease {

namespace {

bool isFloatNode(const Graph& graph, const Node& node)
{
    if (node.domain == nodes::domain) {
        return false;
    }
    return std::ranges::any_of(node.outputs, [&](ValueId id) {
        return id.valid() && isFloat(graph.value(id).type) && !graph.value(id).codes;
    });
}

class ConeFinder {
public:
    ConeFinder(const Graph& graph, const Pairing& pairing, const Stage* stage)
        : m_graph(graph), m_boundary(graph.valueCapacity(), false), m_nodeSites(graph.nodeCapacity()),
          m_valueSites(graph.valueCapacity())
    {
        for (const Pair& pair : pairing.pairs) {
            m_boundary[pair.after.index] = pair.kind == Pair::Kind::Steps && !pair.constant;
        }
        for (std::size_t site = 0; stage != nullptr && site < stage->rewrites.size(); ++site) {
            const Rewrite& rewrite = stage->rewrites[site];
            if (!rewrite.on) {
                continue;
            }
            for (const NodeId id : rewrite.added) {
                if (graph.contains(id)) {
                    m_nodeSites[id.index].push_back(site);
                }
            }
            for (const ValueRelation& relation : rewrite.values) {
                if (graph.contains(relation.after)) {
                    m_valueSites[relation.after.index].push_back(site);
                }
            }
            if (rewrite.added.empty()) {
                addToDescendants(*stage, rewrite, site);
            }
        }
    }

    Cone of(ValueId value) const
    {
        Cone cone;
        std::set<ValueId> seen;
        std::vector<ValueId> open{value};
        while (!open.empty()) {
            const ValueId id = open.back();
            open.pop_back();
            if (!seen.insert(id).second) {
                continue;
            }
            addSites(cone, m_valueSites[id.index]);
            const NodeId producer = m_graph.producer(id);
            if (!producer.valid() || (id != value && m_boundary[id.index])) {
                continue;
            }
            const Node& node = m_graph.node(producer);
            addSites(cone, m_nodeSites[producer.index]);
            cone.islands = cone.islands || isFloatNode(m_graph, node);
            for (const ValueId input : node.inputs) {
                if (input.valid()) {
                    open.push_back(input);
                }
            }
            for (const Capture& capture : node.captures) {
                open.push_back(capture.outer);
            }
        }
        std::ranges::sort(cone.sites);
        cone.sites.erase(std::unique(cone.sites.begin(), cone.sites.end()), cone.sites.end());
        return cone;
    }

private:
    /// What a site made may have been rewritten again in the same pass: then it is checked where that came to be.
    void addToDescendants(const Stage& stage, const Rewrite& rewrite, std::size_t site)
    {
        for (const NodeOrigin& origin : stage.origins) {
            const bool mine = origin.before == rewrite.anchor ||
                              std::ranges::find(rewrite.roles, origin.before, &Role::node) != rewrite.roles.end();
            if (mine && m_graph.contains(origin.after)) {
                m_nodeSites[origin.after.index].push_back(site);
            }
        }
    }

    static void addSites(Cone& cone, const std::vector<std::size_t>& sites)
    {
        cone.sites.insert(cone.sites.end(), sites.begin(), sites.end());
    }

    const Graph& m_graph;
    std::vector<bool> m_boundary;
    std::vector<std::vector<std::size_t>> m_nodeSites;
    std::vector<std::vector<std::size_t>> m_valueSites;
};

} // namespace

std::vector<Cone> conesOf(const Graph& after, const Pairing& pairing, const Stage* stage)
{
    const ConeFinder finder(after, pairing, stage);
    std::vector<Cone> cones;
    for (const Pair& pair : pairing.pairs) {
        cones.push_back(finder.of(pair.after));
    }
    return cones;
}

} // namespace crease
