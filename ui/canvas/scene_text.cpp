// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/scene_text.h"

#include "core/ir/integer_nodes.h"
#include "core/ops/op_table.h"

#include <QHash>
#include <QStringList>

#include <algorithm>
#include <map>

namespace crease {

namespace {

QString text(std::string_view s)
{
    return QString::fromUtf8(s.data(), static_cast<qsizetype>(s.size()));
}

QString product(const std::vector<std::int64_t>& values)
{
    QStringList parts;
    for (std::int64_t v : values)
        parts.push_back(QString::number(v));
    return parts.join(QStringLiteral("×"));
}

QString number(double value)
{
    return QString::number(value, 'g', 3);
}

bool isLinear(const Node& node)
{
    return node.op == "Conv" || node.op == "ConvTranspose" || node.op == "Gemm" || node.op == "MatMul";
}

/// The grid that a DequantizeLinear of the file reads off its constants.
std::optional<Grid> gridOfDequantizer(const Graph& graph, const Node& node)
{
    if (node.op != "DequantizeLinear" || !graph.contains(node.input(0)) || !graph.contains(node.input(1)))
        return std::nullopt;
    const Tensor& scale = graph.value(node.input(1)).constant;
    if (!scale.valid() || scale.size() == 0 || !isFloat(scale.type()))
        return std::nullopt;
    const ElementType storage = graph.value(node.input(0)).type;
    if (!isInteger(storage))
        return std::nullopt;
    Grid grid;
    grid.scales = scale.toDoubles();
    grid.zeroPoints.assign(scale.size(), 0);
    if (graph.contains(node.input(2)) && graph.value(node.input(2)).constant.size() == scale.size())
        grid.zeroPoints = graph.value(node.input(2)).constant.toInts();
    if (scale.size() > 1)
        grid.axis = static_cast<int>(node.intAttribute("axis", 1));
    grid.storage = storage;
    return grid;
}

SceneBadge gridBadge(const Grid& grid, BadgeStyle style, Precision precision, const QString& shape)
{
    return {text(shortName(grid.storage)), gridText(grid), shape, precision, style};
}

Precision storagePrecision(ElementType type)
{
    switch (bitWidth(type)) {
    case 2:
    case 4:
        return Precision::Int4;
    case 8:
        return Precision::Int8;
    case 16:
        return Precision::Int16;
    default:
        return Precision::Int32;
    }
}

std::optional<Dims> dimsOf(const Value& value)
{
    if (value.isConstant())
        return value.constant.dims();
    return value.shape ? knownDims(*value.shape) : std::nullopt;
}

} // namespace

QString opLabel(const Node& node)
{
    static const std::map<std::string, QString, std::less<>> shorter = {
        {"BatchNormalization", "BatchNorm"},
        {"LayerNormalization", "LayerNorm"},
        {"InstanceNormalization", "InstNorm"},
        {"GroupNormalization", "GroupNorm"},
        {"AveragePool", "AvgPool"},
        {"GlobalAveragePool", "GlobalAvgPool"},
    };
    const auto known = shorter.find(node.op);
    return known != shorter.end() ? known->second : text(node.op);
}

QString detailOf(const Graph& graph, const Node& node)
{
    if (const auto kernel = node.intsAttribute("kernel_shape"); !kernel.empty())
        return product(kernel);
    if (!isLinear(node) || !graph.contains(node.input(1)))
        return {};
    const auto dims = dimsOf(graph.value(node.input(1)));
    if (!dims)
        return {};
    if (node.op == "Conv" || node.op == "ConvTranspose")
        return dims->size() > 2 ? product({dims->begin() + 2, dims->end()}) : QString();
    return dims->size() == 2 ? product(*dims) : QString();
}

Precision precisionOf(const Value& value)
{
    if (value.codes)
        return value.codes->isWide() ? Precision::Int32 : storagePrecision(value.codes->storage);
    switch (value.type) {
    case ElementType::Float16:
    case ElementType::BFloat16:
        return Precision::Float16;
    case ElementType::Int8:
    case ElementType::UInt8:
    case ElementType::Int16:
    case ElementType::UInt16:
    case ElementType::Int4:
    case ElementType::UInt4:
    case ElementType::Int2:
    case ElementType::UInt2:
        return storagePrecision(value.type);
    case ElementType::Int32:
    case ElementType::UInt32:
    case ElementType::Int64:
    case ElementType::UInt64:
    case ElementType::Bool:
    case ElementType::String:
        return Precision::Index;
    default:
        return Precision::Float32;
    }
}

QString gridText(const Grid& grid)
{
    if (grid.isPerTensor())
        return QString("%1 z%2").arg(number(grid.scale())).arg(grid.zeroPoint()).replace('-', QChar(0x2212));
    if (grid.isWide())
        return QString("%1 scales").arg(grid.scales.size());
    return QString("axis %1 · %2").arg(*grid.axis).arg(grid.scales.size());
}

QString shapeText(const Value& value)
{
    if (value.isConstant())
        return product(value.constant.dims());
    if (!value.shape)
        return {};
    QStringList parts;
    for (const Dim& d : *value.shape)
        parts.push_back(d.known() ? QString::number(d.value) : d.symbol.empty() ? QStringLiteral("?") : text(d.symbol));
    return parts.join(QStringLiteral("×"));
}

std::optional<SceneBadge> badgeOf(const Graph& graph, ValueId id)
{
    const Value& value = graph.value(id);
    const QString shape = shapeText(value);
    if (value.codes)
        return gridBadge(*value.codes, BadgeStyle::Stored, precisionOf(value), shape);
    if (value.liesOn)
        return gridBadge(*value.liesOn, BadgeStyle::FakeQuantized, storagePrecision(value.liesOn->storage), shape);
    const NodeId producer = graph.producer(id);
    if (!graph.contains(producer))
        return std::nullopt;
    const Node& node = graph.node(producer);
    if (const auto grid = gridOfDequantizer(graph, node))
        return gridBadge(*grid, BadgeStyle::FakeQuantized, storagePrecision(grid->storage), shape);
    if (!isFloat(value.type) || shape.isEmpty())
        return std::nullopt;
    // A float tensor says its shape where an op changes it.
    const ValueId input = node.input(0);
    const Value* from = graph.contains(input) ? &graph.value(input) : nullptr;
    if (from != nullptr && from->shape && value.shape && *from->shape == *value.shape)
        return std::nullopt;
    const QString inner = shape.count(QStringLiteral("×")) > 1 ? shape.section(QStringLiteral("×"), 1) : shape;
    return SceneBadge{text(shortName(value.type)), inner, shape, precisionOf(value), BadgeStyle::Plain};
}

std::optional<SceneBadge> weightBadge(const Graph& graph, const Node& node)
{
    if (!isLinear(node) || !graph.contains(node.input(1)))
        return std::nullopt;
    const Value& weight = graph.value(node.input(1));
    if (!weight.isConstant() || !weight.codes)
        return std::nullopt;
    return gridBadge(*weight.codes, BadgeStyle::Stored, precisionOf(weight), shapeText(weight));
}

std::vector<SceneFact> factsOf(const Graph& graph, const Node& node)
{
    std::vector<SceneFact> facts;
    if (const auto kernel = node.intsAttribute("kernel_shape"); !kernel.empty()) {
        QString line = product(kernel);
        if (const auto strides = node.intsAttribute("strides"); !strides.empty())
            line += ", stride " + product(strides);
        const auto pads = node.intsAttribute("pads");
        if (!pads.empty() && std::ranges::all_of(pads, [&](auto p) { return p == pads.front(); }))
            line += QString(", pad %1").arg(pads.front());
        if (const auto group = node.intAttribute("group", 1); group != 1)
            line += QString(", group %1").arg(group);
        facts.push_back({"kernel", line});
    }
    if (isLinear(node) && graph.contains(node.input(1))) {
        const Value& weight = graph.value(node.input(1));
        QString line = text(shortName(weight.type)) + " " + shapeText(weight);
        const auto& grid = weight.codes ? weight.codes : weight.liesOn;
        if (grid)
            line += ", " + gridText(*grid);
        facts.push_back({"weight", line});
    }
    if (const auto bias = node.doublesAttribute(nodes::bias); !bias.empty())
        facts.push_back({"bias", QString("exact, ×%1").arg(bias.size())});
    if (const Tensor* codes = node.tensorAttribute(nodes::biasCodes))
        facts.push_back({"bias", text(shortName(codes->type())) + QString(" ×%1").arg(codes->size())});
    if (node.attribute(nodes::lo) != nullptr && node.attribute(nodes::hi) != nullptr)
        facts.push_back(
            {"clamp", QString("%1 … %2").arg(node.intAttribute(nodes::lo, 0)).arg(node.intAttribute(nodes::hi, 0))});
    if (graph.contains(node.output(0))) {
        const Value& out = graph.value(node.output(0));
        QString line = text(shortName(out.type)) + " " + shapeText(out);
        const auto& grid = out.codes ? out.codes : out.liesOn;
        if (grid)
            line += ", " + gridText(*grid);
        facts.push_back({"output", line});
    }
    return facts;
}

QString nodeName(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    // What quantizes a weight is known by the weight.
    bool hasInput = false;
    for (ValueId input : node.inputs) {
        if (graph.contains(input) && !graph.value(input).isConstant())
            hasInput = true;
    }
    if (!hasInput && graph.contains(node.input(0)) && !graph.value(node.input(0)).name.empty())
        return text(graph.value(node.input(0)).name);
    if (!node.name.empty())
        return text(node.name);
    return graph.contains(node.output(0)) ? text(graph.value(node.output(0)).name) : QString();
}

QString shortNodeName(const Graph& graph, NodeId id, const QString& prefix)
{
    QString name = nodeName(graph, id);
    if (name.startsWith('/'))
        name.remove(0, 1);
    if (!prefix.isEmpty() && name.startsWith(prefix))
        name.remove(0, prefix.size());
    // The end of an exporter's path is the op, or what it was before a pass.
    const qsizetype slash = name.lastIndexOf('/');
    const std::string end = name.mid(slash + 1).toStdString();
    if (slash > 0 && (end == graph.node(id).op || findOp(end) != nullptr))
        name.truncate(slash);
    return name;
}

QString commonPrefix(const std::vector<QString>& names)
{
    QHash<QString, std::size_t> counts;
    std::size_t total = 0;
    for (QString name : names) {
        if (name.startsWith('/'))
            name.remove(0, 1);
        ++total;
        for (qsizetype at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1))
            ++counts[name.left(at + 1)];
    }
    QString best;
    for (auto it = counts.cbegin(); it != counts.cend(); ++it) {
        if (it.value() * 10 >= total * 9 && it.key().size() > best.size())
            best = it.key();
    }
    return best;
}

} // namespace crease
