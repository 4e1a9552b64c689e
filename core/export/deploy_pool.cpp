// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/deploy_pool.h"

#include "core/export/deploy_border.h"

#include <algorithm>
#include <array>

namespace crease {

namespace {

bool fromByteToByte(const Deployment& out, const Node& node)
{
    const auto fits = [&](ValueId id) {
        const auto& codes = out.sourceValue(id).codes;
        return codes && codes->isPerTensor() && bitWidth(codes->storage) == 8;
    };
    return node.input(0).valid() && node.output().valid() && fits(node.inputs[0]) && fits(node.output());
}

/// What a pooling op sums: a window of `kernel`, each sum times `factor`.
struct Window {
    std::vector<std::int64_t> kernel;
    double factor = 1.0;
    std::int64_t channels = 0;
    Attributes attributes;                // of the Conv
    std::vector<std::int64_t> squeezed{}; // axes that go afterwards
};

double product(const std::vector<std::int64_t>& dims)
{
    double result = 1.0;
    for (const std::int64_t dim : dims) {
        result *= static_cast<double>(dim);
    }
    return result;
}

std::optional<Window> averageWindow(const Node& node, std::int64_t channels)
{
    Window window{node.intsAttribute("kernel_shape"), 1.0, channels, {}};
    const std::string padding = node.stringAttribute("auto_pad", "NOTSET");
    const std::vector<std::int64_t> pads = node.intsAttribute("pads");
    const bool padded =
        std::ranges::any_of(pads, [](std::int64_t pad) { return pad != 0; }) || padding.starts_with("SAME");
    const bool counted = node.intAttribute("count_include_pad", 0) != 0;
    if (node.intAttribute("ceil_mode", 0) != 0 || (padded && !counted) || window.kernel.empty()) {
        return std::nullopt;
    }
    window.factor = 1.0 / product(window.kernel);
    for (const std::string_view key : {"auto_pad", "dilations", "kernel_shape", "pads", "strides"}) {
        if (const Attribute* attribute = node.attribute(key)) {
            window.attributes.insert_or_assign(std::string(key), *attribute);
        }
    }
    return window;
}

std::optional<std::vector<std::int64_t>> reducedAxes(const Graph& graph, const Node& node, std::size_t rank)
{
    std::vector<std::int64_t> axes = node.intsAttribute("axes");
    if (node.input(1).valid()) {
        const Value& constant = graph.value(node.inputs[1]);
        if (!constant.isConstant()) {
            return std::nullopt;
        }
        axes = constant.constant.toInts();
    }
    for (std::int64_t& axis : axes) {
        axis = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
    }
    std::ranges::sort(axes);
    return axes;
}

std::optional<Window> wholeWindow(const Graph& graph, const Node& node, const Shape& shape, std::int64_t channels)
{
    Window window{{}, 1.0, channels, {}};
    std::vector<std::int64_t> spatial;
    for (std::size_t i = 2; i < shape.size(); ++i) {
        if (!shape[i].known()) {
            return std::nullopt;
        }
        window.kernel.push_back(shape[i].value);
        spatial.push_back(static_cast<std::int64_t>(i));
    }
    if (node.op.starts_with("Reduce")) {
        const auto axes = reducedAxes(graph, node, shape.size());
        if (!axes || *axes != spatial) {
            return std::nullopt;
        }
        if (node.intAttribute("keepdims", 1) == 0) {
            window.squeezed = spatial;
        }
    }
    window.factor = node.op == "ReduceSum" ? 1.0 : 1.0 / product(window.kernel);
    window.attributes["kernel_shape"] = window.kernel;
    return window;
}

std::optional<Window> windowOf(const Graph& graph, const Node& node)
{
    static constexpr std::array<std::string_view, 4> pools{"AveragePool", "GlobalAveragePool", "ReduceMean",
                                                           "ReduceSum"};
    const auto& shape = graph.value(node.inputs[0]).shape;
    if (std::ranges::find(pools, node.op) == pools.end() || !shape || shape->size() < 3 || !(*shape)[1].known() ||
        (*shape)[1].value == 0) {
        return std::nullopt;
    }
    const std::int64_t channels = (*shape)[1].value;
    const auto window =
        node.op == "AveragePool" ? averageWindow(node, channels) : wholeWindow(graph, node, *shape, channels);
    return window && window->kernel.size() == shape->size() - 2 && product(window->kernel) > 0 ? window : std::nullopt;
}

} // namespace

bool emitPoolAsConv(Deployment& out, NodeId id)
{
    const Node node = out.source().node(id);
    const auto window = fromByteToByte(out, node) ? windowOf(out.source(), node) : std::nullopt;
    if (!window) {
        return false;
    }
    const Grid& x = out.grid(node.inputs[0]);
    const Grid& y = out.grid(node.output());
    out.begin(id);
    Dims dims{window->channels, 1};
    dims.insert(dims.end(), window->kernel.begin(), window->kernel.end());
    const std::vector<std::int64_t> ones(static_cast<std::size_t>(elementCount(dims).value()), 1);
    const ValueId weight = out.constant(tensorOfInts(ElementType::Int8, dims, ones), "ones");
    const GridConstants w = out.gridConstants(Grid::perTensor(window->factor, 0, ElementType::Int8));
    const bool squeeze = !window->squeezed.empty();
    Attributes attributes = window->attributes;
    attributes["group"] = window->channels;
    const auto squeezed = [&](ValueId kept) {
        const auto count = static_cast<std::int64_t>(window->squeezed.size());
        return standardNode("Squeeze", {kept, out.constant(Tensor::of({count}, window->squeezed), "spatial_axes")});
    };
    if (out.target().format == "onnx-qoperator") {
        const GridConstants from = out.gridConstants(x);
        const GridConstants to = out.gridConstants(y);
        Node conv = standardNode("QLinearConv", {node.inputs[0], from.scale, from.zeroPoint, weight, w.scale,
                                                 w.zeroPoint, to.scale, to.zeroPoint});
        conv.attributes = std::move(attributes);
        conv.name = node.name;
        if (squeeze) {
            conv = squeezed(out.add(std::move(conv), "pooled", y.storage));
        }
        produceClamped(out, std::move(conv), node, node.output());
        return true;
    }
    const ValueId data = dequantized(out, node.inputs[0]);
    const ValueId unit = out.add(standardNode("DequantizeLinear", {weight, w.scale, w.zeroPoint}), "weight",
                                 ElementType::Float32, shapeOf(dims));
    Node conv = standardNode("Conv", {data, unit});
    conv.attributes = std::move(attributes);
    conv.name = node.name;
    ValueId real = out.add(std::move(conv), "pooled", ElementType::Float32);
    if (squeeze) {
        real = out.add(squeezed(real), "squeezed", ElementType::Float32);
    }
    quantizeInto(out, real, node, node.output());
    return true;
}

bool countsBeyondPadding(const Node& node)
{
    return node.op == "AveragePool" && node.intAttribute("ceil_mode", 0) != 0 &&
           node.intAttribute("count_include_pad", 0) != 0;
}

namespace {

bool emitPoolKernel(Deployment& out, NodeId id)
{
    const Node node = out.source().node(id);
    if (countsBeyondPadding(node)) {
        return false;
    }
    const bool global = node.op == "GlobalAveragePool";
    const auto dilations = node.intsAttribute("dilations");
    if (std::ranges::any_of(dilations, [](std::int64_t dilation) { return dilation != 1; })) {
        return false;
    }
    if ((!global && node.op != "AveragePool") || !fromByteToByte(out, node) ||
        out.sourceValue(node.inputs[0]).type != out.sourceValue(node.output()).type) {
        return false;
    }
    const Grid& y = out.grid(node.output());
    const bool odd = !global && y.zeroPoint() % 2 != 0;
    if (odd && out.target().exactTies) {
        return false;
    }
    out.declareTies(global ? "QLinearGlobalAveragePool" : "QLinearAveragePool", node.output(), odd);
    out.begin(id);
    const GridConstants from = out.gridConstants(out.grid(node.inputs[0]));
    const GridConstants to = out.gridConstants(y);
    Node op = standardNode(global ? "QLinearGlobalAveragePool" : "QLinearAveragePool",
                           {node.inputs[0], from.scale, from.zeroPoint, to.scale, to.zeroPoint}, microsoft);
    op.name = node.name;
    if (!global) {
        for (const std::string_view key :
             {"auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"}) {
            if (const Attribute* attribute = node.attribute(key)) {
                op.attributes.insert_or_assign(std::string(key), *attribute);
            }
        }
    }
    produceClamped(out, std::move(op), node, node.output());
    return true;
}

} // namespace

bool emitPool(Deployment& out, NodeId id)
{
    return emitPoolAsConv(out, id) || emitPoolKernel(out, id);
}

} // namespace crease
