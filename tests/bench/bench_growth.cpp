// SPDX-License-Identifier: GPL-3.0-or-later
// bench_growth [--target NAME] [--from N] [--to N] [--write FOLDER] [FAMILY ...]: how the time of each step of a fold
// grows as a network doubles. Exits 1 where two doublings in a row each take more than 2.3 times as long: one alone may
// be the machine.
#include "core/export/exporter.h"
#include "core/ir/diff.h"
#include "core/onnx/importer.h"
#include "core/onnx/writer.h"
#include "core/passes/pipeline.h"
#include "core/passes/report.h"
#include "core/samples/samples.h"
#include "core/verify/verify.h"
#include "tests/bench/networks.h"

#include <ctime>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

using namespace crease;

namespace {

constexpr double limit = 2.3;
constexpr double leastMilliseconds = 20.0; // what takes less is not judged

double processorMilliseconds()
{
    return 1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Milliseconds of processor time, by step.
class Times {
public:
    template <class F>
    auto of(const std::string& step, F&& work)
    {
        const double start = processorMilliseconds();
        auto result = std::forward<F>(work)();
        add(step, processorMilliseconds() - start);
        return result;
    }

    void add(const std::string& step, double milliseconds)
    {
        if (!m_times.contains(step)) {
            m_order.push_back(step);
        }
        m_times[step] += milliseconds;
    }

    const std::vector<std::string>& steps() const { return m_order; }
    double at(const std::string& step) const
    {
        const auto found = m_times.find(step);
        return found == m_times.end() ? 0.0 : found->second;
    }

private:
    std::vector<std::string> m_order;
    std::map<std::string, double> m_times;
};

template <class T>
T expected(Result<T> result)
{
    if (!result) {
        std::fprintf(stderr, "%s\n", describe(result.error()).c_str());
        std::exit(4);
    }
    return std::move(*result);
}

struct Options {
    std::string target = "onnxruntime-qdq";
    std::size_t from = 2000;
    std::size_t to = 8000;
    std::filesystem::path folder;
    std::vector<std::string> families;
};

Times measure(const Options& options, const std::string& family, std::size_t count)
{
    Times times;
    const Recipe recipe{.target = options.target};
    const Target target = expected(findTarget(options.target));
    const Graph network = bench::NetworkMaker().make(family, count);
    const std::string bytes = expected(modelBytes(network));
    if (!options.folder.empty()) {
        const auto file = options.folder / (family + "-" + std::to_string(count) + ".onnx");
        if (const auto written = writeModel(network, file.string()); !written) {
            std::fprintf(stderr, "%s\n", describe(written.error()).c_str());
            std::exit(5);
        }
    }
    const ImportedModel model =
        times.of("import", [&] { return expected(importModelFromBytes(bytes, {}, {}, Job{})); });
    double last = processorMilliseconds();
    const Trace trace = expected(runPipeline(model.graph, recipe, target, Job{}, [&](const Stage& stage, std::size_t) {
        times.add(stage.pass, processorMilliseconds() - last);
        last = processorMilliseconds();
    }));
    times.of("report", [&] { return makeReport(trace); });
    times.of("diff", [&] { return diffGraphs(trace.original, trace.final()); });
    times.of("lineage", [&] {
        const Lineage lineage(trace);
        std::size_t related = 0;
        for (const NodeId id : trace.original.order()) {
            related += lineage.counterparts(id, 0, trace.stages.size()).size();
        }
        return related;
    });
    const SampleSet samples = expected(randomSamples(model.graph, 1, 1, {}));
    times.of("certify", [&] { return expected(verifyTrace(trace, samples, {}, Job{})); });
    const auto scratch = std::filesystem::temp_directory_path() / ("bench_growth-" + family + ".onnx");
    times.of("export",
             [&] { return expected(exportTrace(trace, recipe, target, scratch.string(), {.force = true}, Job{})); });
    std::filesystem::remove(scratch);
    return times;
}

/// Prints a row for each step that is judged; whether all of them grow as the network does.
bool compare(const Options& options, const std::string& family)
{
    std::vector<std::size_t> sizes;
    std::vector<Times> runs;
    for (std::size_t size = options.from; size <= options.to; size *= 2) {
        sizes.push_back(size);
        runs.push_back(measure(options, family, size));
    }
    bool good = true;
    for (const std::string& step : runs.back().steps()) {
        if (runs.back().at(step) < leastMilliseconds) {
            continue;
        }
        std::printf("%-11s %-20s", family.c_str(), step.c_str());
        int above = 0;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            std::printf("  %6zu: %8.1f ms", sizes[i], runs[i].at(step));
            const double before = i > 0 ? runs[i - 1].at(step) : 0.0;
            if (before < leastMilliseconds) {
                above = 0;
                continue;
            }
            const double ratio = runs[i].at(step) / before;
            above = ratio > limit ? above + 1 : 0;
            std::printf(" x%.2f", ratio);
        }
        good = good && above < 2;
        std::printf("%s\n", above >= 2 ? "  grows too fast" : "");
        std::fflush(stdout);
    }
    return good;
}

Options optionsOf(int argc, char** argv)
{
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const bool more = i + 1 < argc;
        if (argument == "--target" && more) {
            options.target = argv[++i];
        } else if (argument == "--from" && more) {
            options.from = std::max(1UL, std::strtoul(argv[++i], nullptr, 10));
        } else if (argument == "--to" && more) {
            options.to = std::strtoul(argv[++i], nullptr, 10);
        } else if (argument == "--write" && more) {
            options.folder = argv[++i];
        } else if (std::ranges::find(bench::NetworkMaker::families, argument) != bench::NetworkMaker::families.end()) {
            options.families.push_back(argument);
        } else {
            std::fprintf(stderr, "bench_growth: what is '%s'? Families:", argument.c_str());
            for (const std::string_view family : bench::NetworkMaker::families) {
                std::fprintf(stderr, " %s", std::string(family).c_str());
            }
            std::fprintf(stderr, "\n");
            std::exit(2);
        }
    }
    if (options.families.empty()) {
        options.families.assign(bench::NetworkMaker::families.begin(), bench::NetworkMaker::families.end());
    }
    return options;
}

} // namespace

int main(int argc, char** argv)
{
    const Options options = optionsOf(argc, argv);
    bool good = true;
    for (const std::string& family : options.families) {
        good = compare(options, family) && good;
    }
    return good ? 0 : 1;
}
