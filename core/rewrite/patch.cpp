// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/patch.h"

#include <cassert>

namespace crease {

namespace {

std::string anchorName(const Graph& graph, NodeId anchor)
{
    if (!graph.contains(anchor)) {
        return "value";
    }
    const ValueId output = graph.node(anchor).output();
    return output.valid() ? graph.value(output).name : graph.node(anchor).op;
}

} // namespace

Patch::Patch(const Graph& graph, NodeId anchor) : m_graph(&graph), m_anchor(anchor) {}

ValueId Patch::addValue(Value value)
{
    if (value.name.empty()) {
        value.name = anchorName(*m_graph, m_anchor) + "/" + std::to_string(m_newValues.size());
    }
    const std::string base = value.name;
    value.name = m_graph->freshName(base);
    for (int i = 1; m_names.contains(value.name); ++i) {
        value.name = m_graph->freshName(base + "." + std::to_string(i));
    }
    m_names.insert(value.name);
    const ValueId id{static_cast<std::uint32_t>(m_graph->valueCapacity() + m_newValues.size())};
    m_newValues.push_back(std::move(value));
    return id;
}

NodeId Patch::addNode(Node node)
{
    const NodeId id{static_cast<std::uint32_t>(m_graph->nodeCapacity() + m_newNodes.size())};
    m_newNodes.push_back(std::move(node));
    return id;
}

ValueId Patch::addNode(Node node, Value output)
{
    assert(node.outputs.empty());
    const ValueId id = addValue(std::move(output));
    node.outputs = {id};
    addNode(std::move(node));
    return id;
}

ValueId Patch::addConstant(Tensor tensor, std::string name)
{
    Value value;
    value.name = std::move(name);
    value.type = tensor.type();
    value.shape = shapeOf(tensor.dims());
    value.constant = std::move(tensor);
    return addValue(std::move(value));
}

void Patch::replace(ValueId old, ValueId now, Relation relation)
{
    m_replacements.push_back({old, now, relation});
    m_relations.push_back({old, now, relation, 0.0});
}

void Patch::replaceUse(Use use, ValueId now)
{
    m_uses.emplace_back(use, now);
}

void Patch::relate(ValueId old, ValueId now, Relation relation, double bound)
{
    m_relations.push_back({old, now, relation, bound});
}

void Patch::setNode(NodeId id, Node node)
{
    m_setNodes.emplace_back(id, std::move(node));
}

void Patch::setValue(ValueId id, Value value)
{
    m_setValues.emplace_back(id, std::move(value));
}

void Patch::remove(NodeId id)
{
    m_removed.push_back(id);
}

void Patch::role(NodeId node, std::string name)
{
    m_roles.push_back({node, std::move(name)});
}

void Patch::ancestor(NodeId node)
{
    m_ancestors.push_back(node);
}

bool replaceable(const Graph& graph, ValueId old, ValueId now)
{
    return !graph.isOutput(old) || !(graph.isInput(now) || graph.isOutput(now) || graph.value(now).isConstant());
}

} // namespace crease
