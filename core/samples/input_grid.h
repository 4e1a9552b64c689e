// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"

#include <optional>

namespace crease {

/// The tensor of a constant, also behind Identity, Cast and Constant nodes; none where the value is computed.
Tensor constantOf(const Graph& graph, ValueId id);

/// Whether an op moves the elements of its first input and does not change them.
bool movesElements(const Node& node);

/// The grid of an integer input: its own, or the one by which its readers (DequantizeLinear, QLinearConv ..., also
/// behind ops that only move elements) read it, where that has one constant scale for the whole tensor and all readers
/// agree.
std::optional<Grid> inputGrid(const Graph& graph, ValueId input);

} // namespace crease
