// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/deployment.h"

namespace crease {

/// A Quant, IntQuant or BipolarQuant of QONNX that no pass took, which no runtime loads.
bool isQonnxQuantizer(const Node& node);

/// The same arithmetic in standard float ops: division, zero point, clamp, rounding and back. Left as it is where its
/// bit width is computed from data or one of its attributes is unknown.
void emitQonnxQuantizer(Deployment& out, NodeId id);

/// Error (kind Refused) that names a quantizer of a dialect that the target cannot load, also in a subgraph.
Result<void> refuseForeignQuantizers(const Graph& graph, const Target& target);

} // namespace crease
