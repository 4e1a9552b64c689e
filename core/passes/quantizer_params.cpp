// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/quantizer_params.h"

#include "core/support/text.h"
#include "core/tensor/onnx_types.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace crease {

namespace {

bool isOf(const Node& node, std::string_view op)
{
    return node.op == op && (node.domain.empty() || node.domain == "ai.onnx" || node.domain == "com.microsoft");
}

std::unexpected<Miss> missed(std::string id, std::string text, NodeId node)
{
    return std::unexpected(Miss{std::move(id), std::move(text), node});
}

std::expected<ElementType, Miss> storageOf(const Graph& graph, NodeId id, const Tensor* zeroPoint)
{
    const Node& node = graph.node(id);
    ElementType storage = ElementType::Undefined;
    if (isDequantizeLinear(node)) {
        storage = node.input(0).valid() ? graph.value(node.input(0)).type : ElementType::Undefined;
        if (storage == ElementType::Undefined && zeroPoint != nullptr) {
            storage = zeroPoint->type();
        }
    } else if (zeroPoint != nullptr) {
        storage = zeroPoint->type();
    } else {
        storage = quantizedType(ElementType::Undefined, node.intAttribute("output_dtype", 0));
        const ElementType declared = node.output().valid() ? graph.value(node.output()).type : ElementType::Undefined;
        if (declared != ElementType::Undefined && declared != storage) {
            return missed("storage-contradiction",
                          fmt::format("without a zero point it makes {}, but its output is declared {}",
                                      longName(storage), longName(declared)),
                          id);
        }
    }
    if (!isInteger(storage)) {
        return missed("storage-not-integer", fmt::format("its codes are {}, not integers", longName(storage)), id);
    }
    return storage;
}

/// The axis that several scales belong to, checked against the data's shape.
std::expected<int, Miss> axisOf(const Graph& graph, NodeId id, std::size_t count, Findings& findings)
{
    const Node& node = graph.node(id);
    const bool given = node.attribute("axis") != nullptr;
    std::int64_t axis = node.intAttribute("axis", 1);
    const std::optional<Shape>& shape = graph.value(node.input(0)).shape;
    if (!shape) {
        if (axis < 0) {
            return missed("unknown-rank", fmt::format("axis {} counts from the end of an unknown rank", axis), id);
        }
        return static_cast<int>(axis);
    }
    if (!given && shape->size() == 1) {
        axis = 0;
        findings.add(Severity::Warning, "axis-assumed",
                     fmt::format("{} scales for a tensor of rank 1 and no axis: taken as axis 0", count),
                     nodeLabel(graph, id));
    }
    if (node.domain != "com.microsoft" && node.version > 0 && node.version < 13) {
        findings.add(
            Severity::Warning, "scales-before-opset-13",
            fmt::format("{} scales at opset {}, which knows one only: taken as axis {}", count, node.version, axis),
            nodeLabel(graph, id));
    }
    const std::optional<int> normal = normalizedAxis(axis, shape->size());
    if (!normal) {
        return missed("axis-out-of-range", fmt::format("axis {} is out of range for rank {}", axis, shape->size()), id);
    }
    const Dim& dim = (*shape)[static_cast<std::size_t>(*normal)];
    if (dim.known() && dim.value != static_cast<std::int64_t>(count)) {
        return missed("axis-length", fmt::format("{} scales for axis {} of length {}", count, *normal, dim.value), id);
    }
    return *normal;
}

void collapse(QuantizerParams& params)
{
    const auto uniform = [](const auto& list) {
        return std::ranges::all_of(list, [&](const auto& each) { return each == list.front(); });
    };
    if (uniform(params.scales) && uniform(params.zeroPoints)) {
        params.scales.resize(1);
        params.zeroPoints.resize(1);
        params.axis.reset();
    }
}

void narrow(QuantizerParams& params, const Node& node)
{
    params.qmin = std::max(lowest(params.storage), node.intAttribute("quant_min", lowest(params.storage)));
    params.qmax = std::min(highest(params.storage), node.intAttribute("quant_max", highest(params.storage)));
}

} // namespace

void Findings::add(Severity severity, std::string id, std::string text, std::string node, std::string value)
{
    if (m_seen.emplace(id, node).second) {
        m_all.push_back({severity, std::move(id), std::move(text), std::move(node), std::move(value)});
    }
}

bool isQuantizeLinear(const Node& node)
{
    return isOf(node, "QuantizeLinear");
}

bool isDequantizeLinear(const Node& node)
{
    return isOf(node, "DequantizeLinear");
}

std::string nodeLabel(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!node.name.empty()) {
        return node.name;
    }
    return node.output().valid() ? node.op + " of " + graph.value(node.output()).name : node.op;
}

bool isFaultOfFile(std::string_view missId)
{
    static constexpr std::array<std::string_view, 6> faults = {
        "bad-scale", "axis-length", "axis-out-of-range", "parameter-shapes", "scale-type", "storage-contradiction"};
    return std::ranges::find(faults, missId) != faults.end();
}

ParamsResult readParams(const Graph& graph, NodeId id, ConstantResolver& constants, Findings& findings)
{
    const Node& node = graph.node(id);
    const Tensor* scale = constants.find(graph, node.input(1));
    if (scale == nullptr) {
        return missed("dynamic-scale", "its scale is computed from data", id);
    }
    const Tensor* zeroPoint = nullptr;
    if (node.input(2).valid()) {
        zeroPoint = constants.find(graph, node.input(2));
        if (zeroPoint == nullptr) {
            return missed("dynamic-zero-point", "its zero point is computed from data", id);
        }
    }
    if (node.intAttribute("block_size", 0) != 0) {
        return missed("blocked", fmt::format("one scale for each {} elements", node.intAttribute("block_size", 0)), id);
    }
    if (!isFloat(scale->type())) {
        return missed("scale-type", fmt::format("its scale is {}", longName(scale->type())), id);
    }
    if (scale->type() == ElementType::Float64) {
        findings.add(Severity::Warning, "scale-type", "its scale is float64, which the operator does not allow",
                     nodeLabel(graph, id));
    }
    const std::expected<ElementType, Miss> storage = storageOf(graph, id, zeroPoint);
    if (!storage) {
        return std::unexpected(storage.error());
    }
    QuantizerParams params{scale->toDoubles(), {}, std::nullopt, *storage, 0, 0};
    params.zeroPoints = zeroPoint != nullptr ? zeroPoint->toInts() : std::vector<std::int64_t>{0};
    narrow(params, node);
    const std::size_t count = std::max(params.scales.size(), params.zeroPoints.size());
    const auto fits = [count](std::size_t size) { return size == 1 || size == count; };
    if (count == 0 || !fits(params.scales.size()) || !fits(params.zeroPoints.size()) ||
        (count > 1 && (scale->rank() > 1 || (zeroPoint != nullptr && zeroPoint->rank() > 1)))) {
        return missed("parameter-shapes",
                      fmt::format("scales of shape {} and zero points of shape {}", toText(scale->dims()),
                                  zeroPoint != nullptr ? toText(zeroPoint->dims()) : "none"),
                      id);
    }
    params.scales.resize(count, params.scales.front());
    params.zeroPoints.resize(count, params.zeroPoints.front());
    if (count > 1) {
        const std::expected<int, Miss> axis = axisOf(graph, id, count, findings);
        if (!axis) {
            return std::unexpected(axis.error());
        }
        params.axis = *axis;
        collapse(params);
    }
    const bool wide = *storage == ElementType::Int32 || *storage == ElementType::Int64;
    if (wide && std::ranges::any_of(params.zeroPoints, [](std::int64_t z) { return z != 0; })) {
        findings.add(Severity::Warning, "wide-zero-point",
                     fmt::format("a zero point of {} on {} codes: taken as scale * (code - zero point)",
                                 params.zeroPoints.front(), longName(*storage)),
                     nodeLabel(graph, id));
    }
    return params;
}

std::optional<Miss> badScale(const Graph& graph, NodeId id, const std::vector<double>& scales)
{
    const Node& node = graph.node(id);
    for (std::size_t channel = 0; channel < scales.size(); ++channel) {
        if (std::isfinite(scales[channel]) && scales[channel] > 0.0) {
            continue;
        }
        const std::string where = scales.size() > 1 ? fmt::format(" of channel {}", channel) : "";
        const std::string tensor = node.input(1).valid() ? graph.value(node.input(1)).name : "";
        return Miss{
            "bad-scale",
            fmt::format("the scale '{}'{} is {}, not positive and finite", tensor, where, shortest(scales[channel])),
            id};
    }
    return std::nullopt;
}

} // namespace crease
