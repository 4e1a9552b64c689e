// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/text_format.h"

#include "core/support/text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

namespace crease {

namespace {

std::string quoted(std::string_view text)
{
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (byte < 0x20 || byte == 0x7F) {
            result += fmt::format("\\x{:02X}", byte);
        } else {
            result += c;
        }
    }
    return result + '"';
}

bool isPlainName(std::string_view name)
{
    return !name.empty() &&
           std::ranges::all_of(name,
                               [](char c) {
                                   return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                                          std::string_view("_./:-+@").find(c) != std::string_view::npos;
                               }) &&
           name.back() != ':' && name.find(": ") == std::string_view::npos;
}

std::string nameText(std::string_view name)
{
    return isPlainName(name) ? fmt::format("%{}", name) : "%" + quoted(name);
}

std::string floatText(double value)
{
    std::string text = shortest(value);
    const bool plain = text.find_first_of(".en") == std::string::npos;
    return plain ? text + ".0" : text;
}

std::string doubleText(double value)
{
    return fmt::format("{}", value);
}

template <class Range, class F>
std::string list(const Range& values, F text)
{
    std::string result = "[";
    bool first = true;
    for (const auto& value : values) {
        result += first ? "" : ", ";
        result += text(value);
        first = false;
    }
    return result + "]";
}

std::string gridText(const Grid& grid)
{
    const std::string range = grid.isFullRange() ? "" : fmt::format(", {}..{}", grid.qmin, grid.qmax);
    if (grid.isPerTensor()) {
        return fmt::format("{}({}, {}{})", shortName(grid.storage), doubleText(grid.scale()), grid.zeroPoint(), range);
    }
    return fmt::format("{}({}, {}, axis {}{})", shortName(grid.storage), list(grid.scales, doubleText),
                       list(grid.zeroPoints, [](std::int64_t z) { return std::to_string(z); }), *grid.axis, range);
}

std::string elements(const Tensor& tensor, const PrintOptions& options)
{
    if (options.maxElements != 0 && tensor.size() > options.maxElements) {
        return fmt::format("<{} elements>", tensor.size());
    }
    if (tensor.type() == ElementType::String) {
        return list(tensor.stringValues(), quoted);
    }
    std::string result = "[";
    for (std::size_t i = 0; i < tensor.size(); ++i) {
        result += i == 0 ? "" : ", ";
        if (isFloat(tensor.type())) {
            result +=
                tensor.type() == ElementType::Float64 ? doubleText(tensor.asDouble(i)) : shortest(tensor.asDouble(i));
        } else if (isFloat8(tensor.type())) {
            result += std::to_string(std::to_integer<int>(tensor.raw()[i]));
        } else if (tensor.type() == ElementType::UInt64) {
            result += std::to_string(tensor.data<std::uint64_t>()[i]);
        } else {
            result += std::to_string(tensor.asInt(i));
        }
    }
    return result + "]";
}

std::string typeText(ElementType type, const std::optional<Shape>& shape)
{
    if (!shape) {
        return fmt::format("{}[*]", shortName(type));
    }
    std::string dims;
    for (const Dim& dim : *shape) {
        dims += dims.empty() ? "" : "x";
        dims += dim.known()          ? std::to_string(dim.value)
                : dim.symbol.empty() ? "?"
                : isPlainName(dim.symbol) && dim.symbol.find('x') == std::string::npos &&
                        std::isalpha(static_cast<unsigned char>(dim.symbol[0])) != 0
                    ? dim.symbol
                    : quoted(dim.symbol);
    }
    return fmt::format("{}[{}]", shortName(type), dims);
}

std::string declaration(const Value& value)
{
    std::string text = fmt::format("{}: {}", nameText(value.name), typeText(value.type, value.shape));
    if (value.codes) {
        text += " codes " + gridText(*value.codes);
    }
    if (value.liesOn) {
        text += " on " + gridText(*value.liesOn);
    }
    return text;
}

class Printer {
public:
    Printer(const PrintOptions& options, std::string indent) : m_options(options), m_indent(std::move(indent)) {}

    std::string graph(const Graph& graph) const
    {
        std::string text = fmt::format("graph {} ir {}", quoted(graph.name), graph.model().irVersion);
        bool first = true;
        for (const auto& [domain, version] : graph.model().opsets) {
            text += fmt::format("{} {} {}", first ? " opset" : ",", quoted(domain), version);
            first = false;
        }
        text += "\n";
        for (const ValueId id : graph.inputs()) {
            text += fmt::format("{}input {}\n", m_indent, declaration(graph.value(id)));
        }
        for (const ValueId id : graph.captured()) {
            text += fmt::format("{}captured {}\n", m_indent, declaration(graph.value(id)));
        }
        for (const ValueId id : graph.values()) {
            const Value& value = graph.value(id);
            if (value.isConstant()) {
                text += fmt::format("{}const {}{} = {}\n", m_indent, declaration(value),
                                    value.alsoInput ? " also_input" : "", elements(value.constant, m_options));
            }
        }
        for (const NodeId id : graph.order()) {
            if (graph.contains(id)) {
                text += m_indent + node(graph, graph.node(id)) + "\n";
            }
        }
        for (const ValueId id : graph.outputs()) {
            text += fmt::format("{}output {}\n", m_indent, nameText(graph.value(id).name));
        }
        return text;
    }

    std::string node(const Graph& graph, const Node& node) const
    {
        std::string text = node.outputs.empty() ? "_" : "";
        for (const ValueId id : node.outputs) {
            text += text.empty() ? "" : ", ";
            text += id.valid() ? declaration(graph.value(id)) : "_";
        }
        text += " = ";
        text += node.domain.empty() ? node.op : node.domain + "." + node.op;
        const auto opset = graph.model().opsets.find(node.domain);
        if (node.version != (opset == graph.model().opsets.end() ? 0 : opset->second)) {
            text += fmt::format("@{}", node.version);
        }
        text += "(";
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            text += i == 0 ? "" : ", ";
            text += node.inputs[i].valid() ? nameText(graph.value(node.inputs[i]).name) : "_";
        }
        text += ")";
        if (!node.attributes.empty()) {
            text += " {";
            bool first = true;
            for (const auto& [key, value] : node.attributes) {
                text += fmt::format("{}{} = {}", first ? "" : ", ", key, attribute(value));
                first = false;
            }
            text += "}";
        }
        if (!node.captures.empty()) {
            text += " captures ";
            for (std::size_t i = 0; i < node.captures.size(); ++i) {
                text += fmt::format("{}{} {}", i == 0 ? "" : ", ", node.captures[i].attribute,
                                    nameText(graph.value(node.captures[i].outer).name));
            }
        }
        return node.name.empty() ? text : text + " " + quoted(node.name);
    }

private:
    std::string subgraph(const GraphRef& ref) const
    {
        return "{\n" + Printer(m_options, m_indent + "    ").indented(*ref) + m_indent + "}";
    }

    std::string indented(const Graph& graph) const { return m_indent + this->graph(graph); }

    std::string attribute(const Attribute& attribute) const
    {
        const auto intText = [](std::int64_t value) { return std::to_string(value); };
        const auto tensorText = [&](const Tensor& tensor) {
            return fmt::format("tensor {} {}", typeText(tensor.type(), shapeOf(tensor.dims())),
                               elements(tensor, m_options));
        };
        return std::visit(
            [&]<class T>(const T& value) -> std::string {
                if constexpr (std::is_same_v<T, std::int64_t>) {
                    return std::to_string(value);
                } else if constexpr (std::is_same_v<T, float>) {
                    return floatText(static_cast<double>(value));
                } else if constexpr (std::is_same_v<T, double>) {
                    return "f64 " + doubleText(value);
                } else if constexpr (std::is_same_v<T, std::string>) {
                    return quoted(value);
                } else if constexpr (std::is_same_v<T, Tensor>) {
                    return tensorText(value);
                } else if constexpr (std::is_same_v<T, GraphRef>) {
                    return subgraph(value);
                } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
                    return value.empty() ? "ints []" : list(value, intText);
                } else if constexpr (std::is_same_v<T, std::vector<float>>) {
                    return value.empty() ? "floats []"
                                         : list(value, [](float v) { return floatText(static_cast<double>(v)); });
                } else if constexpr (std::is_same_v<T, std::vector<double>>) {
                    return "f64 " + list(value, doubleText);
                } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
                    return value.empty() ? "strings []" : list(value, quoted);
                } else if constexpr (std::is_same_v<T, std::vector<Tensor>>) {
                    return "tensors " + list(value, tensorText);
                } else if constexpr (std::is_same_v<T, std::vector<GraphRef>>) {
                    return "graphs " + list(value, [&](const GraphRef& ref) { return subgraph(ref); });
                } else if constexpr (std::is_same_v<T, Grid>) {
                    return gridText(value);
                } else {
                    return "opaque " + quoted(value.bytes);
                }
            },
            attribute);
    }

    PrintOptions m_options;
    std::string m_indent;
};

} // namespace

std::string print(const Graph& graph, const PrintOptions& options)
{
    return Printer(options, "").graph(graph);
}

std::string printNode(const Graph& graph, NodeId id, const PrintOptions& options)
{
    return Printer(options, "").node(graph, graph.node(id));
}

} // namespace crease
