// SPDX-License-Identifier: GPL-3.0-or-later
// How long one evaluation takes on one thread: bench_evaluate MODEL [INPUT=1x3x224x224 ...] [Google Benchmark options].
#include "core/exec/program.h"
#include "core/onnx/importer.h"
#include "core/samples/samples.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace crease;

namespace {

struct Arguments {
    std::string model;
    SampleOptions samples;
};

Arguments& arguments()
{
    static Arguments all;
    return all;
}

Dims dimsOf(const std::string& text)
{
    Dims dims;
    for (std::size_t start = 0; start < text.size(); start = std::min(text.find('x', start), text.size() - 1) + 1) {
        dims.push_back(std::strtoll(text.c_str() + start, nullptr, 10));
    }
    return dims;
}

void evaluate(benchmark::State& state, Precision precision)
{
    Result<ImportedModel> model = importModel(arguments().model, {}, Job{});
    if (!model) {
        state.SkipWithError(describe(model.error()).c_str());
        return;
    }
    Result<SampleSet> samples = randomSamples(model->graph, 1, 1, arguments().samples);
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
    if (argc < 2) {
        std::fprintf(stderr, "usage: bench_evaluate MODEL [INPUT=1x3x224x224 ...] [--benchmark_filter=float32 ...]\n");
        return 2;
    }
    arguments().model = argv[1];
    for (int i = 2; i < argc; ++i) {
        const std::string text = argv[i];
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos) {
            std::fprintf(stderr, "%s is no INPUT=SHAPE\n", argv[i]);
            return 2;
        }
        arguments().samples.shapes[text.substr(0, equals)] = dimsOf(text.substr(equals + 1));
    }
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
