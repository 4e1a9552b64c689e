// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/console.h"
#include "app/cli/options.h"
#include "core/onnx/importer.h"
#include "core/passes/recipe.h"
#include "core/targets/target.h"
#include "core/tensor/sample_set.h"

namespace crease::cli {

/// The options turned into what core functions take.
Job makeJob(const Options& options, const Console& console, std::stop_token stop);
Result<void> checkOptions(const Options& options);
Result<ImportedModel> openModel(const Options& options, const std::string& path, const Job& job);
/// Flags win over the recipe file, the recipe file over defaults.
Result<Recipe> resolveRecipe(const Options& options);
/// Given samples, or --random N, or four random ones; what was used is said.
Result<SampleSet> resolveSamples(const Options& options, const Graph& graph, Diagnostics& notes, const Job& job);
/// 512, 512M, 8G, 1.5GiB; error names the value.
Result<std::uint64_t> parseBytes(const std::string& text);

} // namespace crease::cli
