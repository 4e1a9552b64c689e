// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/samples/npz.h"
#include "core/samples/samples.h"

namespace crease {

/// The declared shapes of the graph's inputs with --shape applied; an input of unknown rank without --shape has none.
/// Errors (kind Usage): a --shape for no input, or one that contradicts the file.
Result<std::vector<std::optional<Shape>>> wantedShapes(const Graph& graph, const SampleOptions& options);

/// The arrays of one file (by input name, else the single one, else arr_0, arr_1 ...) as samples: a leading dimension
/// that the input does not have, or has as 1 or free, is split into samples; a missing batch dimension is added. The
/// array `labels`, if the graph has no such input, gives the labels: as many as there are samples, or rows of them.
/// With Batches::Keep a free batch is not split. What was not used as it stood is noted.
enum class Batches { Split, Keep };
Result<SampleSet> samplesFromArrays(NamedTensors arrays, const Graph& graph, const SampleOptions& options,
                                    Batches batches);

void addNote(const SampleOptions& options, Severity severity, std::string id, std::string text, std::string value = {});

} // namespace crease
