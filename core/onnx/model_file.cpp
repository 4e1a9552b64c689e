// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/model_file.h"

#include "core/onnx/wire.h"
#include "core/support/text.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <google/protobuf/io/coded_stream.h>
#include <limits>
#include <string_view>

namespace crease {

namespace {

constexpr std::uint64_t pieceBytes = 8U << 20U; // read between two looks at the stop token

std::unexpected<Error> fault(std::string id, std::string message)
{
    return failure(ErrorKind::Input, std::move(id), std::move(message));
}

std::string beginning(std::string_view bytes)
{
    std::size_t start = 0;
    while (start < bytes.size() && start < 256 && std::isspace(static_cast<unsigned char>(bytes[start])) != 0) {
        ++start;
    }
    std::string text(bytes.substr(start, 64));
    std::ranges::transform(text, text.begin(),
                           [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    return text;
}

/// What the bytes are if they are something well known that is no ONNX model.
std::string_view otherFormat(std::string_view bytes)
{
    const std::string start = beginning(bytes);
    const auto starts = [&](std::string_view prefix) { return start.starts_with(prefix); };
    if (starts("<!doctype") || starts("<html") || starts("<?xml") || starts("<head")) {
        return "an HTML or XML page (a failed download?)";
    }
    if (starts("version https://git-lfs")) {
        return "a git-lfs pointer (run `git lfs pull` to get the model)";
    }
    if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06")) {
        return "a zip archive (a .pt, .npz or .zip file?)";
    }
    if (bytes.starts_with("\x1f\x8b")) {
        return "a gzip archive";
    }
    if (bytes.substr(0, 8).ends_with("TFL3") && bytes.size() >= 8) {
        return "a TensorFlow Lite model";
    }
    if (bytes.substr(0, 8).ends_with("ORTM") && bytes.size() >= 8) {
        return "an ONNX Runtime .ort model";
    }
    if (starts("ir_version:") || starts("graph {") || starts("producer_name:") || starts("opset_import") ||
        starts("node {") || starts("layer {") || starts("name:")) {
        return "a protobuf model in text form (only the binary form is read)";
    }
    if (starts("{") || starts("[")) {
        return "JSON text";
    }
    if (starts("\x89hdf")) {
        return "an HDF5 file";
    }
    return {};
}

} // namespace

Result<std::string> readModelFile(const std::string& path, std::uint64_t maxBytes, const Job& job)
{
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) {
        return fault("no-such-file", error && error != std::errc::no_such_file_or_directory
                                         ? fmt::format("cannot open the file: {}", error.message())
                                         : "there is no such file");
    }
    if (!std::filesystem::is_regular_file(status)) {
        return fault("not-a-file",
                     std::filesystem::is_directory(status) ? "this is a folder" : "this is no regular file");
    }
    const std::uint64_t size = std::filesystem::file_size(path, error);
    if (error) {
        return fault("no-such-file", fmt::format("cannot open the file: {}", error.message()));
    }
    if (size > maxBytes) {
        return fault(
            "file-too-large",
            fmt::format("the file has {} bytes, the limit is {} (crease-cli --max-file raises it)", size, maxBytes));
    }
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        return fault("no-such-file", fmt::format("cannot open the file: {}", std::strerror(errno)));
    }
    std::string bytes;
    while (bytes.size() < size) {
        TRY(job.check());
        const std::size_t start = bytes.size();
        const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(size - start, pieceBytes));
        bytes.resize(start + piece);
        stream.read(bytes.data() + start, static_cast<std::streamsize>(piece));
        if (static_cast<std::size_t>(stream.gcount()) != piece) {
            return fault("read-failed", fmt::format("only {} of {} bytes could be read",
                                                    start + static_cast<std::size_t>(stream.gcount()), size));
        }
    }
    return bytes;
}

Result<void> parseModel(const std::string& bytes, onnx::ModelProto& model)
{
    if (bytes.empty()) {
        return fault("empty-file", "the file is empty");
    }
    if (const std::string_view format = otherFormat(bytes); !format.empty()) {
        return fault("not-onnx", fmt::format("this is {}, not an ONNX model", format));
    }
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        return fault(
            "file-too-large",
            fmt::format("the file has {} bytes; a model over 2 GiB keeps its weights as external data", bytes.size()));
    }
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                  static_cast<int>(bytes.size()));
    if (!model.MergePartialFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
        return fault("malformed",
                     fmt::format("truncated or corrupt: {}, of {} bytes", wire::describeFault(bytes), bytes.size()));
    }
    if (!model.has_graph()) {
        return fault("no-graph", "this is no ONNX model: it has no graph");
    }
    if (model.opset_import_size() == 0 && model.graph().node_size() == 0) {
        return fault("no-opset", "this is no ONNX model: it has no node and imports no operator set");
    }
    if (model.graph().output_size() == 0) {
        return fault("no-outputs", fmt::format("the graph has {} node{} and no output, so it computes nothing",
                                               model.graph().node_size(), model.graph().node_size() == 1 ? "" : "s"));
    }
    return {};
}

} // namespace crease
