// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTest>

#include "core/exec/kernel.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace crease::test {

/// One node to evaluate. An input that is no tensor is absent; grids make inputs and outputs codes.
struct NodeCase {
    std::string op;
    std::vector<Tensor> inputs;
    Attributes attributes{};
    std::string domain{};
    int outputs = 1;
    std::vector<std::optional<Grid>> inputGrids{};
    std::vector<std::optional<Grid>> outputGrids{};
    int version = 21;
    Precision precision = Precision::Float32;

    Result<std::vector<Tensor>> run() const
    {
        Graph graph;
        Node node;
        node.op = op;
        node.domain = domain;
        node.attributes = attributes;
        node.version = domain.empty() ? version : domain == "crease" ? 0 : 1;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (!inputs[i].valid()) {
                node.inputs.emplace_back();
                continue;
            }
            Value value;
            value.name = "in" + std::to_string(i);
            value.type = inputs[i].type();
            value.shape = shapeOf(inputs[i].dims());
            value.codes = i < inputGrids.size() ? inputGrids[i] : std::nullopt;
            node.inputs.push_back(graph.addValue(std::move(value)));
        }
        for (int i = 0; i < outputs; ++i) {
            Value value;
            value.name = "out" + std::to_string(i);
            const auto at = static_cast<std::size_t>(i);
            value.codes = at < outputGrids.size() ? outputGrids[at] : std::nullopt;
            value.type = value.codes ? value.codes->storage : ElementType::Undefined;
            node.outputs.push_back(graph.addValue(std::move(value)));
        }
        const NodeId id = graph.addNode(node);
        return evaluateNode(graph, graph.node(id), inputs, precision, Job{});
    }

    bool fails() const { return !run().has_value(); }

    /// The first output, or no tensor (and a warning) where evaluation fails.
    Tensor output() const
    {
        Result<std::vector<Tensor>> result = run();
        if (!result) {
            qWarning("%s: %s", op.c_str(), result.error().message.c_str());
            return {};
        }
        return result->front();
    }
};

inline Tensor floats(Dims dims, std::vector<float> values)
{
    return Tensor::of<float>(std::move(dims), values);
}
inline Tensor doubles(Dims dims, std::vector<double> values)
{
    return Tensor::of<double>(std::move(dims), values);
}
inline Tensor ints(ElementType type, Dims dims, const std::vector<std::int64_t>& values)
{
    return tensorOfInts(type, std::move(dims), values);
}

using Doubles = std::vector<double>;
using Ints = std::vector<std::int64_t>;

inline Ints intsOf(const Tensor& tensor)
{
    return tensor.valid() ? tensor.toInts() : Ints{};
}
inline Doubles doublesOf(const Tensor& tensor)
{
    return tensor.valid() ? tensor.toDoubles() : Doubles{};
}

/// The largest difference, or infinity where the sizes differ.
inline double distance(const Doubles& a, const Doubles& b)
{
    if (a.size() != b.size()) {
        return std::numeric_limits<double>::infinity();
    }
    double worst = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference = std::fabs(a[i] - b[i]);
        worst = difference > worst || std::isnan(difference) ? difference : worst;
    }
    return worst;
}

} // namespace crease::test
