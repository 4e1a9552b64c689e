// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace crease {

/// The same network from codes to codes: a float input that only quantizers of one grid read becomes their codes, a
/// float output that a Dequantize makes becomes its codes. Types and scales are recorded in the metadata of the model.
Result<Graph> withIntegerIo(const Graph& final);

} // namespace crease
