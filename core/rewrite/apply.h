// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/patch.h"

#include <vector>

namespace crease {

/// What applying a patch touched: for the driver's worklist and its record.
struct Applied {
    std::vector<NodeId> added;   // new nodes, then changed ones
    std::vector<NodeId> removed; // also swept ones
    std::vector<NodeId> around;  // neighbours whose match may have changed
};

/// Applies a patch to the graph it was built against (nothing else may have edited it since).
struct PatchApplier {
    static Applied apply(Graph& graph, const Patch& patch);
    static const std::vector<ValueRelation>& relations(const Patch& patch) { return patch.m_relations; }
    static const std::vector<NodeId>& ancestors(const Patch& patch) { return patch.m_ancestors; }
};

/// Removes the node if no output is read or a graph output, then its producers that thereby die, and constants without
/// readers.
void sweepDead(Graph& graph, std::vector<NodeId> candidates, std::vector<NodeId>& removed);

} // namespace crease
