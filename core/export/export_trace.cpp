// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/exporter.h"
#include "core/export/integer_io.h"
#include "core/export/read_back.h"
#include "core/export/replacing.h"
#include "core/export/version.h"
#include "core/onnx/importer.h"
#include "core/onnx/writer.h"
#include "core/passes/fuse.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <unistd.h>
#include <unordered_map>

namespace crease {

namespace {

namespace fs = std::filesystem;

std::unexpected<Error> cannotWrite(const std::string& path, std::string message)
{
    Error error{ErrorKind::Output, "cannot-write", std::move(message)};
    error.file = path;
    return std::unexpected(std::move(error));
}

/// A folder beside the output that the file is written into and checked in; it goes with whatever is left in it.
class Workshop {
public:
    static Result<Workshop> create(const std::string& path)
    {
        const fs::path target(path);
        const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
        const fs::path folder = parent / fmt::format(".{}.{}.part", target.filename().string(), ::getpid());
        std::error_code error;
        fs::create_directory(folder, error);
        if (error) {
            return cannotWrite(path, error.message());
        }
        return Workshop(folder);
    }
    Workshop(Workshop&& other) noexcept : m_folder(std::exchange(other.m_folder, {})) {}
    Workshop(const Workshop&) = delete;
    Workshop& operator=(const Workshop&) = delete;
    Workshop& operator=(Workshop&&) = delete;
    ~Workshop()
    {
        if (!m_folder.empty()) {
            std::error_code ignored; // what cannot be removed stays
            fs::remove_all(m_folder, ignored);
        }
    }

    fs::path file(const std::string& path) const { return m_folder / fs::path(path).filename(); }

    Result<void> moveTo(const std::string& path) const
    {
        const fs::path target(path);
        std::vector<fs::path> files;
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(m_folder, error)) {
            files.push_back(entry.path());
        }
        // The model itself goes last: it is what names the data.
        std::ranges::sort(files, {}, [&](const fs::path& file) { return file.filename() == target.filename(); });
        for (const fs::path& file : files) {
            fs::rename(file, target.parent_path() / file.filename(), error);
            if (error) {
                return cannotWrite(path, error.message());
            }
        }
        return {};
    }

private:
    explicit Workshop(fs::path folder) : m_folder(std::move(folder)) {}
    fs::path m_folder;
};

void setMetadata(Graph& graph, const Recipe& recipe, const Target& target, const ExportOptions& options)
{
    ModelInfo model = graph.model();
    const auto set = [&](std::string_view key, std::string value) {
        std::erase_if(model.metadata, [key](const auto& entry) { return entry.first == key; });
        model.metadata.emplace_back(std::string(key), std::move(value));
    };
    set(modelMark, std::string(creaseVersion()));
    set("crease.target", target.name);
    set("crease.recipe", recipeToJson(recipe));
    if (!options.sourceSha256.empty()) {
        set("crease.source_sha256", options.sourceSha256);
    }
    graph.setModel(std::move(model));
}

/// For every value of a trace the values of the source that it stands for. Ids are never reused, so one map serves all
/// stages, and one walk over the relations fills it.
class Sources {
public:
    explicit Sources(const Trace& trace) : m_original(trace.original)
    {
        for (const Stage& stage : trace.stages) {
            for (const ValueRelation& relation : stage.relations) {
                if (relation.before == relation.after) {
                    continue;
                }
                const std::set<ValueId> roots = rootsOf(relation.before);
                m_roots[relation.after].insert(roots.begin(), roots.end());
            }
        }
    }

    /// The one of its own name if there is, else the first; empty where there is none.
    std::string nameFor(const Graph& final, ValueId id) const
    {
        std::string first;
        for (const ValueId root : rootsOf(id)) {
            const std::string& name = m_original.value(root).name;
            if (name == final.value(id).name) {
                return name;
            }
            first = first.empty() ? name : first;
        }
        return first;
    }

private:
    std::set<ValueId> rootsOf(ValueId id) const
    {
        if (m_original.contains(id)) {
            return {id};
        }
        const auto found = m_roots.find(id);
        return found == m_roots.end() ? std::set<ValueId>{} : found->second;
    }

    const Graph& m_original;
    std::unordered_map<ValueId, std::set<ValueId>> m_roots;
};

/// Final names become source names; what has no counterpart in the source is left out.
std::vector<Correspondence> inSourceNames(std::vector<Correspondence> list, const Trace& trace)
{
    const Sources sources(trace);
    std::unordered_map<std::string, ValueId> ids;
    for (const ValueId id : trace.final().values()) {
        ids.emplace(trace.final().value(id).name, id);
    }
    std::vector<Correspondence> result;
    for (Correspondence& entry : list) {
        const auto id = ids.find(entry.source);
        entry.source = id != ids.end() ? sources.nameFor(trace.final(), id->second) : std::string();
        if (!entry.source.empty()) {
            result.push_back(std::move(entry));
        }
    }
    return result;
}

/// An error about the draft is one about the file that was asked for.
template <class T>
Result<T> told(Result<T> result, const std::string& path)
{
    if (!result && result.error().kind != ErrorKind::Cancelled) {
        result.error().file = path;
    }
    return result;
}

/// That our own file cannot be read is no fault of an input.
Result<ImportedModel> checked(Result<ImportedModel> readBack)
{
    if (!readBack && readBack.error().kind != ErrorKind::Cancelled) {
        readBack.error().kind = ErrorKind::Internal;
        readBack.error().message = "the written file cannot be read back: " + readBack.error().message;
    }
    return readBack;
}

std::uint64_t sizeOnDisk(const std::string& path)
{
    std::error_code error;
    const auto model = fs::file_size(path, error);
    const auto data = fs::file_size(path + ".data", error);
    return model + (error ? 0 : data);
}

} // namespace

Result<ExportResult> exportTrace(const Trace& trace, const Recipe& recipe, const Target& target,
                                 const std::string& path, const ExportOptions& options, const Job& job)
{
    TRY(mayReplace(path, options.force, FileOfOurs::Model));
    ExportResult result;
    result.file = path;
    result.format = target.format;
    const bool integerIo = options.integerIo == "integer" || recipe.io == "integer";
    // The formats have kernels for a layer with its requantizer only, so what a recipe left apart is joined here (class
    // X).
    const Stage fused = TRY(runFuse(trace.final(), PassContext{target}, job));
    const Graph final = integerIo ? TRY(withIntegerIo(fused.after)) : fused.after;
    std::vector<Correspondence> correspondence;
    Graph deployable = TRY(toDeployable(final, target, &correspondence, &result.diagnostics));
    setMetadata(deployable, recipe, target, options);
    TRY(job.check());
    const Workshop workshop = TRY(Workshop::create(path));
    const std::string draft = workshop.file(path).string();
    TRY(told(writeModel(deployable, draft), path));
    TRY(job.check());
    const ImportedModel readBack = TRY(told(checked(importModel(draft, {}, job)), path));
    TRY(told(compareContents(deployable, readBack.graph), path));
    TRY(told(compareResults(final, readBack.graph, result.diagnostics, job), path));
    TRY(job.check());
    result.bytes = sizeOnDisk(draft);
    TRY(workshop.moveTo(path));
    result.nodes = deployable.nodeCount();
    for (const NodeId id : deployable.order()) {
        ++result.ops[deployable.node(id).op];
    }
    result.correspondence = inSourceNames(std::move(correspondence), trace);
    return result;
}

} // namespace crease
