// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/text_report.h"

#include "core/passes/dialects.h"
#include "core/support/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace crease {

namespace {

std::string plural(std::size_t count, std::string_view noun)
{
    return fmt::format("{} {}{}", grouped(static_cast<std::int64_t>(count)), noun, count == 1 ? "" : "s");
}

std::string countsText(const Counts& counts)
{
    std::string text =
        fmt::format("{} of {} codes differ", grouped(counts.compared() - counts.offBy[0]), grouped(counts.compared()));
    std::vector<std::string> causes;
    const auto add = [&](std::int64_t count, std::string_view cause) {
        if (count > 0) {
            causes.push_back(fmt::format("{} {}", grouped(count), cause));
        }
    };
    add(counts.bias, "int32 bias rounding");
    add(counts.ties, "at ties");
    add(counts.noise, "float32 rounding");
    add(counts.runtime, "the engine's arithmetic");
    add(counts.unexplained, "UNEXPLAINED");
    if (!causes.empty()) {
        text += fmt::format(" ({})", fmt::join(causes, ", "));
    }
    return text + fmt::format(", at most {} step{}", counts.maxSteps, counts.maxSteps == 1 ? "" : "s");
}

std::size_t foldedCount(const FoldReport& report)
{
    return static_cast<std::size_t>(std::ranges::count_if(report.quantizers, &QuantizerReport::folded));
}

std::string macsText(std::int64_t macs)
{
    if (macs >= 1'000'000'000) {
        return fmt::format("{:.2f} GMAC", static_cast<double>(macs) / 1e9);
    }
    return macs >= 1'000'000 ? fmt::format("{:.2f} MMAC", static_cast<double>(macs) / 1e6)
                             : fmt::format("{} MAC", grouped(macs));
}

std::string nameList(const std::vector<std::string>& names, std::size_t most)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
        text += (i == 0 ? "" : ", ") + printable(names[i]);
    }
    return names.size() > most ? text + fmt::format(" and {} more", names.size() - most) : text;
}

/// Islands of one reason id together, the most frequent first.
std::string islandsText(const FoldReport& report)
{
    std::map<std::string, std::vector<const Island*>> byReason;
    for (const Island& island : report.islands) {
        byReason[island.reasonId].push_back(&island);
    }
    std::vector<std::pair<std::string, std::vector<const Island*>>> groups(byReason.begin(), byReason.end());
    std::ranges::stable_sort(groups, std::greater{}, [](const auto& group) { return group.second.size(); });
    std::string text;
    for (const auto& [id, islands] : groups) {
        std::vector<std::string> nodes;
        for (const Island* island : islands) {
            nodes.insert(nodes.end(), island->nodes.begin(), island->nodes.end());
        }
        text += fmt::format("    {} x {}: {}\n        {}\n", islands.size(), id, printable(islands.front()->reason),
                            nameList(nodes, 4));
    }
    return text;
}

} // namespace

std::string sentence(const Certificate& certificate)
{
    switch (certificate.verdict) {
    case Verdict::Exact:
        if (certificate.counts.compared() == 0 && certificate.tensors == 0) {
            return "exact: nothing was changed";
        }
        if (certificate.counts.compared() == 0) {
            return fmt::format("exact on {}: {} equal to the last bit",
                               plural(static_cast<std::size_t>(certificate.samples), "sample"),
                               certificate.tensors == 1 ? "the one float output is"
                                                        : fmt::format("all {} float outputs are", certificate.tensors));
        }
        return fmt::format("exact on {}: every one of {} codes in {} is equal",
                           plural(static_cast<std::size_t>(certificate.samples), "sample"),
                           grouped(certificate.counts.compared()),
                           plural(static_cast<std::size_t>(certificate.tensors), "tensor"));
    case Verdict::WithinSteps:
        return fmt::format("within steps on {}: {}", plural(static_cast<std::size_t>(certificate.samples), "sample"),
                           countsText(certificate.counts));
    case Verdict::WithinTolerance:
        return fmt::format("within tolerance on {}: codes are equal, float outputs agree within 1e-5 of their range",
                           plural(static_cast<std::size_t>(certificate.samples), "sample"));
    case Verdict::Failed:
        return fmt::format("FAILED on {}: {}{}{}", plural(static_cast<std::size_t>(certificate.samples), "sample"),
                           certificate.counts.compared() > 0 ? countsText(certificate.counts) : "",
                           certificate.counts.compared() > 0 && !certificate.note.empty() ? "; " : "",
                           certificate.note);
    case Verdict::NotChecked:
        break;
    }
    return certificate.note.empty() ? "not checked" : "not checked: " + certificate.note;
}

std::string accuracyText(const Accuracy& accuracy)
{
    const auto count = static_cast<double>(std::max<std::int64_t>(accuracy.count, 1));
    return fmt::format("accuracy   {:.4f} -> {:.4f} on {} ({} {})", static_cast<double>(accuracy.correctBefore) / count,
                       static_cast<double>(accuracy.correctAfter) / count, grouped(accuracy.count), accuracy.flips,
                       accuracy.flips == 1 ? "flip" : "flips");
}

std::string modelText(const ImportedModel& model)
{
    const Graph& graph = model.graph;
    std::map<std::string, std::size_t> ops;
    for (const NodeId id : graph.order()) {
        ++ops[graph.node(id).op];
    }
    std::vector<std::pair<std::string, std::size_t>> sorted(ops.begin(), ops.end());
    std::ranges::stable_sort(sorted, std::greater{}, &std::pair<std::string, std::size_t>::second);
    const DialectSummary dialects = summarizeDialects(graph);
    std::string opsets;
    for (const auto& [domain, version] : graph.model().opsets) {
        opsets +=
            fmt::format("{}{} {}", opsets.empty() ? "" : ", ", domain.empty() ? "ai.onnx" : printable(domain), version);
    }
    std::string text = fmt::format("{}\n  {} · IR {} · {} · {}\n  {} · dialect: {} · {}\n", printable(model.file),
                                   byteSize(model.bytes), graph.model().irVersion, opsets,
                                   printable(graph.model().producerName), plural(graph.nodeCount(), "node"),
                                   fmt::join(dialects.names, ", "), plural(dialects.quantizers, "quantizer"));
    for (const auto& [what, list] : {std::pair("input", &graph.inputs()), std::pair("output", &graph.outputs())}) {
        for (const ValueId id : *list) {
            const Value& value = graph.value(id);
            text += fmt::format("  {:<7} {}: {} {}\n", what, printable(value.name), longName(value.type),
                                value.shape ? printable(toText(*value.shape)) : "of unknown rank");
        }
    }
    text += "  ops    ";
    for (const auto& [op, count] : sorted) {
        text += fmt::format(" {} {}", printable(op), count);
    }
    return text + "\n";
}

std::string stagesText(const FoldOutcome& outcome)
{
    std::string text =
        fmt::format("  {:<20} {:>9} {:>9} {:>8}  {}\n", "pass", "rewrites", "nodes", "ms", "certificate");
    for (std::size_t i = 0; i < outcome.trace->stages.size(); ++i) {
        const Stage& stage = outcome.trace->stages[i];
        const bool checked = outcome.verification != nullptr && i < outcome.verification->stages.size();
        const auto on = std::ranges::count_if(stage.rewrites, &Rewrite::on);
        text += fmt::format(
            "  {:<20} {:>9} {:>9} {:>8.1f}  {}\n", stage.pass, on, stage.after.nodeCount(), stage.milliseconds,
            checked ? std::string(verdictName(outcome.verification->stages[i].verdict)) : "not-checked");
    }
    return text;
}

std::string accountText(const FoldOutcome& outcome)
{
    const Trace& trace = *outcome.trace;
    const FoldReport& report = *outcome.report;
    std::string text = fmt::format("{} -> {}\n", printable(outcome.model->file), outcome.target);
    text += fmt::format("  folded     {} of {}; {} of {} quantized linear ops are integer ({} linear ops in all)\n",
                        foldedCount(report), plural(report.quantizers.size(), "quantizer"), report.integerLinearOps,
                        report.quantizedLinearOps, report.linearOps);
    text += fmt::format("  nodes      {} -> {}", grouped(static_cast<std::int64_t>(trace.original.nodeCount())),
                        grouped(static_cast<std::int64_t>(trace.final().nodeCount())));
    if (outcome.output != nullptr) {
        text += fmt::format(" ({} in the file)", grouped(static_cast<std::int64_t>(outcome.output->nodes)));
        text += fmt::format("\n  size       {} -> {}", byteSize(outcome.model->bytes), byteSize(outcome.output->bytes));
    }
    if (report.macsBefore > 0) {
        text += fmt::format("\n  compute    {} float -> {} integer, {} float", macsText(report.macsBefore),
                            macsText(report.macsInteger), macsText(report.macsFloat));
    }
    text += fmt::format("\n  exactness  {}\n",
                        sentence(outcome.verification != nullptr ? outcome.verification->whole : Certificate{}));
    if (outcome.verification != nullptr && outcome.verification->whole.counts.compared() > 0) {
        text += "             layer by layer on the same codes, against the source in exact arithmetic\n";
    }
    if (outcome.samples != nullptr) {
        text +=
            fmt::format("  samples    {} ({})\n", outcome.samples->samples.size(), printable(outcome.samples->source));
    }
    if (outcome.verification != nullptr && outcome.verification->accuracy &&
        outcome.verification->accuracy->count > 0) {
        text += "  " + accuracyText(*outcome.verification->accuracy) + "\n";
    }
    if (outcome.engine != nullptr) {
        text += fmt::format("  engine     {} {}: {}\n", outcome.engine->name, outcome.engine->version,
                            sentence(outcome.engine->certificate));
    }
    if (report.islands.empty()) {
        text += "  integer    fully: no float op is left between the borders\n";
    } else {
        text += fmt::format("  integer    not fully: {} because\n{}", plural(report.islands.size(), "float island"),
                            islandsText(report));
    }
    if (outcome.output != nullptr) {
        text += fmt::format("  written    {} ({})\n", printable(outcome.output->file), outcome.output->format);
    }
    return text;
}

std::string tensorsText(const Verification& verification, std::size_t count)
{
    std::vector<const TensorReport*> worst;
    for (const TensorReport& tensor : verification.tensors) {
        worst.push_back(&tensor);
    }
    std::ranges::stable_sort(worst, [](const TensorReport* a, const TensorReport* b) {
        return a->local.rmseOverScale > b->local.rmseOverScale;
    });
    std::string text = fmt::format("  {:<36} {:<16} {:>9} {:>7} {:>7} {:>7} {:>9}\n", "tensor", "stage", "codes",
                                   "off 1", "more", "ties", "accum. off");
    for (std::size_t i = 0; i < std::min(count, worst.size()); ++i) {
        const Counts& local = worst[i]->local.counts;
        const Counts& accumulated = worst[i]->accumulated.counts;
        text += fmt::format("  {:<36} {:<16} {:>9} {:>7} {:>7} {:>7} {:>9}\n", printable(worst[i]->name).substr(0, 36),
                            worst[i]->stage, local.compared(), local.offBy[1], local.offBy[2] + local.offBy[3],
                            local.ties, accumulated.compared() - accumulated.offBy[0]);
    }
    return text;
}

std::string explainText(const FoldOutcome& outcome, const std::string& node)
{
    std::string text;
    for (const QuantizerReport& entry : outcome.report->quantizers) {
        if (!node.empty() && entry.name.find(node) == std::string::npos && entry.site.find(node) == std::string::npos &&
            entry.reasonNode != node) {
            continue;
        }
        if (entry.folded) {
            text += fmt::format("folded  {}\n        by {}\n", printable(entry.name), printable(entry.site));
        } else {
            text += fmt::format("kept    {}\n        {} [{}]\n", printable(entry.name), printable(entry.reasonText),
                                entry.reasonId);
        }
    }
    for (const Island& island : outcome.report->islands) {
        if (!node.empty() && std::ranges::find(island.nodes, node) == island.nodes.end()) {
            continue;
        }
        text += fmt::format("float   {}\n        {} [{}]\n", nameList(island.nodes, 8), printable(island.reason),
                            island.reasonId);
    }
    return text;
}

std::string diagnosticsText(const Diagnostics& diagnostics)
{
    std::string text;
    for (const Diagnostic& entry : diagnostics) {
        text += fmt::format("{}: {}", severityName(entry.severity), printable(entry.text));
        if (!entry.node.empty()) {
            text += fmt::format(" (node '{}')", printable(entry.node));
        } else if (!entry.value.empty()) {
            text += fmt::format(" (value '{}')", printable(entry.value));
        }
        text += fmt::format(" [{}]\n", entry.id);
    }
    return text;
}

} // namespace crease
