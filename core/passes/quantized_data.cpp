// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/quantized_data.h"

#include "core/passes/match.h"
#include "core/passes/quantizer_params.h"

#include <algorithm>
#include <array>
#include <set>

namespace crease {

namespace {

bool isQuantizer(const Node& node)
{
    return isCrease(node, nodes::fakeQuant) || isCrease(node, nodes::dequantize) || isDequantizeLinear(node) ||
           node.op == "Quant" || node.op == "IntQuant";
}

} // namespace

bool isLinearOp(const Node& node)
{
    static constexpr std::array ops{"Conv", "ConvTranspose", "Gemm", "MatMul"};
    return node.domain.empty() && std::ranges::find(ops, node.op) != ops.end();
}

bool comesFromQuantizer(const Graph& graph, ValueId value)
{
    std::vector<ValueId> waiting{value};
    std::set<ValueId> seen;
    bool found = false;
    while (!waiting.empty()) {
        const ValueId at = waiting.back();
        waiting.pop_back();
        if (!seen.insert(at).second) {
            continue;
        }
        if (!at.valid() || seen.size() > 256) {
            return false;
        }
        const NodeId producer = graph.producer(at);
        if (!producer.valid()) {
            if (!graph.value(at).isConstant()) {
                return false;
            }
            continue;
        }
        const Node& node = graph.node(producer);
        if (isQuantizer(node)) {
            found = true;
            continue;
        }
        if (node.is("Identity") || node.is("Dropout")) {
            waiting.push_back(node.input(0));
            continue;
        }
        if (const std::optional<ClampBounds> clamp = clampBounds(graph, node)) {
            waiting.push_back(clamp->data);
            continue;
        }
        const std::vector<std::size_t> picked = pickedInputs(graph, node);
        if (picked.empty()) {
            return false;
        }
        for (const std::size_t slot : picked) {
            waiting.push_back(node.input(slot));
        }
    }
    return found;
}

} // namespace crease
