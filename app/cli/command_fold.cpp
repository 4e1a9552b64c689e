// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/engine_use.h"
#include "app/cli/model_list.h"
#include "core/export/replacing.h"
#include "core/export/text_report.h"
#include "core/support/text.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace crease::cli {

namespace {

/// Where one model's file goes: -o itself for one model, a file of the model's name in the folder -o for several.
Result<std::string> outputPath(const Options& options, const std::string& model)
{
    if (options.models.size() == 1 && !std::filesystem::is_directory(options.output)) {
        return options.output;
    }
    if (!std::filesystem::is_directory(options.output)) {
        Error error{ErrorKind::Usage, "no-output-folder", "several models are written into a folder that exists"};
        error.file = options.output;
        return std::unexpected(std::move(error));
    }
    return (std::filesystem::path(options.output) / std::filesystem::path(model).filename()).string();
}

Result<void> writeText(const std::string& path, const std::string& text)
{
    const std::string part = path + ".part";
    std::ofstream file(part, std::ios::binary);
    file << text;
    file.close();
    std::error_code code;
    if (file) {
        std::filesystem::rename(part, path, code);
    }
    if (!file || code) {
        std::filesystem::remove(part, code);
        Error error{ErrorKind::Output, "cannot-write", "the file cannot be written"};
        error.file = path;
        return std::unexpected(std::move(error));
    }
    return {};
}

/// Nothing that is written may stand on an input, on another output, or on a file that is not ours.
Result<void> checkOutputs(const Options& options)
{
    std::vector<std::string> inputs = options.models;
    inputs.push_back(options.samples);
    std::vector<std::string> outputs;
    for (const std::string& model : options.models) {
        if (options.dryRun) {
            break;
        }
        const std::string path = TRY(outputPath(options, model));
        if (std::ranges::find(outputs, path) != outputs.end()) {
            return failure(ErrorKind::Usage, "same-name",
                           "two models are called " + std::filesystem::path(model).filename().string() +
                               ": one would replace the other");
        }
        TRY(checkNoInput("-o", path, inputs));
        outputs.push_back(path);
    }
    const auto check = [&](const std::string& flag, const std::string& path, FileOfOurs kind) -> Result<void> {
        if (path.empty()) {
            return {};
        }
        TRY(checkNoInput(flag, path, inputs));
        if (const auto folder = std::filesystem::path(path).parent_path();
            !folder.empty() && !std::filesystem::is_directory(folder)) {
            Error error{ErrorKind::Output, "no-folder", "its folder does not exist, so nothing is written at all"};
            error.file = path;
            return std::unexpected(std::move(error));
        }
        if (std::ranges::any_of(outputs, [&](const std::string& other) { return sameFile(path, other); })) {
            return failure(ErrorKind::Usage, "same-file", flag + " " + path + " is also another output");
        }
        outputs.push_back(path);
        return mayReplace(path, options.force, kind);
    };
    TRY(check("--report", options.report, FileOfOurs::Report));
    return check("--save-recipe", options.saveRecipe, FileOfOurs::Recipe);
}

Result<Folding> foldOne(const Options& options, const std::string& model, const Job& job)
{
    const std::string path = options.dryRun ? std::string() : TRY(outputPath(options, model));
    if (!path.empty()) {
        TRY(mayReplace(path, options.force, FileOfOurs::Model));
    }
    Folding folding = TRY(foldModel(options, model, job));
    if (!options.noVerify) {
        TRY(certify(options, folding, job));
    }
    if (!options.dryRun) {
        ExportOptions how;
        how.force = options.force;
        how.sourceSha256 = folding.model.sha256;
        how.integerIo = folding.recipe.io;
        folding.output = TRY(exportTrace(folding.trace, folding.recipe, folding.target, path, how, job));
    }
    if (!options.engine.empty()) {
        TRY(compareWithEngine(options, folding, job));
    }
    return folding;
}

ModelResult report(const Options& options, const std::string& model, const Console& console, const Job& job)
{
    ModelResult result;
    auto folding = foldOne(options, model, job);
    if (!folding) {
        result.code = console.failQuietly(folding.error(), result.json);
        result.line = folding.error().message;
        return result;
    }
    console.diagnostics(folding->model.diagnostics);
    console.diagnostics(folding->notes);
    if (folding->output) {
        console.diagnostics(folding->output->diagnostics);
    }
    const FoldOutcome outcome = folding->outcome();
    if (console.json() || !options.report.empty()) {
        result.json = outcomeJson(outcome);
        if (folding->engineError) {
            result.json["error"] = toJson(*folding->engineError);
        }
    }
    console.print(accountText(outcome));
    if (console.verbose()) {
        console.print(stagesText(outcome));
    }
    if (!options.saveRecipe.empty()) {
        if (auto written = writeText(options.saveRecipe, recipeToJson(folding->recipe)); !written) {
            result.code = console.failQuietly(written.error(), result.json);
            return result;
        }
    }
    if (!options.report.empty()) {
        if (auto written =
                writeText(options.report, result.json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
            !written) {
            result.code = console.failQuietly(written.error(), result.json);
            return result;
        }
    }
    result.code = judge(*folding, console);
    result.line = fmt::format("{} of {} linear ops integer, {}{}", folding->report.integerLinearOps,
                              folding->report.quantizedLinearOps,
                              folding->verification ? verdictName(folding->verification->whole.verdict) : "not-checked",
                              result.code == Done ? "" : ", FAILED");
    return result;
}

} // namespace

int runFold(const Options& options, const Console& console, const std::stop_token& stop)
{
    if (options.output.empty() && !options.dryRun) {
        return console.fail({ErrorKind::Usage, "no-output", "-o FILE is needed, or --dry-run"});
    }
    if (options.models.size() > 1 && (!options.report.empty() || !options.saveRecipe.empty())) {
        return console.fail({ErrorKind::Usage, "one-model", "--report and --save-recipe take one model"});
    }
    if (const auto outputs = checkOutputs(options); !outputs) {
        return console.fail(outputs.error());
    }
    const Job job = makeJob(options, console, stop);
    ModelList list(console, options.models.size());
    for (const std::string& model : options.models) {
        if (!list.add(model, report(options, model, console, job))) {
            break;
        }
    }
    return list.finish();
}

} // namespace crease::cli
