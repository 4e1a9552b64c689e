// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/eliminate_dead.h"

#include <algorithm>
#include <array>

namespace crease {

namespace {

Outcome removeDead(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    const bool read =
        std::ranges::any_of(node.outputs, [&](ValueId output) { return output.valid() && graph.fanOut(output) > 0; });
    if (read || node.outputs.empty()) {
        return NoMatch{};
    }
    Patch patch(graph, id);
    patch.remove(id);
    patch.role(id, "dead");
    patch.explain("no output of the graph needs it");
    return patch;
}

} // namespace

Result<Stage> runEliminateDead(const Graph& before, const PassContext& context, const Job& job)
{
    const std::array rules{Rule{"eliminate-dead/node", "DCE", Fidelity::X, removeDead}};
    Stage stage = TRY(applyRules(before, "eliminate-dead", rules, context.driver, job));
    for (const ValueId id : stage.after.values()) {
        if (stage.after.value(id).isConstant() && stage.after.fanOut(id) == 0 && !stage.after.isInput(id) &&
            !stage.after.producer(id).valid()) {
            stage.after.removeValue(id);
        }
    }
    return stage;
}

} // namespace crease
