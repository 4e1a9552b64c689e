// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/graph.h"

#include <algorithm>
#include <cassert>
#include <mutex>
#include <queue>
#include <unordered_map>

namespace crease {

/// The names of the live values, and how many have each: in the middle of an edit two may have the same. Guarded:
/// snapshots are read from several threads.
struct Graph::NameIndex {
    std::mutex mutex;
    std::unordered_map<std::string, std::uint32_t> counts;

    void add(const std::string& name) { ++counts[name]; }
    void remove(const std::string& name)
    {
        if (const auto found = counts.find(name); found != counts.end() && --found->second == 0) {
            counts.erase(found);
        }
    }
};

/// The suffix that freshName gave last, by base. They start again once a value gets another name.
struct Graph::Suffixes {
    std::mutex mutex;
    std::unordered_map<std::string, std::uint32_t> last;
};

/// The index to be kept up to date, if there is one: what another graph shares is left to it.
Graph::NameIndex* Graph::ownNames()
{
    if (m_names.use_count() > 1) {
        m_names.reset();
    }
    return m_names.get();
}

void Graph::dropSharedSuffixes()
{
    if (m_suffixes.use_count() > 1) {
        m_suffixes.reset();
    }
}

std::vector<ValueId> Graph::values() const
{
    std::vector<ValueId> ids;
    for (std::uint32_t i = 0; i < m_values.size(); ++i) {
        if (m_values[i] != nullptr) {
            ids.push_back({i});
        }
    }
    return ids;
}

ValueId Graph::findValue(std::string_view valueName) const
{
    for (std::uint32_t i = 0; i < m_values.size(); ++i) {
        if (m_values[i] != nullptr && m_values[i]->name == valueName) {
            return {i};
        }
    }
    return {};
}

NodeId Graph::findNode(std::string_view nodeName) const
{
    const auto found =
        std::ranges::find_if(m_order, [&](NodeId id) { return contains(id) && node(id).name == nodeName; });
    return found == m_order.end() ? NodeId{} : *found;
}

ValueId Graph::addValue(Value value)
{
    const ValueId id{static_cast<std::uint32_t>(m_values.size())};
    dropSharedSuffixes();
    if (NameIndex* names = ownNames()) {
        names->add(value.name);
    }
    m_values.push_back(std::make_shared<const Value>(std::move(value)));
    m_links.push_back({});
    return id;
}

NodeId Graph::addNode(Node node, NodeId near)
{
    const NodeId id{static_cast<std::uint32_t>(m_nodes.size())};
    const std::uint32_t hint =
        near.valid() && near.index < m_hints.size() ? m_hints[near.index] : static_cast<std::uint32_t>(m_order.size());
    link(id, node);
    m_nodes.push_back(std::make_shared<const Node>(std::move(node)));
    m_hints.push_back(hint);
    m_order.push_back(id);
    ++m_liveNodes;
    return id;
}

void Graph::removeNode(NodeId id)
{
    assert(contains(id));
    unlink(id, node(id));
    m_nodes.edit(id.index) = nullptr;
    --m_liveNodes;
}

void Graph::removeValue(ValueId id)
{
    assert(contains(id) && !producer(id).valid() && fanOut(id) == 0 && !isInput(id));
    dropSharedSuffixes();
    if (NameIndex* names = ownNames()) {
        names->remove(value(id).name);
    }
    m_values.edit(id.index) = nullptr;
}

void Graph::setNode(NodeId id, Node node)
{
    assert(contains(id));
    const Node& old = this->node(id);
    if (old.inputs != node.inputs || old.outputs != node.outputs || old.captures != node.captures) {
        unlink(id, old);
        link(id, node);
    }
    m_nodes.edit(id.index) = std::make_shared<const Node>(std::move(node));
}

void Graph::setValue(ValueId id, Value value)
{
    assert(contains(id));
    if (value.name != this->value(id).name) {
        m_suffixes.reset();
        if (NameIndex* names = ownNames()) {
            names->remove(this->value(id).name);
            names->add(value.name);
        }
    }
    m_values.edit(id.index) = std::make_shared<const Value>(std::move(value));
}

void Graph::setUse(Use use, ValueId now)
{
    Node changed = node(use.node);
    if (use.slot == Use::captured) {
        assert(false && "a capture is replaced by replaceUses");
        return;
    }
    changed.inputs[use.slot] = now;
    setNode(use.node, std::move(changed));
}

void Graph::replaceUses(ValueId old, ValueId now)
{
    std::vector<NodeId> readers;
    for (const Use& use : uses(old)) {
        readers.push_back(use.node);
    }
    std::ranges::sort(readers);
    readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    for (const NodeId reader : readers) {
        auto changed = std::make_shared<Node>(node(reader));
        for (std::uint32_t slot = 0; slot < changed->inputs.size(); ++slot) {
            if (changed->inputs[slot] == old) {
                changed->inputs[slot] = now;
                addUse(now, {reader, slot});
            }
        }
        for (Capture& capture : changed->captures) {
            if (capture.outer == old) {
                capture.outer = now;
                addUse(now, {reader, Use::captured});
            }
        }
        m_nodes.edit(reader.index) = std::move(changed);
    }
    m_links.edit(old.index).uses.clear();
}

void Graph::setInputs(std::vector<ValueId> inputs)
{
    for (const ValueId id : m_inputs) {
        m_links.edit(id.index).input = false;
    }
    m_inputs = std::move(inputs);
    for (const ValueId id : m_inputs) {
        m_links.edit(id.index).input = true;
    }
}

void Graph::setOutputs(std::vector<ValueId> outputs)
{
    for (const ValueId id : m_outputs) {
        --m_links.edit(id.index).outputs;
    }
    m_outputs = std::move(outputs);
    for (const ValueId id : m_outputs) {
        ++m_links.edit(id.index).outputs;
    }
}

void Graph::replaceOutput(ValueId old, ValueId now)
{
    const auto places = static_cast<std::uint32_t>(std::ranges::count(m_outputs, old));
    std::ranges::replace(m_outputs, old, now);
    m_links.edit(old.index).outputs -= places;
    m_links.edit(now.index).outputs += places;
}

/// Whether the order is the one that sort() would make: by the wishes, and no node before one that it reads.
bool Graph::isSorted() const
{
    std::vector<bool> seen(m_nodes.size(), false);
    const auto readable = [&](ValueId read) {
        return !read.valid() || !producer(read).valid() || seen[producer(read).index];
    };
    std::uint32_t place = 0;
    for (const NodeId id : m_order) {
        if (!contains(id) || m_hints[id.index] != place++ || !std::ranges::all_of(node(id).inputs, readable) ||
            !std::ranges::all_of(node(id).captures, readable, &Capture::outer)) {
            return false;
        }
        seen[id.index] = true;
    }
    return true;
}

Result<void> Graph::sort()
{
    if (isSorted()) {
        return {};
    }
    const auto before = [this](NodeId a, NodeId b) {
        return std::pair(m_hints[a.index], a.index) > std::pair(m_hints[b.index], b.index);
    };
    std::priority_queue<NodeId, std::vector<NodeId>, decltype(before)> ready(before);
    std::erase_if(m_order, [this](NodeId id) { return !contains(id); });
    std::vector<std::uint32_t> waiting(m_nodes.size(), 0);
    for (const NodeId id : m_order) {
        std::uint32_t count = 0;
        const auto depends = [&](ValueId on) { count += on.valid() && producer(on).valid() ? 1 : 0; };
        for (const ValueId input : node(id).inputs) {
            depends(input);
        }
        for (const Capture& capture : node(id).captures) {
            depends(capture.outer);
        }
        waiting[id.index] = count;
        if (count == 0) {
            ready.push(id);
        }
    }
    std::vector<NodeId> sorted;
    sorted.reserve(m_order.size());
    while (!ready.empty()) {
        const NodeId id = ready.top();
        ready.pop();
        sorted.push_back(id);
        for (const ValueId output : node(id).outputs) {
            if (!output.valid()) {
                continue;
            }
            for (const Use& use : uses(output)) {
                if (--waiting[use.node.index] == 0) {
                    ready.push(use.node);
                }
            }
        }
    }
    if (sorted.size() != m_order.size()) {
        const auto stuck = std::ranges::find_if(m_order, [&](NodeId id) { return waiting[id.index] > 0; });
        Error error{ErrorKind::Input, "cyclic-graph", "the graph has a cycle through this node"};
        error.node = node(*stuck).name.empty() ? node(*stuck).op : node(*stuck).name;
        return std::unexpected(std::move(error));
    }
    m_order = std::move(sorted);
    for (std::uint32_t i = 0; i < m_order.size(); ++i) {
        if (m_hints[m_order[i].index] != i) {
            m_hints.edit(m_order[i].index) = i;
        }
    }
    return {};
}

std::string Graph::freshName(std::string_view base) const
{
    if (m_names == nullptr) {
        m_names = std::make_shared<NameIndex>();
        for (std::uint32_t i = 0; i < m_values.size(); ++i) {
            if (m_values[i] != nullptr) {
                m_names->add(m_values[i]->name);
            }
        }
    }
    if (m_suffixes == nullptr) {
        m_suffixes = std::make_shared<Suffixes>();
    }
    const std::scoped_lock lock(m_names->mutex, m_suffixes->mutex);
    const auto taken = [this](const std::string& text) { return m_names->counts.contains(text); };
    std::string candidate(base);
    if (!candidate.empty() && !taken(candidate)) {
        return candidate;
    }
    std::uint32_t& last = m_suffixes->last[std::string(base)];
    do {
        candidate = std::string(base) + "_" + std::to_string(++last);
    } while (taken(candidate));
    return candidate;
}

void Graph::link(NodeId id, const Node& node)
{
    for (std::uint32_t slot = 0; slot < node.inputs.size(); ++slot) {
        if (node.inputs[slot].valid()) {
            addUse(node.inputs[slot], {id, slot});
        }
    }
    for (const Capture& capture : node.captures) {
        addUse(capture.outer, {id, Use::captured});
    }
    for (const ValueId output : node.outputs) {
        if (output.valid()) {
            assert(!producer(output).valid());
            m_links.edit(output.index).producer = id;
        }
    }
}

void Graph::unlink(NodeId id, const Node& node)
{
    for (std::uint32_t slot = 0; slot < node.inputs.size(); ++slot) {
        if (node.inputs[slot].valid()) {
            dropUse(node.inputs[slot], {id, slot});
        }
    }
    for (const Capture& capture : node.captures) {
        dropUse(capture.outer, {id, Use::captured});
    }
    for (const ValueId output : node.outputs) {
        if (output.valid()) {
            m_links.edit(output.index).producer = {};
        }
    }
}

void Graph::addUse(ValueId id, Use use)
{
    assert(contains(id));
    m_links.edit(id.index).uses.push_back(use);
}

void Graph::dropUse(ValueId id, Use use)
{
    auto& list = m_links.edit(id.index).uses;
    const auto found = std::ranges::find(list, use);
    assert(found != list.end());
    list.erase(found);
}

} // namespace crease
