// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/ids.h"
#include "core/ir/node.h"
#include "core/ir/value.h"
#include "core/support/cow_vector.h"
#include "core/support/result.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace crease {

/// One read of a value: an input slot of a node, or a capture by one of its subgraphs.
struct Use {
    static constexpr std::uint32_t captured = 0xFFFFFFFFU;
    NodeId node;
    std::uint32_t slot = 0;
    bool operator==(const Use&) const = default;
};

/// What a file says beside its graph.
struct ModelInfo {
    std::int64_t irVersion = 8;
    std::map<std::string, int> opsets{}; // domain -> version; "" is ai.onnx
    std::string producerName{};
    std::string producerVersion{};
    std::string domain{};
    std::int64_t modelVersion = 0;
    std::string doc{};
    Metadata metadata{};
    std::string opaque{}; // fields of the ModelProto that we do not know, as their bytes
    bool operator==(const ModelInfo&) const = default;
};

/// A graph as a value: copying shares all nodes, values and tensors. Ids count up and are never reused.
/// Invariants kept by every member: a value has at most one producer; uses mirror the inputs and captures of nodes.
class Graph {
public:
    std::string name{};
    std::string doc{};
    Metadata metadata{};

    const ModelInfo& model() const { return *m_model; }
    void setModel(ModelInfo info) { m_model = std::make_shared<const ModelInfo>(std::move(info)); }

    // Reading. An id is live if it was given out and not removed.
    bool contains(NodeId id) const { return id.index < m_nodes.size() && m_nodes[id.index] != nullptr; }
    bool contains(ValueId id) const { return id.index < m_values.size() && m_values[id.index] != nullptr; }
    const Node& node(NodeId id) const { return *m_nodes[id.index]; }
    const Value& value(ValueId id) const { return *m_values[id.index]; }
    /// The shared object itself: equal pointers in two graphs mean an untouched node or value.
    const std::shared_ptr<const Node>& nodeRef(NodeId id) const { return m_nodes[id.index]; }
    const std::shared_ptr<const Value>& valueRef(ValueId id) const { return m_values[id.index]; }

    NodeId producer(ValueId id) const { return m_links[id.index].producer; }
    std::span<const Use> uses(ValueId id) const { return m_links[id.index].uses; }
    bool isOutput(ValueId id) const { return m_links[id.index].outputs > 0; }
    bool isInput(ValueId id) const { return m_links[id.index].input; }
    /// Number of uses plus one for each time it is a graph output.
    std::size_t fanOut(ValueId id) const { return m_links[id.index].uses.size() + m_links[id.index].outputs; }

    /// After an edit and until sort(), it may be unsorted and still name removed nodes: check contains().
    const std::vector<NodeId>& order() const { return m_order; }
    const std::vector<ValueId>& inputs() const { return m_inputs; } // without initializers
    const std::vector<ValueId>& outputs() const { return m_outputs; }
    std::size_t nodeCount() const { return m_liveNodes; }
    std::size_t nodeCapacity() const { return m_nodes.size(); }   // one more than the largest node id given out
    std::size_t valueCapacity() const { return m_values.size(); } // the same for values
    std::vector<ValueId> values() const;                          // live ones in order of id
    ValueId findValue(std::string_view valueName) const;          // invalid where there is none
    NodeId findNode(std::string_view nodeName) const;             // the first of that name

    // Editing.
    ValueId addValue(Value value);
    /// Inputs must be live or invalid, outputs live without producer. `near`: where in the order it should stand.
    NodeId addNode(Node node, NodeId near = {});
    void removeNode(NodeId id);         // its outputs stay, without producer
    void removeValue(ValueId id);       // must have no producer, uses and be no input or output
    void setNode(NodeId id, Node node); // same id, new content (also inputs, outputs, captures)
    void setValue(ValueId id, Value value);
    void setUse(Use use, ValueId now);
    void replaceUses(ValueId old, ValueId now); // of nodes; graph outputs are replaced by setOutputs
    void setInputs(std::vector<ValueId> inputs);
    void setOutputs(std::vector<ValueId> outputs);
    void replaceOutput(ValueId old, ValueId now); // at each place where `old` is an output
    /// Values of this subgraph that stand for outer values; they have no producer.
    const std::vector<ValueId>& captured() const { return m_captured; }
    void addCaptured(ValueId id) { m_captured.push_back(id); }

    /// Sorts order() topologically, keeping the order where it is free; an error names a node on a cycle.
    Result<void> sort();

    /// A name that no live value has: the base itself if free, else base_1, base_2 ...
    std::string freshName(std::string_view base) const;

private:
    struct Links {
        NodeId producer;
        std::uint32_t outputs = 0;
        bool input = false;
        std::vector<Use> uses;
    };

    bool isSorted() const;
    void link(NodeId id, const Node& node);
    void unlink(NodeId id, const Node& node);
    void addUse(ValueId id, Use use);
    void dropUse(ValueId id, Use use);

    CowVector<std::shared_ptr<const Node>> m_nodes;
    CowVector<std::uint32_t> m_hints; // a node's wished place in the order
    CowVector<std::shared_ptr<const Value>> m_values;
    CowVector<Links> m_links;
    std::vector<NodeId> m_order;
    std::size_t m_liveNodes = 0;
    std::vector<ValueId> m_inputs;
    std::vector<ValueId> m_outputs;
    std::vector<ValueId> m_captured;
    std::shared_ptr<const ModelInfo> m_model = std::make_shared<const ModelInfo>();
    // What freshName knows, made when it is first asked and shared between copies until one of them edits its values.
    struct NameIndex;
    struct Suffixes;
    mutable std::shared_ptr<NameIndex> m_names;
    mutable std::shared_ptr<Suffixes> m_suffixes;
    NameIndex* ownNames();
    void dropSharedSuffixes();
};

} // namespace crease
