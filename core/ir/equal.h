// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"

#include <string>

namespace crease {

/// Whether two graphs say the same: model info, inputs and outputs, nodes in order with equal content, edges by value
/// name. Ids do not matter. Where they differ, `why` (if given) gets one sentence.
bool equalGraphs(const Graph& a, const Graph& b, std::string* why = nullptr);

} // namespace crease
