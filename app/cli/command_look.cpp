// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/folding.h"
#include "core/export/text_report.h"
#include "core/ir/diff.h"
#include "core/passes/pass.h"
#include "core/support/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crease::cli {

int runInfo(const Options& options, const Console& console, const std::stop_token& stop)
{
    const Job job = makeJob(options, console, stop);
    int code = Done;
    std::string summary;
    nlohmann::json list = nlohmann::json::array();
    for (const std::string& path : options.models) {
        nlohmann::json object;
        const auto model = openModel(options, path, job);
        if (!model) {
            code = std::max(code, console.failQuietly(model.error(), object));
            summary += fmt::format("  {}: {}\n", printable(path), model.error().message);
        } else {
            console.diagnostics(model->diagnostics);
            console.print(modelText(*model));
            object = jsonHead();
            object["model"] = modelJson(*model);
            object["diagnostics"] = toJson(model->diagnostics);
            summary += fmt::format("  {}: {} nodes\n", printable(path), model->graph.nodeCount());
        }
        list.push_back(std::move(object));
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

int runPasses(const Options& options, const Console& console)
{
    nlohmann::json object = jsonHead();
    nlohmann::json passes = nlohmann::json::array();
    std::string text;
    for (const PassInfo& pass : passCatalogue()) {
        passes.push_back({{"id", pass.id}, {"title", pass.title}, {"summary", pass.summary}, {"detail", pass.detail}});
        text += options.listTargets ? "" : fmt::format("  {:<20} {}\n", pass.id, pass.summary);
    }
    nlohmann::json targets = nlohmann::json::array();
    for (const Target& target : shippedTargets()) {
        targets.push_back(
            {{"name", target.name}, {"title", target.title}, {"summary", target.summary}, {"format", target.format}});
        text += options.listTargets ? fmt::format("  {:<24} {}\n", target.name, target.summary) : "";
    }
    object["passes"] = std::move(passes);
    object["targets"] = std::move(targets);
    console.object(object);
    console.print(text);
    return Done;
}

int runExplain(const Options& options, const Console& console, const std::stop_token& stop)
{
    const Job job = makeJob(options, console, stop);
    const auto folding = foldModel(options, options.models.front(), job);
    if (!folding) {
        return console.fail(folding.error());
    }
    console.diagnostics(folding->notes);
    const FoldOutcome outcome = folding->outcome();
    console.print(explainText(outcome, options.node));
    nlohmann::json object = jsonHead();
    object["model"] = modelJson(folding->model);
    object["quantizers"] = quantizersJson(folding->report);
    object["islands"] = islandsJson(folding->report);
    object["sites"] = stagesJson(folding->trace, nullptr);
    object["diagnostics"] = toJson(folding->notes);
    console.object(object);
    return Done;
}

int runDiff(const Options& options, const Console& console, const std::stop_token& stop)
{
    const Job job = makeJob(options, console, stop);
    const auto folding = foldModel(options, options.models.front(), job);
    if (!folding) {
        return console.fail(folding.error());
    }
    std::size_t from = 0;
    std::size_t to = folding->trace.stages.size();
    if (!options.pass.empty()) {
        if (findPass(options.pass) == nullptr) {
            return console.fail({ErrorKind::Usage, "unknown-pass",
                                 fmt::format("there is no pass '{}': see crease-cli passes", options.pass)});
        }
        while (from < to && folding->trace.stages[from].pass != options.pass) {
            ++from;
        }
        if (from == to) {
            return console.fail(
                {ErrorKind::Usage, "pass-off", fmt::format("pass '{}' is switched off by the recipe", options.pass)});
        }
        to = from + 1;
    }
    console.print(diffText(folding->trace.graph(from), folding->trace.graph(to)));
    console.object(diffJson(folding->trace, from, to));
    return Done;
}

} // namespace crease::cli
