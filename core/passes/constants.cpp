// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/constants.h"

#include "core/exec/kernel.h"
#include "core/ir/integer_nodes.h"
#include "core/ops/op_table.h"
#include "core/passes/codes.h"

namespace crease {

namespace {

constexpr std::int64_t maxElements = std::int64_t{1} << 27;

bool isRandom(const Node& node)
{
    return node.op.starts_with("Random") || node.op == "Bernoulli" || node.op == "Multinomial";
}

bool isHuge(const Graph& graph, const Node& node)
{
    for (const ValueId output : node.outputs) {
        if (!output.valid() || !graph.value(output).shape) {
            continue;
        }
        const std::optional<Dims> dims = knownDims(*graph.value(output).shape);
        if (dims && elementCount(*dims).value_or(maxElements + 1) > maxElements) {
            return true;
        }
    }
    return false;
}

std::optional<Tensor> castLike(const Graph& graph, const Node& node, std::span<const Tensor> inputs)
{
    const ElementType type = node.input(1).valid() ? graph.value(node.input(1)).type : ElementType::Undefined;
    if (type == ElementType::Undefined || type == ElementType::String || inputs.empty() || !inputs[0].valid()) {
        return std::nullopt;
    }
    return inputs[0].converted(type);
}

} // namespace

std::optional<Tensor> knownShapeResult(const Graph& graph, const Node& node)
{
    if ((!node.is("Shape") && !node.is("Size")) || !node.input(0).valid() || !graph.value(node.input(0)).shape) {
        return std::nullopt;
    }
    const std::optional<Dims> dims = knownDims(*graph.value(node.input(0)).shape);
    if (!dims) {
        return std::nullopt;
    }
    if (node.is("Size")) {
        const std::optional<std::int64_t> count = elementCount(*dims);
        return count ? std::optional(Tensor::scalar<std::int64_t>(*count)) : std::nullopt;
    }
    const auto rank = static_cast<std::int64_t>(dims->size());
    const auto place = [rank](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
    const std::int64_t start = place(node.intAttribute("start", 0));
    const std::int64_t end = std::max(start, place(node.intAttribute("end", rank)));
    const std::vector<std::int64_t> part(dims->begin() + start, dims->begin() + end);
    return Tensor::of<std::int64_t>({end - start}, part);
}

std::optional<std::vector<Tensor>> evaluateConstant(const Graph& graph, const Node& node,
                                                    std::span<const Tensor> inputs, const Job& job)
{
    if (!node.captures.empty() || node.domain == nodes::domain || isRandom(node) || isHuge(graph, node) ||
        foldingClass(node) == FoldingClass::Control) {
        return std::nullopt;
    }
    if (node.is("CastLike")) {
        const std::optional<Tensor> cast = castLike(graph, node, inputs);
        return cast ? std::optional(std::vector<Tensor>{*cast}) : std::nullopt;
    }
    Result<std::vector<Tensor>> outputs = evaluateNode(graph, node, inputs, Precision::Float32, job);
    if (!outputs) {
        return std::nullopt;
    }
    return std::move(*outputs);
}

const Tensor* ConstantResolver::known(const Graph& graph, ValueId id) const
{
    if (graph.value(id).isConstant()) {
        return graph.value(id).codes ? nullptr : &graph.value(id).constant;
    }
    const auto found = m_known.find(id.index);
    return found != m_known.end() && found->second.valid() ? &found->second : nullptr;
}

bool ConstantResolver::isDecided(const Graph& graph, ValueId id) const
{
    return !id.valid() || graph.value(id).isConstant() || !graph.producer(id).valid() || m_known.contains(id.index);
}

const Tensor* ConstantResolver::find(const Graph& graph, ValueId id)
{
    if (!id.valid() || !graph.contains(id)) {
        return nullptr;
    }
    std::vector<ValueId> waiting;
    if (!isDecided(graph, id)) {
        waiting.push_back(id);
    }
    while (!waiting.empty()) {
        const ValueId at = waiting.back();
        if (isDecided(graph, at)) {
            waiting.pop_back();
            continue;
        }
        const NodeId producer = graph.producer(at);
        const Node& node = graph.node(producer);
        const std::optional<ValueId> missing = firstUndecided(graph, node);
        if (missing) {
            waiting.push_back(*missing);
            continue;
        }
        const std::optional<std::vector<Tensor>> outputs = evaluate(graph, node);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i].valid()) {
                m_known[node.outputs[i].index] = outputs && i < outputs->size() ? (*outputs)[i] : Tensor();
            }
        }
        waiting.pop_back();
    }
    return known(graph, id);
}

/// The first input that has to be looked at before the node can be: none where one before it is no constant.
std::optional<ValueId> ConstantResolver::firstUndecided(const Graph& graph, const Node& node) const
{
    if (knownShapeResult(graph, node)) {
        return std::nullopt;
    }
    for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
        const ValueId input = node.inputs[slot];
        if (!input.valid() || (slot == 1 && node.is("CastLike"))) {
            continue;
        }
        if (!isDecided(graph, input)) {
            return input;
        }
        if (known(graph, input) == nullptr) {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

std::optional<std::vector<Tensor>> ConstantResolver::evaluate(const Graph& graph, const Node& node)
{
    if (const std::optional<Tensor> shape = knownShapeResult(graph, node)) {
        return std::vector<Tensor>{*shape};
    }
    if (node.inputs.empty() && node.attributes.empty()) {
        return std::nullopt;
    }
    std::vector<Tensor> inputs;
    for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
        if (!node.inputs[slot].valid() || (slot == 1 && node.is("CastLike"))) {
            inputs.emplace_back();
            continue;
        }
        const Tensor* input = known(graph, node.inputs[slot]);
        if (input == nullptr) {
            return std::nullopt;
        }
        inputs.push_back(*input);
    }
    return evaluateConstant(graph, node, inputs, *m_job);
}

std::optional<QuantizedConstant> quantizedConstant(const Graph& graph, ValueId id)
{
    if (!id.valid() || !graph.producer(id).valid()) {
        return std::nullopt;
    }
    const NodeId producer = graph.producer(id);
    const Node& node = graph.node(producer);
    if (!node.is(nodes::dequantize, nodes::domain) || node.attribute(nodes::bias) != nullptr) {
        return std::nullopt;
    }
    const Value& codes = graph.value(node.input(0));
    if (!codes.isConstant() || !codes.codes) {
        return std::nullopt;
    }
    return QuantizedConstant{producer, node.input(0), codes.constant, *codes.codes};
}

std::optional<ConstantReals> constantReals(const Graph& graph, ValueId id)
{
    if (!id.valid()) {
        return std::nullopt;
    }
    const Value& value = graph.value(id);
    if (value.isConstant()) {
        if (value.codes || (!isFloat(value.type) && !isInteger(value.type))) {
            return std::nullopt;
        }
        return ConstantReals{value.constant.toDoubles(), value.constant.dims()};
    }
    if (const std::optional<QuantizedConstant> quantized = quantizedConstant(graph, id)) {
        return ConstantReals{dequantized(quantized->codes, quantized->grid), quantized->codes.dims()};
    }
    const NodeId producer = graph.producer(id);
    if (!producer.valid() || !graph.node(producer).is(nodes::fakeQuant, nodes::domain)) {
        return std::nullopt;
    }
    const Node& node = graph.node(producer);
    const Value& source = graph.value(node.input(0));
    if (!source.isConstant() || !isFloat(source.type)) {
        return std::nullopt;
    }
    return ConstantReals{dequantized(quantizedCodes(source.constant, node), *node.gridAttribute(nodes::grid)),
                         source.constant.dims()};
}

} // namespace crease
