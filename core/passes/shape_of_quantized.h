// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/rule.h"

namespace crease {

/// Who asks for the shape of a float value that is quantized next asks for that of the quantized one, which lives on as
/// codes: else the float value would be computed for its shape alone (P28). Anchored at the quantizer.
Outcome shapeOfQuantized(const Graph& graph, NodeId id);

} // namespace crease
