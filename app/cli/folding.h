// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/session.h"
#include "core/export/report_json.h"

#include <optional>

namespace crease::cli {

/// One model on its way through a command: what was opened, folded, checked and written so far.
struct Folding {
    ImportedModel model;
    Recipe recipe;
    Target target;
    Trace trace;
    FoldReport report;
    std::optional<SampleSet> samples;
    std::optional<Verification> verification;
    std::optional<ExportResult> output;
    std::optional<EngineVerification> engine;
    std::optional<Error> engineError; // the engine that was asked for failed; everything else stands
    Diagnostics notes;

    FoldOutcome outcome() const;
};

/// Opens and folds.
Result<Folding> foldModel(const Options& options, const std::string& path, const Job& job);
/// Certifies on the samples that the options ask for.
Result<void> certify(const Options& options, Folding& folding, const Job& job);
/// What the labels of the samples could not be used for, if anything.
void noteLabels(const std::optional<Accuracy>& accuracy, const std::string& accuracyNote, Diagnostics& notes);
/// 0, or 1 where a certificate or the engine fails or a quantizer that had to fold did not; says why on stderr.
int judge(const Folding& folding, const Console& console);

} // namespace crease::cli
