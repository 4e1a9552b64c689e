// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/support/diagnostic.h"
#include "core/support/job.h"
#include "core/support/result.h"

namespace crease {

/// Compares a file that was read back with the graph it was written from: ops, edges and every constant. An error (kind
/// Refused) names the first difference.
Result<void> compareContents(const Graph& written, const Graph& readBack);

/// Runs the file and the final graph on one sample, every value fed with the final graph's codes, so that each op of
/// the file is compared by itself. Off by more than one step is an error (kind Refused). What could not be run is a
/// diagnostic.
Result<void> compareResults(const Graph& final, const Graph& readBack, Diagnostics& diagnostics, const Job& job);

} // namespace crease
