// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/session.h"

#include "core/engines/process_engine.h"
#include "core/samples/samples.h"
#include "core/support/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace crease::cli {

namespace {

std::uint64_t machineMemory()
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long size = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && size > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size)
                                 : std::uint64_t{4} << 30;
}

/// NAME=1x3x224x224
Result<std::pair<std::string, Dims>> parseShape(const std::string& text)
{
    const auto bad = [&] {
        return failure(ErrorKind::Usage, "bad-shape", fmt::format("--shape {}: NAME=1x3x224x224 expected", text));
    };
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) {
        return bad();
    }
    Dims dims;
    std::stringstream parts(text.substr(equals + 1));
    for (std::string part; std::getline(parts, part, 'x');) {
        char* end = nullptr;
        const long long value = std::strtoll(part.c_str(), &end, 10);
        if (part.empty() || *end != '\0' || value < 0) {
            return bad();
        }
        dims.push_back(value);
    }
    return std::pair(text.substr(0, equals), dims);
}

/// A NaN compares equal to nothing and certifies nothing; infinities are told (attention masks hold them).
Result<void> checkFinite(const SampleSet& samples, const Graph& graph, Diagnostics& notes)
{
    for (std::size_t i = 0; i < samples.samples.size(); ++i) {
        for (std::size_t k = 0; k < samples.samples[i].size(); ++k) {
            const Tensor& tensor = samples.samples[i][k];
            if (!isFloat(tensor.type())) {
                continue;
            }
            const std::string name = graph.value(graph.inputs()[k]).name;
            const std::vector<double> values = tensor.toDoubles();
            if (std::ranges::any_of(values, [](double value) { return std::isnan(value); })) {
                Error error{ErrorKind::Input, "sample-nan", fmt::format("sample {} holds a NaN", i)};
                error.file = samples.source;
                error.value = name;
                return std::unexpected(std::move(error));
            }
            if (std::ranges::any_of(values, [](double value) { return std::isinf(value); })) {
                notes.push_back(
                    {Severity::Warning, "sample-infinite", fmt::format("sample {} holds an infinity", i), {}, name});
            }
        }
    }
    return {};
}

Result<SampleOptions> sampleOptions(const Options& options, Diagnostics& notes)
{
    SampleOptions result;
    for (const std::string& text : options.shapes) {
        result.shapes.insert(TRY(parseShape(text)));
    }
    result.limit = options.limit;
    result.rawType = options.rawType;
    result.maxNpzExpansion = options.maxExpansion;
    result.notes = &notes;
    return result;
}

} // namespace

Result<std::uint64_t> parseBytes(const std::string& text)
{
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    const std::string unit(end);
    constexpr std::string_view letters = "KMGT";
    double factor = 1.0;
    const bool scaled =
        !unit.empty() &&
        letters.find(static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0])))) != std::string_view::npos;
    if (scaled) {
        factor = std::pow(1024.0, 1.0 + static_cast<double>(letters.find(
                                            static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0]))))));
    }
    const std::string rest = scaled ? unit.substr(1) : unit;
    if (end == text.c_str() || !(number > 0.0) || number * factor > 9e18 ||
        !(rest.empty() || rest == "B" || rest == "iB")) {
        return failure(ErrorKind::Usage, "bad-size", fmt::format("'{}' is no size: 512M or 8G expected", text));
    }
    return static_cast<std::uint64_t>(number * factor);
}

Result<void> checkOptions(const Options& options)
{
    for (const std::string* text : {&options.memoryLimit, &options.maxFile, &options.maxTensor}) {
        if (!text->empty()) {
            TRY(parseBytes(*text));
        }
    }
    if (options.threads < 0) {
        return failure(ErrorKind::Usage, "bad-threads",
                       fmt::format("--threads {}: a positive number expected", options.threads));
    }
    if (!options.samples.empty() && options.random > 0) {
        return failure(ErrorKind::Usage, "samples-twice", "--samples and --random exclude each other");
    }
    if (options.quiet && options.verbose) {
        return failure(ErrorKind::Usage, "quiet-and-verbose", "-q and -v exclude each other");
    }
    if (!(options.maxExpansion > 0.0)) {
        return failure(ErrorKind::Usage, "bad-expansion", "--max-expansion: a number above 0 expected");
    }
    if (!options.engine.empty()) {
        TRY(makeEngine(options.engine, options.engineFolders));
    }
    return {};
}

Job makeJob(const Options& options, const Console& console, std::stop_token stop)
{
    Job job;
    job.stop = std::move(stop);
    job.progress = [&console](double fraction, std::string_view what) { console.progress(fraction, what); };
    job.threads =
        options.threads > 0 ? options.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    job.memoryLimit = static_cast<std::size_t>(options.memoryLimit.empty()
                                                   ? machineMemory() / 2
                                                   : parseBytes(options.memoryLimit).value_or(machineMemory() / 2));
    return job;
}

Result<ImportedModel> openModel(const Options& options, const std::string& path, const Job& job)
{
    ImportOptions limits;
    if (!options.maxFile.empty()) {
        limits.maxFileBytes = TRY(parseBytes(options.maxFile));
    }
    if (!options.maxTensor.empty()) {
        limits.maxTensorBytes = TRY(parseBytes(options.maxTensor));
    }
    return importModel(path, limits, job);
}

Result<Recipe> resolveRecipe(const Options& options)
{
    Recipe recipe;
    if (!options.recipe.empty()) {
        std::ifstream file(options.recipe, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        if (!file) {
            Error error{ErrorKind::Input, "unreadable-recipe", "the recipe cannot be read"};
            error.file = options.recipe;
            return std::unexpected(std::move(error));
        }
        auto parsed = recipeFromJson(text.str());
        if (!parsed) {
            parsed.error().file = options.recipe;
            return parsed;
        }
        recipe = std::move(*parsed);
    }
    if (!options.target.empty()) {
        recipe.target = options.target;
    }
    if (!options.io.empty()) {
        recipe.io = options.io;
    }
    recipe.keepFloat.insert(options.keepFloat.begin(), options.keepFloat.end());
    recipe.passesOff.insert(options.passesOff.begin(), options.passesOff.end());
    recipe.sitesOff.insert(options.sitesOff.begin(), options.sitesOff.end());
    recipe.requireInteger |= options.requireInteger;
    recipe.allowApproximate |= options.allowApproximate;
    return recipe;
}

Result<SampleSet> resolveSamples(const Options& options, const Graph& graph, Diagnostics& notes, const Job& job)
{
    const SampleOptions how = TRY(sampleOptions(options, notes));
    if (!options.samples.empty()) {
        SampleSet samples = TRY(readSamples(options.samples, graph, how, job));
        TRY(checkFinite(samples, graph, notes));
        return samples;
    }
    const std::size_t count = options.random > 0 ? options.random : 4;
    SampleOptions silent = how;
    silent.notes = nullptr;
    const SampleSet one = TRY(randomSamples(graph, 1, options.seed, silent));
    std::size_t bytes = 0;
    for (const Tensor& tensor : one.samples.front()) {
        bytes += tensor.bytes();
    }
    if (job.memoryLimit > 0 && bytes > job.memoryLimit / count) {
        return failure(
            ErrorKind::Usage, "too-many-samples",
            fmt::format("{} random samples of {} exceed the memory limit of {}: ask for fewer, or raise --memory-limit",
                        count, byteSize(bytes), byteSize(job.memoryLimit)));
    }
    return randomSamples(graph, count, options.seed, how);
}

} // namespace crease::cli
