// SPDX-License-Identifier: GPL-3.0-or-later
// How long one evaluation takes on one thread: bench_evaluate MODEL [Google Benchmark options].
#include "core/exec/program.h"
#include "core/onnx/importer.h"
#include "core/samples/samples.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>

using namespace crease;

namespace {

std::string& modelPath()
{
    static std::string path;
    return path;
}

void evaluate(benchmark::State& state, Precision precision)
{
    Result<ImportedModel> model = importModel(modelPath(), {}, Job{});
    if (!model) {
        state.SkipWithError(describe(model.error()).c_str());
        return;
    }
    Result<SampleSet> samples = randomSamples(model->graph, 1, 1, {});
    Result<Program> program = Program::create(std::move(model->graph), {.precision = precision});
    if (!samples || !program) {
        state.SkipWithError(describe(samples ? program.error() : samples.error()).c_str());
        return;
    }
    for (auto _ : state) {
        const Result<std::vector<Tensor>> outputs = program->run(samples->samples.front(), Job{});
        if (!outputs) {
            state.SkipWithError(describe(outputs.error()).c_str());
            return;
        }
        benchmark::DoNotOptimize(outputs->front().raw());
    }
}

} // namespace

BENCHMARK_CAPTURE(evaluate, float32, Precision::Float32)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluate, exact, Precision::Exact)->Unit(benchmark::kMillisecond);

int main(int argc, char** argv)
{
    benchmark::Initialize(&argc, argv);
    if (argc != 2) {
        std::fprintf(stderr, "usage: bench_evaluate MODEL [--benchmark_filter=float32 ...]\n");
        return 2;
    }
    modelPath() = argv[1];
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
