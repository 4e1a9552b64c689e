// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/support/diagnostic.h"
#include "core/support/result.h"
#include "core/targets/target.h"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crease {

/// How the value of an accumulator is held in the file.
enum class AccumulatorForm {
    Integers,   // int32, as the final graph has it
    FloatCodes, // the same integers in float32: the target has no integer kernel of the op
    Real,       // dequantized: scale times the integers, float32
};

/// Scale and zero point of a grid as constants of the file, rank 0 (or 1 where the grid is per channel).
struct GridConstants {
    ValueId scale;
    ValueId zeroPoint;
};

/// A final graph on its way to standard ops: nodes are replaced in place, values keep their ids and names.
class Deployment {
public:
    Deployment(const Graph& final, const Target& target);

    const Graph& source() const { return *m_source; } // the final graph: its values have the grids
    const Target& target() const { return *m_target; }
    Graph& graph() { return m_graph; }
    int opset() const { return m_opset; }
    void requireOpset(int opset) { m_opset = std::max(m_opset, opset); }

    const Value& sourceValue(ValueId id) const { return m_source->value(id); }
    const Grid& grid(ValueId id) const { return *m_source->value(id).codes; }

    /// Constants are shared where they are equal.
    ValueId constant(const Tensor& tensor, std::string_view name);
    ValueId floatScalar(double value, std::string_view name);
    GridConstants gridConstants(const Grid& grid);
    /// The same for an op whose scale must be float32(scale): of the accumulator, as an int32 DequantizeLinear reads
    /// it.
    ValueId scaleConstant(std::span<const double> scales, bool scalar, std::string_view name);

    /// Removes the node that is being replaced; what is added afterwards stands at its place.
    void begin(NodeId id);
    /// Adds a node with one new output, named after the output of the node that is being replaced.
    ValueId add(Node node, std::string_view suffix, ElementType type, std::optional<Shape> shape = std::nullopt);
    /// Adds a node that makes existing values.
    void produce(Node node, std::vector<ValueId> outputs);
    void produce(Node node, ValueId output) { produce(std::move(node), std::vector<ValueId>{output}); }

    AccumulatorForm form(ValueId accumulator) const;
    void setForm(ValueId accumulator, AccumulatorForm form) { m_forms[accumulator] = form; }
    /// The op that made the accumulator added this reader's bias already.
    void setBiasIncluded(NodeId reader) { m_biasIncluded.insert(reader); }
    bool biasIncluded(NodeId reader) const { return m_biasIncluded.contains(reader); }

    void report(Severity severity, std::string id, std::string text, ValueId where);
    /// Counts nodes whose kernel rounds in float32, and those where it adds an odd zero point first; told once an op.
    void declareTies(std::string_view kernel, ValueId where, bool odd);
    /// Counts products of uint8 data and int8 weights beyond 7 bits; told once.
    void declareWideWeights(ValueId where);
    Diagnostics diagnostics() const;

private:
    const Graph* m_source;
    const Target* m_target;
    Graph m_graph;
    int m_opset = 13;
    NodeId m_place;
    std::string m_base;
    std::map<std::string, ValueId> m_constants; // by type, dims and bytes
    std::map<ValueId, AccumulatorForm> m_forms;
    std::set<NodeId> m_biasIncluded;
    Diagnostics m_diagnostics;
    struct Seen {
        std::size_t count = 0;
        std::size_t odd = 0;
        std::string first; // the first value
    };
    std::map<std::string, Seen> m_ties; // by kernel
    Seen m_wideWeights;
};

Node standardNode(std::string_view op, std::vector<ValueId> inputs, std::string_view domain = {});

inline constexpr std::string_view microsoft = "com.microsoft";

} // namespace crease
