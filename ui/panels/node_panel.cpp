// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/text_format.h"
#include "core/ops/op_table.h"
#include "core/support/text.h"
#include "ui/document/node_marks.h"
#include "ui/panels/inspector.h"
#include "ui/support/words.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace crease {

namespace {

QString shown(std::string_view text)
{
    return QString::fromStdString(printable(text));
}

QString nodeTitle(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!node.name.empty()) {
        return shown(node.name);
    }
    return node.output().valid() ? shown(graph.value(node.output()).name) : shown(node.op);
}

QString attributeText(const Attribute& attribute)
{
    const auto joined = [](const auto& list, auto text) {
        QStringList parts;
        for (const auto& entry : list) {
            parts << text(entry);
        }
        const int most = 8;
        return parts.size() > most
                   ? QStringList(parts.mid(0, most)).join(' ') + QObject::tr(" … (%1)").arg(parts.size())
                   : parts.join(' ');
    };
    const auto intText = [](std::int64_t value) { return QString::number(value); };
    const auto realText = [](double value) { return QString::fromStdString(shortest(value)); };
    return std::visit(
        [&]<class T>(const T& value) -> QString {
            if constexpr (std::is_same_v<T, std::int64_t>) {
                return intText(value);
            } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
                return realText(static_cast<double>(value));
            } else if constexpr (std::is_same_v<T, std::string>) {
                return shown(value);
            } else if constexpr (std::is_same_v<T, Tensor>) {
                return QString("%1 %2").arg(shown(shortName(value.type())), shown(toText(value.dims())));
            } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
                return joined(value, intText);
            } else if constexpr (std::is_same_v<T, std::vector<float>> || std::is_same_v<T, std::vector<double>>) {
                return joined(value, [](auto entry) { return QString::number(static_cast<double>(entry), 'g', 6); });
            } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
                return joined(value, [](const std::string& entry) { return shown(entry); });
            } else if constexpr (std::is_same_v<T, Grid>) {
                return shown(toText(value));
            } else if constexpr (std::is_same_v<T, GraphRef>) {
                return QObject::tr("subgraph of %1")
                    .arg(
                        counted(static_cast<qlonglong>(value->nodeCount()), QObject::tr("node"), QObject::tr("nodes")));
            } else {
                return QObject::tr("kept as it is in the file");
            }
        },
        attribute);
}

QString typeText(const Value& value)
{
    const QString shape = value.shape ? shown(toText(*value.shape)) : QObject::tr("rank unknown");
    return QString("%1 %2").arg(shown(longName(value.type)), shape);
}

std::pair<QString, Token> lookOf(const Node& node)
{
    switch (opClass(node)) {
    case OpClass::Linear:
        return {"class-linear", Token::ClassLinear};
    case OpClass::Normalisation:
        return {"class-normalisation", Token::ClassNormalisation};
    case OpClass::Activation:
        return {"class-activation", Token::ClassActivation};
    case OpClass::Quantizer:
        return {"class-quantizer", Token::ClassQuantizer};
    case OpClass::Elementwise:
        return {"class-elementwise", Token::ClassElementwise};
    case OpClass::Constant:
        return {"class-constant", Token::ClassConstant};
    case OpClass::Movement:
    case OpClass::Other:
        break;
    }
    return {"class-movement", Token::ClassMovement};
}

} // namespace

NodePanel::NodePanel(Document& document, Selection& selection, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_document(&document), m_selection(&selection), m_theme(&theme),
      m_list(new SectionList(theme, this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_list);
    connect(&selection, &Selection::changed, this, &NodePanel::refresh);
    connect(&document, &Document::changed, this, [this](Document::Change what) {
        if (what == Document::Change::Trace || what == Document::Change::Model ||
            what == Document::Change::Verification) {
            refresh();
        }
    });
    refresh();
}

void NodePanel::setTheme(const Theme& theme)
{
    m_theme = &theme;
    m_list->setTheme(theme);
    refresh();
}

void NodePanel::addValue(const QString& slot, const Graph& graph, ValueId id)
{
    if (!id.valid()) {
        m_list->addFact(slot, tr("absent"));
        return;
    }
    const Value& value = graph.value(id);
    m_list->addFact(slot, shown(value.name));
    m_list->addFact(QString(), typeText(value) + (value.isConstant() ? tr(", constant") : QString()));
    if (value.codes) {
        m_list->addFact(tr("codes"), shown(toText(*value.codes)));
    } else if (value.liesOn) {
        m_list->addFact(tr("on grid"), shown(toText(*value.liesOn)));
    }
}

void NodePanel::addRelatives(const QString& title, std::size_t to, const std::vector<NodeId>& nodes)
{
    const Graph& graph = m_document->trace()->graph(to);
    m_list->addSection(title, nodes.empty() ? QString()
                                            : counted(static_cast<qlonglong>(nodes.size()), tr("node"), tr("nodes")));
    if (nodes.empty()) {
        m_list->addProse(tr("no counterpart"));
    }
    constexpr std::size_t most = 12;
    for (std::size_t i = 0; i < std::min(most, nodes.size()); ++i) {
        const NodeId id = nodes[i];
        m_list->addLink(shown(graph.node(id).op) + "  " + nodeTitle(graph, id),
                        to == 0 ? tr("Original") : shown(m_document->trace()->stages[to - 1].pass),
                        [this, to, id] { m_selection->reveal(to, id); });
    }
}

void NodePanel::refresh()
{
    m_list->clear();
    const auto& trace = m_document->trace();
    const std::size_t stage = m_selection->stage();
    const NodeId id = m_selection->node();
    if (trace == nullptr || stage > trace->stages.size() || !trace->graph(stage).contains(id)) {
        m_list->addProse(trace == nullptr
                             ? tr("Open a model to see its nodes.")
                             : tr("Nothing is selected. Click a node of the graph, or walk it with the arrow keys."));
        m_list->finish();
        return;
    }
    const Graph& graph = trace->graph(stage);
    const Node& node = graph.node(id);
    const auto [icon, colour] = lookOf(node);
    const QString where = stage == 0 ? tr("Original") : tr("after %1").arg(shown(trace->stages[stage - 1].pass));
    m_list->addTitle(icon, colour, shown(node.op),
                     (node.domain.empty() ? tr("ai.onnx %1").arg(node.version) : shown(node.domain)) + ", " + where,
                     nodeTitle(graph, id));
    if (m_document->verification() != nullptr) {
        const NodeMarks marks = nodeMarks(*trace, *m_document->verification(), stage);
        const auto mark = marks.find(id.index);
        m_list->addSection(tr("Certificate"), QString());
        m_list->addProse(mark == marks.end() ? tr("No pass has touched it: there is nothing to compare.")
                         : mark->second.isOwnTensor
                             ? tr("Against the original, fed with its codes: %1.").arg(markText(mark->second))
                             : tr("Across the pass that made it: %1.").arg(markText(mark->second)));
    }
    if (!node.attributes.empty()) {
        m_list->addSection(tr("Attributes"), QString::number(node.attributes.size()));
        for (const auto& [key, value] : node.attributes) {
            m_list->addFact(shown(key), attributeText(value));
        }
    }
    m_list->addSection(tr("Inputs"), QString::number(node.inputs.size()));
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        addValue(QString::number(i), graph, node.inputs[i]);
    }
    m_list->addSection(tr("Outputs"), QString::number(node.outputs.size()));
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        addValue(QString::number(i), graph, node.outputs[i]);
    }
    if (stage > 0) {
        addRelatives(tr("Came from"), 0, counterparts(*trace, id, stage, 0));
    }
    if (stage < trace->stages.size()) {
        addRelatives(tr("Becomes"), trace->stages.size(), counterparts(*trace, id, stage, trace->stages.size()));
    }
    m_list->addSection(tr("Why"), QString());
    bool said = false;
    for (std::size_t i = 0; i < trace->stages.size(); ++i) {
        const bool mine = i + 1 == stage || i == stage;
        for (const Rewrite& rewrite : trace->stages[i].rewrites) {
            const bool added = i + 1 == stage && std::ranges::find(rewrite.added, id) != rewrite.added.end();
            const bool consumed =
                i == stage && std::ranges::find(rewrite.roles, id, &Role::node) != rewrite.roles.end();
            if (mine && (added || consumed)) {
                m_list->addProse(tr("%1, %2, class %3: %4")
                                     .arg(shown(rewrite.rule), shown(rewrite.law),
                                          rewrite.fidelity == Fidelity::X   ? "X"
                                          : rewrite.fidelity == Fidelity::R ? "R"
                                                                            : "A",
                                          shown(rewrite.text)));
                said = true;
            }
        }
        for (const MissedSite& missed : trace->stages[i].missed) {
            if (mine && missed.miss.node == id) {
                m_list->addProse(tr("Near-miss of %1: %2").arg(shown(missed.rule), shown(missed.miss.text)));
                said = true;
            }
        }
    }
    if (!said) {
        m_list->addProse(tr("This pass did not touch it."));
    }
    if (!node.metadata.empty() || !node.doc.empty()) {
        m_list->addSection(tr("From the file"), QString());
        if (!node.doc.empty()) {
            m_list->addFact(tr("doc"), shown(node.doc));
        }
        for (const auto& [key, value] : node.metadata) {
            m_list->addFact(shown(key), shown(value).left(400), shown(value));
        }
    }
    m_list->finish();
}

QString NodePanel::nodeName() const
{
    const auto& trace = m_document->trace();
    if (trace == nullptr || m_selection->stage() > trace->stages.size() ||
        !trace->graph(m_selection->stage()).contains(m_selection->node())) {
        return {};
    }
    return nodeTitle(trace->graph(m_selection->stage()), m_selection->node());
}

QByteArray NodePanel::nodeJson() const
{
    if (nodeName().isEmpty()) {
        return {};
    }
    const Graph& graph = m_document->trace()->graph(m_selection->stage());
    const Node& node = graph.node(m_selection->node());
    nlohmann::json object{{"op", printable(node.op)},
                          {"domain", printable(node.domain)},
                          {"name", nodeName().toStdString()},
                          {"text", printable(printNode(graph, m_selection->node(), {.maxElements = 64}))}};
    for (const auto& [key, list] : {std::pair("inputs", &node.inputs), std::pair("outputs", &node.outputs)}) {
        object[key] = nlohmann::json::array();
        for (const ValueId id : *list) {
            object[key].push_back(id.valid() ? printable(graph.value(id).name) : "");
        }
    }
    return QByteArray::fromStdString(object.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
}

} // namespace crease
