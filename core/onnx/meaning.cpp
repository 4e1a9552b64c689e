// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/meaning.h"

#include "core/onnx/form_rules.h"
#include "core/onnx/graph_reader.h"
#include "core/onnx/subgraphs.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace crease {

namespace {

struct Change {
    std::string_view op;
    int since;
    bool (*concerns)(const Graph& graph, const Node& node);                // whether this node's meaning changed
    Result<void> (*expand)(Graph& graph, NodeId id, Node node, int opset); // null: there is no other way to say it
};

bool always(const Graph&, const Node&)
{
    return true;
}

/// The axis from which a Softmax below opset 13 flattens, where the rank is known.
std::optional<std::size_t> flattenAxis(const Graph& graph, const Node& node)
{
    const Shape* shape = forms::inputShape(graph, node, 0);
    const auto axis = shape ? normalizedAxis(node.intAttribute("axis", 1), shape->size()) : std::nullopt;
    return axis ? std::optional(static_cast<std::size_t>(*axis)) : std::nullopt;
}

ValueId newValue(Graph& graph, const Node& anchor, std::string_view what, ElementType type)
{
    Value value;
    value.name = graph.freshName(fmt::format("{}_{}", graph.value(anchor.output()).name, what));
    value.type = type;
    return graph.addValue(std::move(value));
}

/// Flatten to two dimensions, the op on the last one, and back.
Result<void> expandSoftmax(Graph& graph, NodeId id, Node node, int opset)
{
    node.version = opset;
    if (!node.input(0).valid() || !node.output().valid()) {
        graph.setNode(id, std::move(node)); // broken as it is: whoever runs it says so
        return {};
    }
    const auto axis = flattenAxis(graph, node);
    const auto rank = axis ? forms::inputShape(graph, node, 0)->size() : 0;
    if (axis && *axis + 1 == rank) {
        node.attributes["axis"] = std::int64_t{-1};
        graph.setNode(id, std::move(node));
        return {};
    }
    const ValueId data = node.input(0);
    const ElementType type = graph.value(data).type;
    const std::int64_t from = node.intAttribute("axis", 1);
    const ValueId dims = newValue(graph, node, "dims", ElementType::Int64);
    const ValueId flat = newValue(graph, node, "flat", type);
    const ValueId result = newValue(graph, node, "rows", type);
    const ValueId output = node.output();
    const std::string name = node.name;
    const auto helper = [&](std::string_view op, std::string_view suffix, std::vector<ValueId> inputs, ValueId made) {
        Node added;
        added.op = op;
        added.name = name.empty() ? std::string() : fmt::format("{}/{}", name, suffix);
        added.inputs = std::move(inputs);
        added.outputs = {made};
        added.version = opset;
        if (op == "Flatten") {
            added.attributes["axis"] = from;
        }
        graph.addNode(std::move(added), id);
    };
    node.inputs = {flat};
    node.outputs = {result};
    node.attributes["axis"] = std::int64_t{-1};
    graph.setNode(id, std::move(node));
    helper("Shape", "shape", {data}, dims);
    helper("Flatten", "flatten", {data}, flat);
    helper("Reshape", "reshape", {result, dims}, output);
    return {};
}

/// Opset 18 has one scale and bias a group, opset 21 one a channel.
Result<void> expandGroupNorm(Graph& graph, NodeId id, Node node, int opset)
{
    const Shape* shape = forms::inputShape(graph, node, 0);
    const std::int64_t channels = shape && shape->size() > 1 ? (*shape)[1].value : -1;
    const std::int64_t groups = node.intAttribute("num_groups", 0);
    for (std::size_t slot = 1; slot < 3; ++slot) {
        const Tensor* tensor = forms::constantInput(graph, node, slot);
        if (tensor == nullptr || channels < 0 || groups <= 0 || channels % groups != 0 ||
            tensor->size() != static_cast<std::size_t>(groups) || !isFloat(tensor->type())) {
            Error error{ErrorKind::Unsupported, "meaning-changed",
                        "GroupNormalization below opset 21 needs constant scales and known channels"};
            error.node = nodeLabel(graph, node);
            return std::unexpected(std::move(error));
        }
        std::vector<double> values;
        for (std::int64_t channel = 0; channel < channels; ++channel) {
            values.push_back(tensor->asDouble(static_cast<std::size_t>(channel / (channels / groups))));
        }
        const ElementType type = tensor->type();
        node.inputs[slot] =
            forms::addConstant(graph, node, slot == 1 ? "scale" : "bias", tensorOfDoubles(type, {channels}, values));
    }
    node.version = opset;
    graph.setNode(id, std::move(node));
    return {};
}

bool spatialOff(const Graph&, const Node& node)
{
    return node.intAttribute("spatial", 1) == 0;
}

bool trains(const Graph&, const Node& node)
{
    return node.outputs.size() > 1;
}

bool cropsForNearest(const Graph&, const Node& node)
{
    return node.stringAttribute("coordinate_transformation_mode") == "tf_half_pixel_for_nn";
}

constexpr std::array changes{
    Change{"Softmax", 13, always, expandSoftmax},
    Change{"LogSoftmax", 13, always, expandSoftmax},
    Change{"Hardmax", 13, always, expandSoftmax},
    Change{"BatchNormalization", 9, spatialOff, nullptr},
    Change{"BatchNormalization", 14, trains, nullptr},
    Change{"Dropout", 10, trains, nullptr},
    Change{"Scan", 9, always, nullptr},
    Change{"Resize", 13, cropsForNearest, nullptr},
    Change{"GroupNormalization", 21, always, expandGroupNorm},
};

Result<void> raiseNode(Graph& graph, NodeId id, int opset)
{
    Node node = graph.node(id);
    for (const Change& change : changes) {
        if (change.op != node.op || node.version >= change.since || opset < change.since ||
            !change.concerns(graph, node)) {
            continue;
        }
        if (change.expand == nullptr) {
            Error error{ErrorKind::Unsupported, "meaning-changed",
                        fmt::format("{} of opset {} cannot be said in opset {}", node.op, node.version, opset)};
            error.node = nodeLabel(graph, node);
            return std::unexpected(std::move(error));
        }
        return change.expand(graph, id, std::move(node), opset);
    }
    node.version = opset;
    graph.setNode(id, std::move(node));
    return {};
}

} // namespace

Result<void> raiseVersions(Graph& graph, int opset)
{
    const std::size_t before = graph.nodeCapacity();
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        if (graph.node(id).domain.empty() && graph.node(id).version < opset) {
            TRY(raiseNode(graph, id, opset));
        }
    }
    if (graph.nodeCapacity() != before) {
        TRY(graph.sort());
    }
    return editSubgraphs(graph, [opset](Graph& inner) { return raiseVersions(inner, opset); });
}

} // namespace crease
