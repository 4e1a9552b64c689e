// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/writer.h"

#include "core/onnx/forms.h"
#include "core/onnx/graph_reader.h"
#include "core/onnx/graph_writer.h"
#include "core/onnx/meaning.h"
#include "core/onnx/subgraphs.h"
#include "core/onnx/tensor_reader.h"
#include "core/support/text.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <unistd.h>

namespace crease {

namespace {

constexpr std::uint64_t smallTensor = 1024; // bytes; stays in the model file
constexpr std::uint64_t alignment = 4096;

std::unexpected<Error> outputFault(const std::string& path, std::string_view what)
{
    Error error{ErrorKind::Output, "cannot-write", std::string(what)};
    error.file = printable(path);
    return std::unexpected(std::move(error));
}

/// A node that means what a newer opset than the file's says must mean the same in the file's.
Result<void> checkNewerNodes(Graph& graph, int opset)
{
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        // A quantizer with an axis below opset 13 was repaired at import and goes back as it came.
        const bool quantizes = node.op == "QuantizeLinear" || node.op == "DequantizeLinear";
        if (!node.domain.empty() || node.version <= opset || quantizes) {
            continue;
        }
        if (const int required = requiredOpset(graph, node); required > opset) {
            Error error{ErrorKind::Unsupported, "opset-too-old",
                        fmt::format("{} needs opset {}, the file has {}", node.op, required, opset)};
            error.node = nodeLabel(graph, node);
            return std::unexpected(std::move(error));
        }
    }
    return editSubgraphs(graph, [opset](Graph& inner) { return checkNewerNodes(inner, opset); });
}

Result<Graph> inForms(const Graph& graph)
{
    Graph copy = graph;
    const auto opset = copy.model().opsets.find("");
    if (opset != copy.model().opsets.end()) {
        const int version = opset->second;
        TRY(checkNewerNodes(copy, version));
        TRY(raiseVersions(copy, version));
        TRY(toFormsOf(copy, version));
    }
    nameNodes(copy);
    return copy;
}

/// A file that is written under another name and renamed when it is complete; else it disappears.
class PendingFile {
public:
    explicit PendingFile(std::string path)
        : m_path(std::move(path)), m_temporary(fmt::format("{}.{}.part", m_path, ::getpid())),
          m_stream(m_temporary, std::ios::binary | std::ios::trunc)
    {
        m_errno = m_stream ? 0 : errno;
    }
    PendingFile(const PendingFile&) = delete;
    PendingFile& operator=(const PendingFile&) = delete;
    ~PendingFile()
    {
        if (!m_renamed && m_errno == 0) {
            m_stream.close();
            std::error_code ignored; // a temporary file that cannot be removed stays
            std::filesystem::remove(m_temporary, ignored);
        }
    }

    Result<void> opened() const
    {
        if (m_errno != 0) {
            return outputFault(m_path, std::strerror(m_errno));
        }
        return {};
    }

    std::ofstream& stream() { return m_stream; }

    Result<void> close()
    {
        m_stream.close();
        if (!m_stream) {
            return outputFault(m_path, "the data could not be written completely");
        }
        return {};
    }

    Result<void> rename()
    {
        std::error_code error;
        std::filesystem::rename(m_temporary, m_path, error);
        if (error) {
            return outputFault(m_path, error.message());
        }
        m_renamed = true;
        return {};
    }

private:
    std::string m_path;
    std::string m_temporary;
    std::ofstream m_stream;
    int m_errno = 0;
    bool m_renamed = false;
};

std::uint64_t tensorBytes(const Graph& graph)
{
    std::uint64_t total = 0;
    for (const ValueId id : graph.values()) {
        total += graph.value(id).isConstant() ? graph.value(id).constant.bytes() : 0;
    }
    for (const NodeId id : graph.order()) {
        for (const auto& [key, attribute] : graph.node(id).attributes) {
            if (const auto* tensor = std::get_if<Tensor>(&attribute)) {
                total += tensor->bytes();
            } else if (const auto* inner = std::get_if<GraphRef>(&attribute)) {
                total += tensorBytes(**inner);
            }
        }
    }
    return total;
}

void addEntry(onnx::TensorProto& proto, const char* key, const std::string& value)
{
    auto& entry = *proto.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
}

/// A sink that appends data to a file named `location` beside the model.
TensorSink sinkInto(PendingFile& file, const std::string& location)
{
    return [&file, location, offset = std::uint64_t{0}](const Tensor& tensor,
                                                        onnx::TensorProto& proto) mutable -> Result<bool> {
        if (tensor.bytes() < smallTensor || tensor.type() == ElementType::String) {
            return false;
        }
        writeTensorHeader(tensor, proto);
        const std::string packed = isPacked(tensor.type()) ? packedBytes(tensor) : std::string();
        const std::string_view data =
            packed.empty() ? std::string_view(reinterpret_cast<const char*>(tensor.raw()), tensor.bytes())
                           : std::string_view(packed);
        const std::uint64_t start = (offset + alignment - 1) / alignment * alignment;
        const std::string padding(static_cast<std::size_t>(start - offset), '\0');
        file.stream() << padding;
        file.stream().write(data.data(), static_cast<std::streamsize>(data.size()));
        offset = start + data.size();
        addEntry(proto, "location", location);
        addEntry(proto, "offset", std::to_string(start));
        addEntry(proto, "length", std::to_string(data.size()));
        proto.set_data_location(onnx::TensorProto::EXTERNAL);
        return true;
    };
}

Result<std::string> serialised(const onnx::ModelProto& model)
{
    const std::size_t size = model.ByteSizeLong();
    std::string bytes;
    if (size > static_cast<std::size_t>(std::numeric_limits<int>::max()) || !model.SerializePartialToString(&bytes)) {
        return failure(ErrorKind::Output, "model-too-large",
                       fmt::format("the model has {} bytes; one file can hold 2 GiB", size));
    }
    return bytes;
}

} // namespace

Result<std::string> modelBytes(const Graph& graph)
{
    const Graph written = TRY(inForms(graph));
    onnx::ModelProto model;
    TRY(writeGraph(written, model, {}));
    return serialised(model);
}

Result<void> writeModel(const Graph& graph, const std::string& path, const WriteOptions& options)
{
    const Graph written = TRY(inForms(graph));
    PendingFile file(path);
    TRY(file.opened());
    onnx::ModelProto model;
    std::optional<PendingFile> data;
    if (tensorBytes(written) > options.externalAbove) {
        data.emplace(path + ".data");
        TRY(data->opened());
        TRY(writeGraph(written, model, sinkInto(*data, std::filesystem::path(path).filename().string() + ".data")));
        TRY(data->close());
    } else {
        TRY(writeGraph(written, model, {}));
    }
    const std::string bytes = TRY(serialised(model));
    file.stream().write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    TRY(file.close());
    if (data) {
        TRY(data->rename());
    }
    return file.rename();
}

} // namespace crease
