// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/engine_use.h"
#include "app/cli/model_list.h"
#include "core/export/text_report.h"
#include "core/support/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace crease::cli {

namespace {

int verifyAgainst(const Options& options, const Console& console, const Job& job)
{
    const auto run = [&]() -> Result<int> {
        const ImportedModel a = TRY(openModel(options, options.models.front(), job));
        const ImportedModel b = TRY(openModel(options, options.against, job));
        console.diagnostics(a.diagnostics);
        console.diagnostics(b.diagnostics);
        Diagnostics notes;
        const SampleSet samples = TRY(resolveSamples(options, a.graph, notes, job));
        console.diagnostics(notes);
        auto compared = verifyGraphs(a.graph, b.graph, samples, {}, job);
        if (!compared) {
            if (compared.error().id == "against-mismatch") {
                compared.error().file = options.against;
            }
            return std::unexpected(std::move(compared).error());
        }
        const GraphsVerification& result = *compared;
        Diagnostics labels;
        noteLabels(result.accuracy, result.accuracyNote, labels);
        console.diagnostics(labels);
        notes.insert(notes.end(), labels.begin(), labels.end());
        std::string text =
            fmt::format("{} against {}\n  {}\n  samples: {} ({})\n", printable(a.file), printable(b.file),
                        sentence(result.certificate), samples.samples.size(), printable(samples.source));
        nlohmann::json tensors = nlohmann::json::array();
        for (const TensorReport& output : result.outputs) {
            text += fmt::format("  {}: largest difference {}, {} of the range\n", printable(output.name),
                                shortest(output.accumulated.maxAbs), shortest(output.accumulated.relative));
            tensors.push_back({{"name", printable(output.name)},
                               {"source", printable(output.source)},
                               {"stage", nullptr},
                               {"local", nullptr},
                               {"accumulated", toJson(output.accumulated)}});
        }
        if (result.accuracy) {
            text += "  " + accuracyText(*result.accuracy) + "\n";
        }
        if (result.certificate.verdict == Verdict::Failed) {
            text += fmt::format("  Two files are compared from end to end, where single steps of layers add up (float "
                                "outputs may differ by {} of their range);\n  crease-cli verify FILE certifies a fold "
                                "layer by layer.\n",
                                shortest(VerifyOptions{}.floatTolerance));
        }
        console.print(text);
        nlohmann::json object = jsonHead();
        object["diagnostics"] = toJson(a.diagnostics);
        for (const Diagnostics* list : {&b.diagnostics, &std::as_const(notes)}) {
            for (nlohmann::json& entry : toJson(*list)) {
                object["diagnostics"].push_back(std::move(entry));
            }
        }
        if (result.accuracy) {
            object["accuracy"] = toJson(*result.accuracy);
        }
        object["model"] = modelJson(a);
        object["against"] = modelJson(b);
        object["certificate"] = toJson(result.certificate);
        object["tensors"] = std::move(tensors);
        object["samples"] = {
            {"source", printable(samples.source)}, {"count", samples.samples.size()}, {"seed", samples.seed}};
        console.object(object);
        return result.certificate.verdict == Verdict::Failed ? Failed : Done;
    };
    auto code = run();
    return code ? *code : console.fail(code.error());
}

Result<Folding> certified(const Options& options, const std::string& model, const Job& job)
{
    Folding folding = TRY(foldModel(options, model, job));
    TRY(certify(options, folding, job));
    if (!options.engine.empty()) {
        TRY(compareWithEngine(options, folding, job));
    }
    return folding;
}

ModelResult verifyFold(const Options& options, const std::string& model, const Console& console, const Job& job)
{
    ModelResult result;
    const auto folding = certified(options, model, job);
    if (!folding) {
        result.code = console.failQuietly(folding.error(), result.json);
        result.line = folding.error().message;
        return result;
    }
    console.diagnostics(folding->model.diagnostics);
    console.diagnostics(folding->notes);
    const FoldOutcome outcome = folding->outcome();
    console.print(accountText(outcome) + stagesText(outcome));
    if (options.layers > 0) {
        console.print(tensorsText(*folding->verification, options.layers));
    }
    result.json = outcomeJson(outcome);
    if (folding->engineError) {
        result.json["error"] = toJson(*folding->engineError);
    }
    result.code = judge(*folding, console);
    result.line = sentence(folding->verification->whole);
    return result;
}

} // namespace

int runVerify(const Options& options, const Console& console, const std::stop_token& stop)
{
    const Job job = makeJob(options, console, stop);
    if (!options.against.empty()) {
        if (options.models.size() != 1) {
            return console.fail({ErrorKind::Usage, "one-model", "--against compares one model with another"});
        }
        return verifyAgainst(options, console, job);
    }
    ModelList list(console, options.models.size());
    for (const std::string& model : options.models) {
        if (!list.add(model, verifyFold(options, model, console, job))) {
            break;
        }
    }
    return list.finish();
}

} // namespace crease::cli
