// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/model_reader.h"

#include "core/onnx/value_info.h"
#include "core/onnx/wire.h"
#include "core/support/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace crease {

Result<Graph> ModelReader::read()
{
    ModelInfo info = readInfo();
    m_functions = TRY(FunctionTable::create(m_model));
    Graph graph;
    graph.setModel(info);
    Scope scope{graph};
    Body body{scope, info.opsets};
    TRY(fillGraph(*m_model.mutable_graph(), body));
    TRY(settleOpsets(graph, std::move(info)));
    if (m_denotations > 0) {
        m_diagnostics.push_back(
            {Severity::Info, "denotations",
             fmt::format("{} values have a denotation of their type or dimensions, which is not kept", m_denotations)});
    }
    if (m_repeatedConstants > 0) {
        m_diagnostics.push_back({Severity::Warning, "repeated-constants",
                                 fmt::format("{} Constant nodes give a value that an earlier one gives: the last one "
                                             "counts, as in ONNX Runtime",
                                             m_repeatedConstants)});
    }
    if (m_alsoInputs > 0) {
        m_diagnostics.push_back({Severity::Info, "initializers-as-inputs",
                                 fmt::format("{} initializer{} also listed as graph inputs: taken as constants",
                                             m_alsoInputs, m_alsoInputs == 1 ? " is" : "s are")});
    }
    return graph;
}

ModelInfo ModelReader::readInfo()
{
    ModelInfo info;
    info.irVersion = m_model.ir_version();
    info.producerName = m_model.producer_name();
    info.producerVersion = m_model.producer_version();
    info.domain = m_model.domain();
    info.modelVersion = m_model.model_version();
    info.doc = m_model.doc_string();
    for (const auto& entry : m_model.metadata_props()) {
        info.metadata.emplace_back(entry.key(), entry.value());
    }
    info.opsets = opsetsOf(m_model.opset_import());
    info.opaque = wire::extraFields(m_model, {1, 2, 3, 4, 5, 6, 7, 8, 14, 25});
    std::string ofGraph = graphExtras(*m_model.mutable_graph());
    wire::takeField(ofGraph, 16);
    if (!ofGraph.empty()) {
        wire::appendField(info.opaque, 7, ofGraph);
    }
    return info;
}

std::string ModelReader::graphExtras(onnx::GraphProto& proto)
{
    return wire::extraFields(proto, {1, 2, 5, 10, 11, 12, 13, 15});
}

Result<void> ModelReader::settleOpsets(Graph& graph, ModelInfo info)
{
    for (const auto& [domain, version] : m_usedOpsets) {
        const auto stated = info.opsets.find(domain);
        if (stated != info.opsets.end()) {
            stated->second = std::max(stated->second, version);
            continue;
        }
        if (domain.empty() && version == 0) {
            return inputFault("no-opset", "the model imports no version of ai.onnx");
        }
        info.opsets[domain] = std::max(version, 1);
        m_diagnostics.push_back({Severity::Info, "domain-not-imported",
                                 fmt::format("the model does not import the domain {} that it uses",
                                             domain.empty() ? "ai.onnx" : printable(domain))});
    }
    graph.setModel(std::move(info));
    return {};
}

Result<void> ModelReader::fillGraph(onnx::GraphProto& proto, Body& body)
{
    Scope& scope = body.scope;
    Graph& graph = scope.graph;
    graph.name = proto.name();
    graph.doc = proto.doc_string();
    std::string extras = graphExtras(proto);
    graph.metadata = takeMetadata(extras, 16);

    Infos infos;
    for (auto* list : {proto.mutable_value_info(), proto.mutable_input(), proto.mutable_output()}) {
        for (onnx::ValueInfoProto& info : *list) {
            m_denotations += hasDenotation(info.type()) ? 1 : 0;
            infos.insert_or_assign(info.name(), &info);
        }
    }
    TRY(addInitializers(proto, infos, scope));
    TRY(addInputs(proto, infos, scope));
    TRY(declareOutputs(*proto.mutable_node(), infos, body, nullptr));
    TRY(addNodes(*proto.mutable_node(), body));

    std::vector<ValueId> outputs;
    for (const auto& output : proto.output()) {
        const auto id = find(scope, output.name());
        if (!id || !id->valid()) {
            return ofValue<void>(inputFault("no-producer", "nothing produces this graph output"), output.name());
        }
        outputs.push_back(*id);
    }
    graph.setOutputs(std::move(outputs));
    return graph.sort();
}

Result<void> ModelReader::addInitializers(onnx::GraphProto& proto, const Infos& infos, Scope& scope)
{
    const auto add = [&](const std::string& name, Result<Tensor> tensor, const std::string& doc,
                         Metadata metadata) -> Result<void> {
        if (name.empty()) {
            return inputFault("bad-name", "an initializer has no name");
        }
        if (scope.names.contains(name)) {
            return ofValue<void>(inputFault("two-producers", "two initializers have this name"), name);
        }
        Value value = TRY(ofValue(valueOf(name, infos), name));
        value.constant = TRY(ofValue(std::move(tensor), name));
        value.type = value.constant.type();
        value.shape = shapeOf(value.constant.dims());
        value.doc = value.doc.empty() ? doc : value.doc;
        if (value.metadata.empty()) {
            value.metadata = std::move(metadata);
        }
        scope.names.emplace(name, scope.graph.addValue(std::move(value)));
        return {};
    };
    for (onnx::TensorProto& tensor : *proto.mutable_initializer()) {
        TRY(m_job.check());
        std::string extras = wire::extraFields(tensor, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14});
        TRY(add(tensor.name(), readTensor(tensor, m_external, m_limits, m_calls.empty()), tensor.doc_string(),
                takeMetadata(extras, 16)));
    }
    for (onnx::SparseTensorProto& tensor : *proto.mutable_sparse_initializer()) {
        TRY(add(tensor.values().name(), readSparseTensor(tensor, m_external, m_limits), {}, {}));
    }
    return {};
}

Result<void> ModelReader::addInputs(onnx::GraphProto& proto, const Infos& infos, Scope& scope)
{
    std::vector<ValueId> inputs;
    std::unordered_set<std::string> seen;
    for (const auto& input : proto.input()) {
        if (!seen.insert(input.name()).second) {
            return ofValue<void>(inputFault("two-producers", "two graph inputs have this name"), input.name());
        }
        if (const auto found = scope.names.find(input.name()); found != scope.names.end()) {
            Value value = scope.graph.value(found->second);
            value.alsoInput = true;
            scope.graph.setValue(found->second, std::move(value));
            ++m_alsoInputs;
            continue;
        }
        Value value = TRY(ofValue(valueOf(input.name(), infos), input.name()));
        const ValueId id = scope.graph.addValue(std::move(value));
        scope.names.emplace(input.name(), id);
        inputs.push_back(id);
    }
    scope.graph.setInputs(std::move(inputs));
    return {};
}

Result<Value> ModelReader::valueOf(const std::string& name, const Infos& infos)
{
    const auto found = infos.find(name);
    Value value;
    if (found != infos.end()) {
        value = TRY(readValueInfo(*found->second));
    }
    value.name = name;
    return value;
}

Result<void> ModelReader::declareOutputs(Nodes& nodes, const Infos& infos, Body& body,
                                         const std::unordered_set<std::string>* bound)
{
    Scope& scope = body.scope;
    std::unordered_map<std::string, const onnx::NodeProto*> producers;
    for (const onnx::NodeProto& node : nodes) {
        for (const std::string& name : node.output()) {
            if (name.empty()) {
                continue;
            }
            const auto [entry, first] = producers.emplace(name, &node);
            if (!first && entry->second->op_type() == "Constant" && node.op_type() == "Constant") {
                ++m_repeatedConstants;
                continue;
            }
            if (!first) {
                return ofValue<void>(inputFault("two-producers", fmt::format("both {} and {} produce this value",
                                                                             labelOf(*entry->second), labelOf(node))),
                                     name);
            }
            if (bound != nullptr && bound->contains(name)) {
                continue;
            }
            if (scope.names.contains(name)) {
                return ofValue<void>(
                    inputFault(
                        "two-producers",
                        fmt::format("both {} and a graph input or initializer produce this value", labelOf(node))),
                    name);
            }
            Value value = TRY(ofValue(valueOf(name, infos), name));
            if (!body.prefix.empty()) {
                value.name = scope.graph.freshName(body.prefix + name);
            }
            scope.names.emplace(name, scope.graph.addValue(std::move(value)));
        }
    }
    return {};
}

} // namespace crease
