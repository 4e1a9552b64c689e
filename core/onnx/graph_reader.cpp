// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/graph_reader.h"

#include "core/onnx/model_reader.h"
#include "core/onnx/subgraphs.h"
#include "core/support/text.h"

#include <fmt/format.h>
#include <unordered_map>

namespace crease {

Result<Graph> readGraph(onnx::ModelProto& model, ExternalData& external, const TensorLimits& limits, const Job& job,
                        Diagnostics& diagnostics)
{
    return ModelReader(model, external, limits, job, diagnostics).read();
}

std::string nodeLabel(const Graph& graph, const Node& node)
{
    if (!node.name.empty()) {
        return printable(node.name);
    }
    return printable(!node.outputs.empty() && node.outputs[0].valid() ? graph.value(node.outputs[0]).name : node.op);
}

void nameNodes(Graph& graph)
{
    std::unordered_map<std::string, NodeId> taken;
    std::vector<NodeId> unnamed;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        if (node.name.empty() || !taken.emplace(node.name, id).second) {
            unnamed.push_back(id);
        }
    }
    std::unordered_map<std::string, int> suffixes;
    for (const NodeId id : unnamed) {
        Node node = graph.node(id);
        const std::string base = nodeLabel(graph, node);
        std::string candidate = base;
        while (taken.contains(candidate)) {
            candidate = fmt::format("{}_{}", base, ++suffixes[base]);
        }
        taken.emplace(candidate, id);
        node.name = std::move(candidate);
        graph.setNode(id, std::move(node));
    }
    // Naming cannot fail.
    static_cast<void>(editSubgraphs(graph, [](Graph& inner) -> Result<void> {
        nameNodes(inner);
        return {};
    }));
}

} // namespace crease
