// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/support/diagnostic.h"

namespace crease {

/// QuantizeLinear and DequantizeLinear as some exporters write them against the standard: an axis below opset 13, and
/// quant_min and quant_max, which become an integer Clip. One diagnostic each.
void repairQuantizers(Graph& graph, Diagnostics& diagnostics);

/// One diagnostic where BatchNormalization or Dropout are in training mode; they stay as they are.
void reportTraining(const Graph& graph, Diagnostics& diagnostics);

} // namespace crease
