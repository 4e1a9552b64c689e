// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/folding.h"
#include "app/cli/model_list.h"
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
    ModelList list(console, options.models.size());
    for (const std::string& path : options.models) {
        ModelResult result;
        if (const auto model = openModel(options, path, job); !model) {
            result.code = console.failQuietly(model.error(), result.json);
            result.line = model.error().message;
        } else {
            console.diagnostics(model->diagnostics);
            console.print(modelText(*model));
            result.json = jsonHead();
            result.json["model"] = modelJson(*model);
            result.json["diagnostics"] = toJson(model->diagnostics);
            result.line = fmt::format("{} nodes", model->graph.nodeCount());
        }
        if (!list.add(path, std::move(result))) {
            break;
        }
    }
    return list.finish();
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
    console.diagnostics(folding->model.diagnostics);
    console.diagnostics(folding->notes);
    const FoldOutcome outcome = folding->outcome();
    std::string text = explainText(outcome, options.node);
    if (text.empty() && !options.node.empty()) {
        const Graph& graph = folding->trace.original;
        if (!graph.findNode(options.node).valid() && !graph.findValue(options.node).valid()) {
            return console.fail({ErrorKind::Usage, "unknown-node",
                                 fmt::format("the model has no node and no value '{}'", options.node)});
        }
        text =
            fmt::format("'{}' is no quantizer, and nothing stayed in float because of it\n", printable(options.node));
    }
    console.print(text);
    nlohmann::json object = jsonHead();
    object["model"] = modelJson(folding->model);
    object["quantizers"] = quantizersJson(folding->report);
    object["islands"] = islandsJson(folding->report);
    object["sites"] = stagesJson(folding->trace, nullptr);
    object["diagnostics"] = toJson(folding->model.diagnostics);
    for (nlohmann::json& entry : toJson(folding->notes)) {
        object["diagnostics"].push_back(std::move(entry));
    }
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
            std::vector<std::string> names;
            for (const PassInfo& pass : passCatalogue()) {
                names.emplace_back(pass.id);
            }
            const std::string hint = suggestion(options.pass, names);
            return console.fail({ErrorKind::Usage, "unknown-pass",
                                 fmt::format("there is no pass '{}'{}", options.pass,
                                             hint.empty() ? ": see crease-cli passes" : hint)});
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
