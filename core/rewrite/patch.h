// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"

#include <set>
#include <string>
#include <vector>

namespace crease {

/// How a new value stands for an old one.
enum class Relation {
    SameReal, // equal as real numbers, for every input, in exact arithmetic
    Codes,    // the new value's codes, dequantized, are the old value; or the reverse
    Within,   // within `bound` of the old value
    Clamped,  // the old value clamped to the new one's range: the old value has no counterpart of its own
};

struct ValueRelation {
    ValueId before;
    ValueId after;
    Relation kind = Relation::SameReal;
    double bound = 0.0; // for Within, real units
};

/// The part that a node of the graph before plays at a site: weight, linear, norm, activation, quantizer, movement,
/// affine ...
struct Role {
    NodeId node;
    std::string name;
};

/// A proposed edit of a graph: built against a read-only graph, applied at once by the driver or dropped.
/// Ids of new nodes and values are those that they will have in the graph after.
class Patch {
public:
    /// `anchor` is where new nodes stand in the order, and what new names derive from.
    Patch(const Graph& graph, NodeId anchor);

    /// Names are made unique; an empty name derives from the anchor's first output.
    ValueId addValue(Value value);
    NodeId addNode(Node node);
    /// Adds the node and one output value; returns the output.
    ValueId addNode(Node node, Value output);
    ValueId addConstant(Tensor tensor, std::string name = {});

    /// Every use of `old`, also as a graph output, becomes `now`. A graph output keeps its name.
    void replace(ValueId old, ValueId now, Relation relation = Relation::SameReal);
    /// One use only.
    void replaceUse(Use use, ValueId now);
    /// `now` stands for `old` without taking over its uses (old stays or dies with its last reader).
    void relate(ValueId old, ValueId now, Relation relation, double bound = 0.0);
    void setNode(NodeId id, Node node); // same id: the node counts as changed
    void setValue(ValueId id, Value value);
    /// Removes the node now. Nodes that merely lose their last reader need no call: the driver sweeps them.
    void remove(NodeId id);

    void role(NodeId node, std::string name);
    /// Nodes of the graph before that the new and changed nodes come from; roles count without being named here.
    void ancestor(NodeId node);
    void explain(std::string text) { m_text = std::move(text); }

    const std::string& text() const { return m_text; }
    const std::vector<Role>& roles() const { return m_roles; }

private:
    friend class Driver;
    friend struct PatchApplier;
    struct Replacement {
        ValueId old;
        ValueId now;
        Relation relation;
    };
    const Graph* m_graph;
    NodeId m_anchor;
    std::vector<Value> m_newValues;
    std::vector<Node> m_newNodes;
    std::vector<Replacement> m_replacements;
    std::vector<std::pair<Use, ValueId>> m_uses;
    std::vector<ValueRelation> m_relations;
    std::vector<std::pair<NodeId, Node>> m_setNodes;
    std::vector<std::pair<ValueId, Value>> m_setValues;
    std::vector<NodeId> m_removed;
    std::vector<NodeId> m_ancestors;
    std::vector<Role> m_roles;
    std::set<std::string> m_names;
    std::string m_text;
};

/// Whether Patch::replace(old, now) makes `old` unused: not where `old` is a graph output and `now` is a graph input or
/// output or a constant, whose name the output cannot take.
bool replaceable(const Graph& graph, ValueId old, ValueId now);

} // namespace crease
