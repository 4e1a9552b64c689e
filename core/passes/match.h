// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/ir/integer_nodes.h"
#include "core/rewrite/rule.h"

#include <optional>
#include <string>
#include <vector>

namespace crease {

/// Small questions about a graph that rules share. None of them looks further than a neighbour.

/// The node that makes the value, if it is that op; invalid otherwise.
NodeId producerIs(const Graph& graph, ValueId value, std::string_view op, std::string_view domain = {});
bool isCrease(const Node& node, std::string_view op);

/// The grid that a float value lies on, if it is per tensor and of at most 16 bits; null otherwise.
const Grid* tensorGrid(const Graph& graph, ValueId value);

/// The codes behind a float value: the input of the crease Dequantize that makes it, if that adds no bias.
ValueId codesBehind(const Graph& graph, ValueId value);

/// The single element of a constant of one element, as double.
std::optional<double> scalarConstant(const Graph& graph, ValueId value);

/// Which inputs of the node hold the data that it moves or compares without computing: {0} for Reshape, all of Concat.
/// Empty where the node is no such op, or not in this form (a linear Resize, a Pad with a value that is no constant
/// ...). `monotone` ops (MaxPool, Max ...) count as well: they pick among their inputs.
std::vector<std::size_t> pickedInputs(const Graph& graph, const Node& node);

/// The same, but only ops whose outputs are a rearrangement of the inputs (also monotone pooling), so that an
/// element-wise monotone map may be moved from behind to before it.
bool commutesWithQuantizer(const Graph& graph, const Node& node);

/// Bounds of Relu, Clip, and Max or Min with a scalar constant; data is the other input. Nothing for other nodes.
struct ClampBounds {
    ValueId data;
    double low;
    double high;
};
std::optional<ClampBounds> clampBounds(const Graph& graph, const Node& node);

/// The code that a real number is quantized to on a per-tensor grid (half to even, saturated to the grid).
std::int64_t codeOf(double real, const Grid& grid);
/// Whether the number is exactly a point of the per-tensor grid.
bool liesOnGrid(double real, const Grid& grid);

/// The codes that a FakeQuant, Quantize or Requantize may give: lo and hi where it has them, else the grid's range.
struct CodeRange {
    std::int64_t low;
    std::int64_t high;
};
CodeRange codeRange(const Node& node, const Grid& grid);
void setCodeRange(Node& node, CodeRange range, const Grid& grid);

bool roundsHalfEven(const Node& node); // plain ONNX arithmetic: half to even, z added after rounding
/// A value like another but float and on no grid, unnamed: for a new node's output.
Value floatLike(const Value& value);
Value codesLike(const Value& value, const Grid& grid);

std::string labelOf(const Graph& graph, NodeId id); // "Conv 'conv1'"

} // namespace crease
