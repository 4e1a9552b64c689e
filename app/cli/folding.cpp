// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/folding.h"

#include "core/export/text_report.h"
#include "core/passes/pipeline.h"
#include "core/support/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace crease::cli {

namespace {

std::vector<std::string> nodeNames(const Graph& graph)
{
    std::vector<std::string> names;
    for (const NodeId id : graph.order()) {
        names.push_back(graph.node(id).name);
    }
    return names;
}

/// A site of a flag is a word of this command line; one of a recipe may well belong to another model.
Result<void> checkSites(const Options& options, const Trace& trace)
{
    for (const Stage& stage : trace.stages) {
        for (const Diagnostic& entry : stage.diagnostics) {
            if (entry.id == "site-not-found" &&
                std::ranges::find(options.sitesOff, entry.value) != options.sitesOff.end()) {
                return failure(ErrorKind::Usage, entry.id, "--without-site: " + entry.text);
            }
        }
    }
    return {};
}

} // namespace

FoldOutcome Folding::outcome() const
{
    FoldOutcome result;
    result.model = &model;
    result.target = target.name;
    result.trace = &trace;
    result.report = &report;
    result.samples = samples ? &*samples : nullptr;
    result.verification = verification ? &*verification : nullptr;
    result.output = output ? &*output : nullptr;
    result.notes = &notes;
    result.engine = engine ? &*engine : nullptr;
    return result;
}

Result<Folding> foldModel(const Options& options, const std::string& path, const Job& job)
{
    Folding folding;
    folding.recipe = TRY(resolveRecipe(options));
    folding.target = TRY(findTarget(folding.recipe.target));
    folding.model = TRY(openModel(options, path, job));
    for (const std::string& name : folding.recipe.keepFloat) {
        if (!folding.model.graph.findNode(name).valid()) {
            Error error{ErrorKind::Usage, "unknown-node",
                        "there is no node '" + name + "' to keep in float" +
                            suggestion(name, nodeNames(folding.model.graph))};
            error.value = name;
            error.file = path;
            return std::unexpected(std::move(error));
        }
    }
    auto trace = runPipeline(folding.model.graph, folding.recipe, folding.target, job);
    if (!trace) {
        if (trace.error().file.empty()) {
            trace.error().file = path;
        }
        return std::unexpected(std::move(trace).error());
    }
    folding.trace = std::move(*trace);
    TRY(checkSites(options, folding.trace));
    folding.report = makeReport(folding.trace);
    for (const Stage& stage : folding.trace.stages) {
        folding.notes.insert(folding.notes.end(), stage.diagnostics.begin(), stage.diagnostics.end());
    }
    return folding;
}

Result<void> certify(const Options& options, Folding& folding, const Job& job)
{
    folding.samples = TRY(resolveSamples(options, folding.model.graph, folding.notes, job));
    VerifyOptions how;
    how.stages = !options.noStages;
    folding.verification = TRY(verifyTrace(folding.trace, *folding.samples, how, job));
    noteLabels(folding.verification->accuracy, folding.verification->accuracyNote, folding.notes);
    return {};
}

void noteLabels(const std::optional<Accuracy>& accuracy, const std::string& accuracyNote, Diagnostics& notes)
{
    if (!accuracyNote.empty()) {
        notes.push_back({Severity::Warning, "labels-unused", "the labels give no accuracy: " + accuracyNote});
    }
    if (accuracy && accuracy->noClass > 0) {
        notes.push_back({Severity::Warning, "labels-out-of-range",
                         fmt::format("{} of {} labels are no class of the output and count as wrong ({})",
                                     accuracy->noClass, accuracy->count, accuracy->note)});
    }
}

int judge(const Folding& folding, const Console& console)
{
    int code = Done;
    const auto fails = [&](const std::string& why) {
        console.error(fmt::format("{}: {}", folding.model.file, why));
        code = Failed;
    };
    if (folding.verification && folding.verification->whole.verdict == Verdict::Failed) {
        fails(fmt::format("the certificate of the fold failed: {}", sentence(folding.verification->whole)));
    }
    if (folding.engine && folding.engine->certificate.verdict == Verdict::Failed) {
        fails(fmt::format("{} {} gives other results: {}", folding.engine->name, folding.engine->version,
                          sentence(folding.engine->certificate)));
    }
    if (folding.engineError) {
        fails(describe(*folding.engineError));
    }
    const auto fault = std::ranges::find(folding.notes, Severity::Error, &Diagnostic::severity);
    if (fault != folding.notes.end()) {
        fails(fmt::format("node '{}': a quantizer of the model is invalid: {}", fault->node, fault->text));
    }
    const bool mustFold = folding.recipe.requireInteger || !folding.target.allowsFloat;
    const auto kept =
        std::ranges::find_if(folding.report.quantizers, [](const QuantizerReport& entry) { return !entry.folded; });
    if (mustFold && kept != folding.report.quantizers.end()) {
        fails(fmt::format("quantizer '{}' had to fold and did not: {}", kept->name, kept->reasonText));
    } else if (mustFold && !folding.report.islands.empty()) {
        fails(fmt::format("the model had to become integer and has {} float island{}, first: {}",
                          folding.report.islands.size(), folding.report.islands.size() == 1 ? "" : "s",
                          folding.report.islands.front().reason));
    }
    return code;
}

} // namespace crease::cli
