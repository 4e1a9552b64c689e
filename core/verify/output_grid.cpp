// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/output_grid.h"

#include "core/passes/quantizer_params.h"

namespace crease {

std::optional<Grid> outputGrid(const Graph& graph, ValueId id)
{
    const Value& value = graph.value(id);
    if (value.codes || value.liesOn) {
        return value.codes ? value.codes : value.liesOn;
    }
    const NodeId producer = graph.producer(id);
    if (!producer.valid() || !isDequantizeLinear(graph.node(producer))) {
        return std::nullopt;
    }
    const Node& node = graph.node(producer);
    const Tensor& scale = graph.value(node.input(1)).constant;
    const ElementType type = graph.value(node.input(0)).type;
    const Tensor zero = node.input(2).valid() ? graph.value(node.input(2)).constant : Tensor{};
    const bool known = scale.size() == 1 && isInteger(type) && (!node.input(2).valid() || zero.size() == 1);
    if (!known || !(scale.asDouble(0) > 0.0)) {
        return std::nullopt;
    }
    return Grid::perTensor(scale.asDouble(0), zero.valid() ? zero.asInt(0) : 0, type);
}

} // namespace crease
