// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/constants.h"
#include "core/passes/integer_linear.h"
#include "core/passes/lower.h"
#include "core/passes/match.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace crease {

namespace {

constexpr std::array linearOps{"Conv", "ConvTranspose", "Gemm", "MatMul"};

bool isFloatLinear(const Graph& graph, const Node& node)
{
    return node.domain.empty() && std::ranges::find(linearOps, node.op) != linearOps.end() && node.input(0).valid() &&
           node.input(1).valid() && !graph.value(node.inputs[0]).codes && !graph.value(node.inputs[1]).codes;
}

/// Axis of the output channel in the weight, for a weight of this rank.
int weightAxis(const Node& node, std::size_t weightRank)
{
    if (node.is("Conv")) {
        return 0;
    }
    if (node.is("ConvTranspose")) {
        return 1;
    }
    if (node.is("Gemm")) {
        return node.intAttribute("transB", 0) != 0 ? 0 : 1;
    }
    return static_cast<int>(weightRank) - 1;
}

/// One bias, or one a channel along the last axis; nothing for another form (a column of a Gemm's C).
bool isBiasForm(const ConstantReals& bias, std::size_t channels)
{
    return bias.values.size() == 1 ||
           (bias.values.size() == channels && bias.dims.back() == static_cast<std::int64_t>(channels));
}

/// int32 where no sum of the op on codes leaves it; int64 also where the number of its products is not known.
ElementType sumWidth(const Graph& graph, const Node& integer)
{
    const auto bounds = accumulatorBounds(graph, integer);
    const bool fits = bounds && std::ranges::all_of(*bounds, [](double bound) { return bound < 2147483647.0; });
    return fits ? ElementType::Int32 : ElementType::Int64;
}

Outcome lowerLinear(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!isFloatLinear(graph, node)) {
        return NoMatch{};
    }
    const NodeId xSource = graph.producer(node.inputs[0]);
    const NodeId wSource = graph.producer(node.inputs[1]);
    std::vector<Role> roles{{id, "linear"}};
    const auto miss = [&](std::string reason, std::string text, NodeId where) {
        return Miss{std::move(reason), std::move(text), where, roles};
    };
    const ValueId x = codesBehind(graph, node.inputs[0]);
    const ValueId w = codesBehind(graph, node.inputs[1]);
    if (!x.valid() && !w.valid()) {
        return NoMatch{};
    }
    if (!w.valid()) {
        const bool constant = graph.value(node.inputs[1]).isConstant();
        return miss("float-weight",
                    fmt::format("the weight '{}' of {} has no quantizer{}", graph.value(node.inputs[1]).name,
                                labelOf(graph, id), constant ? "; it is never quantized on a guess" : ""),
                    wSource.valid() ? wSource : id);
    }
    if (!x.valid()) {
        const std::string producer =
            xSource.valid() ? labelOf(graph, xSource) : "graph input '" + graph.value(node.inputs[0]).name + "'";
        return miss("float-data",
                    fmt::format("the data of {} is not quantized: it comes from {}", labelOf(graph, id), producer),
                    xSource.valid() ? xSource : id);
    }
    roles.push_back({xSource, "quantizer"});
    roles.push_back({wSource, "weight"});
    const Value& xValue = graph.value(x);
    const Value& wValue = graph.value(w);
    const Grid& xGrid = *xValue.codes;
    const Grid& wGrid = *wValue.codes;
    if (xGrid.isWide() || wGrid.isWide()) {
        return miss("wide-operand",
                    fmt::format("{} would multiply {} by {}: operands of at most 16 bits are multiplied",
                                labelOf(graph, id), longName(xGrid.storage), longName(wGrid.storage)),
                    id);
    }
    if (!xGrid.isPerTensor()) {
        return miss("per-axis-activation-grid",
                    fmt::format("the data of {} has {} scales along axis {}: they cannot leave the sum",
                                labelOf(graph, id), xGrid.scales.size(), *xGrid.axis),
                    id);
    }
    const Value& output = graph.value(node.outputs[0]);
    const auto weightRank = wValue.shape ? wValue.shape->size() : 0;
    if (!wGrid.isPerTensor() && (weightRank == 0 || *wGrid.axis != weightAxis(node, weightRank))) {
        return miss("weight-axis",
                    fmt::format("the weight of {} has its scales along axis {}, its output channels along axis {}: the "
                                "scales cannot leave the sum",
                                labelOf(graph, id), *wGrid.axis, weightRank == 0 ? -1 : weightAxis(node, weightRank)),
                    wSource);
    }
    if (node.is("Gemm") &&
        (node.floatAttribute("alpha", 1.0) != 1.0 ||
         (node.input(2).valid() && node.floatAttribute("beta", 1.0) != 1.0) || node.intAttribute("transA", 0) != 0)) {
        return miss("gemm-form",
                    fmt::format("{} has alpha, beta or transA that was not normalised", labelOf(graph, id)), id);
    }
    std::vector<double> bias = node.doublesAttribute(nodes::bias);
    ConstantReals addend{bias, {static_cast<std::int64_t>(bias.size())}};
    if (node.input(2).valid()) {
        const auto constant = constantReals(graph, node.inputs[2]);
        if (!constant || !bias.empty()) {
            return miss(
                "bias-not-constant",
                fmt::format("the bias '{}' of {} is no constant", graph.value(node.inputs[2]).name, labelOf(graph, id)),
                id);
        }
        addend = *constant;
        bias = constant->values;
    }
    const std::int64_t groups = node.is("ConvTranspose") ? node.intAttribute("group", 1) : 1;
    std::size_t channels = 1;
    if (wValue.isConstant() && weightRank > 0 && !(node.is("MatMul") && weightRank == 1)) {
        channels = static_cast<std::size_t>(
            wValue.constant.dims()[static_cast<std::size_t>(weightAxis(node, weightRank))] * groups);
    }
    if (!wValue.isConstant() && !wGrid.isPerTensor()) {
        channels = wGrid.scales.size() * static_cast<std::size_t>(groups);
    }
    if (!bias.empty() && !isBiasForm(addend, channels)) {
        return miss("bias-shape",
                    fmt::format("{} has bias values of shape {} for {} output channels", labelOf(graph, id),
                                toText(addend.dims), channels),
                    id);
    }
    const bool perChannel = (!wGrid.isPerTensor() || bias.size() > 1) && channels >= 1;
    std::optional<int> axis;
    std::vector<double> scales{xGrid.scale() * wGrid.scale()};
    if (perChannel) {
        const auto& shape = output.shape ? output.shape : graph.value(node.inputs[0]).shape;
        if (!node.is("Conv") && !node.is("ConvTranspose") && !shape) {
            return miss("unknown-rank", fmt::format("the rank of the output of {} is not known", labelOf(graph, id)),
                        id);
        }
        axis = node.is("Conv") || node.is("ConvTranspose") ? 1 : static_cast<int>(shape->size()) - 1;
        scales.resize(channels);
        for (std::size_t c = 0; c < channels; ++c) {
            scales[c] = xGrid.scale() * wGrid.scale(wGrid.isPerTensor() ? 0 : c % wGrid.scales.size());
        }
        if (bias.size() == 1) {
            bias.resize(channels, bias[0]);
        }
    }
    Node integer = node;
    integer.inputs = {x, w};
    const ElementType width = sumWidth(graph, integer);
    const Grid accumulator = Grid::accumulator(std::move(scales), axis, width);
    Patch patch(graph, id);
    integer.outputs.clear();
    integer.attributes.erase(std::string(nodes::bias));
    Value accumulated = codesLike(output, accumulator);
    accumulated.name = output.name + "/accumulator";
    const ValueId acc = patch.addNode(std::move(integer), std::move(accumulated));
    Node dequantize{.op = std::string(nodes::dequantize), .domain = std::string(nodes::domain), .inputs = {acc}};
    Value real = floatLike(output);
    if (std::ranges::any_of(bias, [](double b) { return b != 0.0; })) {
        dequantize.attributes[std::string(nodes::bias)] = bias;
    } else {
        real.liesOn = accumulator;
    }
    const ValueId y = patch.addNode(std::move(dequantize), std::move(real));
    patch.replace(node.outputs[0], y);
    for (const Role& role : roles) {
        patch.role(role.node, role.name);
    }
    patch.explain(fmt::format("products of codes are summed in {}: scale {} x {}", longName(width), toText(xGrid),
                              toText(wGrid)));
    return patch;
}

} // namespace

std::vector<Rule> lowerLinearRules()
{
    return {{"lower/linear", "folding.md 2.2, decision 5", Fidelity::X, lowerLinear}};
}

} // namespace crease
