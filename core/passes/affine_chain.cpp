// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/affine_chain.h"

#include "core/passes/constants.h"
#include "core/passes/match.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <variant>

namespace crease {

namespace {

/// Where the output channels are in the linear op's output; the axis counts from the end, so that a MatMul of unknown
/// rank is served too.
struct ChannelPlace {
    std::size_t channels = 1;
    std::size_t fromEnd = 1;
    std::optional<std::size_t> rank;
};

ChannelPlace placeOf(const Graph& graph, const Node& linear, std::size_t channels)
{
    ChannelPlace place{channels, 1, std::nullopt};
    const std::optional<Shape>& weight = graph.value(linear.input(1)).shape;
    if ((linear.is("Conv") || linear.is("ConvTranspose")) && weight) {
        place.rank = weight->size();
        place.fromEnd = weight->size() - 1;
    } else if (linear.is("Gemm")) {
        place.rank = 2;
    } else if (const std::optional<Shape>& output = graph.value(linear.output()).shape) {
        place.rank = output->size();
    }
    return place;
}

/// One number a channel from a constant that is broadcast over the output; nothing where it varies along another axis
/// or adds dimensions.
std::optional<std::vector<double>> perChannel(const Graph& graph, ValueId id, const ChannelPlace& place)
{
    const std::optional<ConstantReals> reals = constantReals(graph, id);
    if (!reals || reals->values.empty()) {
        return std::nullopt;
    }
    const std::size_t rank = reals->dims.size();
    const bool single = reals->values.size() == 1;
    if (place.rank ? rank > *place.rank : rank > 1) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < rank && !single; ++i) {
        const bool isChannel = rank - i == place.fromEnd;
        if (reals->dims[i] != 1 && (!isChannel || reals->dims[i] != static_cast<std::int64_t>(place.channels))) {
            return std::nullopt;
        }
    }
    std::vector<double> values = reals->values;
    if (values.size() == 1) {
        values.resize(place.channels, values.front());
    }
    return values;
}

using Step = std::variant<std::monostate, Miss, AffineLink>;

/// BatchNormalization as one multiplication and addition a channel.
Step normLink(const Graph& graph, NodeId id, const ChannelPlace& place)
{
    const Node& node = graph.node(id);
    if (place.fromEnd + 1 != place.rank.value_or(0)) {
        return Miss{"norm-axis",
                    place.rank ? fmt::format("it normalises axis 1 of rank {}, the output channels are the last axis",
                                             *place.rank)
                               : std::string("the rank of the layer's output is not known"),
                    id};
    }
    if (node.intAttribute("training_mode", 0) != 0 || node.intAttribute("spatial", 1) == 0) {
        return Miss{"training-mode", "it is in training mode or not spatial", id};
    }
    for (std::size_t slot = 1; slot < node.outputs.size(); ++slot) {
        if (node.outputs[slot].valid() && graph.fanOut(node.outputs[slot]) > 0) {
            return Miss{"norm-outputs", "its running statistics are read", id};
        }
    }
    std::array<std::vector<double>, 4> params;
    for (std::size_t slot = 0; slot < 4; ++slot) {
        const std::optional<ConstantReals> reals = constantReals(graph, node.input(slot + 1));
        if (!reals || reals->values.size() != place.channels) {
            return Miss{
                "norm-parameters",
                fmt::format("its parameter {} is not one constant for each of {} channels", slot + 1, place.channels),
                id};
        }
        params[slot] = reals->values;
    }
    const double epsilon = node.floatAttribute("epsilon", 1e-5F);
    AffineLink link{id, {}, {}, false, true};
    for (std::size_t c = 0; c < place.channels; ++c) {
        const double variance = params[3][c] + epsilon;
        const double factor = params[0][c] / std::sqrt(variance);
        if (!(variance > 0.0) || !std::isfinite(factor) || !std::isfinite(params[2][c])) {
            return Miss{"bad-variance",
                        fmt::format("channel {} has gamma {}, mean {} and variance {} + {}", c, params[0][c],
                                    params[2][c], params[3][c], epsilon),
                        id};
        }
        link.factors.push_back(factor);
        link.shifts.push_back(params[1][c] - factor * params[2][c]);
    }
    return link;
}

Step binaryLink(const Graph& graph, NodeId id, ValueId data, const ChannelPlace& place)
{
    const Node& node = graph.node(id);
    const std::size_t slot = node.input(0) == data ? 0 : 1;
    const ValueId other = node.input(1 - slot);
    if (other == data || !constantReals(graph, other)) {
        return std::monostate{};
    }
    const std::optional<std::vector<double>> values = perChannel(graph, other, place);
    if (!values) {
        return Miss{"not-per-channel",
                    fmt::format("'{}' of {} is not one constant for each of {} output channels",
                                graph.value(other).name, labelOf(graph, id), place.channels),
                    id};
    }
    for (std::size_t c = 0; c < values->size(); ++c) {
        if (!std::isfinite((*values)[c])) {
            return Miss{"not-finite", fmt::format("'{}' is {} at channel {}", graph.value(other).name, (*values)[c], c),
                        id};
        }
    }
    AffineLink link{id, *values, std::vector<double>(values->size(), 0.0), false, false};
    if (node.is("Mul")) {
        return link;
    }
    if (node.is("Div")) {
        link.divides = true;
        return slot == 0 ? Step(link) : Step(std::monostate{});
    }
    link.shifts = *values;
    std::ranges::fill(link.factors, 1.0);
    if (node.is("Sub")) {
        for (double& value : slot == 0 ? link.shifts : link.factors) {
            value = -value;
        }
    }
    return link;
}

Step nextLink(const Graph& graph, NodeId id, ValueId data, const ChannelPlace& place)
{
    const Node& node = graph.node(id);
    if (node.is("BatchNormalization")) {
        return node.input(0) == data ? normLink(graph, id, place) : Step(std::monostate{});
    }
    if (node.is("Mul") || node.is("Div") || node.is("Add") || node.is("Sub")) {
        return node.inputs.size() == 2 ? binaryLink(graph, id, data, place) : Step(std::monostate{});
    }
    if (node.is("Neg")) {
        return AffineLink{id, std::vector<double>(place.channels, -1.0), std::vector<double>(place.channels, 0.0),
                          false, false};
    }
    return std::monostate{};
}

/// Which reader of a value with several would be a link: the chain stops before it, and that is said.
std::optional<Miss> sharedOutput(const Graph& graph, ValueId data, const ChannelPlace& place)
{
    std::size_t seen = 0;
    for (const Use& use : graph.uses(data)) {
        if (use.slot == Use::captured || ++seen > 16) {
            continue;
        }
        const Step step = nextLink(graph, use.node, data, place);
        if (std::holds_alternative<AffineLink>(step)) {
            return Miss{"shared-output",
                        fmt::format("'{}' has {} readers{}, so {} cannot be folded into it", graph.value(data).name,
                                    graph.uses(data).size(), graph.isOutput(data) ? " and is a graph output" : "",
                                    labelOf(graph, use.node)),
                        use.node};
        }
    }
    return std::nullopt;
}

} // namespace

AffineChain affineChain(const Graph& graph, NodeId linear, std::size_t channels, double alpha)
{
    AffineChain chain;
    chain.factors.assign(channels, alpha);
    const ChannelPlace place = placeOf(graph, graph.node(linear), channels);
    ValueId data = graph.node(linear).output();
    while (true) {
        if (graph.fanOut(data) != 1 || graph.isOutput(data)) {
            chain.stopped = sharedOutput(graph, data, place);
            return chain;
        }
        const Use use = graph.uses(data)[0];
        if (use.slot == Use::captured) {
            return chain;
        }
        Step step = nextLink(graph, use.node, data, place);
        if (auto* miss = std::get_if<Miss>(&step)) {
            chain.stopped = std::move(*miss);
            return chain;
        }
        auto* link = std::get_if<AffineLink>(&step);
        if (link == nullptr) {
            return chain;
        }
        data = graph.node(use.node).output();
        chain.links.push_back(std::move(*link));
    }
}

std::optional<Miss> AffineChain::resolve(std::vector<double>& bias)
{
    std::vector<bool> undefined(factors.size(), false);
    for (const AffineLink& link : links) {
        for (std::size_t c = 0; c < factors.size(); ++c) {
            const double factor = link.factors[c];
            if (link.divides) {
                undefined[c] = undefined[c] || factor == 0.0;
                factors[c] = undefined[c] ? factors[c] : factors[c] / factor;
                bias[c] = undefined[c] ? bias[c] : bias[c] / factor;
                continue;
            }
            if (undefined[c] && factor == 0.0) {
                undefined[c] = false;
                factors[c] = 0.0;
                bias[c] = link.shifts[c];
                deadChannels.push_back(fmt::format(
                    "channel {} is divided by 0 and multiplied by 0: taken as the constant {}", c, bias[c]));
                continue;
            }
            factors[c] *= factor;
            bias[c] = factor * bias[c] + link.shifts[c];
        }
    }
    for (std::size_t c = 0; c < factors.size(); ++c) {
        if (undefined[c]) {
            return Miss{"division-by-zero", fmt::format("channel {} is divided by 0", c), links.back().node};
        }
        if (!std::isfinite(factors[c]) || !std::isfinite(bias[c])) {
            return Miss{"not-finite",
                        fmt::format("channel {} is multiplied by {} and shifted by {}", c, factors[c], bias[c]),
                        links.back().node};
        }
    }
    return std::nullopt;
}

} // namespace crease
