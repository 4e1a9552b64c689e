// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/scene_builder.h"

#include "core/ir/integer_nodes.h"
#include "core/ops/op_table.h"
#include "ui/canvas/scene_text.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace crease {

namespace {

constexpr std::uint64_t kInputs = std::uint64_t{1} << 40;
constexpr std::uint64_t kOutputs = std::uint64_t{2} << 40;
constexpr double kOperand = 52;

QString text(const std::string& s)
{
    return QString::fromStdString(s);
}

SceneClass sceneClass(const Node& node)
{
    switch (opClass(node)) {
    case OpClass::Linear:
        return SceneClass::Linear;
    case OpClass::Normalisation:
        return SceneClass::Normalisation;
    case OpClass::Activation:
        return SceneClass::Activation;
    case OpClass::Quantizer:
        return SceneClass::Quantizer;
    case OpClass::Elementwise:
        return SceneClass::Elementwise;
    case OpClass::Constant:
        return SceneClass::Constant;
    case OpClass::Movement:
    case OpClass::Other:
        break;
    }
    return SceneClass::Movement;
}

bool isFakeQuantizer(const Node& node)
{
    return node.op == "FakeQuant" || node.op == "QuantizeLinear" || node.op == "DequantizeLinear";
}

/// A node that reads constants only, as the quantizer of a weight.
bool isConstant(const Graph& graph, NodeId id)
{
    return std::ranges::all_of(graph.node(id).inputs, [&](ValueId input) {
        return !graph.contains(input) || graph.value(input).isConstant();
    });
}

/// Which node of the stage before a node takes the place of. A new node, and one that kept its id but became another
/// op, inherits from an ancestor of its op that is gone; a node that became another op else from the first gone
/// ancestor in the flow of data (FakeQuant stands where Quantize stood, so that a later Dequantize finds the place
/// below).
class Heirs {
public:
    Heirs(const Trace& trace, std::size_t to) : m_before(trace.graph(to - 1)), m_after(trace.graph(to))
    {
        for (const NodeOrigin& origin : trace.stages[to - 1].origins) {
            if (origin.before == origin.after || !m_after.contains(origin.after) || !m_before.contains(origin.before))
                continue;
            if (!m_before.contains(origin.after) || becameAnother(origin.after))
                m_ancestors[origin.after.index].push_back(origin.before);
        }
        if (m_ancestors.empty())
            return;
        std::vector<std::uint32_t> position(m_before.nodeCapacity(), 0);
        for (std::uint32_t i = 0; i < m_before.order().size(); ++i)
            position[m_before.order()[i].index] = i;
        for (auto& [id, ancestors] : m_ancestors) {
            // What the data flows through comes before the weights, and in its order.
            std::ranges::sort(ancestors, {},
                              [&](NodeId old) { return std::pair(isConstant(m_before, old), position[old.index]); });
        }
        for (NodeId id : m_after.order())
            inherit(id);
    }

    NodeId heir(NodeId after) const
    {
        const auto known = m_heir.find(after.index);
        return known == m_heir.end() ? NodeId{} : known->second;
    }
    /// Who stands at the place of a node of the stage before: its heir, the node itself, or nobody.
    NodeId successor(NodeId before) const
    {
        if (const auto heir = m_taken.find(before.index); heir != m_taken.end())
            return heir->second;
        return m_after.contains(before) && !hasLeft(before) ? before : NodeId{};
    }
    /// It lives on as another op at another place.
    bool hasLeft(NodeId before) const { return m_left.contains(before.index); }
    std::vector<NodeId> ancestors(NodeId after) const
    {
        const auto known = m_ancestors.find(after.index);
        return known == m_ancestors.end() ? std::vector<NodeId>() : known->second;
    }

private:
    bool becameAnother(NodeId id) const { return m_before.contains(id) && m_before.node(id).op != m_after.node(id).op; }

    void inherit(NodeId id)
    {
        const auto known = m_ancestors.find(id.index);
        if (known == m_ancestors.end())
            return;
        const bool isWeight = isConstant(m_after, id);
        const auto isFree = [&](NodeId old) {
            return !m_after.contains(old) && !m_taken.contains(old.index) && isConstant(m_before, old) == isWeight;
        };
        auto heir = std::ranges::find_if(
            known->second, [&](NodeId old) { return isFree(old) && m_before.node(old).op == m_after.node(id).op; });
        if (heir == known->second.end() && becameAnother(id) && !isWeight)
            heir = std::ranges::find_if(known->second, isFree);
        if (heir == known->second.end())
            return;
        m_heir[id.index] = *heir;
        m_taken[heir->index] = id;
        if (m_before.contains(id))
            m_left.insert(id.index);
    }

    const Graph& m_before;
    const Graph& m_after;
    std::unordered_map<std::uint32_t, std::vector<NodeId>> m_ancestors;
    std::unordered_map<std::uint32_t, NodeId> m_heir;
    std::unordered_map<std::uint32_t, NodeId> m_taken;
    std::unordered_set<std::uint32_t> m_left;
};

/// Nodes of stage `from` whose place is empty at stage `to` although their id lives on.
std::unordered_set<std::uint64_t> leftPlaces(const Trace& trace, std::size_t from, std::size_t to)
{
    std::unordered_set<std::uint64_t> left;
    for (std::size_t stage = from + 1; stage <= to; ++stage) {
        const Heirs heirs(trace, stage);
        for (NodeId id : trace.graph(from).order()) {
            if (trace.graph(from).contains(id) && heirs.hasLeft(id))
                left.insert(sceneId(id));
        }
    }
    return left;
}

bool sameData(const Graph& a, ValueId x, const Graph& b, ValueId y)
{
    if (!a.contains(x) || !b.contains(y))
        return a.contains(x) == b.contains(y);
    const Value& u = a.value(x);
    const Value& v = b.value(y);
    if (&u == &v)
        return true;
    if (u.isConstant() != v.isConstant() || u.codes != v.codes || u.liesOn != v.liesOn)
        return false;
    return !u.isConstant() || u.constant.raw() == v.constant.raw() || u.constant.identical(v.constant);
}

/// Whether a node means something else than before: its attributes, its constants, or the grids around it. What only
/// reads a renamed tensor is the same.
bool isChanged(const Graph& before, NodeId a, const Graph& after, NodeId b)
{
    const Node& old = before.node(a);
    const Node& now = after.node(b);
    if (old.inputs.size() != now.inputs.size() || (&old != &now && !sameNode(old, now)))
        return true;
    for (std::size_t i = 0; i < old.inputs.size(); ++i) {
        const bool isConstant = before.contains(old.inputs[i]) && before.value(old.inputs[i]).isConstant();
        const bool isConstantNow = after.contains(now.inputs[i]) && after.value(now.inputs[i]).isConstant();
        if ((isConstant || isConstantNow) && !sameData(before, old.inputs[i], after, now.inputs[i]))
            return true;
    }
    for (std::size_t i = 0; i < std::min(old.outputs.size(), now.outputs.size()); ++i) {
        if (!before.contains(old.outputs[i]) || !after.contains(now.outputs[i]))
            continue;
        const Value& u = before.value(old.outputs[i]);
        const Value& v = after.value(now.outputs[i]);
        if (u.codes != v.codes || u.liesOn != v.liesOn)
            return true;
    }
    return false;
}

class Builder {
public:
    Builder(const Trace& trace, const SceneRequest& request)
        : m_trace(trace), m_request(request), m_graph(trace.graph(request.stage)),
          m_index(m_graph.nodeCapacity(), layout::kNone)
    {
    }

    Scene run()
    {
        nameNodes();
        for (std::size_t i = 0; i < m_graph.inputs().size(); ++i)
            addTerminal(SceneNode::Kind::Input, sceneInputId(i), m_graph.inputs()[i]);
        for (NodeId id : m_graph.order()) {
            if (m_graph.contains(id))
                addNode(id);
        }
        for (NodeId id : m_graph.order()) {
            if (m_graph.contains(id))
                addEdges(id);
        }
        for (std::size_t i = 0; i < m_graph.outputs().size(); ++i)
            addOutput(i);
        addSections();
        if (m_request.since)
            markSince(*m_request.since);
        if (m_request.until)
            markUntil(*m_request.until);
        addIslands();
        return std::move(m_scene);
    }

private:
    void nameNodes()
    {
        std::vector<QString> names;
        names.reserve(m_graph.nodeCount());
        for (NodeId id : m_graph.order()) {
            if (m_graph.contains(id) && !m_graph.node(id).name.empty())
                names.push_back(text(m_graph.node(id).name));
        }
        m_prefix = commonPrefix(names);
    }

    void addTerminal(SceneNode::Kind kind, std::uint64_t id, ValueId value)
    {
        SceneNode node;
        node.kind = kind;
        node.id = id;
        node.name = node.shortName = text(m_graph.value(value).name);
        node.op = kind == SceneNode::Kind::Input ? "input" : "output";
        node.precision = precisionOf(m_graph.value(value));
        node.facts = {{"shape", shapeText(m_graph.value(value))}};
        if (kind == SceneNode::Kind::Input)
            m_inputs[value.index] = static_cast<std::uint32_t>(m_scene.nodes.size());
        m_scene.nodes.push_back(std::move(node));
    }

    void addNode(NodeId id)
    {
        const Node& node = m_graph.node(id);
        SceneNode out;
        out.id = sceneId(id);
        out.op = opLabel(node);
        out.name = nodeName(m_graph, id);
        out.shortName = shortNodeName(m_graph, id, m_prefix);
        out.detail = detailOf(m_graph, node);
        out.look = sceneClass(node);
        out.lensHides = isFakeQuantizer(node);
        out.weight = weightBadge(m_graph, node);
        out.facts = factsOf(m_graph, node);
        if (m_graph.contains(node.output())) {
            out.precision = precisionOf(m_graph.value(node.output()));
            if (out.lensHides)
                out.grid = badgeOf(m_graph, node.output());
        }
        m_index[id.index] = static_cast<std::uint32_t>(m_scene.nodes.size());
        m_scene.nodes.push_back(std::move(out));
    }

    /// The box that makes a value: its producer, or the graph input.
    std::optional<std::uint32_t> source(ValueId value) const
    {
        if (!m_graph.contains(value) || m_graph.value(value).isConstant())
            return std::nullopt;
        const NodeId producer = m_graph.producer(value);
        if (m_graph.contains(producer))
            return m_index[producer.index];
        const auto input = m_inputs.find(value.index);
        return input == m_inputs.end() ? std::nullopt : std::optional(input->second);
    }

    double outputOffset(ValueId value) const
    {
        const NodeId producer = m_graph.producer(value);
        if (!m_graph.contains(producer))
            return 0;
        const auto& outputs = m_graph.node(producer).outputs;
        std::size_t used = 0;
        std::size_t own = 0;
        for (ValueId out : outputs) {
            if (out == value)
                own = used;
            used += m_graph.contains(out) && m_graph.fanOut(out) > 0 ? 1 : 0;
        }
        if (used < 2)
            return 0;
        const double step = std::min(24.0, 2 * kOperand / static_cast<double>(used - 1));
        return (static_cast<double>(own) - static_cast<double>(used - 1) / 2) * step;
    }

    void addEdge(std::uint32_t from, std::uint32_t to, ValueId value, ScenePort port, double offset)
    {
        const Value& v = m_graph.value(value);
        SceneEdge edge;
        edge.from = from;
        edge.to = to;
        edge.port = port;
        edge.fromOffset = outputOffset(value);
        edge.toOffset = offset;
        edge.tensor = std::uint64_t{value.index} + 1;
        edge.name = text(v.name);
        edge.precision = precisionOf(v);
        edge.fakeQuantized = v.liesOn.has_value();
        edge.badge = badgeOf(m_graph, value);
        const SceneNode& source = m_scene.nodes[from];
        const SceneNode& target = m_scene.nodes[to];
        edge.tight = source.op.startsWith("Quantize") && target.op.startsWith("Dequantize");
        m_scene.edges.push_back(std::move(edge));
    }

    void addEdges(NodeId id)
    {
        const Node& node = m_graph.node(id);
        struct Input {
            std::uint32_t from;
            ValueId value;
            std::size_t slot;
        };
        std::vector<Input> inputs;
        for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
            if (const auto from = source(node.inputs[slot]))
                inputs.push_back({*from, node.inputs[slot], slot});
        }
        for (const Capture& capture : node.captures) {
            if (const auto from = source(capture.outer))
                inputs.push_back({*from, capture.outer, node.inputs.size()});
        }
        const std::uint32_t to = m_index[id.index];
        const bool isLinear = m_scene.nodes[to].look == SceneClass::Linear;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            ScenePort port = ScenePort::Main;
            double offset = 0;
            if (isLinear && inputs[i].slot == 1 && !isActivation(inputs[i].from)) {
                port = ScenePort::Weight;
                offset = -kOperand;
            } else if (isLinear && inputs.size() > 1 && inputs[i].slot > 0) {
                port = ScenePort::Operand;
                offset = kOperand;
            } else if (!isLinear && inputs.size() == 2 && i == 1) {
                port = ScenePort::Operand;
                offset = kOperand;
            } else if (!isLinear && inputs.size() > 2) {
                port = i == 0 ? ScenePort::Main : ScenePort::Operand;
                offset = kOperand * (2.0 * static_cast<double>(i) / static_cast<double>(inputs.size() - 1) - 1);
            }
            addEdge(inputs[i].from, to, inputs[i].value, port, offset);
        }
    }

    /// Something the graph's inputs flow into; else it is a weight.
    bool isActivation(std::uint32_t node)
    {
        if (m_flows.empty()) {
            m_flows.assign(m_scene.nodes.size(), false);
            for (std::uint32_t n = 0; n < m_scene.nodes.size(); ++n)
                m_flows[n] = m_scene.nodes[n].kind == SceneNode::Kind::Input;
            for (NodeId id : m_graph.order()) {
                if (!m_graph.contains(id))
                    continue;
                for (ValueId input : m_graph.node(id).inputs) {
                    const auto from = source(input);
                    if (from && m_flows[*from])
                        m_flows[m_index[id.index]] = true;
                }
            }
        }
        return m_flows[node];
    }

    void addOutput(std::size_t position)
    {
        const ValueId value = m_graph.outputs()[position];
        const auto from = source(value);
        addTerminal(SceneNode::Kind::Output, sceneOutputId(position), value);
        if (from)
            addEdge(*from, static_cast<std::uint32_t>(m_scene.nodes.size() - 1), value, ScenePort::Main, 0);
    }

    void addSections()
    {
        constexpr std::size_t kMost = 40;
        constexpr std::size_t kLeastNodes = 4; // smaller ones are no section of their own
        std::vector<QString> paths(m_scene.nodes.size());
        std::map<QString, std::size_t> sizes;
        for (std::size_t n = 0; n < m_scene.nodes.size(); ++n) {
            const SceneNode& node = m_scene.nodes[n];
            QString path = node.name.startsWith('/') ? node.name.mid(1) : node.name;
            if (path.startsWith(m_prefix))
                path.remove(0, m_prefix.size());
            const qsizetype at = path.indexOf('/');
            if (node.kind != SceneNode::Kind::Op || at <= 0)
                continue;
            paths[n] = path.left(at);
            ++sizes[paths[n]];
        }
        for (auto section = sizes.begin(); section != sizes.end();)
            section = section->second < kLeastNodes ? sizes.erase(section) : std::next(section);
        if (sizes.size() < 2 || sizes.size() > kMost)
            return;
        std::map<QString, std::int32_t> known;
        for (std::size_t n = 0; n < m_scene.nodes.size(); ++n) {
            if (!sizes.contains(paths[n]))
                continue;
            const auto [section, isNew] = known.try_emplace(paths[n], static_cast<std::int32_t>(known.size()));
            if (isNew)
                m_scene.sections.push_back(paths[n]);
            m_scene.nodes[n].section = section->second;
        }
    }

    void markSince(std::size_t since)
    {
        const Graph& before = m_trace.graph(since);
        std::unordered_set<std::uint32_t> heirs;
        for (std::size_t stage = since + 1; stage <= m_request.stage; ++stage) {
            const Heirs found(m_trace, stage);
            for (NodeId id : m_trace.graph(stage).order()) {
                const NodeId old = found.heir(id);
                if (old.valid() && (before.contains(old) || heirs.contains(old.index)))
                    heirs.insert(id.index);
            }
            for (const Rewrite& rewrite : m_trace.stages[stage - 1].rewrites) {
                for (NodeId id : rewrite.added) {
                    if (rewrite.on && m_graph.contains(id))
                        m_scene.nodes[m_index[id.index]].note = text(rewrite.text);
                }
            }
        }
        for (NodeId id : m_graph.order()) {
            if (!m_graph.contains(id))
                continue;
            SceneNode& node = m_scene.nodes[m_index[id.index]];
            if (!before.contains(id))
                node.diff = heirs.contains(id.index) ? Diff::Changed : Diff::Added;
            else if (isChanged(before, id, m_graph, id))
                node.diff = Diff::Changed;
        }
    }

    void markUntil(std::size_t until)
    {
        std::vector<std::pair<NodeId, NodeId>> places; // of each node: who stands there now
        for (NodeId id : m_graph.order()) {
            if (m_graph.contains(id))
                places.emplace_back(id, id);
        }
        for (std::size_t stage = m_request.stage + 1; stage <= until; ++stage) {
            const Heirs found(m_trace, stage);
            for (auto& [id, now] : places)
                now = now.valid() ? found.successor(now) : now;
        }
        for (const auto& [id, now] : places) {
            if (!now.valid())
                m_scene.nodes[m_index[id.index]].diff = Diff::Removed;
        }
        if (until != m_request.stage + 1)
            return;
        const Stage& stage = m_trace.stages[until - 1];
        for (const Rewrite& rewrite : stage.rewrites) {
            SceneSite site;
            site.name = text(rewrite.site);
            addRoles(rewrite.roles, site);
            for (const SceneRole& member : site.members)
                m_scene.nodes[member.node].note = text(rewrite.text);
            m_scene.sites.push_back(std::move(site));
        }
        for (const MissedSite& missed : stage.missed) {
            SceneSite site;
            site.name = text(missed.site);
            site.nearMiss = true;
            site.failed = text(missed.miss.text);
            addRoles(missed.miss.roles, site);
            if (site.members.empty() && m_graph.contains(missed.miss.node))
                site.members.push_back({m_index[missed.miss.node.index], {}});
            m_scene.sites.push_back(std::move(site));
        }
    }

    void addRoles(const std::vector<Role>& roles, SceneSite& site) const
    {
        for (const Role& role : roles) {
            if (m_graph.contains(role.node))
                site.members.push_back({m_index[role.node.index], text(role.name)});
        }
    }

    void addIslands()
    {
        const bool isInteger = std::ranges::any_of(m_graph.order(), [&](NodeId id) {
            return m_graph.contains(id) && m_graph.node(id).domain == nodes::domain &&
                   m_graph.node(id).op != nodes::fakeQuant;
        });
        if (!isInteger || m_request.islands.empty())
            return;
        std::unordered_map<std::string, std::uint32_t> byName;
        for (NodeId id : m_graph.order()) {
            if (m_graph.contains(id))
                byName.try_emplace(m_graph.node(id).name, m_index[id.index]);
        }
        for (const IslandNames& names : m_request.islands) {
            SceneIsland island;
            island.reason = text(names.reason);
            for (const std::string& name : names.nodes) {
                const auto node = byName.find(name);
                if (node == byName.end())
                    continue;
                island.nodes.push_back(node->second);
                SceneNode& box = m_scene.nodes[node->second];
                if (box.look != SceneClass::Quantizer)
                    box.look = SceneClass::FloatIsland;
            }
            if (!island.nodes.empty())
                m_scene.islands.push_back(std::move(island));
        }
    }

    const Trace& m_trace;
    const SceneRequest& m_request;
    const Graph& m_graph;
    std::vector<std::uint32_t> m_index;
    std::unordered_map<std::uint32_t, std::uint32_t> m_inputs;
    std::vector<bool> m_flows;
    QString m_prefix;
    Scene m_scene;
};

} // namespace

std::uint64_t sceneId(NodeId node)
{
    return std::uint64_t{node.index} + 1;
}

std::optional<NodeId> nodeOf(std::uint64_t id)
{
    if (id == 0 || id >= kInputs)
        return std::nullopt;
    return NodeId{static_cast<std::uint32_t>(id - 1)};
}

std::uint64_t sceneInputId(std::size_t position)
{
    return kInputs + position;
}

std::uint64_t sceneOutputId(std::size_t position)
{
    return kOutputs + position;
}

Scene buildScene(const Trace& trace, const SceneRequest& request)
{
    return Builder(trace, request).run();
}

std::vector<layout::Origin> originsOf(const Trace& trace, std::size_t to)
{
    std::vector<layout::Origin> origins;
    const Heirs heirs(trace, to);
    const Graph& before = trace.graph(to - 1);
    const Graph& after = trace.graph(to);
    for (NodeId id : after.order()) {
        if (!after.contains(id) || (before.contains(id) && !heirs.heir(id).valid()))
            continue;
        layout::Origin origin;
        origin.box = sceneId(id);
        for (NodeId ancestor : heirs.ancestors(id))
            origin.ancestors.push_back(sceneId(ancestor));
        if (const NodeId heir = heirs.heir(id); heir.valid())
            origin.heir = sceneId(heir);
        if (!origin.ancestors.empty())
            origins.push_back(std::move(origin));
    }
    return origins;
}

std::vector<layout::LayoutPtr> layoutStages(const Trace& trace, std::vector<layout::LayoutPtr> known,
                                            const layout::Options& options)
{
    for (std::size_t stage = known.size(); stage <= trace.stages.size(); ++stage) {
        layout::Graph graph = layoutInput(buildScene(trace, {stage, {}, {}, {}}));
        layout::LayoutPtr next =
            stage == 0 ? layout::layoutGraph(std::move(graph), options)
                       : layout::layoutNextStage(*known.back(), std::move(graph), originsOf(trace, stage), options);
        if (!next)
            break;
        known.push_back(std::move(next));
    }
    return known;
}

StagePictures stagePictures(const Trace& trace, const std::vector<layout::LayoutPtr>& layouts, std::size_t from,
                            std::size_t to, const std::vector<IslandNames>& islands)
{
    StagePictures pictures;
    pictures.before = std::make_shared<const Picture>(
        buildScene(trace, {from, {}, to > from ? std::optional(to) : std::nullopt, islands}), layouts[from]);
    std::vector<Ghost> ghosts;
    Scene scene = buildScene(trace, {to, from < to ? std::optional(from) : std::nullopt, {}, islands});
    std::unordered_set<std::uint64_t> here;
    const auto left = leftPlaces(trace, from, to);
    for (const SceneNode& node : scene.nodes) {
        if (!left.contains(node.id))
            here.insert(node.id);
    }
    for (std::uint32_t n = 0; n < pictures.before->scene().nodes.size(); ++n) {
        const SceneNode& node = pictures.before->scene().nodes[n];
        if (!here.contains(node.id))
            ghosts.push_back({node.id, node.op, node.name, node.look, pictures.before->rect(n)});
    }
    pictures.after = std::make_shared<const Picture>(std::move(scene), layouts[to], std::move(ghosts));
    return pictures;
}

PicturePtr stagePicture(const Trace& trace, const std::vector<layout::LayoutPtr>& layouts, std::size_t stage,
                        const std::vector<IslandNames>& islands)
{
    return std::make_shared<const Picture>(buildScene(trace, {stage, {}, {}, islands}), layouts[stage]);
}

std::vector<std::uint64_t> sceneCounterparts(const Trace& trace, std::uint64_t id, std::size_t from, std::size_t to)
{
    const auto node = nodeOf(id);
    if (!node)
        return {id};
    std::vector<std::uint64_t> ids;
    for (NodeId other : counterparts(trace, *node, from, to))
        ids.push_back(sceneId(other));
    return ids;
}

} // namespace crease
