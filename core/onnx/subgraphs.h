// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/support/result.h"

#include <functional>

namespace crease {

/// Replaces every subgraph of the graph's nodes by an edited copy (values keep their ids; deeper ones are the edit's
/// business).
Result<void> editSubgraphs(Graph& graph, const std::function<Result<void>(Graph&)>& edit);

} // namespace crease
