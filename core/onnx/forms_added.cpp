// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/form_rules.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace crease::forms {

namespace {

/// An attribute that came with an opset; an older form is meant where it has its neutral value.
struct Added {
    std::string_view op;
    int since;
    std::string_view attribute;
    std::int64_t neutral = 0;
    std::string_view neutralText{};
};

constexpr std::array added{
    Added{"MaxPool", 8, "storage_order"},
    Added{"MaxPool", 10, "ceil_mode"},
    Added{"MaxPool", 10, "dilations", 1},
    Added{"AveragePool", 10, "ceil_mode"},
    Added{"AveragePool", 19, "dilations", 1},
    Added{"LpPool", 18, "ceil_mode"},
    Added{"LpPool", 18, "dilations", 1},
    Added{"TopK", 11, "largest", 1},
    Added{"TopK", 11, "sorted", 1},
    Added{"DepthToSpace", 11, "mode", 0, "DCR"},
    Added{"Dropout", 12, "seed"},
    Added{"ArgMax", 12, "select_last_index"},
    Added{"ArgMin", 12, "select_last_index"},
    Added{"GatherND", 12, "batch_dims"},
    Added{"Reshape", 14, "allowzero"},
    Added{"LSTM", 14, "layout"},
    Added{"GRU", 14, "layout"},
    Added{"RNN", 14, "layout"},
    Added{"BatchNormalization", 14, "training_mode"},
    Added{"Shape", 15, "start"},
    Added{"ScatterElements", 16, "reduction", 0, "none"},
    Added{"ScatterND", 16, "reduction", 0, "none"},
    Added{"Resize", 18, "antialias"},
    Added{"Resize", 18, "keep_aspect_ratio_policy", 0, "stretch"},
    Added{"Cast", 19, "saturate", 1},
    Added{"Cast", 24, "round_mode", 0, "up"},
};

bool isNeutral(const Attribute& attribute, const Added& row)
{
    if (const auto* value = std::get_if<std::int64_t>(&attribute)) {
        return *value == row.neutral;
    }
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute)) {
        return std::ranges::all_of(*list, [&](std::int64_t value) { return value == row.neutral; });
    }
    const auto* text = std::get_if<std::string>(&attribute);
    return text != nullptr && *text == row.neutralText;
}

Result<void> dropAdded(Graph& graph, Node& node, const Rule& rule)
{
    for (const Added& row : added) {
        const auto found = row.op == rule.before && row.since == rule.since ? node.attributes.find(row.attribute)
                                                                            : node.attributes.end();
        if (found == node.attributes.end()) {
            continue;
        }
        if (!isNeutral(found->second, row)) {
            return inexpressible(graph, node, rule.since, fmt::format("it has attribute {}", row.attribute));
        }
        node.attributes.erase(found);
    }
    return {};
}

Result<void> refuse(const Graph& graph, const Node& node, const Rule& rule, bool uses, std::string_view what)
{
    if (uses) {
        return inexpressible(graph, node, rule.since, what);
    }
    return {};
}

Result<void> padTo18(Graph& graph, Node& node, const Rule& rule)
{
    return refuse(graph, node, rule, node.stringAttribute("mode") == "wrap", "its mode is wrap");
}

Result<void> padTo17(Graph& graph, Node& node, const Rule& rule)
{
    return refuse(graph, node, rule, node.input(3).valid(), "it has axes");
}

Result<void> gemmTo10(Graph& graph, Node& node, const Rule& rule)
{
    return refuse(graph, node, rule, !node.input(2).valid(), "it has no C");
}

Result<void> shapeTo14(Graph& graph, Node& node, const Rule& rule)
{
    return refuse(graph, node, rule, node.attributes.contains("end"), "it has attribute end");
}

Result<void> resizeTo17(Graph& graph, Node& node, const Rule& rule)
{
    return refuse(graph, node, rule, node.attributes.contains("axes"), "it has attribute axes");
}

Result<void> resizeTo18(Graph& graph, Node& node, const Rule& rule)
{
    return refuse(graph, node, rule, node.stringAttribute("coordinate_transformation_mode") == "half_pixel_symmetric",
                  "its mode is half_pixel_symmetric");
}

Result<void> scatterTo17(Graph& graph, Node& node, const Rule& rule)
{
    const std::string reduction = node.stringAttribute("reduction", "none");
    return refuse(graph, node, rule, reduction == "min" || reduction == "max", "its reduction is " + reduction);
}

constexpr std::array special{
    Rule{"Gemm", "Gemm", 11, nullptr, gemmTo10},
    Rule{"Shape", "Shape", 15, nullptr, shapeTo14},
    Rule{"Pad", "Pad", 18, nullptr, padTo17},
    Rule{"Pad", "Pad", 19, nullptr, padTo18},
    Rule{"Resize", "Resize", 18, nullptr, resizeTo17},
    Rule{"Resize", "Resize", 19, nullptr, resizeTo18},
    Rule{"ScatterElements", "ScatterElements", 18, nullptr, scatterTo17},
    Rule{"ScatterND", "ScatterND", 18, nullptr, scatterTo17},
};

constexpr bool startsRule(std::size_t i)
{
    return i == 0 || added[i].op != added[i - 1].op || added[i].since != added[i - 1].since;
}

constexpr std::size_t countRules()
{
    std::size_t count = special.size();
    for (std::size_t i = 0; i < added.size(); ++i) {
        count += startsRule(i) ? 1 : 0;
    }
    return count;
}

constexpr auto allRules()
{
    std::array<Rule, countRules()> rules{};
    std::size_t at = 0;
    for (const Rule& rule : special) {
        rules[at++] = rule;
    }
    for (std::size_t i = 0; i < added.size(); ++i) {
        if (startsRule(i)) {
            rules[at++] = {added[i].op, added[i].op, added[i].since, nullptr, dropAdded};
        }
    }
    return rules;
}

constexpr auto rules = allRules();

} // namespace

std::span<const Rule> addedRules()
{
    return rules;
}

} // namespace crease::forms
