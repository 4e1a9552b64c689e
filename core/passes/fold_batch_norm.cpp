// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fold_batch_norm.h"

#include "core/passes/affine_chain.h"
#include "core/passes/affine_movement.h"
#include "core/passes/codes.h"
#include "core/passes/constants.h"
#include "core/passes/match.h"
#include "core/passes/quantized_data.h"
#include "core/passes/quantizer_params.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace crease {

namespace {

/// The weight of a linear op and where its output channels are.
struct Weight {
    QuantizedConstant constant;
    int axis = 0;             // of the output channel in the weight
    std::size_t channels = 1; // output channels
    std::size_t groups = 1;   // of a ConvTranspose: channel = group * (channels / groups) + index along the axis
};

std::optional<Weight> weightOf(const Graph& graph, const Node& node)
{
    const std::optional<QuantizedConstant> constant = quantizedConstant(graph, node.input(1));
    if (!constant) {
        return std::nullopt;
    }
    const Dims& dims = constant->codes.dims();
    const auto rank = static_cast<int>(dims.size());
    Weight weight{*constant};
    if (node.is("Conv") || node.is("ConvTranspose")) {
        weight.axis = node.is("Conv") ? 0 : 1;
        weight.groups = node.is("Conv") ? 1 : static_cast<std::size_t>(node.intAttribute("group", 1));
    } else if (node.is("Gemm")) {
        weight.axis = node.intAttribute("transB", 0) != 0 ? 0 : 1;
    } else {
        weight.axis = rank - 1;
    }
    if (rank < 2 || weight.axis >= rank || weight.groups == 0) {
        return std::nullopt;
    }
    weight.channels = static_cast<std::size_t>(dims[static_cast<std::size_t>(weight.axis)]) * weight.groups;
    return weight;
}

/// The output channel of each element of the weight.
std::size_t channelAt(const Weight& weight, const ChannelLayout& layout, std::size_t index)
{
    const std::size_t along = layout.channel(index);
    if (weight.groups == 1) {
        return along;
    }
    const std::size_t row = index / (layout.inner * layout.channels);
    return row / (layout.outer / weight.groups) * layout.channels + along;
}

/// Scales times |factor|, codes negated where it is negative, codes of the zero point where it is zero.
std::expected<CodesAndGrid, Miss> scaled(const Weight& weight, const std::vector<double>& factors, NodeId id)
{
    const Grid& grid = weight.constant.grid;
    const std::size_t count = weight.channels / weight.groups;
    const ChannelLayout layout = channelLayout(weight.constant.codes.dims(), weight.axis);
    std::vector<double> magnitude(count, 0.0);
    for (std::size_t c = 0; c < factors.size(); ++c) {
        double& along = magnitude[c % count];
        const double now = std::abs(factors[c]);
        if (now != 0.0 && along != 0.0 && along != now) {
            return std::unexpected(
                Miss{"factor-per-group",
                     fmt::format("output channels {} and {} share a scale but are multiplied by {} and {}", c % count,
                                 c, along, now),
                     id});
        }
        along = std::max(along, now);
    }
    CodesAndGrid result{weight.constant.codes, grid};
    for (double& each : magnitude) {
        each = each == 0.0 ? 1.0 : each;
    }
    const bool uniform = std::ranges::all_of(magnitude, [&](double each) { return each == magnitude.front(); });
    if (grid.isPerTensor() && uniform) {
        result.grid.scales[0] = grid.scale() * magnitude.front();
    } else {
        result.grid.axis = weight.axis;
        result.grid.zeroPoints.resize(count, grid.zeroPoints.front());
        result.grid.scales.resize(count);
        for (std::size_t c = 0; c < count; ++c) {
            result.grid.scales[c] = grid.scale(c) * magnitude[c];
        }
    }
    for (std::size_t c = 0; c < result.grid.scales.size(); ++c) {
        if (!(result.grid.scales[c] > 0.0) || !std::isfinite(result.grid.scales[c])) {
            return std::unexpected(Miss{"scale-out-of-range",
                                        fmt::format("the scale of channel {} would be {}", c, result.grid.scales[c]),
                                        id});
        }
    }
    const bool anyZero = std::ranges::any_of(factors, [](double a) { return a == 0.0; });
    const bool anyNegative = std::ranges::any_of(factors, [](double a) { return a < 0.0; });
    if (anyZero) {
        std::vector<std::int64_t> codes = result.codes.toInts();
        for (std::size_t i = 0; i < codes.size(); ++i) {
            if (factors[channelAt(weight, layout, i)] == 0.0) {
                codes[i] = result.grid.zeroPoint(layout.channel(i));
            }
        }
        result.codes = tensorOfInts(result.grid.storage, result.codes.dims(), codes);
    }
    if (!anyNegative) {
        return result;
    }
    const bool oneZeroServes = result.grid.zeroPoint() == 0 && isSigned(grid.storage);
    if (result.grid.isPerTensor() && !oneZeroServes) {
        result.grid.axis = weight.axis;
        result.grid.scales.resize(count, result.grid.scales.front());
        result.grid.zeroPoints.resize(count, result.grid.zeroPoints.front());
    }
    std::vector<bool> flip(result.codes.size());
    for (std::size_t i = 0; i < flip.size(); ++i) {
        flip[i] = factors[channelAt(weight, layout, i)] < 0.0;
    }
    std::optional<CodesAndGrid> turned = negated(result.codes, result.grid, flip);
    if (!turned) {
        return std::unexpected(
            Miss{"no-negative", fmt::format("the codes of {} have no exact negative", longName(grid.storage)), id});
    }
    return std::move(*turned);
}

/// One bias a channel from a scalar, [N], [1, N] ... constant, multiplied by `factor`; nothing for another form.
std::optional<std::vector<double>> channelBias(const Graph& graph, ValueId bias, std::size_t channels, double factor)
{
    const std::optional<ConstantReals> reals = constantReals(graph, bias);
    if (!reals || (reals->values.size() != 1 && reals->values.size() != channels)) {
        return std::nullopt;
    }
    if (reals->values.size() > 1 && reals->dims.back() != static_cast<std::int64_t>(channels)) {
        return std::nullopt;
    }
    std::vector<double> values = reals->values;
    values.resize(channels, values.front());
    for (double& value : values) {
        value *= factor;
    }
    return values;
}

Outcome foldAffine(const Graph& graph, NodeId id, Findings& findings)
{
    const Node& node = graph.node(id);
    if (!isLinearOp(node) || !node.input(0).valid() || graph.value(node.input(0)).codes || !node.output().valid()) {
        return NoMatch{};
    }
    const std::optional<Weight> weight = weightOf(graph, node);
    if (!weight) {
        return NoMatch{};
    }
    std::vector<Role> roles{{id, "linear"}, {weight->constant.dequantize, "weight"}};
    const auto miss = [&](std::string reason, std::string text, NodeId where) {
        return Miss{std::move(reason), std::move(text), where, roles};
    };
    const double alpha = node.is("Gemm") ? node.floatAttribute("alpha", 1.0) : 1.0;
    AffineChain chain = affineChain(graph, id, weight->channels, alpha);
    std::vector<double> bias = node.doublesAttribute(nodes::bias);
    const bool hasBias = node.input(2).valid();
    if (chain.links.empty() && !hasBias && alpha == 1.0) {
        if (chain.stopped) {
            chain.stopped->roles = roles;
            return *chain.stopped;
        }
        return NoMatch{};
    }
    if (!comesFromQuantizer(graph, node.input(0))) {
        return miss(
            "float-data",
            fmt::format("the data of {} is not quantized: nothing is folded into its weight", labelOf(graph, id)), id);
    }
    if (hasBias) {
        const double beta = node.is("Gemm") ? node.floatAttribute("beta", 1.0) : 1.0;
        const std::optional<std::vector<double>> constant = channelBias(graph, node.input(2), weight->channels, beta);
        if (!constant) {
            return miss("bias-form",
                        fmt::format("the bias '{}' of {} is not one constant for each of {} output channels",
                                    graph.value(node.input(2)).name, labelOf(graph, id), weight->channels),
                        id);
        }
        bias.resize(weight->channels, 0.0);
        for (std::size_t c = 0; c < bias.size(); ++c) {
            bias[c] += (*constant)[c];
        }
        if (graph.producer(node.input(2)).valid()) {
            roles.push_back({graph.producer(node.input(2)), "bias"});
        }
    }
    bias.resize(weight->channels, 0.0);
    if (std::optional<Miss> bad = chain.resolve(bias)) {
        bad->roles = roles;
        return *bad;
    }
    const bool scales = std::ranges::any_of(chain.factors, [](double a) { return a != 1.0; });
    const Grid& grid = weight->constant.grid;
    if (scales && !grid.isPerTensor() && *grid.axis != weight->axis) {
        return miss("weight-axis",
                    fmt::format("the weight has its scales along axis {}, its output channels along axis {}",
                                *grid.axis, weight->axis),
                    weight->constant.dequantize);
    }
    Patch patch(graph, id);
    Node folded = node;
    folded.inputs.resize(2);
    folded.attributes.erase("alpha");
    folded.attributes.erase("beta");
    folded.attributes.erase(std::string(nodes::bias));
    if (std::ranges::any_of(bias, [](double b) { return b != 0.0; })) {
        folded.attributes[std::string(nodes::bias)] = bias;
    }
    if (scales) {
        std::expected<CodesAndGrid, Miss> made = scaled(*weight, chain.factors, id);
        if (!made) {
            made.error().roles = roles;
            return made.error();
        }
        if (made->grid.storage != grid.storage) {
            findings.add(Severity::Info, "weight-widened",
                         fmt::format("a negated code {} does not fit {}: the weight is held as {}",
                                     lowest(grid.storage), longName(grid.storage), longName(made->grid.storage)),
                         nodeLabel(graph, id));
        }
        const Value& old = graph.value(weight->constant.codesValue);
        Value constant;
        constant.name = old.name;
        constant.type = made->grid.storage;
        constant.shape = shapeOf(made->codes.dims());
        constant.codes = made->grid;
        constant.constant = made->codes;
        const ValueId codes = patch.addValue(std::move(constant));
        Node dequantize = graph.node(weight->constant.dequantize);
        dequantize.inputs = {codes};
        dequantize.outputs.clear();
        Value real = graph.value(node.input(1));
        real.liesOn = made->grid;
        folded.inputs[1] = patch.addNode(std::move(dequantize), std::move(real));
    }
    std::size_t flipped = 0;
    for (const double a : chain.factors) {
        flipped += a < 0.0 ? 1 : 0;
    }
    const NodeId last = chain.links.empty() ? id : chain.links.back().node;
    folded.outputs = {graph.node(last).output()};
    patch.setNode(last, std::move(folded));
    for (const Role& role : roles) {
        patch.role(role.node, role.name);
    }
    std::string names;
    for (const AffineLink& link : chain.links) {
        patch.role(link.node, link.isNorm ? "norm" : "affine");
        names += (names.empty() ? "" : ", ") + graph.node(link.node).op;
    }
    for (const std::string& channel : chain.deadChannels) {
        findings.add(Severity::Warning, "zero-divisor", channel, nodeLabel(graph, id));
    }
    if (chain.links.empty()) {
        patch.explain(fmt::format("the bias of {} in real numbers", labelOf(graph, id)));
    } else {
        patch.explain(fmt::format("{} behind {} goes into {} scales{} and the bias", names, labelOf(graph, id),
                                  scales ? weight->channels : 0,
                                  flipped > 0 ? fmt::format(", {} of them with the codes negated", flipped) : ""));
    }
    return patch;
}

/// A BatchNormalization that no linear op takes up: why not.
Outcome standaloneNorm(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!node.is("BatchNormalization") || !node.input(0).valid()) {
        return NoMatch{};
    }
    const NodeId producer = graph.producer(node.input(0));
    if (!producer.valid() || !isLinearOp(graph.node(producer))) {
        return Miss{"no-linear-op",
                    fmt::format("its input is made by {}, not by a linear op",
                                producer.valid() ? labelOf(graph, producer) : "no node"),
                    id,
                    {{id, "norm"}}};
    }
    if (!quantizedConstant(graph, graph.node(producer).input(1))) {
        return Miss{"float-weight",
                    fmt::format("the weight of {} has no quantizer", labelOf(graph, producer)),
                    producer,
                    {{id, "norm"}, {producer, "linear"}}};
    }
    return NoMatch{};
}

} // namespace

Result<Stage> runFoldBatchNorm(const Graph& before, const PassContext& context, const Job& job)
{
    Findings findings;
    const std::array rules{
        Rule{"fold-batch-norm/affine", "L6, P13, P25", Fidelity::X,
             [&findings](const Graph& graph, NodeId id) { return foldAffine(graph, id, findings); }},
        Rule{"fold-batch-norm/before-movement", "L3", Fidelity::X, affineBeforeMovement},
        Rule{"fold-batch-norm/standalone", "L6", Fidelity::X, standaloneNorm},
    };
    Stage stage = TRY(applyRules(before, "fold-batch-norm", rules, context.driver, job));
    stage.diagnostics.insert(stage.diagnostics.end(), findings.all().begin(), findings.all().end());
    return stage;
}

} // namespace crease
