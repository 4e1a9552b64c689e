// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/support/result.h"

#include <string>
#include <string_view>

namespace crease {

struct PrintOptions {
    std::size_t maxElements =
        0; // of a tensor; 0: all, so that parse() reads it back. Longer ones print as <N elements>
};

/// The text form of a graph:
///     graph "name" ir 8 opset "" 13, "com.microsoft" 1
///     input %x: f32[1x3xHx?]
///     const %w: s8[2x2] codes s8(0.5, 0, -127..127) = [1, 2, 3, 4]
///     %y: f32[1x2] on s8(0.5, 3) = crease.FakeQuant(%x) {grid = s8(0.5, 3), lo = 0} "label"
///     %z: s32[1x2] codes s32([0.1, 0.2], [0, 0], axis 1) = MatMul@13(%y, _, %w)
///     output %z
/// Attributes: 1 is an int, 1.0 or 1e-3 a float, "s" a string, f64 0.5 a double, f64 [..] doubles, [1, 2] ints, [1.0]
/// floats, ["a"] strings, tensor f32[2] [1, 2], a grid as above, { ... } a subgraph. An absent input is _; @v is the
/// node's version where it is not the opset's.
std::string print(const Graph& graph, const PrintOptions& options = {});
std::string printNode(const Graph& graph, NodeId id, const PrintOptions& options = {});

/// Errors: kind Input, with line and column.
Result<Graph> parse(std::string_view text);

} // namespace crease
