// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/model_reader.h"

#include "core/onnx/attribute_reader.h"
#include "core/onnx/value_info.h"
#include "core/onnx/wire.h"
#include "core/support/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace crease {

namespace {

constexpr std::size_t maxInlined = 300'000; // a few hundred bytes of functions that call each other claim any number

bool countsOutputs(std::string_view op)
{
    return op == "Split" || op == "If" || op == "Loop" || op == "Scan" || op == "SequenceMap";
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

} // namespace

Result<void> ModelReader::addNodes(Nodes& nodes, Body& body)
{
    for (onnx::NodeProto& node : nodes) {
        TRY(m_job.check());
        TRY(at(addNode(node, body), node));
    }
    return {};
}

Result<void> ModelReader::addNode(onnx::NodeProto& proto, Body& body)
{
    if (!m_calls.empty() && ++m_inlined > maxInlined) {
        return inputFault("too-many-nodes", fmt::format("functions, inlined, give over {} nodes", maxInlined));
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
        return inputFault("no-op-type", "a node has no op_type");
    }
    for (const std::string& name : proto.input()) {
        const auto id = name.empty() ? ValueId{} : find(body.scope, name);
        if (!id) {
            return ofValue<void>(
                inputFault("no-producer", fmt::format("nothing produces an input of {}", labelOf(proto))), name);
        }
        node.inputs.push_back(*id);
    }
    for (const std::string& name : proto.output()) {
        node.outputs.push_back(name.empty() ? ValueId{} : body.scope.names.at(name));
    }
    while (!node.inputs.empty() && !node.inputs.back().valid()) {
        node.inputs.pop_back();
    }
    // A Split into three of which the last is not wanted is no Split into two.
    while (!countsOutputs(node.op) && !node.outputs.empty() && !node.outputs.back().valid()) {
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

int ModelReader::useOpset(const std::string& domain, const Body& body)
{
    const auto stated = body.opsets.find(domain);
    const int version = stated != body.opsets.end() ? stated->second : domain.empty() ? 0 : 1;
    int& used = m_usedOpsets[domain];
    used = std::max(used, version);
    return domain.empty() || domain == "com.microsoft" ? version : 0;
}

Result<void> ModelReader::addConstant(Node& node, Body& body)
{
    if (node.outputs.size() != 1 || !node.outputs[0].valid() || !node.inputs.empty()) {
        return inputFault("bad-constant", "a Constant node has no inputs and one output");
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

Result<void> ModelReader::addAttributes(onnx::NodeProto& proto, Node& node, Body& body)
{
    for (onnx::AttributeProto& attribute : *proto.mutable_attribute()) {
        if (node.attributes.contains(attribute.name())) {
            return inputFault("bad-attribute",
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

Result<void> ModelReader::addReferenced(const onnx::AttributeProto& attribute, Node& node, const Body& body)
{
    if (body.arguments.attributes == nullptr) {
        return inputFault("bad-attribute",
                          fmt::format("attribute '{}' refers to '{}' outside of a function",
                                      printable(attribute.name()), printable(attribute.ref_attr_name())));
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

Result<Attribute> ModelReader::readGraphs(onnx::AttributeProto& attribute, Node& node, Body& body)
{
    if (kindOf(attribute) == onnx::AttributeProto::GRAPH) {
        return TRY(readSubgraph(*attribute.mutable_g(), attribute.name(), node, body));
    }
    std::vector<GraphRef> graphs;
    for (onnx::GraphProto& proto : *attribute.mutable_graphs()) {
        graphs.push_back(TRY(readSubgraph(proto, fmt::format("{}[{}]", attribute.name(), graphs.size()), node, body)));
    }
    return graphs;
}

Result<GraphRef> ModelReader::readSubgraph(onnx::GraphProto& proto, const std::string& attribute, Node& node,
                                           Body& body)
{
    if (body.depth >= maxDepth) {
        return inputFault("too-deep", fmt::format("graphs are nested more than {} deep", maxDepth));
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

} // namespace crease
