// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/recipe.h"
#include "core/rewrite/trace.h"
#include "core/support/diagnostic.h"
#include "core/support/job.h"
#include "core/targets/target.h"

#include <map>
#include <string>
#include <vector>

namespace crease {

/// One value of the written file and what it stands for in the source model (interface.md, "correspondence").
struct Correspondence {
    std::string value;
    std::string source;
    std::string relation; // codes | real
    std::vector<double> scales;
    std::vector<std::int64_t> zeroPoints;
    int axis = -1; // -1: per tensor
};

struct ExportOptions {
    bool force = false; // replace an existing file that Crease did not write
    std::string sourceSha256{};
    std::string integerIo = "float"; // float | integer
};

struct ExportResult {
    std::string file;
    std::string format;
    std::uint64_t bytes = 0;
    std::size_t nodes = 0;
    std::map<std::string, std::size_t> ops;
    std::vector<Correspondence> correspondence;
    Diagnostics diagnostics; // islands by target, ties declared ...
};

/// The final graph of a trace as a graph of standard ONNX ops for the target's format; pure, for tests and for writing.
Result<Graph> toDeployable(const Graph& final, const Target& target, std::vector<Correspondence>* correspondence,
                           Diagnostics* diagnostics);

/// Writes to a temporary name, reads back, verifies against the trace's final graph, renames into place. Errors: kind
/// Output, or Internal where the read-back differs; both name `path`.
Result<ExportResult> exportTrace(const Trace& trace, const Recipe& recipe, const Target& target,
                                 const std::string& path, const ExportOptions& options, const Job& job);

} // namespace crease
