// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/integer_nodes.h"
#include "core/passes/recognise_rules.h"
#include "core/support/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace crease {

namespace {

bool isQuant(const Node& node)
{
    return (node.op == "Quant" || node.op == "IntQuant") &&
           (node.domain == "qonnx.custom_op.general" || node.domain == "onnx.brevitas" ||
            node.domain == "finn.custom_op.general" || node.domain == "finn" || node.domain.empty());
}

/// The one dimension of a scale that is not 1 names the axis, counted from the end of the data's rank.
std::expected<std::optional<int>, Miss> axisOf(const Tensor& scale, const std::optional<Shape>& shape, NodeId id)
{
    std::optional<std::size_t> fromEnd;
    for (std::size_t i = 0; i < scale.rank(); ++i) {
        if (scale.dims()[i] == 1) {
            continue;
        }
        if (fromEnd) {
            return std::unexpected(
                Miss{"parameter-shapes", fmt::format("scales of shape {}", toText(scale.dims())), id});
        }
        fromEnd = scale.rank() - i;
    }
    if (!fromEnd) {
        return std::nullopt;
    }
    if (!shape || shape->size() < *fromEnd) {
        return std::unexpected(Miss{"unknown-rank", "its scales are broadcast over data of unknown rank", id});
    }
    return static_cast<int>(shape->size() - *fromEnd);
}

struct Range {
    ElementType storage = ElementType::Undefined;
    std::int64_t qmin = 0;
    std::int64_t qmax = 0;
};

std::expected<Range, Miss> rangeOf(const Node& node, const Tensor& width, NodeId id)
{
    const double bits = width.size() == 1 ? width.asDouble(0) : 0.0;
    const bool isSignedCode = node.intAttribute("signed", 1) != 0;
    if (bits != std::floor(bits) || bits < 2.0 || bits > 16.0) {
        return std::unexpected(Miss{"bit-width", fmt::format("a bit width of {}", shortest(bits)), id});
    }
    const auto count = std::int64_t{1} << static_cast<int>(bits);
    const std::int64_t narrow = node.intAttribute("narrow", 0) != 0 ? 1 : 0;
    if (isSignedCode) {
        return Range{bits <= 8.0 ? ElementType::Int8 : ElementType::Int16, -count / 2 + narrow, count / 2 - 1};
    }
    return Range{bits <= 8.0 ? ElementType::UInt8 : ElementType::UInt16, 0, count - 1 - narrow};
}

std::string upper(std::string text)
{
    std::ranges::transform(text, text.begin(),
                           [](char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c); });
    return text;
}

std::optional<std::string> roundingOf(const Node& node)
{
    const std::string mode = upper(node.stringAttribute("rounding_mode", "ROUND"));
    if (mode == "ROUND" || mode == "HALF_EVEN") {
        return "half_even";
    }
    if (mode == "FLOOR") {
        return "floor";
    }
    if (mode == "CEIL") {
        return "ceil";
    }
    return std::nullopt;
}

} // namespace

Outcome recogniseQonnx(const Graph& graph, NodeId id, RecogniseState& state)
{
    const Node& node = graph.node(id);
    if (!isQuant(node) || node.inputs.size() < 4 || !node.input(0).valid() || !node.output().valid()) {
        return NoMatch{};
    }
    const Tensor* scale = state.constants.find(graph, node.input(1));
    const Tensor* zero = state.constants.find(graph, node.input(2));
    const Tensor* width = state.constants.find(graph, node.input(3));
    if (scale == nullptr || zero == nullptr || width == nullptr) {
        return Miss{"dynamic-scale", "its scale, zero point or bit width is computed from data", id};
    }
    const std::expected<Range, Miss> range = rangeOf(node, *width, id);
    if (!range) {
        return range.error();
    }
    const std::optional<std::string> rounding = roundingOf(node);
    if (!rounding) {
        return Miss{"rounding-mode", fmt::format("rounding mode {}", node.stringAttribute("rounding_mode")), id};
    }
    const std::expected<std::optional<int>, Miss> axis = axisOf(*scale, graph.value(node.input(0)).shape, id);
    if (!axis) {
        return axis.error();
    }
    std::vector<double> zeros = zero->toDoubles();
    std::vector<double> scales = scale->toDoubles();
    const auto uniform = [](const std::vector<double>& list) {
        return std::ranges::all_of(list, [&](double each) { return each == list.front(); });
    };
    if (zeros.empty() || scales.empty() || (!uniform(zeros) && zero->dims() != scale->dims())) {
        return Miss{
            "parameter-shapes",
            fmt::format("scales of shape {}, zero points of shape {}", toText(scale->dims()), toText(zero->dims())),
            id};
    }
    if (const std::optional<Miss> bad = badScale(graph, id, scales)) {
        return *bad;
    }
    Grid grid{std::move(scales), {}, *axis, range->storage, range->qmin, range->qmax};
    for (std::size_t i = 0; i < grid.scales.size(); ++i) {
        const double z = zeros[zeros.size() == grid.scales.size() ? i : 0];
        if (z != std::floor(z) || z < static_cast<double>(lowest(grid.storage)) ||
            z > static_cast<double>(highest(grid.storage))) {
            return Miss{"fractional-zero-point", fmt::format("a zero point of {}", shortest(z)), id};
        }
        grid.zeroPoints.push_back(static_cast<std::int64_t>(z));
    }
    if (uniform(grid.scales) && std::ranges::count(grid.zeroPoints, grid.zeroPoints.front()) ==
                                    static_cast<std::ptrdiff_t>(grid.zeroPoints.size())) {
        grid.scales.resize(1);
        grid.zeroPoints.resize(1);
        grid.axis.reset();
    }
    Node made;
    made.op = nodes::fakeQuant;
    made.domain = nodes::domain;
    made.name = node.name;
    made.inputs = {node.input(0)};
    made.outputs = {node.output()};
    made.doc = node.doc;
    made.metadata = node.metadata;
    const bool evenZero = std::ranges::all_of(grid.zeroPoints, [](std::int64_t z) { return z % 2 == 0; });
    if (*rounding != "half_even") {
        made.attributes[std::string(nodes::rounding)] = *rounding;
    }
    if (!evenZero || *rounding != "half_even") {
        made.attributes[std::string(nodes::order)] = std::string("C");
    }
    made.attributes[std::string(nodes::source)] = std::string("Quant");
    made.attributes[std::string(nodes::grid)] = grid;
    Patch patch(graph, id);
    patch.explain(fmt::format("QONNX {} on {}", node.op, toText(grid)));
    patch.setNode(id, std::move(made));
    Value output = graph.value(node.output());
    output.liesOn = grid;
    if (output.type == ElementType::Undefined) {
        output.type = ElementType::Float32;
    }
    if (!output.shape) {
        output.shape = graph.value(node.input(0)).shape;
    }
    patch.setValue(node.output(), std::move(output));
    patch.role(id, "quantizer");
    return patch;
}

} // namespace crease
