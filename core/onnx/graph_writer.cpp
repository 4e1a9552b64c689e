// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/graph_writer.h"

#include "core/onnx/graph_reader.h"
#include "core/onnx/tensor_reader.h"
#include "core/onnx/value_info.h"
#include "core/support/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <unordered_set>

namespace crease {

namespace {

using onnx::AttributeProto;
using NameMap = std::unordered_map<std::uint32_t, std::string>;
using NameSet = std::unordered_set<std::string>;

class GraphWriter {
public:
    GraphWriter(std::int64_t irVersion, const TensorSink& sink) : m_irVersion(irVersion), m_sink(sink) {}

    /// `captured`: the written names of the outer values that this graph's captured values stand for. `outer`: the
    /// names of all graphs around this one, which ONNX does not allow again.
    Result<void> write(const Graph& graph, const NameMap& captured, const NameSet& outer, onnx::GraphProto& proto)
    {
        const NameMap names = namesOf(graph, captured, outer);
        NameSet visible = outer;
        if (hasSubgraphs(graph)) {
            for (const auto& [id, name] : names) {
                visible.insert(name);
            }
        }
        proto.set_name(graph.name);
        if (!graph.doc.empty()) {
            proto.set_doc_string(graph.doc);
        }
        if (!graph.metadata.empty()) {
            proto.MergeFromString(metadataBytes(graph.metadata, 16));
        }
        for (const ValueId id : graph.inputs()) {
            writeValueInfo(graph.value(id), names.at(id.index), *proto.add_input());
        }
        TRY(writeConstants(graph, captured, names, proto));
        for (const NodeId id : graph.order()) {
            TRY(writeNode(graph, graph.node(id), names, visible, *proto.add_node()));
        }
        for (const ValueId id : graph.outputs()) {
            writeValueInfo(graph.value(id), names.at(id.index), *proto.add_output());
        }
        for (const ValueId id : graph.values()) {
            const Value& value = graph.value(id);
            const bool says = value.type != ElementType::Undefined || value.shape || !value.opaqueType.empty() ||
                              !value.doc.empty() || !value.metadata.empty();
            if (says && graph.producer(id).valid() && !graph.isOutput(id)) {
                writeValueInfo(value, names.at(id.index), *proto.add_value_info());
            }
        }
        return {};
    }

private:
    static bool hasSubgraphs(const Graph& graph)
    {
        return std::ranges::any_of(graph.order(), [&graph](NodeId id) {
            return std::ranges::any_of(graph.node(id).attributes, [](const auto& entry) {
                return std::holds_alternative<GraphRef>(entry.second) ||
                       std::holds_alternative<std::vector<GraphRef>>(entry.second);
            });
        });
    }

    /// A value keeps its name unless it would hide one of a graph around this one.
    static NameMap namesOf(const Graph& graph, const NameMap& captured, const NameSet& outer)
    {
        NameMap names = captured;
        NameSet taken = outer;
        std::vector<ValueId> renamed;
        for (const ValueId id : graph.values()) {
            if (captured.contains(id.index)) {
                continue;
            }
            const std::string& name = graph.value(id).name;
            if (!name.empty() && taken.insert(name).second) {
                names.emplace(id.index, name);
            } else {
                renamed.push_back(id);
            }
        }
        for (const ValueId id : renamed) {
            const std::string base = graph.value(id).name.empty() ? "value" : graph.value(id).name;
            std::string name;
            for (int suffix = 1; name.empty() || !taken.insert(name).second; ++suffix) {
                name = fmt::format("{}_{}", base, suffix);
            }
            names.emplace(id.index, std::move(name));
        }
        return names;
    }

    Result<void> writeConstants(const Graph& graph, const NameMap& captured, const NameMap& names,
                                onnx::GraphProto& proto)
    {
        std::unordered_set<std::string> nodeNames;
        for (const NodeId id : graph.order()) {
            nodeNames.insert(graph.node(id).name);
        }
        for (const ValueId id : graph.values()) {
            const Value& value = graph.value(id);
            if (!value.isConstant() || captured.contains(id.index)) {
                continue;
            }
            const std::string& name = names.at(id.index);
            if (value.alsoInput) {
                writeValueInfo(value, name, *proto.add_input());
            } else if (m_irVersion < 4 || graph.isOutput(id)) {
                TRY(writeConstantNode(value, name, nodeNames, *proto.add_node()));
                continue;
            }
            onnx::TensorProto& tensor = *proto.add_initializer();
            tensor.set_name(name);
            if (!value.doc.empty()) {
                tensor.set_doc_string(value.doc);
            }
            if (!value.metadata.empty()) {
                tensor.MergeFromString(metadataBytes(value.metadata, 16));
            }
            TRY(writeTensorData(value.constant, tensor));
        }
        return {};
    }

    Result<void> writeConstantNode(const Value& value, const std::string& name,
                                   std::unordered_set<std::string>& nodeNames, onnx::NodeProto& node)
    {
        std::string label = name;
        for (int suffix = 1; !nodeNames.insert(label).second; ++suffix) {
            label = fmt::format("{}_{}", name, suffix);
        }
        node.set_op_type("Constant");
        node.set_name(label);
        node.add_output(name);
        if (!value.doc.empty()) {
            node.set_doc_string(value.doc);
        }
        if (!value.metadata.empty()) {
            node.MergeFromString(metadataBytes(value.metadata, 9));
        }
        AttributeProto& attribute = *node.add_attribute();
        attribute.set_name("value");
        attribute.set_type(AttributeProto::TENSOR);
        return writeTensorData(value.constant, *attribute.mutable_t());
    }

    Result<void> writeTensorData(const Tensor& tensor, onnx::TensorProto& proto)
    {
        if (m_sink && TRY(m_sink(tensor, proto))) {
            return {};
        }
        writeTensor(tensor, proto);
        return {};
    }

    Result<void> writeNode(const Graph& graph, const Node& node, const NameMap& names, const NameSet& visible,
                           onnx::NodeProto& proto)
    {
        if (node.domain == "crease") {
            Error error{ErrorKind::Unsupported, "crease-node", fmt::format("{} is no op of ONNX", node.op)};
            error.node = nodeLabel(graph, node);
            return std::unexpected(std::move(error));
        }
        if (!node.opaque.empty()) {
            proto.MergeFromString(node.opaque);
        }
        if (!node.metadata.empty()) {
            proto.MergeFromString(metadataBytes(node.metadata, 9));
        }
        proto.set_op_type(node.op);
        proto.set_name(node.name);
        if (!node.domain.empty()) {
            proto.set_domain(node.domain);
        }
        if (!node.doc.empty()) {
            proto.set_doc_string(node.doc);
        }
        for (const ValueId id : node.inputs) {
            proto.add_input(id.valid() ? names.at(id.index) : std::string());
        }
        for (const ValueId id : node.outputs) {
            proto.add_output(id.valid() ? names.at(id.index) : std::string());
        }
        for (const auto& [key, attribute] : node.attributes) {
            auto written = writeAttribute(key, attribute, node, names, visible, *proto.add_attribute());
            if (!written && written.error().node.empty()) {
                written.error().node = nodeLabel(graph, node);
            }
            TRY(std::move(written));
        }
        return {};
    }

    Result<void> writeAttribute(const std::string& key, const Attribute& attribute, const Node& node,
                                const NameMap& names, const NameSet& visible, AttributeProto& proto)
    {
        if (const auto* opaque = std::get_if<OpaqueAttribute>(&attribute)) {
            proto.ParsePartialFromString(opaque->bytes);
        }
        proto.set_name(key);
        const auto graphTo = [&](const GraphRef& graph, const std::string& name, onnx::GraphProto& target) {
            NameMap captured;
            for (const Capture& capture : node.captures) {
                if (capture.attribute == name) {
                    captured.emplace(capture.inner.index, names.at(capture.outer.index));
                }
            }
            return write(*graph, captured, visible, target);
        };
        if (const auto* graph = std::get_if<GraphRef>(&attribute)) {
            proto.set_type(AttributeProto::GRAPH);
            return graphTo(*graph, key, *proto.mutable_g());
        }
        if (const auto* graphs = std::get_if<std::vector<GraphRef>>(&attribute)) {
            proto.set_type(AttributeProto::GRAPHS);
            for (std::size_t i = 0; i < graphs->size(); ++i) {
                TRY(graphTo((*graphs)[i], fmt::format("{}[{}]", key, i), *proto.add_graphs()));
            }
            return {};
        }
        if (std::holds_alternative<double>(attribute) || std::holds_alternative<std::vector<double>>(attribute) ||
            std::holds_alternative<Grid>(attribute)) {
            return failure(ErrorKind::Unsupported, "crease-attribute",
                           fmt::format("attribute '{}' of {} is none of ONNX", key, node.op));
        }
        return writePlain(attribute, proto);
    }

    Result<void> writePlain(const Attribute& attribute, AttributeProto& proto)
    {
        if (const auto* value = std::get_if<std::int64_t>(&attribute)) {
            proto.set_type(AttributeProto::INT);
            proto.set_i(*value);
        } else if (const auto* number = std::get_if<float>(&attribute)) {
            proto.set_type(AttributeProto::FLOAT);
            proto.set_f(*number);
        } else if (const auto* text = std::get_if<std::string>(&attribute)) {
            proto.set_type(AttributeProto::STRING);
            proto.set_s(*text);
        } else if (const auto* ints = std::get_if<std::vector<std::int64_t>>(&attribute)) {
            proto.set_type(AttributeProto::INTS);
            proto.mutable_ints()->Add(ints->begin(), ints->end());
        } else if (const auto* floats = std::get_if<std::vector<float>>(&attribute)) {
            proto.set_type(AttributeProto::FLOATS);
            proto.mutable_floats()->Add(floats->begin(), floats->end());
        } else if (const auto* texts = std::get_if<std::vector<std::string>>(&attribute)) {
            proto.set_type(AttributeProto::STRINGS);
            for (const std::string& each : *texts) {
                proto.add_strings(each);
            }
        } else if (const auto* tensor = std::get_if<Tensor>(&attribute)) {
            proto.set_type(AttributeProto::TENSOR);
            return writeTensorData(*tensor, *proto.mutable_t());
        } else if (const auto* tensors = std::get_if<std::vector<Tensor>>(&attribute)) {
            proto.set_type(AttributeProto::TENSORS);
            for (const Tensor& each : *tensors) {
                TRY(writeTensorData(each, *proto.add_tensors()));
            }
        }
        return {};
    }

    std::int64_t m_irVersion;
    const TensorSink& m_sink;
};

void collectDomains(const Graph& graph, std::map<std::string, int>& opsets)
{
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        opsets.emplace(node.domain, std::max(node.version, 1));
        for (const auto& [key, attribute] : node.attributes) {
            if (const auto* inner = std::get_if<GraphRef>(&attribute)) {
                collectDomains(**inner, opsets);
            } else if (const auto* list = std::get_if<std::vector<GraphRef>>(&attribute)) {
                for (const GraphRef& each : *list) {
                    collectDomains(*each, opsets);
                }
            }
        }
    }
}

} // namespace

Result<void> writeGraph(const Graph& graph, onnx::ModelProto& model, const TensorSink& sink)
{
    const ModelInfo& info = graph.model();
    if (!info.opaque.empty()) {
        model.MergeFromString(info.opaque);
    }
    model.set_ir_version(info.irVersion);
    const auto setText = [&](const std::string& text, auto set) {
        if (!text.empty()) {
            (model.*set)(text);
        }
    };
    setText(info.producerName, &onnx::ModelProto::set_producer_name<const std::string&>);
    setText(info.producerVersion, &onnx::ModelProto::set_producer_version<const std::string&>);
    setText(info.domain, &onnx::ModelProto::set_domain<const std::string&>);
    setText(info.doc, &onnx::ModelProto::set_doc_string<const std::string&>);
    if (info.modelVersion != 0) {
        model.set_model_version(info.modelVersion);
    }
    for (const auto& [key, value] : info.metadata) {
        auto& entry = *model.add_metadata_props();
        entry.set_key(key);
        entry.set_value(value);
    }
    std::map<std::string, int> opsets = info.opsets;
    collectDomains(graph, opsets);
    for (const auto& [domain, version] : opsets) {
        auto& import = *model.add_opset_import();
        import.set_domain(domain);
        import.set_version(version);
    }
    return GraphWriter(info.irVersion, sink).write(graph, {}, {}, *model.mutable_graph());
}

} // namespace crease
