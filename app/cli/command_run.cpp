// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/engine_use.h"
#include "core/exec/program.h"
#include "core/export/replacing.h"
#include "core/export/report_json.h"
#include "core/samples/samples.h"
#include "core/support/text.h"
#include "core/tensor/stack.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crease::cli {

namespace {

struct Outputs {
    std::vector<std::pair<std::string, Tensor>> arrays;
    SampleSet samples;
    Diagnostics notes;
};

Result<Outputs> evaluate(const Options& options, const ImportedModel& model, const Job& job)
{
    Outputs result;
    result.samples = TRY(resolveSamples(options, model.graph, result.notes, job));
    std::vector<std::vector<Tensor>> rows;
    if (options.engine.empty()) {
        const Program program = TRY(Program::create(model.graph, {.threads = job.threads}));
        for (std::size_t i = 0; i < result.samples.samples.size(); ++i) {
            TRY(job.check());
            job.report(static_cast<double>(i) / static_cast<double>(result.samples.samples.size()), "evaluating");
            rows.push_back(TRY(program.run(result.samples.samples[i], job)));
        }
    } else {
        rows = TRY(runEngine(options, model.file, result.samples, job));
    }
    for (std::size_t i = 0; i < model.graph.outputs().size(); ++i) {
        std::vector<Tensor> column;
        for (const std::vector<Tensor>& row : rows) {
            if (i >= row.size()) {
                return failure(ErrorKind::Refused, "engine-outputs",
                               fmt::format("engine {}: it gave {} of the model's {} outputs", options.engine,
                                           row.size(), model.graph.outputs().size()));
            }
            column.push_back(row[i]);
        }
        result.arrays.emplace_back(model.graph.value(model.graph.outputs()[i]).name, TRY(stacked(column)));
    }
    return result;
}

} // namespace

int runRun(const Options& options, const Console& console, const std::stop_token& stop)
{
    const Job job = makeJob(options, console, stop);
    const auto run = [&]() -> Result<void> {
        if (!options.output.empty()) {
            TRY(mayReplace(options.output, options.force, FileOfOurs::Arrays));
            TRY(checkNoInput("-o", options.output, {options.models.front(), options.samples}));
        }
        const ImportedModel model = TRY(openModel(options, options.models.front(), job));
        console.diagnostics(model.diagnostics);
        const Outputs outputs = TRY(evaluate(options, model, job));
        console.diagnostics(outputs.notes);
        if (!options.output.empty()) {
            TRY(writeNpz(options.output, outputs.arrays));
        }
        nlohmann::json list = nlohmann::json::array();
        std::string text = fmt::format("{}: {} samples ({})\n", printable(model.file), outputs.samples.samples.size(),
                                       printable(outputs.samples.source));
        for (const auto& [name, tensor] : outputs.arrays) {
            list.push_back({{"name", printable(name)},
                            {"type", std::string(longName(tensor.type()))},
                            {"shape", tensor.dims()},
                            {"file", printable(options.output)}});
            text += fmt::format("  {}: {} {}\n", printable(name), longName(tensor.type()), toText(tensor.dims()));
        }
        console.print(text +
                      (options.output.empty() ? "" : fmt::format("  written to {}\n", printable(options.output))));
        nlohmann::json object = jsonHead();
        object["model"] = modelJson(model);
        object["outputs"] = std::move(list);
        object["samples"] = {{"source", printable(outputs.samples.source)},
                             {"count", outputs.samples.samples.size()},
                             {"seed", outputs.samples.seed}};
        object["diagnostics"] = toJson(model.diagnostics);
        for (nlohmann::json& entry : toJson(outputs.notes)) {
            object["diagnostics"].push_back(std::move(entry));
        }
        console.object(object);
        return {};
    };
    const auto done = run();
    return done ? Done : console.fail(done.error());
}

} // namespace crease::cli
