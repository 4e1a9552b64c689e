// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/deployment.h"

/// Between float and codes, and from codes to codes: the parts that both formats share.
namespace crease {

struct ClampRange {
    std::int64_t low;
    std::int64_t high;
};

/// The range of the node's output codes: its lo and hi within the grid's qmin and qmax.
ClampRange clampRange(const Node& node, const Grid& grid);

/// Whether the storage type alone enforces the range.
bool isWholeType(ClampRange range, ElementType storage);

/// `made` makes codes of the grid's storage; adds the Clip that keeps them in range where the type does not.
void produceClamped(Deployment& out, Node made, const Node& original, ValueId output);

/// A new float32 value: the codes dequantized.
ValueId dequantized(Deployment& out, ValueId codes);
/// The same by Cast, Sub and Mul: ONNX Runtime merges a DequantizeLinear into what reads it, also where that changes
/// results.
ValueId dequantizedInTheOpen(Deployment& out, ValueId codes);
/// code - zero point as float32, in the same way; nothing where the zero points lie along an axis of unknown rank.
std::optional<ValueId> centredInTheOpen(Deployment& out, ValueId codes);

/// `real` (float32) to the codes of `output`, rounded, ordered and clamped as the Quantize-like node says.
void quantizeInto(Deployment& out, ValueId real, const Node& original, ValueId output);

/// Cast -> Gather from 256 entries (or C times 256).
Node gatherNode(Deployment& out, ValueId codes, const Tensor& table, int axis, std::string_view name);

/// Every code of `from` on the grid `to`, exactly rounded: [256], or [C, 256] where `from` is per channel.
Tensor requantizeTable(const Grid& from, const Grid& to, std::span<const double> bias, ClampRange range);

void emitQuantize(Deployment& out, NodeId id);
void emitDequantize(Deployment& out, NodeId id);
void emitRequantize(Deployment& out, NodeId id);
void emitTable(Deployment& out, NodeId id);
void emitClamp(Deployment& out, NodeId id);
void emitFakeQuant(Deployment& out, NodeId id);

} // namespace crease
