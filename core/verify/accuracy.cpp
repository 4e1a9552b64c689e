// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/program.h"
#include "core/support/parallel_for.h"
#include "core/verify/grid_codes.h"
#include "core/verify/verify.h"

#include <algorithm>
#include <optional>

namespace crease {

namespace {

/// The classes that an output says: one a row, or one a pixel. Empty where it has not as many as there are labels.
std::vector<std::int64_t> predictions(const std::vector<double>& output, const Dims& dims, std::size_t labels,
                                      double threshold)
{
    for (const std::size_t axis : {std::size_t{1}, dims.size() - 1}) {
        if (axis >= dims.size() || dims[axis] <= 0 || labels * static_cast<std::size_t>(dims[axis]) != output.size()) {
            continue;
        }
        const auto channels = static_cast<std::size_t>(dims[axis]);
        std::size_t inner = 1;
        for (std::size_t i = axis + 1; i < dims.size(); ++i) {
            inner *= static_cast<std::size_t>(dims[i]);
        }
        std::vector<std::int64_t> result;
        for (std::size_t i = 0; i < labels; ++i) {
            const std::size_t base = (i / inner) * inner * channels + i % inner;
            if (channels == 1) {
                result.push_back(output[base] > threshold ? 1 : 0);
                continue;
            }
            std::size_t best = 0;
            for (std::size_t c = 1; c < channels; ++c) {
                best = output[base + c * inner] > output[base + best * inner] ? c : best;
            }
            result.push_back(static_cast<std::int64_t>(best));
        }
        return result;
    }
    return {};
}

/// The first output that is numeric.
std::optional<std::size_t> scoreOutput(const Graph& graph)
{
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
        const Value& value = graph.value(graph.outputs()[i]);
        if (isFloat(value.type) || isInteger(value.type)) {
            return i;
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<Accuracy> accuracyOf(const std::vector<Scores>& before, const std::vector<Scores>& after,
                                   const SampleSet& samples)
{
    if (samples.labels.empty() || before.size() != samples.labels.size() || after.size() != samples.labels.size()) {
        return std::nullopt;
    }
    const auto probability = [](double p) { return p >= 0.0 && p <= 1.0; };
    const double threshold = std::ranges::all_of(before.front().values, probability) ? 0.5 : 0.0;
    Accuracy total;
    for (std::size_t i = 0; i < samples.labels.size(); ++i) {
        const auto& labels = samples.labels[i];
        const auto said = predictions(before[i].values, before[i].dims, labels.size(), threshold);
        const auto says = predictions(after[i].values, after[i].dims, labels.size(), threshold);
        if (said.size() != labels.size() || says.size() != labels.size()) {
            return std::nullopt;
        }
        for (std::size_t k = 0; k < labels.size(); ++k) {
            total.correctBefore += said[k] == labels[k] ? 1 : 0;
            total.correctAfter += says[k] == labels[k] ? 1 : 0;
            total.flips += said[k] != says[k] ? 1 : 0;
            ++total.count;
        }
    }
    return total;
}

Result<std::optional<Accuracy>> measureAccuracy(const Graph& before, const Graph& after, const SampleSet& samples,
                                                const Job& job)
{
    const auto place = scoreOutput(before);
    if (samples.labels.size() != samples.samples.size() || samples.labels.empty() || !place ||
        *place >= after.outputs().size()) {
        return std::nullopt;
    }
    const Program source = TRY(Program::create(before, {.precision = Precision::Float32}));
    const Program folded = TRY(Program::create(after, {.precision = Precision::Float32}));
    const auto scores = [&](const Program& program, std::size_t i) -> Result<Scores> {
        const auto outputs = TRY(program.run(samples.samples[i], job));
        const Value& value = program.graph().value(program.graph().outputs()[*place]);
        return Scores{realsOf(value, outputs[*place]), outputs[*place].dims()};
    };
    std::vector<Scores> said(samples.samples.size());
    std::vector<Scores> says(samples.samples.size());
    std::vector<std::optional<Error>> errors(samples.samples.size());
    parallelFor(samples.samples.size(), job.threads, [&](std::size_t i) {
        auto a = scores(source, i);
        auto b = a ? scores(folded, i) : a;
        if (!a || !b) {
            errors[i] = a ? b.error() : a.error();
            return;
        }
        said[i] = std::move(*a);
        says[i] = std::move(*b);
    });
    for (const auto& error : errors) {
        if (error) {
            return std::unexpected(*error);
        }
    }
    return accuracyOf(said, says, samples);
}

} // namespace crease
