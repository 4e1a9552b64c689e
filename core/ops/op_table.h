// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/support/result.h"

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace crease {

/// How an op behaves under quantization (folding.md §1).
enum class FoldingClass {
    Linear,    // LIN: accumulates products
    Movement,  // SAME: pure data movement, commutes with Dequantize
    Monotone,  // MONO: order-preserving (MaxPool, Max, Min, ReduceMax ...)
    Unary,     // LUT: element-wise with one data input
    Rescale,   // RESC: Add, Mul, Concat, AveragePool, ReduceMean ...
    Norm,      // BatchNormalization and others
    Index,     // shapes, booleans, indices: no quantized output
    Quantizer, // Q, DQ, FakeQuant, QLinear ...
    Constant,
    Float,   // stays in float
    Control, // If, Loop, Scan
};

/// How the window draws it (look.md).
enum class OpClass { Linear, Normalisation, Activation, Quantizer, Movement, Elementwise, Constant, Other };

struct TypedShape {
    ElementType type = ElementType::Undefined;
    std::optional<Shape> shape{};
};

/// One element of an integer tensor: known, or the value of a symbolic dimension, or (neither) unknown.
struct IntTerm {
    std::optional<std::int64_t> value{};
    std::string symbol{};
    bool operator==(const IntTerm&) const = default;
};
using IntTerms = std::vector<IntTerm>;

/// What a shape rule sees: the inputs' types and shapes, and the contents of small integer inputs where they are
/// constants or computed from shapes.
struct ShapeContext {
    const Graph& graph;
    const Node& node;
    std::vector<TypedShape> inputs; // absent inputs: Undefined
    std::vector<std::optional<IntTerms>> contents;
    std::vector<std::optional<IntTerms>> outputContents; // a rule may set it for outputs that are integers
};

using ShapeRule = Result<std::vector<TypedShape>> (*)(ShapeContext&);

/// Which element types a row claims, as bits.
namespace claims {
inline constexpr unsigned floats = 1;    // float32, float64, float16, bfloat16
inline constexpr unsigned integers = 2;  // of 8 to 64 bits
inline constexpr unsigned smallInts = 4; // of 2 and 4 bits
inline constexpr unsigned boolean = 8;
inline constexpr unsigned numbers = floats | integers | boolean;
inline constexpr unsigned all = numbers | smallInts;
} // namespace claims

/// One row an op. `since` and `until` are the opset versions whose meaning the row covers, in the canonical form of the
/// importer.
struct OpInfo {
    std::string_view op;
    std::string_view domain;
    int since = 1;
    int until = 28;
    int minInputs = 0;
    int maxInputs = 0; // -1: variadic
    int maxOutputs = 1;
    FoldingClass folding = FoldingClass::Float;
    OpClass look = OpClass::Other;
    ShapeRule shape = nullptr;
    unsigned types = claims::numbers;
};

/// Whether the row claims the element type.
bool claimsType(const OpInfo& info, ElementType type);

/// The row of an op, or null for an unknown op.
const OpInfo* findOp(std::string_view op, std::string_view domain = {});
std::span<const OpInfo> opTable();
FoldingClass foldingClass(const Node& node); // Float for unknown ops
OpClass opClass(const Node& node);

/// Types and shapes of every value that they can be inferred for, int64 shape vectors propagated as constants. Shapes
/// that the file states are kept where they agree; a contradiction is an error that names the node and both shapes.
Result<void> inferShapes(Graph& graph);
/// The types and shapes of one node's outputs.
Result<std::vector<TypedShape>> inferNode(const Graph& graph, const Node& node);

} // namespace crease
