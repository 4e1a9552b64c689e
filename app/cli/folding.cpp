// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/folding.h"

#include "core/export/text_report.h"
#include "core/passes/pipeline.h"

#include <algorithm>
#include <fmt/format.h>

namespace crease::cli {

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
                        "there is no node '" + name + "' to keep in float: see crease-cli diff, or the window"};
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
    return {};
}

int judge(const Folding& folding, const Console& console)
{
    int code = Done;
    if (folding.verification && folding.verification->whole.verdict == Verdict::Failed) {
        console.message(fmt::format("crease-cli: {}: the certificate of the fold failed: {}\n", folding.model.file,
                                    sentence(folding.verification->whole)));
        code = Failed;
    }
    if (folding.engine && folding.engine->certificate.verdict == Verdict::Failed) {
        console.message(fmt::format("crease-cli: {}: {} {} gives other results: {}\n", folding.model.file,
                                    folding.engine->name, folding.engine->version,
                                    sentence(folding.engine->certificate)));
        code = Failed;
    }
    const bool mustFold = folding.recipe.requireInteger || !folding.target.allowsFloat;
    const auto kept =
        std::ranges::find_if(folding.report.quantizers, [](const QuantizerReport& entry) { return !entry.folded; });
    if (mustFold && kept != folding.report.quantizers.end()) {
        console.message(fmt::format("crease-cli: {}: quantizer '{}' had to fold and did not: {}\n", folding.model.file,
                                    kept->name, kept->reasonText));
        code = Failed;
    } else if (mustFold && !folding.report.islands.empty()) {
        console.message(
            fmt::format("crease-cli: {}: the model had to become integer and has {} float island{}, first: {}\n",
                        folding.model.file, folding.report.islands.size(),
                        folding.report.islands.size() == 1 ? "" : "s", folding.report.islands.front().reason));
        code = Failed;
    }
    return code;
}

} // namespace crease::cli
