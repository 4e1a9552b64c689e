// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/program.h"
#include "core/support/parallel_for.h"
#include "core/support/text.h"
#include "core/verify/grid_codes.h"
#include "core/verify/metrics.h"
#include "core/verify/output_grid.h"
#include "core/verify/verify.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace crease {

namespace {

/// As steps of a grid, as codes without a known one, or, where neither, as real numbers or element for element.
struct Comparing {
    std::optional<Grid> grid;
    bool codes = false;
    bool exactly = false;

    bool steps() const { return grid || codes || exactly; }
};

bool isCodeType(ElementType type)
{
    return isInteger(type) && bitWidth(type) <= 16;
}

Comparing howToCompare(const Graph& a, const Graph& b, std::size_t place)
{
    const ValueId first = a.outputs()[place];
    const ValueId second = b.outputs()[place];
    const auto grid = outputGrid(a, first);
    const auto other = outputGrid(b, second);
    const bool sameGrid = grid && other && grid->isPerTensor() && other->isPerTensor() && !grid->isWide() &&
                          grid->scale() == other->scale();
    const ElementType types[] = {a.value(first).type, b.value(second).type};
    const bool codes = std::ranges::all_of(types, isCodeType);
    const bool exactly = !codes && std::ranges::none_of(types, isFloat);
    return {sameGrid ? grid : std::nullopt, codes, exactly};
}

void compare(MetricSums& sums, const Comparing& how, const Value& first, const Tensor& a, const Value& second,
             const Tensor& b)
{
    if (a.dims() != b.dims()) {
        sums.counts.unexplained += static_cast<std::int64_t>(std::max<std::size_t>({a.size(), b.size(), 1}));
        return;
    }
    if (!how.grid && how.exactly) {
        sums.addExact(a, b);
        return;
    }
    if (how.grid || how.codes) {
        const Grid grid = how.grid.value_or(Grid::perTensor(1.0, 0, ElementType::Int32));
        const Codes x = codesOf(first, a, grid);
        const Codes y = codesOf(second, b, grid);
        sums.addCodes(toInt32(x.codes), toInt32(y.codes), grid, a.dims());
        sums.counts.unexplained += x.offGrid + y.offGrid;
        return;
    }
    sums.addReals(realsOf(first, a), realsOf(second, b));
}

Verdict verdictOf(const MetricSums& sums, bool steps, double tolerance)
{
    if (sums.sawNan() || sums.counts.unexplained > 0 || sums.counts.maxSteps > 1) {
        return Verdict::Failed;
    }
    if (sums.elements() == 0) {
        return Verdict::NotChecked;
    }
    if (steps) {
        return sums.counts.maxSteps == 0 ? Verdict::Exact : Verdict::WithinSteps;
    }
    const double relative = sums.finish().relative;
    return relative == 0.0 ? Verdict::Exact : relative <= tolerance ? Verdict::WithinTolerance : Verdict::Failed;
}

/// The same sample must fit both.
Result<void> checkSameInput(const Value& a, const Value& b, std::size_t place)
{
    bool fits = a.type == b.type;
    if (fits && a.shape && b.shape) {
        fits = std::ranges::equal(*a.shape, *b.shape, [](const Dim& left, const Dim& right) {
            return !left.known() || !right.known() || left.value == right.value;
        });
    }
    if (fits) {
        return {};
    }
    const auto text = [](const Value& value) {
        return fmt::format("'{}': {} {}", printable(value.name), longName(value.type),
                           value.shape ? printable(toText(*value.shape)) : "of unknown rank");
    };
    return failure(ErrorKind::Input, "against-mismatch",
                   fmt::format("input {} of one model is {}, of the other {}", place, text(a), text(b)));
}

} // namespace

Result<GraphsVerification> verifyGraphs(const Graph& a, const Graph& b, const SampleSet& samples,
                                        const VerifyOptions& options, const Job& job)
{
    if (a.outputs().size() != b.outputs().size() || a.inputs().size() != b.inputs().size()) {
        return failure(ErrorKind::Input, "against-mismatch",
                       fmt::format("one model has {} inputs and {} outputs, the other {} and {}", a.inputs().size(),
                                   a.outputs().size(), b.inputs().size(), b.outputs().size()));
    }
    for (std::size_t place = 0; place < a.inputs().size(); ++place) {
        TRY(checkSameInput(a.value(a.inputs()[place]), b.value(b.inputs()[place]), place));
    }
    const Program first = TRY(Program::create(a, {.precision = Precision::Float32}));
    const Program second = TRY(Program::create(b, {.precision = Precision::Float32}));
    const std::size_t outputs = a.outputs().size();
    std::vector<Comparing> how;
    for (std::size_t place = 0; place < outputs; ++place) {
        how.push_back(howToCompare(a, b, place));
    }
    std::vector<MetricSums> sums(outputs);
    const std::size_t chunk = static_cast<std::size_t>(std::max(job.threads, 1)) * 4U;
    for (std::size_t next = 0; next < samples.samples.size(); next += chunk) {
        const std::size_t some = std::min(chunk, samples.samples.size() - next);
        std::vector<std::vector<MetricSums>> each(some, std::vector<MetricSums>(outputs));
        std::vector<std::optional<Error>> errors(some);
        parallelFor(some, job.threads, [&](std::size_t k) {
            const auto x = first.run(samples.samples[next + k], job);
            const auto y = x ? second.run(samples.samples[next + k], job) : x;
            if (!x || !y) {
                errors[k] = x ? y.error() : x.error();
                return;
            }
            for (std::size_t place = 0; place < outputs; ++place) {
                compare(each[k][place], how[place], a.value(a.outputs()[place]), (*x)[place],
                        b.value(b.outputs()[place]), (*y)[place]);
            }
        });
        for (std::size_t k = 0; k < some; ++k) {
            if (errors[k]) {
                return std::unexpected(*errors[k]);
            }
            for (std::size_t place = 0; place < outputs; ++place) {
                sums[place].merge(each[k][place]);
            }
        }
        job.report(static_cast<double>(next + some) / static_cast<double>(samples.samples.size()), "comparing");
    }
    GraphsVerification result;
    if (samples.samples.empty() || outputs == 0) {
        result.certificate.note = "there was nothing to compare";
        return result;
    }
    result.certificate.verdict = Verdict::Exact;
    result.certificate.samples = static_cast<std::int64_t>(samples.samples.size());
    for (std::size_t place = 0; place < outputs; ++place) {
        const std::string& name = b.value(b.outputs()[place]).name;
        const Verdict verdict = verdictOf(sums[place], how[place].steps(), options.floatTolerance);
        result.certificate.verdict = worst(result.certificate.verdict, verdict);
        result.certificate.counts.add(sums[place].counts);
        ++result.certificate.tensors;
        if (verdict != Verdict::Exact && result.certificate.note.empty() && sums[place].elements() == 0) {
            result.certificate.note = fmt::format("output '{}' has no elements", printable(name));
        } else if (verdict == Verdict::Failed && result.certificate.note.empty()) {
            result.certificate.note = fmt::format("output '{}' differs", printable(name));
        }
        result.outputs.push_back(
            {name, a.value(a.outputs()[place]).name, "", b.outputs()[place], {}, sums[place].finish()});
    }
    if (!samples.labels.empty()) {
        TRY(storeAccuracy(measureAccuracy(a, b, samples, job), result.accuracy, result.accuracyNote));
    }
    return result;
}

} // namespace crease
