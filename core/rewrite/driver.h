// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/trace.h"
#include "core/support/job.h"

#include <set>
#include <span>

namespace crease {

struct DriverOptions {
    std::set<std::string> switchedOff{}; // site names
    bool allowApproximate = false;       // admit rules of class A
    bool verifyEach = false;             // verify the graph after every patch, not only at the end
    int maxSweeps = 16;
};

/// Runs the rules over every node in topological order, until a sweep changes nothing. Later rules see what earlier
/// ones made. Dead nodes left behind by a patch (no reader, no graph output) are swept. The graph is sorted and
/// verified at the end. Fails with kind Internal, naming the pass and the site, where a patch leaves an invalid graph.
Result<Stage> applyRules(const Graph& before, std::string_view pass, std::span<const Rule> rules,
                         const DriverOptions& options, const Job& job);

} // namespace crease
