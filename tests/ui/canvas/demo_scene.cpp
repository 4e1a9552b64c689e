// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/canvas/demo_scene.h"

#include <algorithm>
#include <map>

namespace crease::test {

namespace {

class Maker {
public:
    explicit Maker(Scene& scene) : m_scene(scene) {}

    std::uint32_t node(const QString& op, const QString& name, SceneClass look, const QString& detail = {})
    {
        SceneNode n;
        n.id = m_scene.nodes.size() + 1;
        n.op = op;
        n.name = "/" + name + "/" + op;
        n.shortName = name;
        n.detail = detail;
        n.look = look;
        n.section = m_section;
        n.facts = {{"kernel", "3×3, stride 2×2, pad 1"}, {"weight", "f32 on s8, 32×16×3×3"}, {"bias", "f32 32"}};
        m_scene.nodes.push_back(n);
        return static_cast<std::uint32_t>(m_scene.nodes.size() - 1);
    }

    void edge(std::uint32_t from, std::uint32_t to, ScenePort port = ScenePort::Main, const QString& badge = {})
    {
        SceneEdge e;
        e.from = from;
        e.to = to;
        e.port = port;
        e.toOffset = port == ScenePort::Main ? 0 : port == ScenePort::Weight ? -52 : 52;
        e.tensor = from + 1;
        e.name = m_scene.nodes[from].name + "_output_0";
        if (badge.startsWith("s8"))
            e.badge = SceneBadge{"s8", badge.mid(3), "1×32×4×4", Precision::Int8, BadgeStyle::FakeQuantized};
        else if (!badge.isEmpty())
            e.badge = SceneBadge{"f32", badge.mid(4), {}, Precision::Float32, BadgeStyle::Plain};
        m_scene.edges.push_back(e);
    }

    void section(int s) { m_section = s; }

private:
    Scene& m_scene;
    int m_section = 0;
};

std::uint32_t convAndNorm(Maker& m, std::uint32_t from, const QString& block, const QString& conv, const QString& norm,
                          const QString& kernel, std::vector<SceneRole>* roles, bool isLast = true)
{
    using enum SceneClass;
    const auto weight = m.node("FakeQuant", conv + ".weight", Quantizer);
    const auto linear = m.node("Conv", block + "/" + conv, Linear, kernel);
    m.edge(from, linear);
    m.edge(weight, linear, ScenePort::Weight);
    const auto bn = m.node("BatchNorm", block + "/" + norm, Normalisation);
    m.edge(linear, bn, ScenePort::Main, isLast ? QString() : "f32 32×4×4");
    if (roles)
        *roles = {{weight, "weight"}, {linear, "linear"}, {bn, "norm"}};
    return bn;
}

} // namespace

std::uint64_t idOf(const Scene& scene, const QString& op, const QString& shortName)
{
    for (const SceneNode& n : scene.nodes) {
        if (n.op == op && n.shortName == shortName)
            return n.id;
    }
    return 0;
}

Scene beforeFold(int blocks)
{
    using enum SceneClass;
    Scene scene;
    Maker m(scene);
    std::uint32_t at = m.node("FakeQuant", "block1/q3", Quantizer);
    for (int b = 2; b < 2 + blocks; ++b) {
        const QString block = QString("block%1").arg(b);
        m.section(b - 2);
        scene.sections.push_back(block);
        SceneSite first, second, miss;
        const auto bn1 = convAndNorm(m, at, block, "conv1", "bn1", "3×3", &first.members);
        const auto relu = m.node("Relu", block + "/Relu", Activation);
        m.edge(bn1, relu);
        const auto q1 = m.node("FakeQuant", block + "/q1", Quantizer);
        m.edge(relu, q1, ScenePort::Main, "f32 32×4×4");
        const auto weight2 = scene.nodes.size();
        const auto bn2 = convAndNorm(m, q1, block, "conv2", "bn2", "3×3", &second.members);
        scene.edges[scene.edges.size() - 3].badge =
            SceneBadge{"s8", "0.0346 z0", "1×32×4×4", Precision::Int8, BadgeStyle::FakeQuantized};
        Q_UNUSED(weight2);
        const auto q2 = m.node("FakeQuant", block + "/q2", Quantizer);
        m.edge(bn2, q2);
        const auto bnDown = convAndNorm(m, at, block, "down.0", "down.1", "1×1", &miss.members);
        const auto qDown = m.node("FakeQuant", block + "/down.2", Quantizer);
        m.edge(bnDown, qDown);
        const auto add = m.node("Add", block + "/Add", Elementwise);
        m.edge(q2, add, ScenePort::Main, "s8 0.0466 z0");
        m.edge(qDown, add, ScenePort::Operand, "s8 0.0496 z0");
        const auto relu1 = m.node("Relu", block + "/Relu_1", Activation);
        m.edge(add, relu1);
        const auto q3 = m.node("FakeQuant", block + "/q3", Quantizer);
        m.edge(relu1, q3);
        // The block's input: its badge.
        for (SceneEdge& e : scene.edges) {
            if (e.from == at)
                e.badge = SceneBadge{"s8", "0.0465 z0", "1×16×8×8", Precision::Int8, BadgeStyle::FakeQuantized};
        }
        first.name = "fold-batch-norm@" + block + "/bn1";
        second.name = "fold-batch-norm@" + block + "/bn2";
        miss.members.erase(miss.members.begin());
        miss.nearMiss = true;
        miss.failed = "gamma[11] < 0 and channel 11 holds code −128";
        scene.sites.push_back(first);
        scene.sites.push_back(second);
        scene.sites.push_back(miss);
        for (const SceneSite* site : {&scene.sites[scene.sites.size() - 3], &scene.sites[scene.sites.size() - 2]})
            scene.nodes[site->members.back().node].diff = Diff::Removed;
        at = q3;
    }
    for (SceneNode& n : scene.nodes) {
        n.lensHides = n.op == "FakeQuant";
        if (n.lensHides)
            n.grid = SceneBadge{"s8", "0.0346 z0", {}, Precision::Int8, BadgeStyle::FakeQuantized};
        n.precision = Precision::Float32;
    }
    for (SceneEdge& e : scene.edges) {
        e.fakeQuantized = scene.nodes[e.from].op == "FakeQuant";
        e.precision = Precision::Float32;
    }
    return scene;
}

Scene afterFold(const Scene& before)
{
    Scene after;
    std::map<std::uint32_t, std::uint32_t> now;
    std::vector<bool> gone(before.nodes.size(), false);
    for (const SceneSite& site : before.sites) {
        if (!site.nearMiss)
            gone[site.members.back().node] = true;
    }
    for (std::uint32_t n = 0; n < before.nodes.size(); ++n) {
        if (gone[n])
            continue;
        now[n] = static_cast<std::uint32_t>(after.nodes.size());
        after.nodes.push_back(before.nodes[n]);
    }
    for (const SceneSite& site : before.sites) {
        for (const SceneRole& role : site.members) {
            if (!site.nearMiss && now.contains(role.node))
                after.nodes[now[role.node]].diff = Diff::Changed;
        }
    }
    for (const SceneEdge& e : before.edges) {
        SceneEdge copy = e;
        if (gone[e.to])
            continue;
        if (gone[e.from]) {
            const auto in = std::ranges::find(before.edges, e.from, &SceneEdge::to);
            copy.from = in->from;
            copy.tensor = in->tensor;
        }
        copy.from = now.at(copy.from);
        copy.to = now.at(copy.to);
        after.edges.push_back(copy);
    }
    after.sections = before.sections;
    return after;
}

Scene lowered(const Scene& after, std::vector<layout::Origin>& origins)
{
    Scene scene;
    std::map<std::uint32_t, std::uint32_t> now;
    std::uint64_t fresh = 100000;
    SceneIsland island;
    for (std::uint32_t n = 0; n < after.nodes.size(); ++n) {
        const SceneNode& old = after.nodes[n];
        if (old.op == "Relu" || (old.op == "FakeQuant" && old.shortName.endsWith(".weight")))
            continue;
        SceneNode node = old;
        node.precision = Precision::Int8;
        node.diff = Diff::Changed;
        if (old.op == "FakeQuant") {
            node.id = fresh++;
            node.op = old.shortName.contains("down") ? "Quantize" : "Requantize";
            node.diff = Diff::Added;
            node.lensHides = false;
            origins.push_back({node.id, {old.id}, old.id});
        } else if (old.op == "Conv") {
            node.precision = Precision::Int32;
            node.weight = SceneBadge{"s8", "axis 0 · 32", "32×16×3×3", Precision::Int8, BadgeStyle::Stored};
        } else if (old.op == "BatchNorm") {
            node.look = SceneClass::FloatIsland;
            node.precision = Precision::Float32;
            node.diff = Diff::Same;
        }
        now[n] = static_cast<std::uint32_t>(scene.nodes.size());
        if (node.op == "Quantize" || node.op == "BatchNorm")
            island.nodes.push_back(now[n]);
        scene.nodes.push_back(node);
    }
    for (const SceneEdge& e : after.edges) {
        SceneEdge copy = e;
        std::uint32_t from = e.from;
        if (!now.contains(e.to))
            continue;
        while (!now.contains(from)) {
            const auto in = std::ranges::find(after.edges, from, &SceneEdge::to);
            if (in == after.edges.end())
                break;
            from = in->from;
        }
        if (!now.contains(from))
            continue;
        copy.from = now[from];
        copy.to = now[e.to];
        copy.tensor = from + 1;
        const SceneNode& source = scene.nodes[copy.from];
        copy.precision = source.op == "Conv" || source.op == "Add" ? Precision::Int32
                         : source.op == "BatchNorm"                ? Precision::Float32
                                                                   : Precision::Int8;
        copy.badge = copy.precision == Precision::Int8
                         ? SceneBadge{"s8", "0.0346 z0", {}, Precision::Int8, BadgeStyle::Stored}
                     : copy.precision == Precision::Int32
                         ? SceneBadge{"s32", "32 scales", {}, Precision::Int32, BadgeStyle::Stored}
                         : SceneBadge{"f32", "32×4×4", {}, Precision::Float32, BadgeStyle::Plain};
        scene.edges.push_back(copy);
    }
    island.reason = "BatchNorm kept: near-miss of Fold BN";
    if (!island.nodes.empty())
        scene.islands.push_back(island);
    return scene;
}

} // namespace crease::test
