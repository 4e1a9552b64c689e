// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/quantize_bias.h"

#include "core/ir/integer_nodes.h"
#include "core/passes/integer_linear.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace crease {

namespace {

constexpr double int32Limit = 2147483647.0;

/// One output channel of a linear op and its requantizer.
struct Channel {
    double scale = 1.0;    // of the accumulator
    double bias = 0.0;     // real units
    double bound = 0.0;    // of |accumulator|
    double step = 1.0;     // of the requantizer's output
    std::int64_t zero = 0; // of the requantizer's output
    std::int64_t lo = 0;
    std::int64_t hi = 0;

    double codes() const { return std::nearbyint(bias / scale); }
    bool fits() const { return std::isfinite(bias / scale) && std::abs(codes()) + bound <= int32Limit; }
    /// How far the rounding of the bias moves the output, in its steps.
    double moves() const { return std::abs(bias / scale - codes()) * scale / step; }
    /// The clamp decides the output whatever the accumulator is.
    bool isConstant() const
    {
        const double least = (bias - bound * scale) / step + static_cast<double>(zero);
        const double most = (bias + bound * scale) / step + static_cast<double>(zero);
        return least > static_cast<double>(hi) + 1.0 || most < static_cast<double>(lo) - 1.0;
    }
};

/// What a channel's weight becomes so that its bias fits: codes divided by 2^shift (all zero first, if `cleared`).
struct Remedy {
    int shift = 0;
    bool cleared = false;
    std::string_view why{};
};

int commonPowerOfTwo(const std::vector<std::int64_t>& reals)
{
    std::uint64_t all = 0;
    for (const std::int64_t real : reals) {
        all |= static_cast<std::uint64_t>(real < 0 ? -real : real);
    }
    return all == 0 ? 1000 : std::countr_zero(all);
}

int neededShift(Channel channel)
{
    for (int shift = 1; shift < 300; ++shift) {
        channel.scale *= 2.0;
        channel.bound /= 2.0;
        if (channel.fits()) {
            return shift;
        }
    }
    return 300;
}

std::optional<Remedy> remedyFor(const Channel& channel, const std::vector<std::int64_t>& reals)
{
    const int spare = commonPowerOfTwo(reals);
    Channel cleared = channel;
    cleared.bound = 0.0;
    if (spare == 1000) {
        return Remedy{neededShift(cleared), true, "its weights are all zero, so that their scale is free"};
    }
    if (channel.isConstant()) {
        return Remedy{neededShift(cleared), true, "its bias alone saturates the output"};
    }
    if (const int shift = neededShift(channel); shift <= spare) {
        return Remedy{shift, false, "its weights share a power of two"};
    }
    return std::nullopt;
}

struct Site {
    const Graph& graph;
    NodeId requantizeId;
    NodeId linearId;
    const Node& requantize;
    const Node& linear;
    std::vector<Channel> channels;

    const Value& weight() const { return graph.value(linear.inputs[1]); }
};

std::int64_t clampAttribute(const Node& node, std::string_view key, std::int64_t fallback)
{
    return node.intAttribute(key, fallback);
}

std::vector<Channel> channelsOf(const Graph& graph, const Node& requantize, const Node& linear)
{
    const std::vector<double> bias = requantize.doublesAttribute(nodes::bias);
    const Grid& acc = *graph.value(requantize.inputs[0]).codes;
    const Grid& out = *graph.value(requantize.output()).codes;
    const auto bounds = accumulatorBounds(graph, linear);
    const std::size_t count = std::max({bias.size(), acc.scales.size(), bounds ? bounds->size() : std::size_t{1}});
    const auto at = [](const auto& list, std::size_t i) { return list[list.size() == 1 ? 0 : i]; };
    std::vector<Channel> channels(count);
    for (std::size_t i = 0; i < count; ++i) {
        channels[i].scale = acc.scale(i);
        channels[i].bias = bias.empty() ? 0.0 : at(bias, i);
        channels[i].bound = bounds ? at(*bounds, i) : int32Limit;
        channels[i].step = out.scale(i);
        channels[i].zero = out.zeroPoint(i);
        channels[i].lo = std::max(out.qmin, clampAttribute(requantize, nodes::lo, out.qmin));
        channels[i].hi = std::min(out.qmax, clampAttribute(requantize, nodes::hi, out.qmax));
    }
    return channels;
}

std::vector<std::vector<std::int64_t>> realsByChannel(const Site& site)
{
    std::vector<std::vector<std::int64_t>> reals(site.channels.size());
    const WeightChannels map(site.graph, site.linear);
    const Grid& grid = *site.weight().codes;
    const std::vector<std::int64_t> codes = site.weight().constant.toInts();
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const std::size_t channel = map.channelOf(i);
        reals[channel].push_back(codes[i] - grid.zeroPoint(grid.isPerTensor() ? 0 : channel));
    }
    return reals;
}

std::string channelText(std::size_t channel, const Channel& data)
{
    return fmt::format("the bias {} of channel {} is {:.4g} steps of {:.4g} (the accumulator takes {:.4g} of 2^31)",
                       data.bias, channel, data.bias / data.scale, data.scale, data.bound);
}

Tensor biasTensor(const std::vector<Channel>& channels)
{
    std::vector<std::int64_t> codes;
    codes.reserve(channels.size());
    for (const Channel& channel : channels) {
        codes.push_back(static_cast<std::int64_t>(channel.codes()));
    }
    return tensorOfInts(ElementType::Int32, {static_cast<std::int64_t>(codes.size())}, codes);
}

Node withBiasCodes(Node node, const std::vector<Channel>& channels)
{
    node.attributes.erase(std::string(nodes::bias));
    node.attributes.insert_or_assign(std::string(nodes::biasCodes), biasTensor(channels));
    return node;
}

void explainRounding(Patch& patch, const std::vector<Channel>& channels)
{
    double most = 0.0;
    for (const Channel& channel : channels) {
        most = std::max(most, channel.moves());
    }
    patch.explain(fmt::format("{} bias value{} in steps of s_x*s_w; the rounding moves the output by at most {:.2g} "
                              "of a step",
                              channels.size(), channels.size() == 1 ? "" : "s", most));
}

/// The linear op once more, for this requantizer, with the weight of the remedied channels rescaled.
Outcome remedied(const Site& site, const std::vector<std::pair<std::size_t, Remedy>>& remedies)
{
    const Value& old = site.weight();
    const int axis = weightChannelAxis(site.graph, site.linear);
    Value weight = old;
    Grid& grid = *weight.codes;
    const std::size_t count = site.channels.size();
    if (grid.isPerTensor()) {
        grid.scales.assign(count, grid.scales[0]);
        grid.zeroPoints.assign(count, grid.zeroPoints[0]);
        grid.axis = axis;
    }
    std::vector<Channel> channels = site.channels;
    std::vector<int> shifts(count, 0);
    std::vector<bool> cleared(count, false);
    std::string text;
    for (const auto& [channel, remedy] : remedies) {
        shifts[channel] = remedy.shift;
        cleared[channel] = remedy.cleared;
        grid.scales[channel] = std::ldexp(grid.scales[channel], remedy.shift);
        channels[channel].scale = std::ldexp(channels[channel].scale, remedy.shift);
        text += fmt::format("{}; {}: scale times 2^{}. ", channelText(channel, site.channels[channel]), remedy.why,
                            remedy.shift);
    }
    const WeightChannels map(site.graph, site.linear);
    std::vector<std::int64_t> codes = old.constant.toInts();
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const std::size_t channel = map.channelOf(i);
        const std::int64_t zero = grid.zeroPoint(channel);
        if (cleared[channel]) {
            codes[i] = zero;
        } else if (shifts[channel] > 0) {
            codes[i] = (codes[i] - zero) / (std::int64_t{1} << shifts[channel]) + zero;
        }
    }
    weight.constant = tensorOfInts(weight.type, old.constant.dims(), codes);
    weight.name += "_rescaled";

    Patch patch(site.graph, site.requantizeId);
    const ValueId weightId = patch.addValue(std::move(weight));
    patch.relate(site.linear.inputs[1], weightId, Relation::SameReal);
    Value accumulator = site.graph.value(site.linear.output());
    accumulator.codes->scales.clear();
    for (const Channel& channel : channels) {
        accumulator.codes->scales.push_back(channel.scale);
    }
    accumulator.codes->zeroPoints.assign(count, 0);
    accumulator.codes->axis = outputChannelAxis(site.graph, site.linear);
    accumulator.name += "_rescaled";
    Node linear = site.linear;
    linear.outputs.clear();
    linear.inputs[1] = weightId;
    Node requantize = withBiasCodes(site.requantize, channels);
    requantize.inputs[0] = patch.addNode(std::move(linear), std::move(accumulator));
    patch.setNode(site.requantizeId, std::move(requantize));
    patch.remove(site.linearId);
    patch.role(site.linearId, "linear");
    patch.role(site.requantizeId, "quantizer");
    text.pop_back();
    patch.explain(std::move(text));
    return patch;
}

Outcome quantizeBias(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!node.is(nodes::requantize, nodes::domain) || node.attribute(nodes::bias) == nullptr) {
        return NoMatch{};
    }
    const NodeId producer = graph.producer(node.inputs[0]);
    if (!producer.valid() || !isIntegerLinear(graph, graph.node(producer))) {
        return NoMatch{};
    }
    Site site{graph, id, producer, node, graph.node(producer), {}};
    site.channels = channelsOf(graph, node, site.linear);
    std::vector<std::size_t> beyond;
    for (std::size_t i = 0; i < site.channels.size(); ++i) {
        if (!site.channels[i].fits()) {
            beyond.push_back(i);
        }
    }
    const std::vector<Role> roles{{producer, "linear"}, {id, "quantizer"}};
    std::vector<std::pair<std::size_t, Remedy>> remedies;
    if (!beyond.empty()) {
        const bool reachable =
            site.weight().isConstant() && outputChannelAxis(graph, site.linear) && site.linear.op != "ConvTranspose" &&
            site.weight().constant.rank() == (site.linear.op == "MatMul" ? 2 : site.weight().constant.rank()) &&
            site.channels.size() == outputChannels(graph, site.linear);
        const auto reals = reachable ? realsByChannel(site) : std::vector<std::vector<std::int64_t>>{};
        for (const std::size_t channel : beyond) {
            const auto remedy = reachable ? remedyFor(site.channels[channel], reals[channel]) : std::nullopt;
            if (!remedy) {
                return Miss{"bias-overflow",
                            fmt::format("{}: it does not fit int32, and is added in float behind the accumulator",
                                        channelText(channel, site.channels[channel])),
                            id, roles};
            }
            remedies.emplace_back(channel, *remedy);
        }
    }
    for (std::size_t i = 0; i < site.channels.size(); ++i) {
        if (std::ranges::find(beyond, i) == beyond.end() && site.channels[i].moves() > 0.5) {
            return Miss{"bias-rounding",
                        fmt::format("rounding the bias {} of channel {} to steps of {:.4g} moves the output by {:.3g} "
                                    "of its steps: it is added in float behind the accumulator",
                                    site.channels[i].bias, i, site.channels[i].scale, site.channels[i].moves()),
                        id, roles};
        }
    }
    if (!remedies.empty()) {
        return remedied(site, remedies);
    }
    Patch patch(graph, id);
    patch.setNode(id, withBiasCodes(node, site.channels));
    patch.role(producer, "linear");
    patch.role(id, "quantizer");
    double most = 0.0;
    for (const Channel& channel : site.channels) {
        most = std::max(most, std::min(channel.moves(), 1.0) * channel.step);
    }
    patch.relate(node.output(), node.output(), Relation::Within, most);
    explainRounding(patch, site.channels);
    return patch;
}

} // namespace

Result<Stage> runQuantizeBias(const Graph& before, const PassContext& context, const Job& job)
{
    const std::array rules{Rule{"quantize-bias/int32", "2.4", Fidelity::R, quantizeBias}};
    return applyRules(before, "quantize-bias", rules, context.driver, job);
}

} // namespace crease
