// SPDX-License-Identifier: MIT
#include "dot_layout.h"

#include <cmath>
#include <graphviz/gvc.h>
#include <string>

namespace layout_worker {

namespace {

constexpr double kPointsPerInch = 72;

class Graph {
public:
    explicit Graph(Agraph_t* graph) : m_graph(graph) {}
    ~Graph() { agclose(m_graph); }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    Agraph_t* get() const { return m_graph; }

    void set(void* object, const char* name, const std::string& value)
    {
        std::string key = name;
        std::string text = value;
        std::string none;
        agsafeset(object, key.data(), text.data(), none.data());
    }

private:
    Agraph_t* m_graph;
};

std::string inches(float points)
{
    return std::to_string(static_cast<double>(points) / kPointsPerInch);
}

} // namespace

DotLayout::DotLayout() : m_context(gvContext()) {}

DotLayout::~DotLayout()
{
    gvFreeContext(static_cast<GVC_t*>(m_context));
}

bool DotLayout::run(const Segment& segment, std::vector<layout_protocol::Place>& places)
{
    std::string name = "segment";
    Graph graph(agopen(name.data(), Agdirected, nullptr));
    graph.set(graph.get(), "nodesep", inches(segment.head.columnGap));
    graph.set(graph.get(), "ranksep", inches(segment.head.rankGap));
    graph.set(graph.get(), "splines", "false");
    graph.set(graph.get(), "nslimit", "2");
    std::string entriesName = "entries";
    std::string exitsName = "exits";
    Agraph_t* entries = agsubg(graph.get(), entriesName.data(), 1);
    Agraph_t* exits = agsubg(graph.get(), exitsName.data(), 1);
    graph.set(entries, "rank", "same");
    graph.set(exits, "rank", "same");
    std::vector<Agnode_t*> nodes;
    for (const layout_protocol::Node& node : segment.nodes) {
        std::string id = std::to_string(nodes.size());
        Agnode_t* n = agnode(graph.get(), id.data(), 1);
        const bool box = node.role == layout_protocol::Role::Box;
        graph.set(n, "shape", "box");
        graph.set(n, "fixedsize", "true");
        graph.set(n, "label", "");
        graph.set(n, "width", inches(box ? node.width : 4));
        graph.set(n, "height", inches(box ? node.height : 4));
        if (node.role == layout_protocol::Role::Entry)
            agsubnode(entries, n, 1);
        if (node.role == layout_protocol::Role::Exit)
            agsubnode(exits, n, 1);
        nodes.push_back(n);
    }
    for (const layout_protocol::Edge& edge : segment.edges) {
        Agedge_t* e = agedge(graph.get(), nodes[edge.from], nodes[edge.to], nullptr, 1);
        if (edge.trunk != 0)
            graph.set(e, "weight", "20");
        if (edge.side == layout_protocol::Side::Left)
            graph.set(e, "headport", "nw");
        else if (edge.side == layout_protocol::Side::Right)
            graph.set(e, "headport", "ne");
    }
    GVC_t* context = static_cast<GVC_t*>(m_context);
    if (gvLayout(context, graph.get(), "dot") != 0)
        return false;
    places.clear();
    for (Agnode_t* n : nodes)
        places.push_back({static_cast<float>(ND_coord(n).x), static_cast<float>(-ND_coord(n).y)});
    gvFreeLayout(context, graph.get());
    return true;
}

} // namespace layout_worker
