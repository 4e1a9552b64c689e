// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fuse.h"

#include "core/ir/integer_nodes.h"
#include "core/passes/integer_linear.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace crease {

namespace {

constexpr double int32Limit = 2147483647.0;

/// The largest |accumulator| with its bias, over the channels.
double largestSum(const Graph& graph, const Node& linear, const Node& requantize)
{
    const auto bounds = accumulatorBounds(graph, linear);
    if (!bounds) {
        return 0.0;
    }
    const Tensor* bias = requantize.tensorAttribute(nodes::biasCodes);
    const std::size_t count = std::max(bounds->size(), bias ? bias->size() : std::size_t{1});
    double most = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const double added = bias ? std::abs(static_cast<double>(bias->asInt(bias->size() == 1 ? 0 : i))) : 0.0;
        most = std::max(most, (*bounds)[bounds->size() == 1 ? 0 : i] + added);
    }
    return most;
}

/// linear -> accumulator -> Requantize becomes one node; the accumulator stays for its other readers.
Outcome fuseRequantize(const Graph& graph, NodeId id)
{
    const Node& requantize = graph.node(id);
    if (!requantize.is(nodes::requantize, nodes::domain)) {
        return NoMatch{};
    }
    const ValueId accumulator = requantize.inputs[0];
    const NodeId linearId = graph.producer(accumulator);
    if (!linearId.valid() || !isIntegerLinear(graph, graph.node(linearId)) ||
        !graph.value(accumulator).codes->isWide()) {
        return NoMatch{};
    }
    const Node& linear = graph.node(linearId);
    const std::vector<Role> roles{{linearId, "linear"}, {id, "quantizer"}};
    if (requantize.attribute(nodes::bias) != nullptr) {
        return Miss{"float-bias",
                    fmt::format("{} '{}' keeps its accumulator: the bias stays in float", linear.op,
                                graph.value(requantize.output()).name),
                    id, roles};
    }
    const double most = largestSum(graph, linear, requantize);
    if (most > int32Limit || graph.value(accumulator).codes->storage != ElementType::Int32) {
        return Miss{"accumulator-width",
                    fmt::format("{} '{}' can sum up to {:.4g}, which int32 does not hold", linear.op,
                                graph.value(requantize.output()).name, most),
                    id, roles};
    }
    Node fused = linear;
    fused.outputs = requantize.outputs;
    for (const auto& [key, attribute] : requantize.attributes) {
        fused.attributes.insert_or_assign(key, attribute);
    }
    Patch patch(graph, id);
    patch.setNode(id, std::move(fused));
    patch.remove(linearId);
    patch.role(linearId, "linear");
    patch.role(id, "quantizer");
    const bool shared = graph.fanOut(accumulator) > 1;
    patch.explain(shared
                      ? fmt::format("{} once more for this quantizer: its accumulator has {} readers, of which each "
                                    "gets its own",
                                    linear.op, graph.fanOut(accumulator))
                      : fmt::format("{} sums and requantizes in one kernel; |sum| <= {:.4g} < 2^31", linear.op, most));
    return patch;
}

bool takesClamp(const Graph& graph, const Node& node)
{
    if (node.domain == nodes::domain) {
        return node.op == nodes::quantize || node.op == nodes::requantize || node.op == nodes::clamp;
    }
    static constexpr std::array<std::string_view, 6> rescaling{
        "Add", "Sub", "Mul", "AveragePool", "GlobalAveragePool", "ReduceMean"};
    if (!node.domain.empty() || node.outputs.size() != 1 || !graph.value(node.output()).codes ||
        graph.value(node.output()).codes->isWide()) {
        return false;
    }
    return isIntegerLinear(graph, node) || std::ranges::find(rescaling, node.op) != rescaling.end();
}

/// A Clamp of codes goes into the node that makes them, where it is their only reader.
Outcome fuseClamp(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!node.is(nodes::clamp, nodes::domain)) {
        return NoMatch{};
    }
    const ValueId before = node.inputs[0];
    const NodeId producerId = graph.producer(before);
    if (!producerId.valid() || graph.fanOut(before) != 1 || !takesClamp(graph, graph.node(producerId)) ||
        graph.value(before).codes != graph.value(node.output()).codes) {
        return NoMatch{};
    }
    Node producer = graph.node(producerId);
    const Grid& grid = *graph.value(before).codes;
    const std::int64_t lo = node.intAttribute(nodes::lo, grid.qmin);
    const std::int64_t hi = node.intAttribute(nodes::hi, grid.qmax);
    const auto within = [lo, hi](std::int64_t code) { return std::min(std::max(code, lo), hi); };
    producer.attributes.insert_or_assign(std::string(nodes::lo), within(producer.intAttribute(nodes::lo, grid.qmin)));
    producer.attributes.insert_or_assign(std::string(nodes::hi), within(producer.intAttribute(nodes::hi, grid.qmax)));
    Patch patch(graph, id);
    patch.relate(before, before, Relation::Clamped);
    patch.replace(node.output(), before);
    patch.setNode(producerId, std::move(producer));
    patch.remove(id);
    patch.role(producerId, "producer");
    patch.role(id, "activation");
    patch.explain(fmt::format("clamped to codes {} … {} where they are made", lo, hi));
    return patch;
}

} // namespace

Result<Stage> runFuse(const Graph& before, const PassContext& context, const Job& job)
{
    const std::array rules{Rule{"fuse/requantize", "2.2", Fidelity::X, fuseRequantize},
                           Rule{"fuse/clamp", "L9", Fidelity::X, fuseClamp}};
    return applyRules(before, "fuse", rules, context.driver, job);
}

} // namespace crease
