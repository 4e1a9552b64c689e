// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/subgraphs.h"

#include <algorithm>

namespace crease {

Result<void> editSubgraphs(Graph& graph, const std::function<Result<void>(Graph&)>& edit)
{
    const auto edited = [&](const GraphRef& source) -> Result<GraphRef> {
        Graph copy = *source;
        TRY(edit(copy));
        return std::make_shared<const Graph>(std::move(copy));
    };
    const auto isGraph = [](const auto& entry) {
        return std::holds_alternative<GraphRef>(entry.second) ||
               std::holds_alternative<std::vector<GraphRef>>(entry.second);
    };
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        if (std::ranges::none_of(graph.node(id).attributes, isGraph)) {
            continue;
        }
        Node node = graph.node(id);
        for (auto& [key, attribute] : node.attributes) {
            if (auto* one = std::get_if<GraphRef>(&attribute)) {
                *one = TRY(edited(*one));
            } else if (auto* many = std::get_if<std::vector<GraphRef>>(&attribute)) {
                for (GraphRef& each : *many) {
                    each = TRY(edited(each));
                }
            }
        }
        graph.setNode(id, std::move(node));
    }
    return {};
}

} // namespace crease
