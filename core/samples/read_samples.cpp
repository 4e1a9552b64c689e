// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/tensor_proto.h"
#include "core/samples/npy.h"
#include "core/samples/sample_builder.h"
#include "core/support/text.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

namespace crease {

namespace {

namespace fs = std::filesystem;

Error inFile(Error error, const fs::path& file)
{
    if (error.file.empty()) {
        error.file = file.string();
    }
    return error;
}

Result<std::string> readFile(const fs::path& path)
{
    std::ifstream stream(path, std::ios::binary);
    std::error_code code;
    const auto size = fs::file_size(path, code);
    if (!stream || code) {
        return std::unexpected(Error{ErrorKind::Input, "sample-unreadable", "the file cannot be read", path.string()});
    }
    std::string bytes(size, '\0');
    stream.read(bytes.data(), static_cast<std::streamsize>(size));
    if (static_cast<std::uintmax_t>(stream.gcount()) != size) {
        return std::unexpected(
            Error{ErrorKind::Input, "sample-unreadable", "the file cannot be read to its end", path.string()});
    }
    return bytes;
}

/// The number in prefix_N.suffix, if the name has that form.
std::optional<std::size_t> numberIn(const fs::path& path, std::string_view prefix, std::string_view suffix)
{
    const std::string name = path.filename().string();
    if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix)) {
        return std::nullopt;
    }
    std::size_t number = 0;
    const char* const end = name.data() + name.size() - suffix.size();
    const auto [next, error] = std::from_chars(name.data() + prefix.size(), end, number);
    return error == std::errc{} && next == end ? std::optional(number) : std::nullopt;
}

std::map<std::size_t, fs::path> numbered(const fs::path& folder, std::string_view prefix, std::string_view suffix)
{
    std::map<std::size_t, fs::path> result;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder, code)) {
        if (const auto number = numberIn(entry.path(), prefix, suffix)) {
            result.emplace(*number, entry.path());
        }
    }
    return result;
}

/// input_K.pb: by the name that the tensor carries where every one names an input, else by K in the order of the
/// inputs.
Result<SampleSet> readProtoFolder(const std::map<std::size_t, fs::path>& files, const Graph& graph,
                                  const SampleOptions& options)
{
    NamedTensors arrays;
    bool allNamed = true;
    for (const auto& [number, path] : files) {
        const std::string bytes = TRY(readFile(path));
        auto read = tensorFromProtoBytes(bytes);
        if (!read) {
            return std::unexpected(inFile(read.error(), path));
        }
        auto& [name, tensor] = *read;
        allNamed = allNamed && std::ranges::any_of(graph.inputs(), [&, &wanted = name](ValueId id) {
                       return graph.value(id).name == wanted;
                   });
        arrays.emplace_back(std::move(name), std::move(tensor));
    }
    const auto& inputs = graph.inputs();
    if (!allNamed) {
        for (std::size_t i = 0; i < arrays.size() && i < inputs.size(); ++i) {
            arrays[i].first = graph.value(inputs[i]).name;
        }
    }
    return samplesFromArrays(std::move(arrays), graph, options, Batches::Keep);
}

Result<SampleSet> readRaw(const fs::path& path, const Graph& graph, const SampleOptions& options)
{
    const auto type = elementTypeFromName(options.rawType);
    if (options.rawType.empty() || !type || byteWidth(*type) == 0) {
        return std::unexpected(Error{
            ErrorKind::Usage, "raw-type",
            options.rawType.empty() ? "a raw file needs its element type: --raw-type float32, uint8 ..."
                                    : fmt::format("'{}' is no element type of a raw file", printable(options.rawType)),
            path.string()});
    }
    if (graph.inputs().size() != 1) {
        return std::unexpected(Error{
            ErrorKind::Input, "raw-inputs",
            fmt::format("a raw file holds one input and the model has {}", graph.inputs().size()), path.string()});
    }
    const auto shape = TRY(wantedShapes(graph, options))[0];
    Dims dims;
    for (std::size_t axis = 0; shape && axis < shape->size(); ++axis) {
        dims.push_back(axis == 0 && !(*shape)[0].known() ? 1 : (*shape)[axis].value);
    }
    const auto count = elementCount(dims);
    if (!shape || !count || *count == 0) {
        return std::unexpected(Error{ErrorKind::Usage, "shape-needed",
                                     fmt::format("a raw file needs the shape of input '{}': give it with --shape",
                                                 printable(graph.value(graph.inputs()[0]).name)),
                                     path.string()});
    }
    auto bytes = std::make_shared<const std::string>(TRY(readFile(path)));
    const std::size_t each = static_cast<std::size_t>(*count) * byteWidth(*type);
    if (bytes->empty() || bytes->size() % each != 0) {
        return std::unexpected(Error{ErrorKind::Input, "raw-size",
                                     fmt::format("the file has {} bytes; a sample of shape {} and type {} has {}",
                                                 bytes->size(), toText(dims), longName(*type), each),
                                     path.string()});
    }
    dims.insert(dims.begin(), static_cast<std::int64_t>(bytes->size() / each));
    const void* data = bytes->data();
    NamedTensors arrays;
    arrays.emplace_back(graph.value(graph.inputs()[0]).name, Tensor::view(*type, dims, std::move(bytes), data));
    return samplesFromArrays(std::move(arrays), graph, options, Batches::Split);
}

Result<SampleSet> readOneFile(const fs::path& path, const Graph& graph, const SampleOptions& options, const Job& job)
{
    const std::string extension = path.extension().string();
    if (extension == ".npz") {
        auto arrays = TRY(readNpz(path.string(), options.maxNpzExpansion, job));
        return samplesFromArrays(std::move(arrays), graph, options, Batches::Split);
    }
    if (extension != ".npy" && extension != ".pb") {
        return readRaw(path, graph, options);
    }
    const std::string bytes = TRY(readFile(path));
    NamedTensor read;
    if (extension == ".npy") {
        read.name = "arr_0";
        read.tensor = TRY(tensorFromNpy(bytes));
    } else {
        read = TRY(tensorFromProtoBytes(bytes));
    }
    NamedTensors arrays;
    arrays.emplace_back(std::move(read.name), std::move(read.tensor));
    return samplesFromArrays(std::move(arrays), graph, options, extension == ".npy" ? Batches::Split : Batches::Keep);
}

void append(SampleSet& set, SampleSet more)
{
    std::ranges::move(more.samples, std::back_inserter(set.samples));
    std::ranges::move(more.labels, std::back_inserter(set.labels));
}

Result<SampleSet> readFolder(const fs::path& folder, const Graph& graph, const SampleOptions& options, const Job& job)
{
    const auto full = [&](const SampleSet& set) { return options.limit > 0 && set.samples.size() >= options.limit; };
    SampleSet set;
    if (const auto files = numbered(folder, "input_", ".pb"); !files.empty()) {
        return readProtoFolder(files, graph, options);
    }
    for (const auto& [number, path] : numbered(folder, "test_data_set_", "")) {
        TRY(job.check());
        const auto files = numbered(path, "input_", ".pb");
        if (!files.empty() && !full(set)) {
            auto some = TRY(readProtoFolder(files, graph, options));
            append(set, std::move(some));
        }
    }
    if (set.samples.empty()) {
        std::vector<fs::path> files;
        std::error_code code;
        for (const auto& entry : fs::directory_iterator(folder, code)) {
            const std::string extension = entry.path().extension().string();
            if (extension == ".npz" || extension == ".npy" || extension == ".pb") {
                files.push_back(entry.path());
            }
        }
        std::ranges::sort(files);
        for (const fs::path& path : files) {
            TRY(job.check());
            if (!full(set)) {
                auto some = readOneFile(path, graph, options, job);
                if (!some) {
                    return std::unexpected(inFile(some.error(), path));
                }
                append(set, std::move(*some));
            }
        }
    }
    if (set.samples.empty()) {
        return failure(ErrorKind::Input, "no-samples",
                       "the folder has no input_K.pb, no test_data_set_N and no .npz or .npy file");
    }
    if (!set.labels.empty() && set.labels.size() != set.samples.size()) {
        return failure(ErrorKind::Input, "labels-count", "only some of the files have labels");
    }
    if (full(set)) {
        set.samples.resize(options.limit);
        set.labels.resize(std::min(set.labels.size(), options.limit));
    }
    return set;
}

} // namespace

Result<SampleSet> readSamples(const std::string& path, const Graph& graph, const SampleOptions& options, const Job& job)
{
    std::error_code code;
    const auto status = fs::status(path, code);
    if (!fs::exists(status)) {
        return std::unexpected(Error{ErrorKind::Input, "sample-unreadable", "there is no such file or folder", path});
    }
    auto set =
        fs::is_directory(status) ? readFolder(path, graph, options, job) : readOneFile(path, graph, options, job);
    if (!set) {
        return std::unexpected(inFile(set.error(), path));
    }
    set->source = fs::path(path).filename().string();
    if (set->source.empty()) { // a folder written with a slash at its end
        set->source = fs::path(path).parent_path().filename().string();
    }
    return set;
}

} // namespace crease
