// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/verify.h"

#include "core/support/text.h"
#include "core/verify/cone.h"
#include "core/verify/graph_comparison.h"
#include "core/verify/workload.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace crease {

namespace {

constexpr double referenceError =
    1e-12; // of the range of a float output: what sums of doubles in another order differ by

Fidelity coarser(Fidelity a, Fidelity b)
{
    return static_cast<int>(a) >= static_cast<int>(b) ? a : b;
}

/// The coarsest class among the rewrites that were made.
Fidelity fidelityOf(const Stage& stage)
{
    Fidelity result = Fidelity::X;
    for (const Rewrite& rewrite : stage.rewrites) {
        result = rewrite.on ? coarser(result, rewrite.fidelity) : result;
    }
    return result;
}

/// The class that binds what a cone holds: that of its sites, or of the whole stage where none is known.
Fidelity fidelityOf(const Stage& stage, Fidelity whole, const Cone& cone)
{
    if (cone.sites.empty()) {
        return whole;
    }
    Fidelity result = Fidelity::X;
    for (const std::size_t site : cone.sites) {
        result = coarser(result, stage.rewrites[site].fidelity);
    }
    return result;
}

Verdict verdictOf(const Pair& pair, const MetricSums& sums, Fidelity fidelity, double tolerance)
{
    const Counts& counts = sums.counts;
    if (pair.output && sums.elements() == 0 && counts.unexplained == 0) {
        return Verdict::NotChecked;
    }
    if (sums.sawNan() || counts.unexplained > 0) {
        return fidelity == Fidelity::A && !sums.sawNan() ? Verdict::WithinSteps : Verdict::Failed;
    }
    if (pair.kind == Pair::Kind::Reals) {
        const double relative = sums.finish().relative;
        return relative <= referenceError ? Verdict::Exact
               : relative <= tolerance    ? Verdict::WithinTolerance
                                          : Verdict::Failed;
    }
    if (counts.maxSteps == 0) {
        return Verdict::Exact;
    }
    // Where the reference cannot tell which side of a half it is on, an exact rewrite may know better.
    const bool beyondReference = counts.ties == counts.compared() - counts.offBy[0] && sums.exactTies == 0;
    return fidelity == Fidelity::X && !beyondReference ? Verdict::Failed : Verdict::WithinSteps;
}

/// What went wrong with a value whose differences are all attributed.
std::string failureText(const Pair& pair, const MetricSums& sums, const std::string& name)
{
    if (sums.sawNan()) {
        return fmt::format("'{}' has a NaN", printable(name));
    }
    if (pair.kind == Pair::Kind::Reals) {
        return fmt::format("'{}' is off by {:.3g} of its range", printable(name), sums.finish().relative);
    }
    return fmt::format("'{}' differs in {} elements, and the rewrites there claim to be exact", printable(name),
                       sums.counts.compared() - sums.counts.offBy[0]);
}

bool untouched(const Graph& a, const Graph& b)
{
    if (a.order() != b.order() || a.inputs() != b.inputs() || a.outputs() != b.outputs() ||
        a.valueCapacity() != b.valueCapacity()) {
        return false;
    }
    const auto& order = a.order();
    const bool sameNodes = std::ranges::all_of(
        order, [&](NodeId id) { return a.contains(id) == b.contains(id) && a.nodeRef(id) == b.nodeRef(id); });
    for (std::uint32_t i = 0; sameNodes && i < a.valueCapacity(); ++i) {
        const ValueId id{i};
        if (a.contains(id) != b.contains(id) || (a.contains(id) && a.valueRef(id) != b.valueRef(id))) {
            return false;
        }
    }
    return sameNodes;
}

class Verifier {
public:
    Verifier(const Trace& trace, const SampleSet& samples, const VerifyOptions& options, const Job& job)
        : m_trace(trace), m_samples(samples), m_options(options), m_job(job), m_lineage(trace),
          m_programs(trace.stages.size() + 1)
    {
        const std::size_t threads = static_cast<std::size_t>(std::max(job.threads, 1));
        m_threadsInside = static_cast<int>(threads / std::clamp<std::size_t>(samples.samples.size(), 1, threads));
        m_stageSamples = std::min(options.stageSamples, samples.samples.size());
        if (m_stageSamples > 1) {
            const double work = workOf(trace.original, samples.samples.front());
            const double most = std::max(1.0, options.stageWork / std::max(work, 1.0));
            m_stageSamples = static_cast<std::size_t>(std::min(most, static_cast<double>(m_stageSamples)));
        }
        m_work = static_cast<double>((options.stages ? m_stageSamples * trace.stages.size() : 0) +
                                     2 * samples.samples.size());
    }

    Result<Verification> run(const std::function<void(std::size_t, const Certificate&)>& onStage)
    {
        Verification result;
        for (std::size_t stage = 1; stage <= m_trace.stages.size(); ++stage) {
            result.sites.emplace_back(m_trace.stages[stage - 1].rewrites.size());
            result.stages.push_back(m_options.stages ? TRY(certifyStage(stage, result.sites.back())) : Certificate{});
            if (onStage) {
                onStage(stage - 1, result.stages.back());
            }
        }
        TRY(certifyWhole(result));
        if (!m_samples.labels.empty()) {
            TRY(storeAccuracy(measureAccuracy(m_trace.original, m_trace.final(), m_samples, m_job), result.accuracy,
                              result.accuracyNote));
        }
        return result;
    }

private:
    Result<Program> program(std::size_t stage)
    {
        if (!m_programs[stage]) {
            m_programs[stage] =
                TRY(Program::create(m_trace.graph(stage), {.precision = Precision::Exact, .threads = m_threadsInside}));
        }
        return *m_programs[stage];
    }

    void report(std::size_t base, std::size_t done, std::string_view what) const
    {
        m_job.report(std::min(1.0, static_cast<double>(base + done) / std::max(m_work, 1.0)), what);
    }

    /// The bias of the node, or of its ancestor in graph(from) or later, while it was exact.
    ExactBias exactBias(std::size_t from, std::size_t to) const
    {
        return [this, from, to](NodeId node) {
            std::vector<NodeId> ancestors{node};
            for (std::size_t stage = to; stage-- > from;) {
                ancestors = m_lineage.stepBack(ancestors, stage + 1);
                for (const NodeId ancestor : ancestors) {
                    auto bias = m_trace.graph(stage).node(ancestor).doublesAttribute("bias");
                    if (!bias.empty()) {
                        return bias;
                    }
                }
            }
            return std::vector<double>{};
        };
    }

    Result<GraphComparison> prepare(std::size_t from, std::size_t to, Pairing pairing, const std::vector<Cone>& cones,
                                    bool whole)
    {
        GraphComparison comparison{TRY(program(from)), TRY(program(to)), std::move(pairing), {}, whole};
        const bool noise =
            std::any_of(m_trace.stages.begin() + static_cast<std::ptrdiff_t>(from),
                        m_trace.stages.begin() + static_cast<std::ptrdiff_t>(to), [](const Stage& stage) {
                            return stage.pass == "legalise" && fidelityOf(stage) != Fidelity::X;
                        });
        for (std::size_t i = 0; i < comparison.pairing.pairs.size(); ++i) {
            const Pair& pair = comparison.pairing.pairs[i];
            Causes causes{noise, cones[i].islands};
            if (pair.kind == Pair::Kind::Steps) {
                causes.epilogues = Epilogues::of(m_trace.graph(to), pair.after, exactBias(from, to), whole);
            }
            comparison.causes.push_back(std::move(causes));
        }
        return comparison;
    }

    /// The error as a certificate of what could not be checked, unless it concerns the caller.
    static Result<Certificate> notChecked(const Error& error)
    {
        if (error.kind == ErrorKind::Unsupported) {
            return Certificate{.note = describe(error)};
        }
        return std::unexpected(error);
    }

    Result<Certificate> certifyStage(std::size_t stage, std::vector<Certificate>& sites)
    {
        const Stage& made = m_trace.stages[stage - 1];
        const std::size_t base = (stage - 1) * m_stageSamples;
        if (m_stageSamples == 0) {
            return Certificate{.note = "there are no samples"};
        }
        if (untouched(m_trace.graph(stage - 1), made.after)) {
            return Certificate{Verdict::Exact, static_cast<std::int64_t>(m_stageSamples), 0, {}, "changed nothing"};
        }
        const Pairing pairing = pairStage(m_trace, stage);
        const std::vector<Cone> cones = conesOf(made.after, pairing, &made);
        auto comparison = prepare(stage - 1, stage, pairing, cones, false);
        if (stage >= 2) {
            m_programs[stage - 1].reset(); // the original stays for the whole
        }
        if (!comparison) {
            return notChecked(comparison.error());
        }
        const auto compared = compareGraphs(*comparison, m_samples, m_stageSamples, m_job,
                                            [&](std::size_t done) { report(base, done, made.pass); });
        if (!compared) {
            return notChecked(compared.error());
        }
        Certificate certificate = start(pairing, *compared);
        const Fidelity whole = fidelityOf(made);
        for (std::size_t i = 0; i < pairing.pairs.size(); ++i) {
            const Verdict verdict = verdictOf(pairing.pairs[i], compared->local[i], fidelityOf(made, whole, cones[i]),
                                              m_options.floatTolerance);
            add(certificate, pairing.pairs[i], compared->local[i], verdict, made.after);
            for (const std::size_t site : cones[i].sites) {
                if (sites[site].tensors == 0) {
                    sites[site].verdict = Verdict::Exact;
                    sites[site].samples = certificate.samples;
                }
                add(sites[site], pairing.pairs[i], compared->local[i], verdict, made.after);
            }
        }
        for (std::size_t site = 0; site < sites.size(); ++site) {
            if (sites[site].tensors == 0 && made.rewrites[site].on) {
                sites[site] = Certificate{certificate.verdict,
                                          certificate.samples,
                                          0,
                                          {},
                                          "nothing of it is left in this pass, which was checked as a whole"};
            }
        }
        return certificate;
    }

    static Certificate start(const Pairing& pairing, const ComparisonResult& compared)
    {
        Certificate certificate;
        certificate.samples = static_cast<std::int64_t>(compared.samples);
        certificate.note = compared.trouble;
        certificate.verdict = pairing.pairs.empty() ? Verdict::NotChecked : Verdict::Exact;
        if (!pairing.unpairedOutputs.empty()) {
            certificate.verdict = Verdict::NotChecked;
            if (certificate.note.empty()) {
                certificate.note =
                    fmt::format("output '{}' cannot be compared", printable(pairing.unpairedOutputs.front()));
            }
        } else if (pairing.pairs.empty()) {
            certificate.note = "there was nothing to compare";
        }
        return certificate;
    }

    static void add(Certificate& certificate, const Pair& pair, const MetricSums& sums, Verdict verdict,
                    const Graph& after)
    {
        certificate.verdict = worst(certificate.verdict, verdict);
        certificate.counts.add(sums.counts);
        ++certificate.tensors;
        if (verdict == Verdict::NotChecked && certificate.note.empty()) {
            certificate.note = fmt::format("output '{}' has no elements", printable(after.value(pair.after).name));
        }
        if (verdict == Verdict::Failed && certificate.note.empty()) {
            certificate.note = failureText(pair, sums, after.value(pair.after).name);
        }
    }

    Result<void> certifyWhole(Verification& result)
    {
        if (m_samples.samples.empty()) {
            result.whole.note = "there are no samples";
            return {};
        }
        const std::size_t last = m_trace.stages.size();
        const Graph& final = m_trace.final();
        const Pairing pairing = pairWhole(m_trace);
        auto comparison = prepare(0, last, pairing, conesOf(final, pairing, nullptr), true);
        const std::size_t base = m_options.stages ? m_stageSamples * last : 0;
        auto compared = comparison ? compareGraphs(*comparison, m_samples, m_samples.samples.size(), m_job,
                                                   [&](std::size_t done) { report(base, 2 * done, "whole"); })
                                   : std::unexpected(comparison.error());
        if (!compared) {
            result.whole = TRY(notChecked(compared.error()));
            return {};
        }
        Fidelity fidelity = Fidelity::X;
        for (const Stage& stage : m_trace.stages) {
            fidelity = coarser(fidelity, fidelityOf(stage));
        }
        result.whole = start(pairing, *compared);
        for (std::size_t i = 0; i < pairing.pairs.size(); ++i) {
            const Pair& pair = pairing.pairs[i];
            const Verdict verdict = verdictOf(pair, compared->local[i], fidelity, m_options.floatTolerance);
            add(result.whole, pair, compared->local[i], verdict, final);
            if (m_options.tensors) {
                result.tensors.push_back({final.value(pair.after).name, m_trace.original.value(pair.before).name,
                                          madeBy(pair.after), pair.after, compared->local[i].finish(),
                                          compared->accumulated[i].finish(), verdict});
            }
        }
        return {};
    }

    std::string madeBy(ValueId value) const
    {
        std::size_t stage = m_trace.stages.size();
        while (stage > 0 && m_trace.graph(stage - 1).contains(value)) {
            --stage;
        }
        return stage == 0 ? "original" : m_trace.stages[stage - 1].pass;
    }

    const Trace& m_trace;
    const SampleSet& m_samples;
    const VerifyOptions& m_options;
    const Job& m_job;
    Lineage m_lineage;
    std::vector<std::optional<Program>> m_programs; // one a graph of the trace, while it is needed
    int m_threadsInside = 1;
    std::size_t m_stageSamples = 0;
    double m_work = 1.0;
};

} // namespace

Result<Verification> verifyTrace(const Trace& trace, const SampleSet& samples, const VerifyOptions& options,
                                 const Job& job,
                                 const std::function<void(std::size_t stage, const Certificate&)>& onStage)
{
    return Verifier(trace, samples, options, job).run(onStage);
}

} // namespace crease
