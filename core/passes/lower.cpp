// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/lower.h"

#include <variant>

namespace crease {

std::vector<Rule> lowerRules()
{
    std::vector<Rule> rules;
    for (auto family : {lowerQuantizerRules, lowerLinearRules, lowerMovementRules, lowerArithmeticRules}) {
        for (Rule& rule : family()) {
            rules.push_back(std::move(rule));
        }
    }
    return rules;
}

Result<Stage> runLower(const Graph& before, const PassContext& context, const Job& job)
{
    std::vector<Rule> rules = lowerRules();
    if (!context.keepFloat.empty()) {
        for (Rule& rule : rules) {
            const auto match = rule.match;
            const auto& keep = context.keepFloat;
            rule.match = [match, &keep](const Graph& graph, NodeId id) -> Outcome {
                Outcome outcome = match(graph, id);
                const auto* patch = std::get_if<Patch>(&outcome);
                if (patch == nullptr) {
                    return outcome;
                }
                for (const Role& role : patch->roles()) {
                    const Node& node = graph.node(role.node);
                    if (node.domain.empty() && !node.name.empty() && keep.contains(node.name)) {
                        return Miss{"kept-by-request", "'" + node.name + "' is kept in float by request", role.node,
                                    patch->roles()};
                    }
                }
                return outcome;
            };
        }
    }
    return applyRules(before, "lower", rules, context.driver, job);
}

} // namespace crease
