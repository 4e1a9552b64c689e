// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/program.h"
#include "core/support/parallel_for.h"
#include "core/verify/grid_codes.h"
#include "core/verify/verify.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace crease {

namespace {

/// The axis of the classes in an output that has as many rows or pixels as there are labels.
std::optional<std::size_t> classAxis(const Scores& scores, std::size_t labels)
{
    for (const std::size_t axis : {std::size_t{1}, scores.dims.size() - 1}) {
        if (axis < scores.dims.size() && scores.dims[axis] > 0 &&
            labels * static_cast<std::size_t>(scores.dims[axis]) == scores.values.size()) {
            return axis;
        }
    }
    return std::nullopt;
}

/// The classes that an output says: one a row, or one a pixel.
std::vector<std::int64_t> predictions(const Scores& scores, std::size_t axis, std::size_t labels, double threshold)
{
    const auto channels = static_cast<std::size_t>(scores.dims[axis]);
    std::size_t inner = 1;
    for (std::size_t i = axis + 1; i < scores.dims.size(); ++i) {
        inner *= static_cast<std::size_t>(scores.dims[i]);
    }
    std::vector<std::int64_t> result;
    for (std::size_t i = 0; i < labels; ++i) {
        const std::size_t base = (i / inner) * inner * channels + i % inner;
        if (channels == 1) {
            result.push_back(scores.values[base] > threshold ? 1 : 0);
            continue;
        }
        std::size_t best = 0;
        for (std::size_t c = 1; c < channels; ++c) {
            best = scores.values[base + c * inner] > scores.values[base + best * inner] ? c : best;
        }
        result.push_back(static_cast<std::int64_t>(best));
    }
    return result;
}

std::unexpected<Error> misfit(std::string text)
{
    return failure(ErrorKind::Unsupported, "labels-misfit", std::move(text));
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

Result<Accuracy> accuracyOf(const std::vector<Scores>& before, const std::vector<Scores>& after,
                            const SampleSet& samples)
{
    if (samples.labels.empty() || before.size() != samples.labels.size() || after.size() != samples.labels.size()) {
        return misfit(fmt::format("there are {} samples and labels for {}", before.size(), samples.labels.size()));
    }
    const auto probability = [](double p) { return p >= 0.0 && p <= 1.0; };
    const double threshold = std::ranges::all_of(before.front().values, probability) ? 0.5 : 0.0;
    Accuracy total;
    for (std::size_t i = 0; i < samples.labels.size(); ++i) {
        const auto& labels = samples.labels[i];
        const auto axis = classAxis(before[i], labels.size());
        const auto axisAfter = classAxis(after[i], labels.size());
        if (!axis || !axisAfter) {
            return misfit(fmt::format("sample {} has {} label{} and an output of shape {}: one label a row or a pixel "
                                      "is expected",
                                      i, labels.size(), labels.size() == 1 ? "" : "s", toText(before[i].dims)));
        }
        const auto said = predictions(before[i], *axis, labels.size(), threshold);
        const auto says = predictions(after[i], *axisAfter, labels.size(), threshold);
        const std::int64_t classes = std::max<std::int64_t>(2, before[i].dims[*axis]);
        for (std::size_t k = 0; k < labels.size(); ++k) {
            total.correctBefore += said[k] == labels[k] ? 1 : 0;
            total.correctAfter += says[k] == labels[k] ? 1 : 0;
            total.flips += said[k] != says[k] ? 1 : 0;
            ++total.count;
            if (labels[k] < 0 || labels[k] >= classes) {
                if (total.noClass++ == 0) {
                    total.note = fmt::format("label {} of sample {} is none of the {} classes", labels[k], i, classes);
                }
            }
        }
    }
    return total;
}

Result<void> storeAccuracy(Result<Accuracy> measured, std::optional<Accuracy>& accuracy, std::string& note)
{
    if (measured) {
        accuracy = std::move(*measured);
    } else if (measured.error().kind == ErrorKind::Unsupported) {
        note = describe(measured.error());
    } else {
        return std::unexpected(std::move(measured).error());
    }
    return {};
}

Result<Accuracy> measureAccuracy(const Graph& before, const Graph& after, const SampleSet& samples, const Job& job)
{
    if (samples.labels.size() != samples.samples.size() || samples.labels.empty()) {
        return misfit(
            fmt::format("there are {} samples and labels for {}", samples.samples.size(), samples.labels.size()));
    }
    const auto place = scoreOutput(before);
    if (!place || *place >= after.outputs().size()) {
        return misfit("no output is numeric");
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
