// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/graph_reader.h"

#include "core/onnx/attribute_reader.h"
#include "core/onnx/function_table.h"
#include "core/onnx/subgraphs.h"
#include "core/onnx/value_info.h"
#include "core/onnx/wire.h"
#include "core/support/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace crease {

namespace {

constexpr std::size_t maxNodes = 5'000'000;
constexpr int maxDepth = 64;

using Names = std::unordered_map<std::string, ValueId>;
using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;
using Infos = std::unordered_map<std::string, onnx::ValueInfoProto*>;

/// The names that a list of nodes sees. A subgraph's scope looks further in `outer` and captures what it finds there;
/// a function's body sees nothing but its own names.
struct Scope {
    Graph& graph;
    Scope* outer = nullptr;
    Names names{};
    std::vector<Capture> captures{}; // without the attribute's name
};

/// The attributes that a function was called with.
struct Arguments {
    const Attributes* attributes = nullptr;
    const std::vector<Capture>* captures = nullptr;
    const Graph* graph = nullptr; // where the captures' outer values are
};

struct Body {
    Scope& scope;
    const std::map<std::string, int>& opsets;
    Arguments arguments{};
    std::string prefix{}; // of names, in a function
    int depth = 0;
};

std::unexpected<Error> fault(std::string id, std::string message)
{
    return failure(ErrorKind::Input, std::move(id), std::move(message));
}

std::string labelOf(const onnx::NodeProto& proto)
{
    const std::string name = !proto.name().empty()     ? proto.name()
                             : proto.output_size() > 0 ? proto.output(0)
                                                       : std::string();
    return fmt::format("{} '{}'", printable(proto.op_type()), printable(name));
}

template <class T>
Result<T> at(Result<T> result, const onnx::NodeProto& proto)
{
    if (!result && result.error().node.empty()) {
        result.error().node =
            printable(proto.name().empty() && proto.output_size() > 0 ? proto.output(0) : proto.name());
    }
    return result;
}

template <class T>
Result<T> ofValue(Result<T> result, const std::string& value)
{
    if (!result && result.error().value.empty()) {
        result.error().value = printable(value);
    }
    return result;
}

std::optional<ValueId> find(Scope& scope, const std::string& name)
{
    if (const auto found = scope.names.find(name); found != scope.names.end()) {
        return found->second;
    }
    if (scope.outer == nullptr) {
        return std::nullopt;
    }
    const auto outer = find(*scope.outer, name);
    if (!outer || !outer->valid()) {
        return outer;
    }
    const Value& source = scope.outer->graph.value(*outer);
    Value inner;
    inner.name = scope.graph.freshName(source.name);
    inner.type = source.type;
    inner.shape = source.shape;
    inner.opaqueType = source.opaqueType;
    const ValueId id = scope.graph.addValue(std::move(inner));
    scope.graph.addCaptured(id);
    scope.captures.push_back({{}, id, *outer});
    scope.names.emplace(name, id);
    return id;
}

class ModelReader {
public:
    ModelReader(onnx::ModelProto& model, ExternalData& external, const TensorLimits& limits, const Job& job,
                Diagnostics& diagnostics)
        : m_model(model), m_external(external), m_limits(limits), m_job(job), m_diagnostics(diagnostics)
    {
    }

    Result<Graph> read()
    {
        ModelInfo info = readInfo();
        m_functions = TRY(FunctionTable::create(m_model));
        Graph graph;
        graph.setModel(info);
        Scope scope{graph};
        Body body{scope, info.opsets};
        TRY(fillGraph(*m_model.mutable_graph(), body));
        TRY(settleOpsets(graph, std::move(info)));
        if (m_repeatedConstants > 0) {
            m_diagnostics.push_back(
                {Severity::Warning, "repeated-constants",
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

private:
    ModelInfo readInfo()
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

    static std::string graphExtras(onnx::GraphProto& proto)
    {
        return wire::extraFields(proto, {1, 2, 5, 10, 11, 12, 13, 15});
    }

    /// The versions that the nodes were read with, where the file states none or a function another one.
    Result<void> settleOpsets(Graph& graph, ModelInfo info)
    {
        for (const auto& [domain, version] : m_usedOpsets) {
            const auto stated = info.opsets.find(domain);
            if (stated != info.opsets.end()) {
                stated->second = std::max(stated->second, version);
                continue;
            }
            if (domain.empty() && version == 0) {
                return fault("no-opset", "the model imports no version of ai.onnx");
            }
            info.opsets[domain] = std::max(version, 1);
            m_diagnostics.push_back({Severity::Info, "domain-not-imported",
                                     fmt::format("the model does not import the domain {} that it uses",
                                                 domain.empty() ? "ai.onnx" : printable(domain))});
        }
        graph.setModel(std::move(info));
        return {};
    }

    Result<void> fillGraph(onnx::GraphProto& proto, Body& body)
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
                return ofValue<void>(fault("no-producer", "nothing produces this graph output"), output.name());
            }
            outputs.push_back(*id);
        }
        graph.setOutputs(std::move(outputs));
        return graph.sort();
    }

    Result<void> addInitializers(onnx::GraphProto& proto, const Infos& infos, Scope& scope)
    {
        const auto add = [&](const std::string& name, Result<Tensor> tensor, const std::string& doc,
                             Metadata metadata) -> Result<void> {
            if (name.empty()) {
                return fault("bad-name", "an initializer has no name");
            }
            if (scope.names.contains(name)) {
                return ofValue<void>(fault("two-producers", "two initializers have this name"), name);
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
            TRY(add(tensor.name(), readTensor(tensor, m_external, m_limits, true), tensor.doc_string(),
                    takeMetadata(extras, 16)));
        }
        for (onnx::SparseTensorProto& tensor : *proto.mutable_sparse_initializer()) {
            TRY(add(tensor.values().name(), readSparseTensor(tensor, m_external, m_limits), {}, {}));
        }
        return {};
    }

    Result<void> addInputs(onnx::GraphProto& proto, const Infos& infos, Scope& scope)
    {
        std::vector<ValueId> inputs;
        std::unordered_set<std::string> seen;
        for (const auto& input : proto.input()) {
            if (!seen.insert(input.name()).second) {
                return ofValue<void>(fault("two-producers", "two graph inputs have this name"), input.name());
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

    static Result<Value> valueOf(const std::string& name, const Infos& infos)
    {
        const auto found = infos.find(name);
        Value value;
        if (found != infos.end()) {
            value = TRY(readValueInfo(*found->second));
        }
        value.name = name;
        return value;
    }

    /// Gives every output of the nodes its value, so that no later name can clash with it. `bound`: names of a
    /// function's outputs, which have values already.
    Result<void> declareOutputs(Nodes& nodes, const Infos& infos, Body& body,
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
                    return ofValue<void>(fault("two-producers", fmt::format("both {} and {} produce this value",
                                                                            labelOf(*entry->second), labelOf(node))),
                                         name);
                }
                if (bound != nullptr && bound->contains(name)) {
                    continue;
                }
                if (scope.names.contains(name)) {
                    return ofValue<void>(
                        fault(
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

    Result<void> addNodes(Nodes& nodes, Body& body)
    {
        for (onnx::NodeProto& node : nodes) {
            TRY(m_job.check());
            TRY(at(addNode(node, body), node));
        }
        return {};
    }

    Result<void> addNode(onnx::NodeProto& proto, Body& body)
    {
        if (++m_nodes > maxNodes) {
            return fault("too-many-nodes",
                         fmt::format("the graph with its functions inlined has over {} nodes", maxNodes));
        }
        Node node;
        node.op = proto.op_type();
        node.domain = normalDomain(proto.domain());
        node.name = proto.name().empty() ? std::string() : body.prefix + proto.name();
        node.doc = proto.doc_string();
        node.opaque = wire::extraFields(proto, {1, 2, 3, 4, 5, 6, 7});
        node.metadata = takeMetadata(node.opaque, 9);
        const auto overloads = wire::takeField(node.opaque, 8);
        const std::string overload = overloads.empty() ? std::string() : overloads.back();
        if (node.op.empty()) {
            return fault("no-op-type", "a node has no op_type");
        }
        for (const std::string& name : proto.input()) {
            const auto id = name.empty() ? ValueId{} : find(body.scope, name);
            if (!id) {
                return ofValue<void>(
                    fault("no-producer", fmt::format("nothing produces an input of {}", labelOf(proto))), name);
            }
            node.inputs.push_back(*id);
        }
        for (const std::string& name : proto.output()) {
            node.outputs.push_back(name.empty() ? ValueId{} : body.scope.names.at(name));
        }
        while (!node.inputs.empty() && !node.inputs.back().valid()) {
            node.inputs.pop_back();
        }
        while (!node.outputs.empty() && !node.outputs.back().valid()) {
            node.outputs.pop_back();
        }
        TRY(addAttributes(proto, node, body));
        std::ranges::stable_sort(node.captures, {}, &Capture::attribute);
        if (onnx::FunctionProto* function = m_functions.find(node.domain, node.op, overload)) {
            return inlineFunction(*function, node, body);
        }
        if (!overload.empty()) {
            wire::appendField(node.opaque, 8, overload);
        }
        if (node.is("Constant")) {
            return addConstant(node, body);
        }
        node.version = useOpset(node.domain, body);
        body.scope.graph.addNode(std::move(node));
        return {};
    }

    int useOpset(const std::string& domain, const Body& body)
    {
        const auto stated = body.opsets.find(domain);
        const int version = stated != body.opsets.end() ? stated->second : domain.empty() ? 0 : 1;
        int& used = m_usedOpsets[domain];
        used = std::max(used, version);
        return domain.empty() || domain == "com.microsoft" ? version : 0;
    }

    Result<void> addConstant(Node& node, Body& body)
    {
        if (node.outputs.size() != 1 || !node.outputs[0].valid() || !node.inputs.empty()) {
            return fault("bad-constant", "a Constant node has no inputs and one output");
        }
        useOpset(node.domain, body);
        Value value = body.scope.graph.value(node.outputs[0]);
        value.constant = TRY(constantOf(node.attributes, m_external, m_limits));
        value.type = value.constant.type();
        value.shape = shapeOf(value.constant.dims());
        value.doc = value.doc.empty() ? node.doc : value.doc;
        if (value.metadata.empty()) {
            value.metadata = node.metadata;
        }
        body.scope.graph.setValue(node.outputs[0], std::move(value));
        return {};
    }

    Result<void> addAttributes(onnx::NodeProto& proto, Node& node, Body& body)
    {
        for (onnx::AttributeProto& attribute : *proto.mutable_attribute()) {
            if (node.attributes.contains(attribute.name())) {
                return fault("bad-attribute",
                             fmt::format("attribute '{}' is given twice", printable(attribute.name())));
            }
            if (!attribute.ref_attr_name().empty()) {
                TRY(addReferenced(attribute, node, body));
                continue;
            }
            const auto kind = kindOf(attribute);
            auto value = kind == onnx::AttributeProto::GRAPH || kind == onnx::AttributeProto::GRAPHS
                             ? readGraphs(attribute, node, body)
                             : readPlainAttribute(attribute, m_external, m_limits);
            if (!value) {
                value.error().message =
                    fmt::format("attribute '{}': {}", printable(attribute.name()), value.error().message);
                return std::unexpected(std::move(value).error());
            }
            node.attributes.emplace(attribute.name(), std::move(*value));
        }
        return {};
    }

    /// An attribute of a function's body that the caller gives.
    static Result<void> addReferenced(const onnx::AttributeProto& attribute, Node& node, const Body& body)
    {
        if (body.arguments.attributes == nullptr) {
            return fault("bad-attribute",
                         fmt::format("attribute '{}' refers to '{}' outside of a function", printable(attribute.name()),
                                     printable(attribute.ref_attr_name())));
        }
        const auto given = body.arguments.attributes->find(attribute.ref_attr_name());
        if (given == body.arguments.attributes->end()) {
            return {};
        }
        for (const Capture& capture : *body.arguments.captures) {
            if (capture.attribute != attribute.ref_attr_name()) {
                continue;
            }
            if (body.arguments.graph != &body.scope.graph) {
                return failure(ErrorKind::Unsupported, "function-graph-argument",
                               fmt::format("the graph '{}' that a function was called with is used in another graph",
                                           printable(attribute.ref_attr_name())));
            }
            node.captures.push_back({attribute.name(), capture.inner, capture.outer});
        }
        node.attributes.emplace(attribute.name(), given->second);
        return {};
    }

    Result<Attribute> readGraphs(onnx::AttributeProto& attribute, Node& node, Body& body)
    {
        if (kindOf(attribute) == onnx::AttributeProto::GRAPH) {
            return TRY(readSubgraph(*attribute.mutable_g(), attribute.name(), node, body));
        }
        std::vector<GraphRef> graphs;
        for (onnx::GraphProto& proto : *attribute.mutable_graphs()) {
            graphs.push_back(
                TRY(readSubgraph(proto, fmt::format("{}[{}]", attribute.name(), graphs.size()), node, body)));
        }
        return graphs;
    }

    Result<GraphRef> readSubgraph(onnx::GraphProto& proto, const std::string& attribute, Node& node, Body& body)
    {
        if (body.depth >= maxDepth) {
            return fault("too-deep", fmt::format("graphs are nested more than {} deep", maxDepth));
        }
        auto graph = std::make_shared<Graph>();
        Scope scope{*graph, &body.scope};
        Body inner{scope, body.opsets, body.arguments, {}, body.depth + 1};
        TRY(fillGraph(proto, inner));
        for (Capture& capture : scope.captures) {
            capture.attribute = attribute;
            node.captures.push_back(std::move(capture));
        }
        return GraphRef(std::move(graph));
    }

    Result<void> inlineFunction(onnx::FunctionProto& function, const Node& call, Body& body)
    {
        const std::string label = fmt::format("function '{}'", printable(function.name()));
        if (std::ranges::count(m_calls, &function) > 0) {
            return fault("recursive-function", fmt::format("{} calls itself", label));
        }
        if (body.depth >= maxDepth) {
            return fault("too-deep", fmt::format("functions are nested more than {} deep", maxDepth));
        }
        if (call.inputs.size() > static_cast<std::size_t>(function.input_size()) ||
            call.outputs.size() > static_cast<std::size_t>(function.output_size())) {
            return fault("bad-call", fmt::format("{} has {} inputs and {} outputs and is called with {} and {}", label,
                                                 function.input_size(), function.output_size(), call.inputs.size(),
                                                 call.outputs.size()));
        }
        FunctionExtras extras = TRY(functionExtras(function));
        Attributes attributes = call.attributes;
        for (onnx::AttributeProto& fallback : extras.defaults) {
            if (!attributes.contains(fallback.name())) {
                attributes.emplace(fallback.name(), TRY(readPlainAttribute(fallback, m_external, m_limits)));
            }
        }
        Infos infos;
        for (onnx::ValueInfoProto& info : extras.valueInfo) {
            infos.insert_or_assign(info.name(), &info);
        }
        const std::map<std::string, int> opsets = mergedOpsets(opsetsOf(function.opset_import()), body.opsets);
        const std::string caller = !call.name.empty() ? call.name
                                   : !call.outputs.empty() && call.outputs[0].valid()
                                       ? body.scope.graph.value(call.outputs[0]).name
                                       : call.op;
        Scope scope{body.scope.graph};
        Body inner{scope, opsets, {&attributes, &call.captures, &scope.graph}, caller + "/", body.depth + 1};

        for (int i = 0; i < function.input_size(); ++i) {
            scope.names[function.input(i)] = call.input(static_cast<std::size_t>(i));
        }
        std::unordered_set<std::string> bound;
        for (int i = 0; i < function.output_size(); ++i) {
            const std::string& name = function.output(i);
            const ValueId given = call.output(static_cast<std::size_t>(i));
            if (given.valid() && !scope.names.contains(name)) {
                scope.names[name] = given;
                bound.insert(name);
            }
        }
        TRY(declareOutputs(*function.mutable_node(), infos, inner, &bound));
        m_calls.push_back(&function);
        TRY(addNodes(*function.mutable_node(), inner));
        m_calls.pop_back();
        return connectOutputs(function, call, inner);
    }

    /// A function's output that is one of its inputs, or another output again, needs a node of its own.
    Result<void> connectOutputs(const onnx::FunctionProto& function, const Node& call, Body& inner)
    {
        Graph& graph = inner.scope.graph;
        for (int i = 0; i < function.output_size(); ++i) {
            const ValueId given = call.output(static_cast<std::size_t>(i));
            if (!given.valid() || graph.producer(given).valid() || graph.value(given).isConstant()) {
                continue;
            }
            const auto source = inner.scope.names.find(function.output(i));
            if (source == inner.scope.names.end() || !source->second.valid() || source->second == given) {
                return ofValue<void>(
                    fault("no-producer", fmt::format("function '{}' does not produce its output '{}'",
                                                     printable(function.name()), printable(function.output(i)))),
                    graph.value(given).name);
            }
            Node identity;
            identity.op = "Identity";
            identity.inputs = {source->second};
            identity.outputs = {given};
            identity.version = useOpset({}, inner);
            graph.addNode(std::move(identity));
        }
        return {};
    }

    onnx::ModelProto& m_model;
    ExternalData& m_external;
    const TensorLimits& m_limits;
    const Job& m_job;
    Diagnostics& m_diagnostics;
    FunctionTable m_functions;
    std::vector<const onnx::FunctionProto*> m_calls;
    std::map<std::string, int> m_usedOpsets;
    std::size_t m_nodes = 0;
    std::size_t m_alsoInputs = 0;
    std::size_t m_repeatedConstants = 0;
};

} // namespace

Result<Graph> readGraph(onnx::ModelProto& model, ExternalData& external, const TensorLimits& limits, const Job& job,
                        Diagnostics& diagnostics)
{
    return ModelReader(model, external, limits, job, diagnostics).read();
}

std::string nodeLabel(const Graph& graph, const Node& node)
{
    if (!node.name.empty()) {
        return printable(node.name);
    }
    return printable(!node.outputs.empty() && node.outputs[0].valid() ? graph.value(node.outputs[0]).name : node.op);
}

void nameNodes(Graph& graph)
{
    std::unordered_map<std::string, NodeId> taken;
    std::vector<NodeId> unnamed;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        if (node.name.empty() || !taken.emplace(node.name, id).second) {
            unnamed.push_back(id);
        }
    }
    std::unordered_map<std::string, int> suffixes;
    for (const NodeId id : unnamed) {
        Node node = graph.node(id);
        const std::string base = nodeLabel(graph, node);
        std::string candidate = base;
        while (taken.contains(candidate)) {
            candidate = fmt::format("{}_{}", base, ++suffixes[base]);
        }
        taken.emplace(candidate, id);
        node.name = std::move(candidate);
        graph.setNode(id, std::move(node));
    }
    // Naming cannot fail.
    static_cast<void>(editSubgraphs(graph, [](Graph& inner) -> Result<void> {
        nameNodes(inner);
        return {};
    }));
}

} // namespace crease
