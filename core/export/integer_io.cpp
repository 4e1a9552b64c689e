// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/integer_io.h"

#include "core/ir/integer_nodes.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

namespace crease {

namespace {

void record(ModelInfo& model, std::string_view name, const Grid& grid)
{
    model.metadata.emplace_back(
        fmt::format("crease.io.{}", name),
        fmt::format("{} scale {} zero_point {}", longName(grid.storage), shortest(grid.scale()), grid.zeroPoint()));
}

bool isPlainQuantize(const Graph& graph, const Use& use)
{
    return use.slot == 0 && graph.node(use.node).is(nodes::quantize, nodes::domain) &&
           graph.value(graph.node(use.node).output()).codes->isPerTensor() &&
           !graph.isOutput(graph.node(use.node).output());
}

bool equalClamp(const Node& a, const Node& b)
{
    return std::ranges::all_of(std::array{nodes::lo, nodes::hi}, [&](std::string_view key) {
        return (a.attribute(key) == nullptr) == (b.attribute(key) == nullptr) &&
               a.intAttribute(key, 0) == b.intAttribute(key, 0);
    });
}

/// The codes that the readers of a float input share, or an invalid id.
ValueId sharedCodes(const Graph& graph, ValueId input)
{
    const auto uses = graph.uses(input);
    if (uses.empty() || graph.isOutput(input) || graph.value(input).codes) {
        return {};
    }
    if (!std::ranges::all_of(uses, [&](const Use& use) { return isPlainQuantize(graph, use); })) {
        return {};
    }
    const Node& first = graph.node(uses.front().node);
    const bool same = std::ranges::all_of(uses, [&](const Use& use) {
        const Node& node = graph.node(use.node);
        return graph.value(node.output()).codes == graph.value(first.output()).codes && equalClamp(node, first);
    });
    return same ? first.output() : ValueId{};
}

} // namespace

Result<Graph> withIntegerIo(const Graph& final)
{
    Graph graph = final;
    ModelInfo model = graph.model();
    for (const ValueId input : final.inputs()) {
        const ValueId codes = sharedCodes(graph, input);
        if (!codes.valid()) {
            continue;
        }
        Value value = graph.value(input);
        value.codes = graph.value(codes).codes;
        value.type = value.codes->storage;
        value.liesOn.reset();
        const std::vector<Use> uses(graph.uses(input).begin(), graph.uses(input).end());
        for (const Use& use : uses) {
            const ValueId quantized = graph.node(use.node).output();
            graph.removeNode(use.node);
            graph.replaceUses(quantized, input);
            graph.removeValue(quantized);
        }
        record(model, value.name, *value.codes);
        graph.setValue(input, std::move(value));
    }
    std::vector<ValueId> outputs = graph.outputs();
    std::set<ValueId> taken(outputs.begin(), outputs.end());
    for (ValueId& output : outputs) {
        const NodeId producer = graph.producer(output);
        if (!producer.valid() || !graph.node(producer).is(nodes::dequantize, nodes::domain) ||
            !graph.uses(output).empty()) {
            continue;
        }
        const ValueId codes = graph.node(producer).inputs[0];
        const Value& value = graph.value(codes);
        if (value.codes->isWide() || !value.codes->isPerTensor() || value.isConstant() || graph.isInput(codes) ||
            taken.contains(codes)) {
            continue;
        }
        Value named = graph.value(output);
        Value kept = value;
        std::swap(named.name, kept.name);
        std::swap(named.doc, kept.doc); // what the file says of its output stays with the output
        std::swap(named.metadata, kept.metadata);
        graph.setValue(output, std::move(named));
        graph.setValue(codes, kept);
        record(model, kept.name, *kept.codes);
        taken.insert(codes);
        output = codes;
    }
    graph.setOutputs(std::move(outputs));
    graph.setModel(std::move(model));
    for (const ValueId output : final.outputs()) {
        const NodeId producer = graph.producer(output);
        if (!graph.isOutput(output) && producer.valid() && graph.fanOut(output) == 0) {
            graph.removeNode(producer);
            graph.removeValue(output);
        }
    }
    TRY(graph.sort());
    return graph;
}

} // namespace crease
