// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/picture.h"

#include "ui/support/theme.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace crease {

namespace {

layout::Rect toRect(const QRectF& r)
{
    return {r.left(), r.top(), r.right(), r.bottom()};
}

QRectF toQRect(const layout::Rect& r)
{
    return {r.left, r.top, r.width(), r.height()};
}

/// Widths of many short texts: ops repeat, and names are set in a face whose letters are all equally wide.
class Widths {
public:
    double op(const QString& text)
    {
        const auto [known, isNew] = m_ops.try_emplace(text, 0);
        if (isNew)
            known->second = m_op.horizontalAdvance(text);
        return known->second;
    }
    double name(const QString& text) const
    {
        const bool plain = std::ranges::all_of(text, [](QChar c) { return c.unicode() < 0x80; });
        return plain ? m_letter * static_cast<double>(text.size()) : m_name.horizontalAdvance(text);
    }
    QString elided(const QString& text, double room) const { return m_name.elidedText(text, Qt::ElideMiddle, room); }

private:
    struct Hash {
        std::size_t operator()(const QString& text) const { return qHash(text); }
    };
    QFontMetricsF m_op{uiFont(12, QFont::DemiBold)};
    QFontMetricsF m_name{monoFont(10)};
    double m_letter = m_name.horizontalAdvance(QLatin1Char('0'));
    std::unordered_map<QString, double, Hash> m_ops;
};

double boxWidth(const SceneNode& node, Widths& widths)
{
    constexpr double kLeft = 28;
    constexpr double kRight = 8;
    constexpr double kMark = 20;
    if (node.kind != SceneNode::Kind::Op)
        return std::clamp(std::ceil((widths.name(node.name) + 28) / 12) * 12, 64.0, 220.0);
    const double detail = node.detail.isEmpty() ? 0 : widths.name(node.detail) + 10;
    const double first = kLeft + widths.op(node.op) + detail + kMark + kRight;
    const double second = kLeft + widths.name(node.shortName) + kRight + (node.diff == Diff::Same ? 0 : kMark);
    const double wanted = std::max(first, second);
    return wanted <= 136 ? 136 : std::clamp(std::ceil((wanted - 112) / 12) * 12 + 112, 112.0, 220.0);
}

/// Where folding will put a Dequantize or Requantize: before an output, and behind a linear op whose reader can neither
/// be fused with it nor is a quantizer.
bool leavesRoom(const Scene& scene, const SceneEdge& edge, const std::vector<std::uint32_t>& inputs)
{
    const SceneNode& to = scene.nodes[edge.to];
    if (to.kind == SceneNode::Kind::Output)
        return true;
    if (scene.nodes[edge.from].look != SceneClass::Linear || edge.precision != Precision::Float32)
        return false;
    const bool isFused = to.op == "Relu" || to.op == "Clip" || to.op == "BatchNorm" || to.look == SceneClass::Quantizer;
    const bool isBias = to.op == "Add" && inputs[edge.to] == 1;
    return !isFused && !isBias;
}

double badgeWidth(const SceneBadge& badge, Widths& widths)
{
    return widths.name(badge.cell) + widths.name(badge.rest) + 18;
}

bool covered(const QRectF& rect, const layout::LayoutResult& layout, const layout::RectIndex& index)
{
    const layout::Rect area = toRect(rect.adjusted(1, 1, -1, -1));
    return std::ranges::any_of(index.find(area), [&](layout::Index b) { return b < layout.boxes.size(); });
}

} // namespace

Picture::Picture(Scene scene, layout::LayoutPtr layout, std::vector<Ghost> ghosts)
    : m_scene(std::move(scene)), m_layout(std::move(layout)), m_in(m_scene.nodes.size()), m_out(m_scene.nodes.size())
{
    for (std::uint32_t n = 0; n < m_scene.nodes.size(); ++n) {
        m_byId[m_scene.nodes[n].id] = n;
        m_nodeIndex.insert(n, m_layout->rect(n));
        m_hasDiff = m_hasDiff || m_scene.nodes[n].diff != Diff::Same;
    }
    for (std::uint32_t e = 0; e < m_scene.edges.size(); ++e) {
        m_out[m_scene.edges[e].from].push_back(e);
        m_in[m_scene.edges[e].to].push_back(e);
        const auto& points = m_layout->paths[e].points;
        if (points.empty())
            continue;
        layout::Rect box{points[0].x, points[0].y, points[0].x, points[0].y};
        for (const layout::Point& p : points)
            box = {std::min(box.left, p.x), std::min(box.top, p.y), std::max(box.right, p.x),
                   std::max(box.bottom, p.y)};
        m_edgeIndex.insert(e, box.grown(2));
    }
    chooseBadges();
    cutLabels();
    for (Ghost& ghost : ghosts) {
        if (!covered(ghost.rect, *m_layout, m_nodeIndex))
            m_ghosts.push_back(std::move(ghost));
    }
    m_hasDiff = m_hasDiff || !m_ghosts.empty();
}

void Picture::chooseBadges()
{
    constexpr double kRoom = 24;
    std::unordered_map<std::uint64_t, std::pair<double, std::uint32_t>> best;
    m_badgeEdge.assign(m_scene.edges.size(), false);
    for (std::uint32_t e = 0; e < m_scene.edges.size(); ++e) {
        const auto& points = m_layout->paths[e].points;
        if (!m_scene.edges[e].badge || points.size() < 2 || points.back().y - points.front().y < kRoom)
            continue;
        // Straight ones first, then short ones.
        const double cost = std::abs(points.back().y - points.front().y) +
                            (points.size() > 2 || std::abs(points[0].x - points[1].x) > 0.5 ? 1e6 : 0);
        const auto [known, isNew] = best.try_emplace(m_scene.edges[e].tensor, cost, e);
        if (!isNew && cost < known->second.first)
            known->second = {cost, e};
    }
    for (const auto& [tensor, choice] : best)
        m_badgeEdge[choice.second] = true;
}

void Picture::cutLabels()
{
    const Widths widths;
    m_labels.reserve(m_scene.nodes.size());
    for (std::uint32_t n = 0; n < m_scene.nodes.size(); ++n) {
        const SceneNode& node = m_scene.nodes[n];
        const bool isOp = node.kind == SceneNode::Kind::Op;
        const double room = rect(n).width() - (isOp ? 28 + 8 : 20) - (node.diff == Diff::Same ? 0 : 19);
        const QString& text = isOp ? node.shortName : node.name;
        m_labels.push_back(widths.name(text) <= room ? text : widths.elided(text, room));
    }
}

QRectF Picture::bounds() const
{
    QRectF all = toQRect(m_layout->bounds);
    for (const Ghost& ghost : m_ghosts)
        all = all.united(ghost.rect);
    return all;
}

QRectF Picture::rect(std::uint32_t node) const
{
    return toQRect(m_layout->rect(node));
}

std::optional<std::uint32_t> Picture::find(std::uint64_t id) const
{
    const auto known = m_byId.find(id);
    return known == m_byId.end() ? std::nullopt : std::optional(known->second);
}

std::vector<std::uint32_t> Picture::nodesIn(const QRectF& area) const
{
    return m_nodeIndex.find(toRect(area));
}

std::vector<std::uint32_t> Picture::edgesIn(const QRectF& area) const
{
    return m_edgeIndex.find(toRect(area));
}

std::vector<std::uint32_t> Picture::edgesOf(std::uint32_t node) const
{
    std::vector<std::uint32_t> all = m_in[node];
    all.insert(all.end(), m_out[node].begin(), m_out[node].end());
    return all;
}

layout::Graph layoutInput(const Scene& scene)
{
    Widths widths;
    layout::Graph graph;
    graph.boxes.reserve(scene.nodes.size());
    for (const SceneNode& node : scene.nodes) {
        layout::Box box;
        box.id = node.id;
        box.width = boxWidth(node, widths);
        box.height = node.kind == SceneNode::Kind::Op ? 34 : 22;
        box.isInput = node.kind == SceneNode::Kind::Input;
        if (node.weight)
            box.padLeft = badgeWidth(*node.weight, widths) + 28;
        const QString& label = node.shortName.isEmpty() ? node.op : node.shortName;
        box.chipWidth = std::clamp(widths.name(label) + 22, 48.0, 180.0);
        graph.boxes.push_back(box);
    }
    std::vector<std::uint32_t> inputs(scene.nodes.size(), 0);
    for (const SceneEdge& edge : scene.edges)
        ++inputs[edge.to];
    graph.edges.reserve(scene.edges.size());
    for (const SceneEdge& edge : scene.edges) {
        layout::Edge e;
        e.from = edge.from;
        e.to = edge.to;
        e.port = edge.port == ScenePort::Main     ? layout::Port::Main
                 : edge.port == ScenePort::Weight ? layout::Port::Weight
                                                  : layout::Port::Operand;
        e.fromOffset = edge.fromOffset;
        e.toOffset = edge.toOffset;
        e.tensor = edge.tensor;
        e.tight = edge.tight;
        e.minSpan = leavesRoom(scene, edge, inputs) ? 2 : 1;
        graph.edges.push_back(e);
    }
    return graph;
}

PicturePtr makePicture(Scene scene, const layout::Options& options)
{
    layout::LayoutPtr layout = layout::layoutGraph(layoutInput(scene), options);
    return layout ? std::make_shared<const Picture>(std::move(scene), std::move(layout)) : nullptr;
}

PicturePtr makeNextPicture(const Picture& before, Scene scene, std::span<const layout::Origin> origins,
                           const layout::Options& options)
{
    layout::LayoutPtr layout = layout::layoutNextStage(before.layout(), layoutInput(scene), origins, options);
    if (!layout)
        return nullptr;
    std::unordered_map<std::uint64_t, bool> here;
    for (const SceneNode& node : scene.nodes)
        here[node.id] = true;
    std::vector<Ghost> ghosts;
    for (std::uint32_t n = 0; n < before.scene().nodes.size(); ++n) {
        const SceneNode& node = before.scene().nodes[n];
        if (!here.contains(node.id))
            ghosts.push_back({node.id, node.op, node.name, node.look, before.rect(n)});
    }
    return std::make_shared<const Picture>(std::move(scene), std::move(layout), std::move(ghosts));
}

} // namespace crease
