// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/importer.h"

#include "core/onnx/forms.h"
#include "core/onnx/graph_reader.h"
#include "core/onnx/meaning.h"
#include "core/onnx/model_file.h"
#include "core/onnx/repairs.h"
#include "core/onnx/sha256.h"
#include "core/onnx/subgraphs.h"
#include "core/ops/op_table.h"
#include "core/support/text.h"

#include <filesystem>
#include <fmt/format.h>
#include <new>

namespace crease {

namespace {

constexpr int oldestOpset = 7;
constexpr int newestOpset = 25;
constexpr int oldestIr = 3;
constexpr int newestIr = 14;

Result<void> checkVersions(const onnx::ModelProto& model, Diagnostics& diagnostics)
{
    if (model.ir_version() < oldestIr) {
        return failure(ErrorKind::Input, "ir-version",
                       model.has_ir_version()
                           ? fmt::format("IR version {} is older than {}", model.ir_version(), oldestIr)
                           : std::string("the model states no IR version"));
    }
    if (model.ir_version() > newestIr) {
        diagnostics.push_back(
            {Severity::Warning, "newer-ir",
             fmt::format("IR version {} is newer than {}, the newest that is known", model.ir_version(), newestIr)});
    }
    return {};
}

Result<void> checkOpset(const Graph& graph, Diagnostics& diagnostics)
{
    const auto found = graph.model().opsets.find("");
    if (found == graph.model().opsets.end()) {
        return {};
    }
    if (found->second < oldestOpset) {
        return failure(ErrorKind::Input, "opset-too-old",
                       fmt::format("opset {} is older than {}, the oldest that is read", found->second, oldestOpset));
    }
    if (found->second > newestOpset) {
        diagnostics.push_back({Severity::Warning, "newer-opset",
                               fmt::format("opset {} is newer than {}: ops are read as that one defines them",
                                           found->second, newestOpset)});
    }
    return {};
}

/// Whether nodes were read at another version than the model's: functions may import another one.
bool mixesVersions(const Graph& graph, int opset)
{
    return std::ranges::any_of(graph.order(), [&](NodeId id) {
        const Node& node = graph.node(id);
        return node.domain.empty() && node.version != opset;
    });
}

/// Subgraphs are of the model's IR version and opsets too.
Result<void> tellSubgraphs(Graph& graph, const ModelInfo& model)
{
    ModelInfo info;
    info.irVersion = model.irVersion;
    info.opsets = model.opsets;
    return editSubgraphs(graph, [&info](Graph& inner) {
        inner.setModel(info);
        return tellSubgraphs(inner, info);
    });
}

/// What a subgraph reads from outside has the type that it has there; true if that was news to one.
bool typeCaptures(Graph& graph)
{
    bool changed = false;
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        if (graph.node(id).captures.empty()) {
            continue;
        }
        Node node = graph.node(id);
        for (auto& [key, attribute] : node.attributes) {
            auto* inner = std::get_if<GraphRef>(&attribute);
            if (inner == nullptr) {
                continue;
            }
            Graph copy = **inner;
            for (const Capture& capture : node.captures) {
                const Value& outer = graph.value(capture.outer);
                if (capture.attribute != key ||
                    (copy.value(capture.inner).type == outer.type && copy.value(capture.inner).shape == outer.shape)) {
                    continue;
                }
                Value value = copy.value(capture.inner);
                value.type = outer.type;
                value.shape = outer.shape;
                copy.setValue(capture.inner, std::move(value));
                changed = true;
            }
            changed = typeCaptures(copy) || changed;
            *inner = std::make_shared<const Graph>(std::move(copy));
        }
        graph.setNode(id, std::move(node));
    }
    return changed;
}

/// A model whose stated shapes contradict each other opens all the same.
void inferTypes(Graph& graph, Diagnostics& diagnostics)
{
    Graph inferred = graph;
    Result<void> result = inferShapes(inferred);
    // Each round reaches one level of subgraphs deeper; models have one or two.
    for (int round = 0; round < 4 && result && typeCaptures(inferred); ++round) {
        result = inferShapes(inferred);
    }
    if (!result) {
        diagnostics.push_back({Severity::Warning, "shapes-contradict", result.error().message, result.error().node,
                               result.error().value});
        return;
    }
    graph = std::move(inferred);
}

Result<std::string> checksum(std::string_view bytes, const Job& job)
{
    constexpr std::size_t piece = 8U << 20U;
    Sha256 sum;
    for (std::size_t start = 0; start < bytes.size(); start += piece) {
        TRY(job.check());
        sum.add(bytes.substr(start, piece));
    }
    return sum.hex();
}

Result<ImportedModel> import(const std::string& bytes, const std::string& folder, const ImportOptions& options,
                             const Job& job)
{
    ImportedModel result;
    onnx::ModelProto model;
    TRY(parseModel(bytes, model));
    TRY(job.check());
    job.report(0.3, "reading the graph");
    TRY(checkVersions(model, result.diagnostics));
    ExternalData external(folder);
    result.graph =
        TRY(readGraph(model, external, {options.maxTensorBytes, options.maxExternalBytes}, job, result.diagnostics));
    TRY(checkOpset(result.graph, result.diagnostics));
    job.report(0.8, "bringing ops to one form");
    repairQuantizers(result.graph, result.diagnostics);
    TRY(toNewestForms(result.graph));
    reportTraining(result.graph, result.diagnostics);
    const auto opset = result.graph.model().opsets.find("");
    result.originalOpset = opset == result.graph.model().opsets.end() ? 0 : opset->second;
    if (mixesVersions(result.graph, result.originalOpset)) {
        TRY(raiseVersions(result.graph, result.originalOpset));
    }
    nameNodes(result.graph);
    TRY(tellSubgraphs(result.graph, result.graph.model()));
    inferTypes(result.graph, result.diagnostics);
    result.bytes = bytes.size();
    result.sha256 = TRY(checksum(bytes, job));
    result.externalData.assign(external.files().begin(), external.files().end());
    job.report(1.0, "imported");
    return result;
}

} // namespace

Result<ImportedModel> importModelFromBytes(const std::string& bytes, const std::string& folder,
                                           const ImportOptions& options, const Job& job)
{
    try {
        return import(bytes, folder, options, job);
    } catch (const std::bad_alloc&) {
        return failure(ErrorKind::Input, "out-of-memory", "the model needs more memory than there is");
    }
}

Result<ImportedModel> importModel(const std::string& path, const ImportOptions& options, const Job& job)
{
    const auto inFile = [&]<class T>(Result<T> result) {
        if (!result && result.error().file.empty()) {
            result.error().file = printable(path);
        }
        return result;
    };
    const std::string bytes = TRY(inFile(readModelFile(path, options.maxFileBytes, job)));
    TRY(job.check());
    std::string folder = std::filesystem::path(path).parent_path().string();
    if (folder.empty()) {
        folder = ".";
    }
    ImportedModel result = TRY(inFile(importModelFromBytes(bytes, folder, options, job)));
    result.file = path;
    return result;
}

} // namespace crease
