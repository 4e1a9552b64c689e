// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/support/job.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace crease {

/// Evaluates what a value is worth where it depends on constants of the file alone, in the file's own types. Remembers
/// what it found: for one pass over graphs whose constants do not change.
class ConstantResolver {
public:
    explicit ConstantResolver(const Job& job) : m_job(&job) {}

    /// Null where the value depends on data, descends from a node of ours or cannot be evaluated.
    const Tensor* find(const Graph& graph, ValueId id);

private:
    const Tensor* known(const Graph& graph, ValueId id) const;
    bool isDecided(const Graph& graph, ValueId id) const;
    std::optional<ValueId> firstUndecided(const Graph& graph, const Node& node) const;
    std::optional<std::vector<Tensor>> evaluate(const Graph& graph, const Node& node);

    const Job* m_job;
    std::unordered_map<std::uint32_t, Tensor> m_known;
};

/// The outputs of one node on constant inputs in Float32, or nothing: a kernel is missing, the result would be huge,
/// the node draws random numbers or holds subgraphs.
std::optional<std::vector<Tensor>> evaluateConstant(const Graph& graph, const Node& node,
                                                    std::span<const Tensor> inputs, const Job& job);

/// Shape and Size of a value whose dimensions are all known, which is a constant although the value is none.
std::optional<Tensor> knownShapeResult(const Graph& graph, const Node& node);

/// A constant that stands on a grid: its codes and where they are dequantized.
struct QuantizedConstant {
    NodeId dequantize;
    ValueId codesValue;
    Tensor codes;
    Grid grid;
};

/// The value is Dequantize(constant codes).
std::optional<QuantizedConstant> quantizedConstant(const Graph& graph, ValueId id);

/// What a constant of the file, Dequantize(constant codes) or FakeQuant(constant) is worth, as real numbers without
/// rounding to float32, and its dimensions.
struct ConstantReals {
    std::vector<double> values;
    Dims dims;
};
std::optional<ConstantReals> constantReals(const Graph& graph, ValueId id);

} // namespace crease
