// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"

namespace crease {

/// Products and element operations of one evaluation, roughly: unknown dimensions count as `dims` of the sample's
/// inputs say where they are theirs, else as 1.
double workOf(const Graph& graph, const std::vector<Tensor>& inputs);

} // namespace crease
