// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/absorb_activations.h"

#include "core/passes/match.h"

#include "core/support/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace crease {

namespace {

Outcome absorbClamp(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!isCrease(node, nodes::fakeQuant)) {
        return NoMatch{};
    }
    const NodeId activation = graph.producer(node.inputs[0]);
    const auto bounds = activation.valid() ? clampBounds(graph, graph.node(activation)) : std::nullopt;
    if (!bounds || !isFloat(graph.value(bounds->data).type)) {
        return NoMatch{};
    }
    const Grid& grid = *node.gridAttribute(nodes::grid);
    const std::vector<Role> roles{{id, "quantizer"}, {activation, "activation"}};
    if (!grid.isPerTensor()) {
        return Miss{"per-axis-activation-grid",
                    fmt::format("{} has a scale for each of {} channels; one pair of bounds cannot say its clamp",
                                labelOf(graph, id), grid.scales.size()),
                    id, roles};
    }
    if (!roundsHalfEven(node)) {
        return Miss{"rounding",
                    fmt::format("{} rounds {}; the clamp is absorbed only into half-even rounding", labelOf(graph, id),
                                node.stringAttribute(nodes::rounding, "half_even")),
                    id, roles};
    }
    const CodeRange range = codeRange(node, grid);
    const auto code = [&](double bound, std::int64_t otherwise) {
        return std::isinf(bound) ? otherwise : std::clamp(codeOf(bound, grid), range.low, range.high);
    };
    const std::int64_t high =
        bounds->high == -std::numeric_limits<double>::infinity() ? range.low : code(bounds->high, range.high);
    const std::int64_t low =
        bounds->low == std::numeric_limits<double>::infinity() ? range.high : code(bounds->low, range.low);
    Patch patch(graph, id);
    Node quantizer = node;
    quantizer.inputs = {bounds->data};
    setCodeRange(quantizer, {std::min(low, high), high}, grid);
    patch.setNode(id, std::move(quantizer));
    patch.relate(node.inputs[0], node.outputs[0], Relation::Clamped);
    patch.role(activation, "activation");
    patch.role(id, "quantizer");
    patch.explain(fmt::format("{} is codes {} … {} of {}{}", graph.node(activation).op, std::min(low, high), high,
                              toText(grid), low == grid.qmin && high == grid.qmax ? ": the grid implies it" : ""));
    return patch;
}

} // namespace

std::vector<Rule> absorbActivationsRules()
{
    return {{"absorb-activations/clamp", "L1", Fidelity::X, absorbClamp}};
}

Result<Stage> runAbsorbActivations(const Graph& before, const PassContext& context, const Job& job)
{
    return applyRules(before, "absorb-activations", absorbActivationsRules(), context.driver, job);
}

} // namespace crease
