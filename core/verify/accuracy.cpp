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
    const auto scores = [&](const Program& program, std::size_t i, Dims& dims) -> Result<std::vector<double>> {
        const auto outputs = TRY(program.run(samples.samples[i], job));
        dims = outputs[*place].dims();
        return realsOf(program.graph().value(program.graph().outputs()[*place]), outputs[*place]);
    };
    Dims firstDims;
    const std::vector<double> first = TRY(scores(source, 0, firstDims));
    const bool probabilities = std::ranges::all_of(first, [](double p) { return p >= 0.0 && p <= 1.0; });
    const double threshold = probabilities ? 0.5 : 0.0;

    std::vector<Accuracy> each(samples.samples.size());
    std::vector<std::optional<Error>> errors(samples.samples.size());
    std::vector<char> fits(samples.samples.size(), 1);
    parallelFor(samples.samples.size(), job.threads, [&](std::size_t i) {
        Dims dims;
        const auto a = scores(source, i, dims);
        const auto b = a ? scores(folded, i, dims) : a;
        if (!a || !b) {
            errors[i] = a ? b.error() : a.error();
            return;
        }
        const auto& labels = samples.labels[i];
        const auto said = predictions(*a, dims, labels.size(), threshold);
        const auto says = predictions(*b, dims, labels.size(), threshold);
        fits[i] = static_cast<char>(said.size() == labels.size() && says.size() == labels.size());
        for (std::size_t k = 0; fits[i] != 0 && k < labels.size(); ++k) {
            each[i].correctBefore += said[k] == labels[k] ? 1 : 0;
            each[i].correctAfter += says[k] == labels[k] ? 1 : 0;
            each[i].flips += said[k] != says[k] ? 1 : 0;
            ++each[i].count;
        }
    });
    Accuracy total;
    for (std::size_t i = 0; i < each.size(); ++i) {
        if (errors[i]) {
            return std::unexpected(*errors[i]);
        }
        if (fits[i] == 0) {
            return std::nullopt;
        }
        total.correctBefore += each[i].correctBefore;
        total.correctAfter += each[i].correctAfter;
        total.flips += each[i].flips;
        total.count += each[i].count;
    }
    return total;
}

} // namespace crease
