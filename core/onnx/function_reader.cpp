// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/model_reader.h"

#include "core/onnx/attribute_reader.h"
#include "core/support/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace crease {

Result<void> ModelReader::inlineFunction(onnx::FunctionProto& function, const Node& call, Body& body)
{
    const std::string label = fmt::format("function '{}'", printable(function.name()));
    if (std::ranges::count(m_calls, &function) > 0) {
        return inputFault("recursive-function", fmt::format("{} calls itself", label));
    }
    if (body.depth >= maxDepth) {
        return inputFault("too-deep", fmt::format("functions are nested more than {} deep", maxDepth));
    }
    if (call.inputs.size() > static_cast<std::size_t>(function.input_size()) ||
        call.outputs.size() > static_cast<std::size_t>(function.output_size())) {
        return inputFault("bad-call", fmt::format("{} has {} inputs and {} outputs and is called with {} and {}", label,
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

Result<void> ModelReader::connectOutputs(const onnx::FunctionProto& function, const Node& call, Body& inner)
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
                inputFault("no-producer", fmt::format("function '{}' does not produce its output '{}'",
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

} // namespace crease
