// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/support/result.h"

#include <string>

namespace crease {

/// The ModelProto of a graph of standard ops, at the opsets of graph.model(): canonical forms are written back in the
/// form of that opset; a node whose meaning changed since its own version is expanded. Nodes of domain crease are
/// refused (kind Unsupported).
Result<std::string> modelBytes(const Graph& graph);

/// Writes modelBytes to a temporary name beside `path` and renames it into place; over 2 GiB with external data.
/// Errors: kind Output.
Result<void> writeModel(const Graph& graph, const std::string& path);

} // namespace crease
