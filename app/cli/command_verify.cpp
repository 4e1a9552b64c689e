// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/folding.h"
#include "core/export/text_report.h"
#include "core/support/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crease::cli {

namespace {

int verifyAgainst(const Options& options, const Console& console, const Job& job)
{
    const auto run = [&]() -> Result<int> {
        const ImportedModel a = TRY(openModel(options, options.models.front(), job));
        const ImportedModel b = TRY(openModel(options, options.against, job));
        Diagnostics notes;
        const SampleSet samples = TRY(resolveSamples(options, a.graph, notes, job));
        console.diagnostics(notes);
        const GraphsVerification result = TRY(verifyGraphs(a.graph, b.graph, samples, {}, job));
        std::string text =
            fmt::format("{} against {}\n  {}\n", printable(a.file), printable(b.file), sentence(result.certificate));
        nlohmann::json tensors = nlohmann::json::array();
        for (const TensorReport& output : result.outputs) {
            text += fmt::format("  {}: largest difference {}, {} of the range\n", printable(output.name),
                                shortest(output.accumulated.maxAbs), shortest(output.accumulated.relative));
            tensors.push_back({{"name", printable(output.name)},
                               {"source", printable(output.source)},
                               {"accumulated", toJson(output.accumulated)}});
        }
        console.print(text);
        nlohmann::json object = jsonHead();
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
    int code = Done;
    std::string summary;
    nlohmann::json list = nlohmann::json::array();
    for (const std::string& model : options.models) {
        nlohmann::json object;
        auto folding = foldModel(options, model, job);
        if (folding) {
            if (auto certified = certify(options, *folding, job); !certified) {
                folding = std::unexpected(certified.error());
            }
        }
        if (!folding) {
            code = std::max(code, console.failQuietly(folding.error(), object));
            summary += fmt::format("  {}: {}\n", printable(model), folding.error().message);
            list.push_back(std::move(object));
            continue;
        }
        console.diagnostics(folding->model.diagnostics);
        console.diagnostics(folding->notes);
        const FoldOutcome outcome = folding->outcome();
        console.print(accountText(outcome) + stagesText(outcome));
        if (options.layers > 0) {
            console.print(tensorsText(*folding->verification, options.layers));
        }
        list.push_back(outcomeJson(outcome));
        const int judged = judge(*folding, console);
        code = std::max(code, judged);
        summary += fmt::format("  {}: {}\n", printable(model), sentence(folding->verification->whole));
    }
    if (options.models.size() == 1) {
        console.object(list.front());
    } else {
        nlohmann::json all = jsonHead();
        all["models"] = std::move(list);
        console.object(all);
        console.print(fmt::format("summary of {} models\n{}", options.models.size(), summary));
    }
    return code;
}

} // namespace crease::cli
