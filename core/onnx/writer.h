// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/support/result.h"

#include <cstdint>
#include <string>

namespace crease {

/// The ModelProto of a graph of standard ops, at the opsets of graph.model(): canonical forms are written back in the
/// form of that opset; a node whose meaning changed since its own version is expanded. Nodes of domain crease are
/// refused (kind Unsupported).
Result<std::string> modelBytes(const Graph& graph);

/// The oldest opset of ai.onnx that has every op of the graph in the form and with the types that it is used with.
int requiredOpset(const Graph& graph);
/// The same for one node of ai.onnx, without its subgraphs.
int requiredOpset(const Graph& graph, const Node& node);

struct WriteOptions {
    /// Models whose tensors have more bytes keep the larger ones in a file of their own beside the model.
    std::uint64_t externalAbove = std::uint64_t{2'000'000'000};
};

/// Writes modelBytes to a temporary name beside `path` and renames it into place; over 2 GiB with external data.
/// Errors: kind Output.
Result<void> writeModel(const Graph& graph, const std::string& path, const WriteOptions& options = {});

} // namespace crease
