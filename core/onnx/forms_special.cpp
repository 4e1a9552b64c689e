// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/form_rules.h"

#include <array>
#include <fmt/format.h>

namespace crease::forms {

namespace {

bool setByDefault(Node& node, std::string_view key, std::string_view value)
{
    return node.attributes.emplace(std::string(key), std::string(value)).second;
}

/// Takes a string attribute away where it has that value (or is absent and that is the default).
bool dropString(Node& node, std::string_view key, std::string_view value, std::string_view fallback)
{
    if (node.stringAttribute(key, fallback) != value) {
        return false;
    }
    if (const auto found = node.attributes.find(key); found != node.attributes.end()) {
        node.attributes.erase(found);
    }
    return true;
}

/// Resize of opset 10: asymmetric coordinates, the pixel below.
Result<void> resizeFrom10(Graph&, Node& node, const Rule&)
{
    if (!setByDefault(node, "coordinate_transformation_mode", "asymmetric")) {
        return {};
    }
    setByDefault(node, "nearest_mode", "floor");
    const ValueId scales = node.input(1);
    node.inputs.resize(1);
    setInput(node, 2, scales);
    return {};
}

Result<void> resizeTo10(Graph& graph, Node& node, const Rule& rule)
{
    const std::string mode = node.stringAttribute("mode", "nearest");
    const bool floor = node.stringAttribute("nearest_mode", "round_prefer_floor") == "floor";
    if (!node.input(2).valid() || node.input(3).valid() ||
        node.stringAttribute("coordinate_transformation_mode", "half_pixel") != "asymmetric" ||
        (mode == "nearest" && !floor) || mode == "cubic") {
        return inexpressible(graph, node, rule.since, "only scales in asymmetric mode, nearest floor or linear");
    }
    const auto allowed = [](const std::string& key) {
        return key == "coordinate_transformation_mode" || key == "nearest_mode" || key == "mode";
    };
    for (const auto& [key, value] : node.attributes) {
        if (!allowed(key)) {
            return inexpressible(graph, node, rule.since, fmt::format("it has attribute {}", key));
        }
    }
    node.attributes.erase("coordinate_transformation_mode");
    node.attributes.erase("nearest_mode");
    const ValueId scales = node.input(2);
    node.inputs.resize(1);
    setInput(node, 1, scales);
    return {};
}

/// Opsets 11 and 12 fill in unused inputs of Resize with tensors without elements.
Result<void> resizeFrom11(Graph& graph, Node& node, const Rule&)
{
    for (std::size_t slot = 1; slot < node.inputs.size(); ++slot) {
        const Tensor* tensor = constantInput(graph, node, slot);
        if (tensor != nullptr && tensor->size() == 0) {
            node.inputs[slot] = {};
        }
    }
    return {};
}

Result<void> resizeTo11(Graph& graph, Node& node, const Rule&)
{
    const auto fill = [&](std::size_t slot, std::string_view what) {
        if (!node.input(slot).valid()) {
            setInput(node, slot, addConstant(graph, node, what, Tensor::of<float>({0}, {})));
        }
    };
    fill(1, "roi");
    fill(2, "scales");
    return {};
}

Result<void> splitFrom13(Graph&, Node& node, const Rule&)
{
    if (!node.input(1).valid()) {
        node.attributes.emplace("num_outputs", static_cast<std::int64_t>(node.outputs.size()));
    }
    return {};
}

Result<void> splitTo13(Graph& graph, Node& node, const Rule& rule)
{
    const auto count = static_cast<std::int64_t>(node.outputs.size());
    if (node.attributes.erase("num_outputs") == 0 || node.version < rule.since || count == 0) {
        return {};
    }
    const Shape* shape = inputShape(graph, node, 0);
    const auto axis = shape ? normalizedAxis(node.intAttribute("axis", 0), shape->size()) : std::nullopt;
    if (!axis || !(*shape)[static_cast<std::size_t>(*axis)].known()) {
        return inexpressible(graph, node, rule.since, "num_outputs of an unknown dimension");
    }
    const std::int64_t size = (*shape)[static_cast<std::size_t>(*axis)].value;
    if (size % count != 0) {
        const std::int64_t chunk = (size + count - 1) / count;
        std::vector<std::int64_t> parts(static_cast<std::size_t>(count), chunk);
        parts.back() = size - chunk * (count - 1);
        setInput(node, 1, addConstant(graph, node, "split", Tensor::of<std::int64_t>({count}, parts)));
    }
    return {};
}

Result<void> batchNormFrom8(Graph&, Node& node, const Rule&)
{
    if (node.intAttribute("spatial", 1) == 1) {
        node.attributes.erase("spatial");
    }
    return {};
}

Result<void> scatterTo10(Graph& graph, Node& node, const Rule& rule)
{
    if (!dropString(node, "reduction", "none", "none")) {
        return inexpressible(graph, node, rule.since, "it has a reduction");
    }
    return {};
}

Result<void> roiAlignFrom10(Graph&, Node& node, const Rule&)
{
    setByDefault(node, "coordinate_transformation_mode", "output_half_pixel");
    return {};
}

Result<void> roiAlignTo10(Graph& graph, Node& node, const Rule& rule)
{
    if (!dropString(node, "coordinate_transformation_mode", "output_half_pixel", "half_pixel")) {
        return inexpressible(graph, node, rule.since, "its coordinate_transformation_mode is half_pixel");
    }
    return {};
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 2> gridModes{
    {{"bilinear", "linear"}, {"bicubic", "cubic"}}};

Result<void> gridSampleFrom16(Graph&, Node& node, const Rule&)
{
    for (const auto& [older, newer] : gridModes) {
        if (node.stringAttribute("mode") == older) {
            node.attributes["mode"] = std::string(newer);
        }
    }
    return {};
}

Result<void> gridSampleTo16(Graph&, Node& node, const Rule&)
{
    for (const auto& [older, newer] : gridModes) {
        if (node.stringAttribute("mode") == newer) {
            node.attributes["mode"] = std::string(older);
        }
    }
    return {};
}

/// The default axis of DFT moved from 1 to -2.
Result<void> dftFrom17(Graph&, Node& node, const Rule&)
{
    node.attributes.emplace("axis", std::int64_t{1});
    return {};
}

Result<void> dftTo17(Graph&, Node& node, const Rule&)
{
    if (const auto given = node.attributes.emplace("axis", std::int64_t{-2}).first;
        sameAttribute(given->second, Attribute(std::int64_t{1}))) {
        node.attributes.erase(given);
    }
    return {};
}

constexpr std::array rules{
    Rule{"BatchNormalization", "BatchNormalization", 9, batchNormFrom8, nullptr},
    Rule{"Upsample", "Resize", 10, resizeFrom10, nullptr},
    Rule{"Resize", "Resize", 11, resizeFrom10, resizeTo10},
    Rule{"Resize", "Resize", 13, resizeFrom11, resizeTo11},
    Rule{"Scatter", "ScatterElements", 11, nullptr, scatterTo10},
    Rule{"RoiAlign", "RoiAlign", 16, roiAlignFrom10, roiAlignTo10},
    Rule{"Split", "Split", 18, splitFrom13, splitTo13},
    Rule{"DFT", "DFT", 20, dftFrom17, dftTo17},
    Rule{"GridSample", "GridSample", 20, gridSampleFrom16, gridSampleTo16},
};

} // namespace

std::span<const Rule> specialRules()
{
    return rules;
}

} // namespace crease::forms
