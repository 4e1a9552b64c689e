// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/repairs.h"

#include "core/onnx/form_rules.h"
#include "core/onnx/graph_reader.h"
#include "core/onnx/subgraphs.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace crease {

namespace {

struct Found {
    std::size_t axes = 0;
    std::size_t ranges = 0;
    std::string axisNode;
    std::string rangeNode;
};

/// Below opset 13 there is no axis: it says nothing of one scale, and is meant as in opset 13 with several.
bool repairAxis(const Graph& graph, Node& node)
{
    if (node.version >= 13 || !node.attributes.contains("axis")) {
        return false;
    }
    const Tensor* scale = forms::constantInput(graph, node, 1);
    if (scale != nullptr && scale->size() == 1) {
        node.attributes.erase("axis");
    } else {
        node.version = 13;
    }
    return true;
}

ElementType codeType(const Graph& graph, const Node& node)
{
    return node.input(2).valid() ? forms::elementTypeHint(graph, node.input(2)) : ElementType::UInt8;
}

/// Q with a range of its own becomes Q and an integer Clip.
void clipAfter(Graph& graph, NodeId id, Node node, std::int64_t low, std::int64_t high)
{
    const ElementType type = codeType(graph, node);
    const ValueId clipped = node.output();
    if (!isInteger(type) || !clipped.valid() || (low <= lowest(type) && high >= highest(type)) || low > high) {
        graph.setNode(id, std::move(node));
        return;
    }
    Value raw = graph.value(clipped);
    raw.name = graph.freshName(raw.name + "_unclipped");
    const ValueId unclipped = graph.addValue(std::move(raw));
    Node clip;
    clip.op = "Clip";
    clip.name = node.name.empty() ? std::string() : node.name + "/clip";
    clip.version = node.version;
    const auto bound = [&](std::string_view what, std::int64_t value) {
        const std::array values{std::clamp(value, lowest(type), highest(type))};
        return forms::addConstant(graph, node, what, tensorOfInts(type, {}, values));
    };
    clip.inputs = {unclipped, bound("quant_min", low), bound("quant_max", high)};
    clip.outputs = {clipped};
    node.outputs[0] = unclipped;
    graph.setNode(id, std::move(node));
    graph.addNode(std::move(clip), id);
}

bool repairRange(Graph& graph, NodeId id, Node& node)
{
    if (!node.attributes.contains("quant_min") || !node.attributes.contains("quant_max")) {
        return false;
    }
    const std::int64_t low = node.intAttribute("quant_min", 0);
    const std::int64_t high = node.intAttribute("quant_max", 0);
    node.attributes.erase("quant_min");
    node.attributes.erase("quant_max");
    if (node.op == "QuantizeLinear") {
        clipAfter(graph, id, node, low, high);
    } else {
        graph.setNode(id, node);
    }
    return true;
}

Found repairIn(Graph& graph)
{
    Found found;
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        if (!graph.node(id).is("QuantizeLinear") && !graph.node(id).is("DequantizeLinear")) {
            continue;
        }
        Node node = graph.node(id);
        const std::string label = nodeLabel(graph, node);
        if (repairAxis(graph, node)) {
            ++found.axes;
            found.axisNode = label;
            graph.setNode(id, node);
        }
        if (repairRange(graph, id, node)) {
            ++found.ranges;
            found.rangeNode = label;
        }
    }
    return found;
}

} // namespace

void repairQuantizers(Graph& graph, Diagnostics& diagnostics)
{
    Found all = repairIn(graph);
    if (all.ranges > 0) {
        static_cast<void>(graph.sort()); // a Clip after its QuantizeLinear makes no cycle
    }
    static_cast<void>(editSubgraphs(graph, [&](Graph& inner) -> Result<void> {
        repairQuantizers(inner, diagnostics);
        return {};
    }));
    if (all.axes > 0) {
        diagnostics.push_back(
            {Severity::Warning, "axis-below-opset-13",
             fmt::format("{} quantizers have an axis that opset 13 brought: read as it is meant there", all.axes),
             all.axisNode});
    }
    if (all.ranges > 0) {
        diagnostics.push_back({Severity::Warning, "quant-min-max",
                               fmt::format("{} quantizers have quant_min and quant_max, which ONNX does not know: a "
                                           "range narrower than the type is read as a Clip of the codes",
                                           all.ranges),
                               all.rangeNode});
    }
}

void reportTraining(const Graph& graph, Diagnostics& diagnostics)
{
    const auto trains = [&graph](NodeId id) {
        const Node& node = graph.node(id);
        if (node.is("BatchNormalization")) {
            return node.intAttribute("training_mode", 0) != 0 || (node.version < 14 && node.outputs.size() > 1);
        }
        const Tensor* mode = node.is("Dropout") ? forms::constantInput(graph, node, 2) : nullptr;
        return mode != nullptr && mode->size() == 1 && mode->asInt(0) != 0;
    };
    const auto count = std::ranges::count_if(graph.order(), trains);
    if (count > 0) {
        diagnostics.push_back(
            {Severity::Warning, "training-mode",
             fmt::format("{} nodes are in training mode: they compute with the statistics of their input", count),
             nodeLabel(graph, graph.node(*std::ranges::find_if(graph.order(), trains)))});
    }
}

} // namespace crease
