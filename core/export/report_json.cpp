// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/report_json.h"

#include "core/export/version.h"
#include "core/ir/diff.h"
#include "core/ir/text_format.h"
#include "core/passes/dialects.h"
#include "core/support/text.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace crease {

using nlohmann::json;

namespace {

json number(double value)
{
    return std::isfinite(value) ? json(value) : json(nullptr);
}

json numbers(const std::vector<double>& values)
{
    json list = json::array();
    for (const double value : values) {
        list.push_back(number(value));
    }
    return list;
}

std::string nodeLabel(const Graph& graph, NodeId id)
{
    if (!graph.contains(id)) {
        return {};
    }
    const Node& node = graph.node(id);
    if (!node.name.empty()) {
        return printable(node.name);
    }
    return node.output().valid() ? printable(graph.value(node.output()).name) : node.op;
}

json shapeJson(const Value& value)
{
    if (!value.shape) {
        return nullptr;
    }
    json dims = json::array();
    for (const Dim& dim : *value.shape) {
        dims.push_back(dim.known()          ? json(dim.value)
                       : dim.symbol.empty() ? json(nullptr)
                                            : json(printable(dim.symbol)));
    }
    return dims;
}

json valuesJson(const Graph& graph, const std::vector<ValueId>& ids)
{
    json list = json::array();
    for (const ValueId id : ids) {
        const Value& value = graph.value(id);
        list.push_back({{"name", printable(value.name)},
                        {"type", std::string(longName(value.type))},
                        {"shape", shapeJson(value)}});
    }
    return list;
}

const char* fidelityName(Fidelity fidelity)
{
    return fidelity == Fidelity::X ? "X" : fidelity == Fidelity::R ? "R" : "A";
}

const char* roleName(QuantizerRole role)
{
    switch (role) {
    case QuantizerRole::Activation:
        return "activation";
    case QuantizerRole::Weight:
        return "weight";
    case QuantizerRole::Bias:
        break;
    }
    return "bias";
}

json offByJson(const Counts& counts)
{
    return {{"0", counts.offBy[0]}, {"1", counts.offBy[1]}, {"2", counts.offBy[2]}, {"more", counts.offBy[3]}};
}

/// A node may be of the graph before or after its stage: the name is the same in both.
std::string stageNode(const Graph& before, const Graph& after, NodeId id)
{
    return before.contains(id) ? nodeLabel(before, id) : nodeLabel(after, id);
}

json stageJson(const Trace& trace, std::size_t index, const Verification* verification)
{
    const Stage& stage = trace.stages[index];
    const Graph& before = trace.graph(index);
    json rewrites = json::array();
    for (std::size_t i = 0; i < stage.rewrites.size(); ++i) {
        const Rewrite& rewrite = stage.rewrites[i];
        json nodes = json::array();
        for (const Role& role : rewrite.roles) {
            nodes.push_back({{"node", stageNode(before, stage.after, role.node)}, {"role", role.name}});
        }
        json entry{{"site", printable(rewrite.site)},
                   {"rule", rewrite.rule},
                   {"law", rewrite.law},
                   {"fidelity", fidelityName(rewrite.fidelity)},
                   {"nodes", std::move(nodes)},
                   {"on", rewrite.on},
                   {"text", printable(rewrite.text)}};
        if (verification != nullptr && index < verification->sites.size() && i < verification->sites[index].size()) {
            entry["certificate"] = toJson(verification->sites[index][i]);
        }
        rewrites.push_back(std::move(entry));
    }
    json missed = json::array();
    for (const MissedSite& miss : stage.missed) {
        missed.push_back({{"site", printable(miss.site)},
                          {"rule", miss.rule},
                          {"id", miss.miss.id},
                          {"text", printable(miss.miss.text)},
                          {"node", stageNode(before, stage.after, miss.miss.node)}});
    }
    const bool checked = verification != nullptr && index < verification->stages.size();
    return {{"pass", stage.pass},
            {"nodes_before", stage.nodesBefore},
            {"nodes_after", stage.after.nodeCount()},
            {"rewrites", std::move(rewrites)},
            {"missed", std::move(missed)},
            {"diagnostics", toJson(stage.diagnostics)},
            {"milliseconds", number(stage.milliseconds)},
            {"seconds", number(stage.milliseconds / 1000.0)},
            {"certificate", toJson(checked ? verification->stages[index] : Certificate{})}};
}

json correspondenceJson(const std::vector<Correspondence>& list)
{
    json result = json::array();
    for (const Correspondence& entry : list) {
        result.push_back({{"value", printable(entry.value)},
                          {"source", printable(entry.source)},
                          {"relation", entry.relation},
                          {"scale", numbers(entry.scales)},
                          {"zero_point", entry.zeroPoints},
                          {"axis", entry.axis < 0 ? json(nullptr) : json(entry.axis)}});
    }
    return result;
}

} // namespace

json jsonHead()
{
    return {{"schema", 1}, {"crease", std::string(creaseVersion())}, {"diagnostics", json::array()}};
}

json toJson(const Diagnostics& diagnostics)
{
    json list = json::array();
    for (const Diagnostic& entry : diagnostics) {
        list.push_back({{"severity", severityName(entry.severity)},
                        {"id", entry.id},
                        {"text", printable(entry.text)},
                        {"node", printable(entry.node)},
                        {"value", printable(entry.value)}});
    }
    return list;
}

json toJson(const Certificate& certificate)
{
    const Counts& counts = certificate.counts;
    return {{"verdict", std::string(verdictName(certificate.verdict))},
            {"samples", certificate.samples},
            {"tensors", certificate.tensors},
            {"max_steps", counts.maxSteps},
            {"off_by", offByJson(counts)},
            {"ties", counts.ties},
            {"noise", counts.noise},
            {"bias", counts.bias},
            {"runtime", counts.runtime},
            {"unexplained", counts.unexplained},
            {"note", printable(certificate.note)}};
}

json toJson(const Metrics& metrics)
{
    const Counts& counts = metrics.counts;
    return {{"max_steps", counts.maxSteps},
            {"off_by", offByJson(counts)},
            {"ties", counts.ties},
            {"noise", counts.noise},
            {"bias", counts.bias},
            {"unexplained", counts.unexplained},
            {"rmse_over_scale", number(metrics.rmseOverScale)},
            {"sqnr_db", number(metrics.sqnrDb)},
            {"cosine", number(metrics.cosine)},
            {"max_abs", number(metrics.maxAbs)},
            {"saturated", metrics.saturated},
            {"elements", metrics.elements}};
}

json toJson(const Accuracy& accuracy)
{
    const auto share = [&](std::int64_t correct) {
        return number(static_cast<double>(correct) / static_cast<double>(accuracy.count));
    };
    return {{"before", share(accuracy.correctBefore)},
            {"after", share(accuracy.correctAfter)},
            {"flips", accuracy.flips},
            {"count", accuracy.count}};
}

json toJson(const Error& error)
{
    return {{"id", error.id},
            {"text", printable(error.message)},
            {"file", printable(error.file)},
            {"node", printable(error.node)},
            {"value", printable(error.value)}};
}

json modelJson(const ImportedModel& model)
{
    const Graph& graph = model.graph;
    std::map<std::string, std::size_t> ops;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        ++ops[printable(node.domain.empty() ? node.op : node.domain + "." + node.op)];
    }
    std::int64_t parameters = 0;
    for (const ValueId id : graph.values()) {
        parameters += graph.value(id).isConstant() ? static_cast<std::int64_t>(graph.value(id).constant.size()) : 0;
    }
    json opsets = json::object();
    for (const auto& [domain, version] : graph.model().opsets) {
        opsets[printable(domain.empty() ? "ai.onnx" : domain)] = version;
    }
    json external = json::array();
    for (const std::string& file : model.externalData) {
        external.push_back(printable(file));
    }
    const DialectSummary dialects = summarizeDialects(graph);
    return {{"file", printable(model.file)},
            {"bytes", model.bytes},
            {"sha256", model.sha256},
            {"ir_version", graph.model().irVersion},
            {"opsets", std::move(opsets)},
            {"producer", printable(graph.model().producerName +
                                   (graph.model().producerVersion.empty() ? "" : " " + graph.model().producerVersion))},
            {"nodes", graph.nodeCount()},
            {"ops", ops},
            {"dialects", dialects.names},
            {"quantizers", dialects.quantizers},
            {"inputs", valuesJson(graph, graph.inputs())},
            {"outputs", valuesJson(graph, graph.outputs())},
            {"parameters", parameters},
            {"external_data", std::move(external)}};
}

json stagesJson(const Trace& trace, const Verification* verification)
{
    json list = json::array();
    for (std::size_t i = 0; i < trace.stages.size(); ++i) {
        list.push_back(stageJson(trace, i, verification));
    }
    return list;
}

json quantizersJson(const FoldReport& report)
{
    json list = json::array();
    for (const QuantizerReport& entry : report.quantizers) {
        json item{{"name", printable(entry.name)},
                  {"role", roleName(entry.role)},
                  {"state", entry.folded ? "folded" : "kept"}};
        if (entry.folded) {
            item["site"] = printable(entry.site);
        } else {
            item["reason"] = {
                {"id", entry.reasonId}, {"text", printable(entry.reasonText)}, {"node", printable(entry.reasonNode)}};
        }
        list.push_back(std::move(item));
    }
    return list;
}

json islandsJson(const FoldReport& report)
{
    json list = json::array();
    for (const Island& island : report.islands) {
        json nodes = json::array();
        for (const std::string& node : island.nodes) {
            nodes.push_back(printable(node));
        }
        list.push_back({{"nodes", std::move(nodes)}, {"reason", printable(island.reason)}, {"id", island.reasonId}});
    }
    return list;
}

json tensorsJson(const Verification& verification)
{
    json list = json::array();
    for (const TensorReport& tensor : verification.tensors) {
        list.push_back({{"name", printable(tensor.name)},
                        {"source", printable(tensor.source)},
                        {"stage", tensor.stage},
                        {"local", toJson(tensor.local)},
                        {"accumulated", toJson(tensor.accumulated)}});
    }
    return list;
}

json outcomeJson(const FoldOutcome& outcome)
{
    json result = jsonHead();
    if (outcome.model != nullptr) {
        result["model"] = modelJson(*outcome.model);
        result["diagnostics"] = toJson(outcome.model->diagnostics);
    }
    if (outcome.notes != nullptr) {
        for (json& entry : toJson(*outcome.notes)) {
            result["diagnostics"].push_back(std::move(entry));
        }
    }
    result["target"] = outcome.target;
    if (outcome.trace != nullptr) {
        result["stages"] = stagesJson(*outcome.trace, outcome.verification);
    }
    if (outcome.report != nullptr) {
        const FoldReport& report = *outcome.report;
        result["quantizers"] = quantizersJson(report);
        result["islands"] = islandsJson(report);
        result["linear_ops"] = {
            {"all", report.linearOps}, {"quantized", report.quantizedLinearOps}, {"integer", report.integerLinearOps}};
        result["macs"] = {{"before", report.macsBefore}, {"integer", report.macsInteger}, {"float", report.macsFloat}};
    }
    if (outcome.samples != nullptr) {
        result["samples"] = {{"source", printable(outcome.samples->source)},
                             {"count", outcome.samples->samples.size()},
                             {"seed", outcome.samples->seed}};
    }
    result["certificate"] = toJson(outcome.verification != nullptr ? outcome.verification->whole : Certificate{});
    if (outcome.verification != nullptr) {
        result["tensors"] = tensorsJson(*outcome.verification);
        if (outcome.verification->accuracy && outcome.verification->accuracy->count > 0) {
            result["accuracy"] = toJson(*outcome.verification->accuracy);
        }
    }
    if (outcome.output != nullptr) {
        const ExportResult& output = *outcome.output;
        result["output"] = {{"file", printable(output.file)},
                            {"format", output.format},
                            {"bytes", output.bytes},
                            {"nodes", output.nodes},
                            {"ops", output.ops}};
        result["correspondence"] = correspondenceJson(output.correspondence);
        for (json& entry : toJson(output.diagnostics)) {
            result["diagnostics"].push_back(std::move(entry));
        }
    }
    if (outcome.engine != nullptr) {
        result["engine"] = {{"name", outcome.engine->name},
                            {"version", outcome.engine->version},
                            {"certificate", toJson(outcome.engine->certificate)}};
        if (outcome.engine->accuracy) {
            result["engine"]["accuracy"] = toJson(*outcome.engine->accuracy);
        }
    }
    return result;
}

json diffJson(const Trace& trace, std::size_t from, std::size_t to)
{
    const Graph& before = trace.graph(from);
    const Graph& after = trace.graph(to);
    const GraphDiff diff = diffGraphs(before, after);
    const auto nodeEntry = [](const Graph& graph, NodeId id) {
        return json{{"node", nodeLabel(graph, id)},
                    {"op", printable(graph.node(id).op)},
                    {"text", printable(printNode(graph, id, {.maxElements = 16}))}};
    };
    const auto labels = [](const Graph& graph, const std::vector<NodeId>& ids) {
        json list = json::array();
        for (const NodeId id : ids) {
            list.push_back(nodeLabel(graph, id));
        }
        return list;
    };
    const auto valueNames = [](const Graph& graph, const std::vector<ValueId>& ids) {
        json list = json::array();
        for (const ValueId id : ids) {
            list.push_back(printable(graph.value(id).name));
        }
        return list;
    };
    const Lineage lineage(trace);
    json added = json::array();
    for (const NodeId id : diff.added) {
        json entry = nodeEntry(after, id);
        entry["from"] = labels(before, lineage.counterparts(id, to, from));
        added.push_back(std::move(entry));
    }
    json removed = json::array();
    for (const NodeId id : diff.removed) {
        json entry = nodeEntry(before, id);
        entry["became"] = labels(after, lineage.counterparts(id, from, to));
        removed.push_back(std::move(entry));
    }
    json changed = json::array();
    for (const auto* list : {&diff.changed, &diff.rewired}) {
        for (const NodeId id : *list) {
            json entry = nodeEntry(after, id);
            entry["before"] = printable(printNode(before, id, {.maxElements = 16}));
            entry["rewired_only"] = list == &diff.rewired;
            changed.push_back(std::move(entry));
        }
    }
    json result = jsonHead();
    result["from"] = from == 0 ? "original" : trace.stages[from - 1].pass;
    result["to"] = to == 0 ? "original" : trace.stages[to - 1].pass;
    result["added"] = std::move(added);
    result["removed"] = std::move(removed);
    result["changed"] = std::move(changed);
    result["values_added"] = valueNames(after, diff.valuesAdded);
    result["values_removed"] = valueNames(before, diff.valuesRemoved);
    result["values_changed"] = valueNames(after, diff.valuesChanged);
    return result;
}

} // namespace crease
