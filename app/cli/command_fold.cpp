// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/engine_use.h"
#include "core/export/text_report.h"
#include "core/support/text.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>

namespace crease::cli {

namespace {

/// Where one model's file goes: -o itself for one model, a file of the model's name in the folder -o for several.
Result<std::string> outputPath(const Options& options, const std::string& model)
{
    if (options.models.size() == 1 && !std::filesystem::is_directory(options.output)) {
        return options.output;
    }
    if (!std::filesystem::is_directory(options.output)) {
        Error error{ErrorKind::Output, "no-output-folder", "several models are written into a folder that exists"};
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

bool sameFile(const std::string& a, const std::string& b)
{
    std::error_code code;
    return !a.empty() && !b.empty() &&
           (std::filesystem::weakly_canonical(a, code) == std::filesystem::weakly_canonical(b, code));
}

std::string contentsOf(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Nothing that is written may stand on an input, on another output, or on a file that is not ours.
Result<void> checkOutputs(const Options& options)
{
    std::set<std::string> names;
    for (const std::string& model : options.models) {
        if (!names.insert(std::filesystem::path(model).filename().string()).second) {
            return failure(ErrorKind::Usage, "same-name",
                           "two models are called " + std::filesystem::path(model).filename().string() +
                               ": one would replace the other");
        }
    }
    const std::vector<std::pair<std::string, const std::string*>> extra{{"--report", &options.report},
                                                                        {"--save-recipe", &options.saveRecipe}};
    for (const auto& [flag, path] : extra) {
        std::vector<std::string> others = options.models;
        others.push_back(options.output);
        others.push_back(path == &options.report ? options.saveRecipe : options.report);
        if (std::ranges::any_of(others,
                                [&, file = path](const std::string& other) { return sameFile(*file, other); })) {
            return failure(ErrorKind::Usage, "same-file", flag + " " + *path + " is also an input or another output");
        }
        if (path->empty() || options.force || !std::filesystem::exists(*path)) {
            continue;
        }
        const std::string old = contentsOf(*path);
        const bool ours = flag == "--report"
                              ? old.find("\"crease\"") != std::string::npos && nlohmann::json::accept(old)
                              : recipeFromJson(old).has_value();
        if (!ours) {
            Error error{ErrorKind::Output, "foreign-file",
                        "the file exists and Crease did not write it; --force replaces it"};
            error.file = *path;
            return std::unexpected(std::move(error));
        }
    }
    return {};
}

struct ModelResult {
    int code = Done;
    nlohmann::json json;
    std::string line; // of the summary
};

Result<Folding> foldOne(const Options& options, const std::string& model, const Job& job)
{
    Folding folding = TRY(foldModel(options, model, job));
    if (!options.noVerify) {
        TRY(certify(options, folding, job));
    }
    if (!options.dryRun) {
        ExportOptions how;
        how.force = options.force;
        how.sourceSha256 = folding.model.sha256;
        how.integerIo = folding.recipe.io;
        folding.output =
            TRY(exportTrace(folding.trace, folding.recipe, folding.target, TRY(outputPath(options, model)), how, job));
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
        result.line = fmt::format("{}: {}", printable(model), folding.error().message);
        return result;
    }
    console.diagnostics(folding->model.diagnostics);
    console.diagnostics(folding->notes);
    if (folding->output) {
        console.diagnostics(folding->output->diagnostics);
    }
    const FoldOutcome outcome = folding->outcome();
    result.json = outcomeJson(outcome);
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
    result.line = fmt::format("{}: {} of {} linear ops integer, {}{}", printable(model),
                              folding->report.integerLinearOps, folding->report.quantizedLinearOps,
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
    nlohmann::json list = nlohmann::json::array();
    std::string summary;
    int code = Done;
    for (const std::string& model : options.models) {
        ModelResult result = report(options, model, console, job);
        code = std::max(code, result.code);
        summary += "  " + result.line + "\n";
        list.push_back(std::move(result.json));
        if (stop.stop_requested()) {
            code = Interrupted;
            break;
        }
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
