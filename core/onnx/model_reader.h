// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/function_table.h"
#include "core/onnx/scope.h"
#include "core/onnx/tensor_reader.h"
#include "core/support/diagnostic.h"
#include "core/support/job.h"

#include <unordered_set>

namespace crease {

/// Builds the graph of a ModelProto, graph by graph, scope by scope.
class ModelReader {
public:
    ModelReader(onnx::ModelProto& model, ExternalData& external, const TensorLimits& limits, const Job& job,
                Diagnostics& diagnostics)
        : m_model(model), m_external(external), m_limits(limits), m_job(job), m_diagnostics(diagnostics)
    {
    }

    Result<Graph> read();

private:
    // Graphs (model_reader.cpp)
    ModelInfo readInfo();
    static std::string graphExtras(onnx::GraphProto& proto);
    /// The versions that the nodes were read with, where the file states none or a function another one.
    Result<void> settleOpsets(Graph& graph, ModelInfo info);
    Result<void> fillGraph(onnx::GraphProto& proto, Body& body);
    Result<void> addInitializers(onnx::GraphProto& proto, const Infos& infos, Scope& scope);
    Result<void> addInputs(onnx::GraphProto& proto, const Infos& infos, Scope& scope);
    static Result<Value> valueOf(const std::string& name, const Infos& infos);
    /// Gives every output of the nodes its value, so that no later name can clash with it. `bound`: names of a
    /// function's outputs, which have values already.
    Result<void> declareOutputs(Nodes& nodes, const Infos& infos, Body& body,
                                const std::unordered_set<std::string>* bound);

    // Nodes (node_reader.cpp)
    Result<void> addNodes(Nodes& nodes, Body& body);
    Result<void> addNode(onnx::NodeProto& proto, Body& body);
    int useOpset(const std::string& domain, const Body& body);
    Result<void> addConstant(Node& node, Body& body);
    Result<void> addAttributes(onnx::NodeProto& proto, Node& node, Body& body);
    /// An attribute of a function's body that the caller gives.
    static Result<void> addReferenced(const onnx::AttributeProto& attribute, Node& node, const Body& body);
    Result<Attribute> readGraphs(onnx::AttributeProto& attribute, Node& node, Body& body);
    Result<GraphRef> readSubgraph(onnx::GraphProto& proto, const std::string& attribute, Node& node, Body& body);

    // Functions (function_reader.cpp)
    Result<void> inlineFunction(onnx::FunctionProto& function, const Node& call, Body& body);
    /// A function's output that is one of its inputs, or another output again, needs a node of its own.
    Result<void> connectOutputs(const onnx::FunctionProto& function, const Node& call, Body& inner);

    onnx::ModelProto& m_model;
    ExternalData& m_external;
    const TensorLimits& m_limits;
    const Job& m_job;
    Diagnostics& m_diagnostics;
    FunctionTable m_functions;
    std::vector<const onnx::FunctionProto*> m_calls;
    std::map<std::string, int> m_usedOpsets;
    std::size_t m_inlined = 0;
    std::size_t m_alsoInputs = 0;
    std::size_t m_repeatedConstants = 0;
    std::size_t m_denotations = 0;
};

} // namespace crease
