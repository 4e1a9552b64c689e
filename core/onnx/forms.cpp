// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/forms.h"

#include "core/onnx/form_rules.h"
#include "core/onnx/graph_reader.h"
#include "core/onnx/subgraphs.h"
#include "core/tensor/onnx_types.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace crease {

namespace forms {

ElementType elementTypeHint(const Graph& graph, ValueId id)
{
    for (int steps = 0; steps < 256 && id.valid(); ++steps) {
        const Value& value = graph.value(id);
        if (value.type != ElementType::Undefined) {
            return value.type;
        }
        const NodeId producer = graph.producer(id);
        if (!producer.valid()) {
            break;
        }
        const Node& node = graph.node(producer);
        if (node.op == "Cast") {
            return elementTypeFromOnnx(node.intAttribute("to", 1));
        }
        id = node.input(node.op == "DequantizeLinear" ? 1 : 0);
    }
    return ElementType::Float32;
}

ValueId addConstant(Graph& graph, const Node& node, std::string_view what, Tensor tensor)
{
    const ValueId output = node.output();
    const std::string anchor = output.valid() ? graph.value(output).name : node.op;
    Value value;
    value.name = graph.freshName(fmt::format("{}_{}", anchor, what));
    value.type = tensor.type();
    value.shape = shapeOf(tensor.dims());
    value.constant = std::move(tensor);
    return graph.addValue(std::move(value));
}

void setInput(Node& node, std::size_t slot, ValueId value)
{
    if (node.inputs.size() <= slot) {
        node.inputs.resize(slot + 1);
    }
    node.inputs[slot] = value;
}

void stripAbsent(std::vector<ValueId>& ids)
{
    while (!ids.empty() && !ids.back().valid()) {
        ids.pop_back();
    }
}

const Shape* inputShape(const Graph& graph, const Node& node, std::size_t slot)
{
    const ValueId id = node.input(slot);
    return id.valid() && graph.value(id).shape ? &*graph.value(id).shape : nullptr;
}

ElementType inputType(const Graph& graph, const Node& node, std::size_t slot)
{
    const ValueId id = node.input(slot);
    return id.valid() ? graph.value(id).type : ElementType::Undefined;
}

const Tensor* constantInput(const Graph& graph, const Node& node, std::size_t slot)
{
    const ValueId id = node.input(slot);
    return id.valid() && graph.value(id).isConstant() ? &graph.value(id).constant : nullptr;
}

std::unexpected<Error> inexpressible(const Graph& graph, const Node& node, int since, std::string_view why)
{
    Error error{ErrorKind::Unsupported, "opset-too-old",
                fmt::format("{} needs opset {} or newer: {}", node.op, since, why)};
    error.node = nodeLabel(graph, node);
    return std::unexpected(std::move(error));
}

} // namespace forms

namespace {

using forms::Rule;

const std::vector<const Rule*>& rulesInOrder()
{
    static const std::vector<const Rule*> rules = [] {
        std::vector<const Rule*> all;
        for (const auto& list : {forms::specialRules(), forms::addedRules(), forms::attributeRules()}) {
            for (const Rule& rule : list) {
                all.push_back(&rule);
            }
        }
        std::ranges::stable_sort(all, {}, &Rule::since);
        return all;
    }();
    return rules;
}

/// Rules by the name of the op that they start from.
using Index = std::unordered_map<std::string_view, std::vector<const Rule*>>;

Index indexBy(std::string_view Rule::* name)
{
    Index index;
    for (const Rule* rule : rulesInOrder()) {
        index[rule->*name].push_back(rule);
    }
    return index;
}

void removeOrphans(Graph& graph, const std::vector<ValueId>& before)
{
    for (const ValueId id : before) {
        if (id.valid() && graph.contains(id) && graph.value(id).isConstant() && !graph.value(id).alsoInput &&
            graph.fanOut(id) == 0) {
            graph.removeValue(id);
        }
    }
}

} // namespace

Result<void> toNewestForms(Graph& graph)
{
    static const Index index = indexBy(&Rule::before);
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        if (!graph.node(id).domain.empty() || !index.contains(graph.node(id).op)) {
            continue;
        }
        Node node = graph.node(id);
        const std::vector<ValueId> inputs = node.inputs;
        bool changed = false;
        for (const Rule* rule : rulesInOrder()) {
            if (rule->before == node.op && (rule->since > node.version || rule->after != rule->before)) {
                changed = changed || rule->up != nullptr || rule->after != rule->before;
                node.op = rule->after;
                if (rule->up != nullptr) {
                    TRY(rule->up(graph, node, *rule));
                }
            }
        }
        if (!changed) {
            continue;
        }
        forms::stripAbsent(node.inputs);
        graph.setNode(id, std::move(node));
        removeOrphans(graph, inputs);
    }
    return editSubgraphs(graph, toNewestForms);
}

Result<void> toFormsOf(Graph& graph, int opset)
{
    static const Index index = indexBy(&Rule::after);
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        if (!graph.node(id).domain.empty() || !index.contains(graph.node(id).op)) {
            continue;
        }
        Node node = graph.node(id);
        const std::vector<ValueId> inputs = node.inputs;
        bool changed = false;
        for (auto rule = rulesInOrder().rbegin(); rule != rulesInOrder().rend(); ++rule) {
            if ((*rule)->after == node.op && (*rule)->since > opset) {
                changed = true;
                if ((*rule)->down != nullptr) {
                    TRY((*rule)->down(graph, node, **rule));
                }
                node.op = (*rule)->before;
            }
        }
        if (!changed) {
            continue;
        }
        forms::stripAbsent(node.inputs);
        graph.setNode(id, std::move(node));
        removeOrphans(graph, inputs);
    }
    return editSubgraphs(graph, [opset](Graph& inner) { return toFormsOf(inner, opset); });
}

int oldestFormOf(Graph& scratch, Node node)
{
    for (auto rule = rulesInOrder().rbegin(); rule != rulesInOrder().rend(); ++rule) {
        if ((*rule)->after != node.op) {
            continue;
        }
        if ((*rule)->down != nullptr && !(*rule)->down(scratch, node, **rule)) {
            return (*rule)->since;
        }
        node.op = (*rule)->before;
    }
    return 1;
}

} // namespace crease
