// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fold_constants.h"

#include "core/passes/constants.h"
#include "core/passes/quantizer_params.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace crease {

namespace {

constexpr std::size_t growthLimit = std::size_t{16} << 20;

std::optional<std::vector<Tensor>> constantInputs(const Graph& graph, const Node& node)
{
    std::vector<Tensor> inputs;
    for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
        const ValueId input = node.inputs[slot];
        if (!input.valid() || (slot == 1 && node.is("CastLike"))) {
            inputs.emplace_back();
            continue;
        }
        const Value& value = graph.value(input);
        if (!value.isConstant() || value.codes) {
            return std::nullopt;
        }
        inputs.push_back(value.constant);
    }
    return inputs;
}

bool isKept(const Graph& graph, const Node& node)
{
    const bool isOutput =
        std::ranges::any_of(node.outputs, [&](ValueId output) { return output.valid() && graph.isOutput(output); });
    return isOutput || isDequantizeLinear(node) || !node.captures.empty() ||
           (node.inputs.empty() && node.op != "Constant");
}

/// The outputs keep their ids and names; the node goes.
Patch constantsInstead(const Graph& graph, NodeId id, const std::vector<Tensor>& results)
{
    const Node& node = graph.node(id);
    Patch patch(graph, id);
    patch.role(id, "constant");
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (!node.outputs[i].valid()) {
            continue;
        }
        Value value = graph.value(node.outputs[i]);
        value.constant = results[i];
        value.type = results[i].type();
        value.shape = shapeOf(results[i].dims());
        value.liesOn.reset();
        patch.setValue(node.outputs[i], std::move(value));
    }
    Node gone = node;
    gone.outputs.clear();
    patch.setNode(id, std::move(gone));
    patch.remove(id);
    return patch;
}

Outcome foldConstant(const Graph& graph, NodeId id, const Job& job)
{
    const Node& node = graph.node(id);
    if (isKept(graph, node)) {
        return NoMatch{};
    }
    if (const std::optional<Tensor> shape = knownShapeResult(graph, node)) {
        Patch patch = constantsInstead(graph, id, {*shape});
        patch.explain(fmt::format("the shape of '{}' is known", graph.value(node.input(0)).name));
        return patch;
    }
    const std::optional<std::vector<Tensor>> inputs = constantInputs(graph, node);
    if (!inputs || node.domain == "crease") {
        return NoMatch{};
    }
    const std::optional<std::vector<Tensor>> results = evaluateConstant(graph, node, *inputs, job);
    const auto complete = [&] {
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i].valid() && (i >= results->size() || !(*results)[i].valid())) {
                return false;
            }
        }
        return true;
    };
    if (!results || !complete()) {
        return Miss{"cannot-evaluate", fmt::format("{} has constant inputs only, but is not evaluated here", node.op),
                    id};
    }
    std::size_t before = 0;
    std::size_t after = 0;
    for (const Tensor& input : *inputs) {
        before += input.valid() ? input.bytes() : 0;
    }
    for (const Tensor& result : *results) {
        after += result.valid() ? result.bytes() : 0;
    }
    if (after > growthLimit && after > 8 * before) {
        return Miss{"would-grow", fmt::format("its result has {} bytes, its inputs {}", after, before), id};
    }
    Patch patch = constantsInstead(graph, id, *results);
    patch.explain(fmt::format("{} of constants", node.op));
    return patch;
}

} // namespace

Result<Stage> runFoldConstants(const Graph& before, const PassContext& context, const Job& job)
{
    const std::array rules{
        Rule{"fold-constants/node", "P6", Fidelity::X,
             [&job](const Graph& graph, NodeId id) { return foldConstant(graph, id, job); }},
    };
    return applyRules(before, "fold-constants", rules, context.driver, job);
}

} // namespace crease
