// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/program.h"
#include "core/support/text.h"
#include "core/verify/grid_codes.h"
#include "core/verify/metrics.h"
#include "core/verify/output_grid.h"
#include "core/verify/verify.h"

#include <algorithm>

#include <fmt/format.h>

namespace crease {

namespace {

constexpr std::size_t allLayersBytes = std::size_t{64} << 20;
constexpr std::size_t unknownBytes = std::size_t{4} << 10; // of a tensor whose shape the graph does not say

bool isCodeType(ElementType type)
{
    return isInteger(type) && bitWidth(type) <= 16;
}

/// Compares our tensors with the engine's, by value.
class EngineComparison {
public:
    explicit EngineComparison(const Graph& graph)
        : m_graph(graph), m_local(graph.valueCapacity()), m_accumulated(graph.valueCapacity())
    {
    }

    /// Runs our program with each tensor of codes replaced by the engine's.
    Result<void> feed(const Program& program, const std::vector<Tensor>& inputs, const EngineRun& run,
                      std::size_t sample, const Job& job)
    {
        const auto& known = run.intermediates[sample];
        const auto outputs = TRY(program.run(inputs, job, [&](ValueId id, const Tensor& tensor) {
            const auto found = known.find(m_graph.value(id).name);
            if (found == known.end() || !isCodeType(tensor.type()) || m_graph.isInput(id)) {
                return tensor;
            }
            if (found->second.type() != tensor.type() || found->second.size() != tensor.size()) {
                ++m_local[id.index].counts.unexplained;
                return tensor;
            }
            compareCodes(m_local[id.index], found->second, tensor, Grid::perTensor(1.0, 0, tensor.type()));
            return found->second.reshaped(tensor.dims());
        }));
        compareOutputs(outputs, run.outputs[sample], m_local);
        return {};
    }

    void compareOutputs(const std::vector<Tensor>& ours, const std::vector<Tensor>& theirs,
                        std::vector<MetricSums>& sums) const
    {
        for (std::size_t place = 0; place < ours.size(); ++place) {
            const ValueId id = m_graph.outputs()[place];
            MetricSums& sum = sums[id.index];
            if (place >= theirs.size() || theirs[place].size() != ours[place].size()) {
                ++sum.counts.unexplained;
                continue;
            }
            const auto grid = outputGrid(m_graph, id);
            if (grid && grid->isPerTensor() && !grid->isWide()) {
                const Codes a = codesOf(m_graph.value(id), theirs[place], *grid);
                const Codes b = codesOf(m_graph.value(id), ours[place], *grid);
                compareCodes(sum, a.codes, b.codes, *grid);
                sum.counts.unexplained += a.offGrid + b.offGrid;
            } else if (isCodeType(ours[place].type()) && isCodeType(theirs[place].type())) {
                compareCodes(sum, theirs[place], ours[place], Grid::perTensor(1.0, 0, ours[place].type()));
            } else if (!isFloat(ours[place].type()) && !isFloat(theirs[place].type())) {
                sum.addExact(theirs[place], ours[place]);
            } else {
                sum.addReals(theirs[place].toDoubles(), ours[place].toDoubles());
            }
        }
    }

    std::vector<MetricSums>& accumulated() { return m_accumulated; }

    /// Of so many samples the codes of every layer are asked for: all, where they are few bytes, else `least`.
    std::size_t layerSamples(std::size_t samples, std::size_t least) const
    {
        std::size_t bytes = 0;
        for (const ValueId id : m_graph.values()) {
            const Value& value = m_graph.value(id);
            if (!value.isConstant() && isCodeType(value.type)) {
                const auto dims = value.shape ? knownDims(*value.shape) : std::nullopt;
                const auto count = dims ? elementCount(*dims) : std::nullopt;
                bytes += count ? static_cast<std::size_t>(*count) * byteWidth(value.type) : unknownBytes;
            }
        }
        return bytes * samples <= allLayersBytes ? samples : std::min(least, samples);
    }

    /// The certificate from the local comparisons, or from the outputs alone where there is none.
    void finish(EngineVerification& result, bool layers, const VerifyOptions& options) const
    {
        Certificate& certificate = result.certificate;
        const std::vector<MetricSums>& decisive = layers ? m_local : m_accumulated;
        for (const ValueId id : m_graph.values()) {
            const MetricSums& sums = decisive[id.index];
            if (sums.elements() == 0 && sums.counts.unexplained == 0) {
                continue;
            }
            certificate.verdict = certificate.tensors == 0 ? Verdict::Exact : certificate.verdict;
            const Verdict verdict = verdictOf(sums, options.floatTolerance);
            certificate.verdict = worst(certificate.verdict, verdict);
            certificate.counts.add(sums.counts);
            ++certificate.tensors;
            if (verdict == Verdict::Failed && certificate.note.empty()) {
                certificate.note = fmt::format("'{}' differs", printable(m_graph.value(id).name));
            }
            if (options.tensors) {
                const std::string& name = m_graph.value(id).name;
                result.tensors.push_back(
                    {name, name, result.name, id, m_local[id.index].finish(), m_accumulated[id.index].finish()});
            }
        }
        if (certificate.tensors == 0) {
            certificate.note = "there was nothing to compare";
        }
    }

private:
    static void compareCodes(MetricSums& sums, const Tensor& theirs, const Tensor& ours, const Grid& grid)
    {
        const std::vector<std::int32_t> a = toInt32(theirs);
        const std::vector<std::int32_t> b = toInt32(ours);
        sums.addCodes(a, b, grid, ours.dims());
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (a[i] != b[i]) {
                ++(std::abs(std::int64_t{a[i]} - b[i]) == 1 ? sums.counts.runtime : sums.counts.unexplained);
            }
        }
    }

    static Verdict verdictOf(const MetricSums& sums, double tolerance)
    {
        if (sums.sawNan() || sums.counts.unexplained > 0) {
            return Verdict::Failed;
        }
        if (sums.counts.compared() > 0) {
            return sums.counts.maxSteps == 0 ? Verdict::Exact : Verdict::WithinSteps;
        }
        const double relative = sums.finish().relative;
        return relative == 0.0 ? Verdict::Exact : relative <= tolerance ? Verdict::WithinTolerance : Verdict::Failed;
    }

    const Graph& m_graph;
    std::vector<MetricSums> m_local; // by value
    std::vector<MetricSums> m_accumulated;
};

Scores scoresOf(const Tensor& tensor)
{
    return {tensor.toDoubles(), tensor.dims()};
}

} // namespace

Result<EngineVerification> verifyEngine(const Engine& engine, const std::string& modelFile, const Graph& graph,
                                        const SampleSet& samples, const VerifyOptions& options, const Job& job)
{
    EngineVerification result;
    if (samples.samples.empty()) {
        result.certificate.note = "there are no samples";
        return result;
    }
    const Program program = TRY(Program::create(graph, {.precision = Precision::Float32, .threads = job.threads}));
    EngineComparison comparison(graph);

    job.report(0.0, engine.name());
    const EngineRun all = TRY(engine.run(modelFile, samples.samples, Intermediates::None, job));
    result.name = all.name;
    result.version = all.version;
    if (all.outputs.size() != samples.samples.size()) {
        return failure(ErrorKind::Refused, "engine-outputs",
                       fmt::format("engine {} gave {} results for {} samples", all.name, all.outputs.size(),
                                   samples.samples.size()));
    }
    std::vector<Scores> ours;
    std::vector<Scores> theirs;
    for (std::size_t i = 0; i < samples.samples.size(); ++i) {
        const auto outputs = TRY(program.run(samples.samples[i], job));
        comparison.compareOutputs(outputs, all.outputs[i], comparison.accumulated());
        if (!samples.labels.empty() && !outputs.empty() && !all.outputs[i].empty()) {
            ours.push_back(scoresOf(outputs[0]));
            theirs.push_back(scoresOf(all.outputs[i][0]));
        }
        job.report(0.3 + 0.4 * static_cast<double>(i) / static_cast<double>(samples.samples.size()), engine.name());
    }
    if (!samples.labels.empty()) {
        TRY(storeAccuracy(accuracyOf(ours, theirs, samples), result.accuracy, result.accuracyNote));
    }

    const std::size_t some = comparison.layerSamples(samples.samples.size(), options.stageSamples);
    const std::vector<std::vector<Tensor>> first(samples.samples.begin(),
                                                 samples.samples.begin() + static_cast<std::ptrdiff_t>(some));
    const EngineRun layers = TRY(engine.run(modelFile, first, Intermediates::Integers, job));
    bool given = false;
    for (std::size_t i = 0; i < some && layers.outputs.size() == some && layers.intermediates.size() == some; ++i) {
        given = given || !layers.intermediates[i].empty();
        TRY(comparison.feed(program, first[i], layers, i, job));
    }
    result.certificate.samples = static_cast<std::int64_t>(given ? some : samples.samples.size());
    comparison.finish(result, given, options);
    return result;
}

} // namespace crease
