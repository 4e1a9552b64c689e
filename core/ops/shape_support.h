// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ops/op_table.h"

#include <string>

namespace crease {

using ShapeResult = Result<std::vector<TypedShape>>;
using MaybeShape = std::optional<Shape>;

/// An error of kind Input that names the node.
std::unexpected<Error> shapeError(const ShapeContext& context, std::string message);

bool hasInput(const ShapeContext& context, std::size_t slot);
const TypedShape& inputAt(const ShapeContext& context, std::size_t slot); // Undefined where absent

/// The contents of an integer input where every element is known.
std::optional<std::vector<std::int64_t>> knownInts(const ShapeContext& context, std::size_t slot);
/// The contents of an input with unknown elements and symbols.
const std::optional<IntTerms>& termsAt(const ShapeContext& context, std::size_t slot);
/// The constant of an input, or null.
const Tensor* constantAt(const ShapeContext& context, std::size_t slot);

IntTerm termOf(const Dim& dim);
Dim dimOf(const IntTerm& term); // unknown for a negative one
/// A larger one is no dimension of a tensor that exists; below it, sums and differences of a few do not overflow.
inline constexpr std::int64_t largestRank = 1024;
inline constexpr std::int64_t largestDim = std::int64_t{1} << 48;
Dim known(std::int64_t value); // unknown above largestDim

/// Unknown unless both are known or one is the neutral element.
Dim product(const Dim& a, const Dim& b);
Dim sum(const Dim& a, const Dim& b);

/// The shape that both are broadcast to.
Result<Shape> broadcastShapes(const ShapeContext& context, const Shape& a, const Shape& b);
Result<MaybeShape> broadcastInputs(const ShapeContext& context, std::size_t from, std::size_t to);

Result<std::size_t> axisIn(const ShapeContext& context, std::int64_t axis, std::size_t rank);

ShapeResult oneOutput(ElementType type, MaybeShape shape);

// Rules that several families use.
ShapeResult sameAsInput(ShapeContext& context); // type and shape of input 0
ShapeResult broadcastAll(ShapeContext& context);
ShapeResult broadcastToBool(ShapeContext& context);

} // namespace crease
