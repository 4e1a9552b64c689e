// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/cone.h"

#include "core/ir/integer_nodes.h"

#include <algorithm>
#include <set>
#include <utility>

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
          m_valueSites(graph.valueCapacity()), m_sitesBefore(graph.valueCapacity(), false),
          m_islandBefore(graph.valueCapacity(), false), m_seen(graph.valueCapacity(), 0)
    {
        if (stage != nullptr) {
            m_origins = stage->origins;
            std::ranges::sort(m_origins, {}, &NodeOrigin::before);
        }
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
                addToDescendants(rewrite, site);
            }
        }
        lookAhead();
    }

    Cone of(ValueId value)
    {
        Cone cone;
        ++m_round;
        std::vector<ValueId> open{value};
        while (!open.empty()) {
            const ValueId id = open.back();
            open.pop_back();
            const bool news = m_sitesBefore[id.index] || (m_islandBefore[id.index] && !cone.islands);
            if (std::exchange(m_seen[id.index], m_round) == m_round || (id != value && !news)) {
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
    void addToDescendants(const Rewrite& rewrite, std::size_t site)
    {
        std::set<NodeId> mine{rewrite.anchor};
        for (const Role& role : rewrite.roles) {
            mine.insert(role.node);
        }
        for (const NodeId node : mine) {
            for (const NodeOrigin& origin : std::ranges::equal_range(m_origins, node, {}, &NodeOrigin::before)) {
                if (m_graph.contains(origin.after)) {
                    m_nodeSites[origin.after.index].push_back(site);
                }
            }
        }
    }

    /// Finds the values whose way back to the compared ones has a site or a float node: a walk need not go elsewhere.
    void lookAhead()
    {
        for (std::size_t i = 0; i < m_valueSites.size(); ++i) {
            m_sitesBefore[i] = !m_valueSites[i].empty();
        }
        for (const NodeId id : m_graph.order()) {
            if (!m_graph.contains(id)) {
                continue;
            }
            const Node& node = m_graph.node(id);
            bool sites = !m_nodeSites[id.index].empty();
            bool island = isFloatNode(m_graph, node);
            const auto read = [&](ValueId input) {
                sites = sites || (input.valid() && m_sitesBefore[input.index]);
                island = island || (input.valid() && m_islandBefore[input.index]);
            };
            std::ranges::for_each(node.inputs, read);
            std::ranges::for_each(node.captures, read, &Capture::outer);
            for (const ValueId output : node.outputs) {
                if (output.valid() && !m_boundary[output.index]) {
                    m_sitesBefore[output.index] = m_sitesBefore[output.index] || sites;
                    m_islandBefore[output.index] = island;
                }
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
    std::vector<NodeOrigin> m_origins; // of the stage, by the node before
    std::vector<bool> m_sitesBefore;   // by value
    std::vector<bool> m_islandBefore;
    std::vector<std::uint32_t> m_seen; // the walk that saw the value last
    std::uint32_t m_round = 0;
};

} // namespace

std::vector<Cone> conesOf(const Graph& after, const Pairing& pairing, const Stage* stage)
{
    ConeFinder finder(after, pairing, stage);
    std::vector<Cone> cones;
    for (const Pair& pair : pairing.pairs) {
        cones.push_back(finder.of(pair.after));
    }
    return cones;
}

} // namespace crease
