// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/support/diagnostic.h"
#include "core/support/job.h"
#include "core/support/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace crease {

struct ImportOptions {
    std::uint64_t maxFileBytes = std::uint64_t{8} << 30;
    std::uint64_t maxTensorBytes = std::uint64_t{2} << 30;    // of a tensor that is not external
    std::uint64_t maxExternalBytes = std::uint64_t{16} << 30; // of one that is: a file may have holes
};

struct ImportedModel {
    Graph graph;
    Diagnostics diagnostics;
    std::string file;
    std::uint64_t bytes = 0;
    std::string sha256;
    std::vector<std::string> externalData; // files
    int originalOpset = 0;                 // of ai.onnx
};

/// Reads a model, brings every node to the one form of its op (formats.md, architecture.md decision 12), inlines
/// functions, infers shapes. Errors: kind Input, with the file and, where known, node, value and byte offset.
Result<ImportedModel> importModel(const std::string& path, const ImportOptions& options, const Job& job);
/// The same from memory; `folder` is where external data is looked for (empty: none allowed).
Result<ImportedModel> importModelFromBytes(const std::string& bytes, const std::string& folder,
                                           const ImportOptions& options, const Job& job);

} // namespace crease
