// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/workload.h"

#include <algorithm>
#include <map>

namespace crease {

namespace {

constexpr double perElement = 8.0; // an element-wise operation beside a product

class Sizes {
public:
    Sizes(const Graph& graph, const std::vector<Tensor>& inputs) : m_graph(graph)
    {
        for (std::size_t i = 0; i < std::min(inputs.size(), graph.inputs().size()); ++i) {
            const auto& shape = graph.value(graph.inputs()[i]).shape;
            for (std::size_t axis = 0; shape && axis < std::min(shape->size(), inputs[i].rank()); ++axis) {
                if (!(*shape)[axis].symbol.empty()) {
                    m_symbols.emplace((*shape)[axis].symbol, inputs[i].dims()[axis]);
                }
            }
        }
    }

    double dim(const Dim& dim) const
    {
        const auto known = m_symbols.find(dim.symbol);
        return dim.known()                ? static_cast<double>(dim.value)
               : known != m_symbols.end() ? static_cast<double>(known->second)
                                          : 1.0;
    }

    double elements(ValueId id) const
    {
        double product = 1.0;
        if (id.valid() && m_graph.value(id).shape) {
            for (const Dim& each : *m_graph.value(id).shape) {
                product *= dim(each);
            }
        }
        return product;
    }

    /// How many products each output element of a linear op is the sum of.
    double taps(const Node& node) const
    {
        const auto& weight = node.input(1).valid() ? m_graph.value(node.input(1)).shape : std::nullopt;
        if (!weight || weight->empty()) {
            return 1.0;
        }
        if (node.is("Conv") || node.is("ConvTranspose")) {
            return elements(node.input(1)) / std::max(dim(weight->front()), 1.0);
        }
        if (node.is("Gemm") || node.is("MatMul")) {
            const bool transposed = node.intAttribute("transB", 0) != 0;
            const std::size_t axis = transposed || weight->size() < 2 ? weight->size() - 1 : weight->size() - 2;
            return dim((*weight)[axis]);
        }
        return perElement;
    }

private:
    const Graph& m_graph;
    std::map<std::string, std::int64_t> m_symbols;
};

} // namespace

double workOf(const Graph& graph, const std::vector<Tensor>& inputs)
{
    const Sizes sizes(graph, inputs);
    double work = 0.0;
    for (const NodeId id : graph.order()) {
        if (graph.contains(id)) {
            const Node& node = graph.node(id);
            work += sizes.elements(node.output()) * (node.domain.empty() ? sizes.taps(node) : perElement);
        }
    }
    return work;
}

} // namespace crease
