// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/graph_comparison.h"

#include "core/support/parallel_for.h"
#include "core/support/text.h"
#include "core/verify/grid_codes.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace crease {

namespace {

constexpr std::size_t mostDifferences = 1 << 16; // of one tensor and sample; beyond, they are unexplained as they are

struct SampleResult {
    std::vector<MetricSums> local;
    std::vector<MetricSums> accumulated;
    std::string trouble;
    std::size_t bytes = 0;
    std::optional<Error> error{};
};

using PairsOfValue = std::map<ValueId, std::vector<std::size_t>>;

/// One sample of a comparison.
class SampleRun {
public:
    SampleRun(const GraphComparison& comparison, const PairsOfValue& byBefore, const PairsOfValue& byAfter, bool first,
              const Job& job)
        : m_comparison(comparison), m_byBefore(byBefore), m_byAfter(byAfter), m_first(first), m_job(job),
          m_recorded(comparison.pairing.pairs.size()), m_differences(comparison.pairing.pairs.size()),
          m_dims(comparison.pairing.pairs.size()), m_visited(comparison.pairing.pairs.size(), false)
    {
        m_result.local.resize(comparison.pairing.pairs.size());
    }

    SampleResult run(const std::vector<Tensor>& inputs)
    {
        if (const auto done = runAll(inputs); !done) {
            m_result.error = done.error();
        }
        return std::move(m_result);
    }

private:
    const Pair& pair(std::size_t i) const { return m_comparison.pairing.pairs[i]; }
    const Value& valueBefore(std::size_t i) const { return m_comparison.before.graph().value(pair(i).before); }
    const Value& valueAfter(std::size_t i) const { return m_comparison.after.graph().value(pair(i).after); }
    bool wanted(std::size_t i) const { return m_first || !pair(i).constant; }

    Result<void> runAll(const std::vector<Tensor>& inputs)
    {
        const auto outputsBefore = TRY(m_comparison.before.run(inputs, m_job, [&](ValueId id, const Tensor& tensor) {
            record(id, tensor);
            return tensor;
        }));
        forOutputs(m_comparison.before.graph(), outputsBefore, m_byBefore, [&](std::size_t i, const Tensor& tensor) {
            if (!m_recorded[i].codes.valid()) {
                recordOne(i, tensor);
            }
        });
        const auto outputsAfter = TRY(m_comparison.after.run(
            inputs, m_job, [&](ValueId id, const Tensor& tensor) { return compareAndFeed(id, tensor); }));
        forOutputs(m_comparison.after.graph(), outputsAfter, m_byAfter, [&](std::size_t i, const Tensor& tensor) {
            if (!m_visited[i]) {
                static_cast<void>(compareOne(i, tensor));
            }
        });
        TRY(explain(inputs));
        if (m_comparison.accumulated) {
            TRY(accumulate(inputs));
        }
        return {};
    }

    template <class F>
    static void forOutputs(const Graph& graph, const std::vector<Tensor>& outputs, const PairsOfValue& pairs, F&& visit)
    {
        for (std::size_t place = 0; place < outputs.size(); ++place) {
            const auto found = pairs.find(graph.outputs()[place]);
            if (found != pairs.end()) {
                for (const std::size_t i : found->second) {
                    visit(i, outputs[place]);
                }
            }
        }
    }

    void record(ValueId id, const Tensor& tensor)
    {
        const auto found = m_byBefore.find(id);
        if (found != m_byBefore.end()) {
            for (const std::size_t i : found->second) {
                recordOne(i, tensor);
            }
        }
    }

    void recordOne(std::size_t i, const Tensor& tensor)
    {
        if (!wanted(i)) {
            return;
        }
        m_recorded[i] =
            pair(i).kind == Pair::Kind::Steps ? codesOf(valueBefore(i), tensor, pair(i).grid) : Codes{tensor};
        m_result.bytes += m_recorded[i].codes.bytes();
    }

    Tensor compareAndFeed(ValueId id, const Tensor& tensor)
    {
        const auto found = m_byAfter.find(id);
        if (found == m_byAfter.end()) {
            return tensor;
        }
        Tensor fed = tensor;
        for (const std::size_t i : found->second) {
            fed = compareOne(i, tensor);
        }
        return fed;
    }

    /// Compares, and gives the tensor that goes on.
    Tensor compareOne(std::size_t i, const Tensor& tensor)
    {
        if (!wanted(i)) {
            return tensor;
        }
        m_visited[i] = true;
        m_dims[i] = tensor.dims();
        const Codes& before = m_recorded[i];
        const bool reshaped = pair(i).output && before.codes.dims() != tensor.dims();
        if (before.codes.size() != tensor.size() || !before.codes.valid() || reshaped) {
            m_result.local[i].counts.unexplained += static_cast<std::int64_t>(std::max<std::size_t>(tensor.size(), 1));
            trouble(i, before.codes.valid() ? fmt::format("has shape {} before and {} after",
                                                          toText(before.codes.dims()), toText(tensor.dims()))
                                            : "has no counterpart in this run");
            return tensor;
        }
        if (pair(i).kind == Pair::Kind::Reals) {
            m_result.local[i].addReals(realsOf(valueBefore(i), before.codes), realsOf(valueAfter(i), tensor));
            return tensor;
        }
        if (pair(i).kind == Pair::Kind::Integers) {
            m_result.local[i].addExact(before.codes, tensor);
            return tensor;
        }
        const Codes after = codesOf(valueAfter(i), tensor, pair(i).grid);
        compareCodes(i, before, after);
        return pair(i).constant ? tensor : tensorForValue(valueAfter(i), before.codes, pair(i).grid, tensor.dims());
    }

    void compareCodes(std::size_t i, const Codes& before, const Codes& after)
    {
        MetricSums& sums = m_result.local[i];
        const std::vector<std::int32_t> a = toInt32(before.codes);
        const std::vector<std::int32_t> b = toInt32(after.codes);
        sums.addCodes(a, b, pair(i).grid, m_dims[i]);
        if (before.offGrid + after.offGrid > 0) {
            sums.counts.unexplained += before.offGrid + after.offGrid;
            trouble(i, fmt::format("is off its grid in {} elements {}", std::max(before.offGrid, after.offGrid),
                                   before.offGrid > 0 ? "before" : "after"));
        }
        if (a == b) {
            return;
        }
        for (std::size_t k = 0; k < a.size(); ++k) {
            if (a[k] != b[k]) {
                if (m_differences[i].size() < mostDifferences) {
                    m_differences[i].push_back({k, a[k], b[k]});
                } else {
                    ++sums.counts.unexplained;
                }
            }
        }
    }

    /// Runs a graph again for the values that are keys of `wanted`.
    Result<void> collect(const Program& program, const std::vector<Tensor>& inputs, std::map<ValueId, Tensor>& wanted)
    {
        for (auto& [id, tensor] : wanted) {
            tensor = program.graph().value(id).constant;
        }
        if (!wanted.empty()) {
            TRY(program.run(inputs, m_job, [&](ValueId id, const Tensor& tensor) {
                const auto found = wanted.find(id);
                if (found != wanted.end()) {
                    found->second = tensor;
                }
                return tensor;
            }));
        }
        return {};
    }

    /// Runs both graphs again for what the differing values were rounded from, and attributes the differences.
    Result<void> explain(const std::vector<Tensor>& inputs)
    {
        const Graph& before = m_comparison.before.graph();
        const Graph& after = m_comparison.after.graph();
        std::map<std::size_t, std::optional<PreRounding>> origins;
        std::map<ValueId, Tensor> neededBefore;
        std::map<ValueId, Tensor> neededAfter;
        for (std::size_t i = 0; i < m_differences.size(); ++i) {
            if (m_differences[i].empty()) {
                continue;
            }
            auto origin = PreRounding::of(before, pair(i).before);
            for (const ValueId id : origin ? origin->needs() : std::vector<ValueId>{}) {
                neededBefore.emplace(id, Tensor{});
            }
            const auto& epilogues = m_comparison.causes[i].epilogues;
            for (const ValueId id : epilogues && epilogues->moves() ? epilogues->needs() : std::vector<ValueId>{}) {
                neededAfter.emplace(id, Tensor{});
            }
            origins.emplace(i, std::move(origin));
        }
        TRY(collect(m_comparison.before, inputs, neededBefore));
        TRY(collect(m_comparison.after, inputs, neededAfter));
        const auto from = [](const std::map<ValueId, Tensor>& needed) {
            return [&needed](ValueId id) {
                const auto found = needed.find(id);
                return found != needed.end() ? found->second : Tensor{};
            };
        };
        for (const auto& [i, origin] : origins) {
            std::vector<double> steps;
            EpilogueError errors;
            if (origin) {
                steps = TRY(origin->steps(before, from(neededBefore), m_job));
            }
            if (const auto& epilogues = m_comparison.causes[i].epilogues) {
                const auto shapeOnly = [&](ValueId) { return m_recorded[i].codes.reshaped(m_dims[i]); };
                errors = TRY(epilogues->errors(
                    after, epilogues->moves() ? TensorOf(from(neededAfter)) : TensorOf(shapeOnly), m_job));
            }
            Counts& counts = m_result.local[i].counts;
            const std::int64_t unexplained = counts.unexplained;
            m_result.local[i].exactTies +=
                attribute(m_differences[i], pair(i), m_dims[i], steps, m_comparison.causes[i], errors, counts);
            if (counts.unexplained > unexplained) {
                const Difference& some = m_differences[i].front();
                trouble(i,
                        fmt::format("differs at element {}: {} before, {} after", some.index, some.before, some.after));
            }
        }
        return {};
    }

    Result<void> accumulate(const std::vector<Tensor>& inputs)
    {
        m_result.accumulated.resize(m_result.local.size());
        std::vector<bool> done(m_result.local.size(), false);
        const auto compare = [&](std::size_t i, const Tensor& tensor) {
            const Codes& before = m_recorded[i];
            if (done[i] || !wanted(i) || before.codes.size() != tensor.size()) {
                return;
            }
            done[i] = true;
            MetricSums& sums = m_result.accumulated[i];
            if (pair(i).kind == Pair::Kind::Steps) {
                const Codes after = codesOf(valueAfter(i), tensor, pair(i).grid);
                sums.addCodes(toInt32(before.codes), toInt32(after.codes), pair(i).grid, tensor.dims());
            } else if (pair(i).kind == Pair::Kind::Reals) {
                sums.addReals(realsOf(valueBefore(i), before.codes), realsOf(valueAfter(i), tensor));
            } else {
                sums.addExact(before.codes, tensor);
            }
        };
        const auto outputs = TRY(m_comparison.after.run(inputs, m_job, [&](ValueId id, const Tensor& tensor) {
            const auto found = m_byAfter.find(id);
            for (const std::size_t i : found != m_byAfter.end() ? found->second : std::vector<std::size_t>{}) {
                compare(i, tensor);
            }
            return tensor;
        }));
        forOutputs(m_comparison.after.graph(), outputs, m_byAfter, compare);
        return {};
    }

    void trouble(std::size_t i, const std::string& what)
    {
        if (m_result.trouble.empty()) {
            m_result.trouble = fmt::format("'{}' {}", printable(valueAfter(i).name), what);
        }
    }

    const GraphComparison& m_comparison;
    const PairsOfValue& m_byBefore;
    const PairsOfValue& m_byAfter;
    bool m_first;
    const Job& m_job;
    std::vector<Codes> m_recorded;
    std::vector<std::vector<Difference>> m_differences;
    std::vector<Dims> m_dims;
    std::vector<bool> m_visited;
    SampleResult m_result;
};

void mergeInto(ComparisonResult& total, const SampleResult& sample)
{
    total.local.resize(sample.local.size());
    total.accumulated.resize(sample.accumulated.size());
    for (std::size_t i = 0; i < sample.local.size(); ++i) {
        total.local[i].merge(sample.local[i]);
    }
    for (std::size_t i = 0; i < sample.accumulated.size(); ++i) {
        total.accumulated[i].merge(sample.accumulated[i]);
    }
    if (total.trouble.empty()) {
        total.trouble = sample.trouble;
    }
    ++total.samples;
}

} // namespace

Result<ComparisonResult> compareGraphs(const GraphComparison& comparison, const SampleSet& samples, std::size_t count,
                                       const Job& job, const std::function<void(std::size_t done)>& onSample)
{
    PairsOfValue byBefore;
    PairsOfValue byAfter;
    for (std::size_t i = 0; i < comparison.pairing.pairs.size(); ++i) {
        byBefore[comparison.pairing.pairs[i].before].push_back(i);
        byAfter[comparison.pairing.pairs[i].after].push_back(i);
    }
    ComparisonResult total;
    int threads = 1; // the first sample tells how much memory one needs
    for (std::size_t next = 0; next < count;) {
        const std::size_t some = std::min<std::size_t>(count - next, static_cast<std::size_t>(threads) * 2U);
        std::vector<SampleResult> results(next == 0 ? 1 : some);
        parallelFor(results.size(), threads, [&](std::size_t k) {
            SampleRun run(comparison, byBefore, byAfter, next + k == 0, job);
            results[k] = run.run(samples.samples[next + k]);
        });
        for (const SampleResult& result : results) {
            if (result.error) {
                return std::unexpected(*result.error);
            }
            mergeInto(total, result);
        }
        if (next == 0) {
            const std::size_t each = 4 * results[0].bytes + 1; // float64 beside the codes, and what is alive between
            const std::size_t most =
                job.memoryLimit > 0 ? job.memoryLimit / 2 / each : static_cast<std::size_t>(job.threads);
            threads =
                static_cast<int>(std::clamp<std::size_t>(most, 1, static_cast<std::size_t>(std::max(job.threads, 1))));
        }
        next += results.size();
        if (onSample) {
            onSample(next);
        }
    }
    return total;
}

} // namespace crease
