// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/selection.h"

#include <algorithm>

namespace crease {

void Selection::select(std::size_t stage, NodeId node)
{
    if (stage != m_stage || node != m_node) {
        m_stage = stage;
        m_node = node;
        emit changed();
    }
}

void Selection::reveal(std::size_t stage, NodeId node)
{
    select(stage, node);
    emit revealRequested(stage, node);
}

void Selection::follow(const Trace* before, const Trace* now)
{
    if (!m_node.valid()) {
        return;
    }
    if (before == nullptr || now == nullptr || m_stage > before->stages.size() ||
        !before->graph(m_stage).contains(m_node)) {
        clear();
        return;
    }
    std::size_t stage = 0;
    if (m_stage > 0) {
        const auto found = std::ranges::find(now->stages, before->stages[m_stage - 1].pass, &Stage::pass);
        if (found == now->stages.end()) {
            clear();
            return;
        }
        stage = static_cast<std::size_t>(found - now->stages.begin()) + 1;
    }
    const Graph& old = before->graph(m_stage);
    const Node& node = old.node(m_node);
    const Graph& graph = now->graph(stage);
    const auto isIt = [&](NodeId id) { return graph.contains(id) && graph.node(id).op == node.op; };
    NodeId same = node.name.empty() ? NodeId{} : graph.findNode(node.name);
    if (!isIt(same) && old.contains(node.output())) {
        const ValueId value = graph.findValue(old.value(node.output()).name);
        same = graph.contains(value) ? graph.producer(value) : NodeId{};
    }
    select(isIt(same) ? stage : 0, isIt(same) ? same : NodeId{});
}

void Selection::followTo(const Trace& trace, std::size_t stage)
{
    if (!m_node.valid() || m_stage > trace.stages.size() || stage > trace.stages.size()) {
        return;
    }
    const std::vector<NodeId> nodes = counterparts(trace, m_node, m_stage, stage);
    const bool isKept = std::ranges::find(nodes, m_node) != nodes.end();
    select(nodes.empty() ? 0 : stage, nodes.empty() ? NodeId{} : isKept ? m_node : nodes.front());
}

void Selection::setSite(const QString& site)
{
    if (site != m_site) {
        m_site = site;
        emit siteChanged();
    }
}

void Selection::hover(std::size_t stage, NodeId node)
{
    if (stage != m_hoveredStage || node != m_hovered) {
        m_hoveredStage = stage;
        m_hovered = node;
        emit hoverChanged();
    }
}

} // namespace crease
