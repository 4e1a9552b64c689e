// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/integer_nodes.h"
#include "core/passes/codes.h"
#include "core/passes/dialects.h"
#include "core/passes/recognise_rules.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace crease {

namespace {

/// A scale of 0 stands where every code is the zero point; a negative one is a positive one of negated codes.
std::optional<Miss> repairScales(const Graph& graph, NodeId id, QuantizerParams& params, Tensor& codes,
                                 Findings& findings)
{
    const ChannelLayout layout = channelLayout(codes.dims(), params.axis);
    bool anyNegative = false;
    bool anyZero = false;
    for (const double scale : params.scales) {
        anyNegative = anyNegative || scale < 0.0;
        anyZero = anyZero || scale == 0.0;
    }
    if (anyZero) {
        std::vector<bool> used(params.scales.size(), false);
        const std::vector<std::int64_t> integers = codes.toInts();
        for (std::size_t i = 0; i < integers.size(); ++i) {
            const std::size_t channel = layout.channel(i);
            used[channel] = used[channel] || integers[i] != params.zeroPoints[channel];
        }
        std::vector<std::size_t> dead;
        for (std::size_t channel = 0; channel < params.scales.size(); ++channel) {
            if (params.scales[channel] == 0.0 && !used[channel]) {
                params.scales[channel] = 1.0;
                dead.push_back(channel);
            }
        }
        if (!dead.empty()) {
            findings.add(Severity::Info, "zero-scale",
                         fmt::format("the scale of channel {} is 0 and so are all its weights: taken as 1",
                                     fmt::join(dead, ", ")),
                         nodeLabel(graph, id), graph.value(graph.node(id).input(1)).name);
        }
    }
    QuantizerParams positive = params;
    for (double& scale : positive.scales) {
        scale = std::abs(scale);
    }
    if (std::optional<Miss> bad = badScale(graph, id, positive.scales)) {
        return bad;
    }
    if (!anyNegative) {
        return std::nullopt;
    }
    std::vector<bool> flip(codes.size());
    for (std::size_t i = 0; i < flip.size(); ++i) {
        flip[i] = params.scales[layout.channel(i)] < 0.0;
    }
    const std::optional<CodesAndGrid> turned = negated(codes, positive.grid(), flip);
    if (!turned) {
        return Miss{"negative-scale", "its scale is negative and its codes have no exact negative", id};
    }
    params.scales = turned->grid.scales;
    params.zeroPoints = turned->grid.zeroPoints;
    params.storage = turned->grid.storage;
    params.qmin = turned->grid.qmin;
    params.qmax = turned->grid.qmax;
    codes = turned->codes;
    findings.add(Severity::Info, "negative-scale", "a negative scale became a positive one of negated codes",
                 nodeLabel(graph, id));
    return std::nullopt;
}

/// The bounds of the integer Clips that constant codes went through: the only place that tells their bit width.
CodeBounds boundsOnTheWay(const Graph& graph, ValueId codes, RecogniseState& state, Patch& patch)
{
    CodeBounds bounds;
    for (int i = 0; i < 256; ++i) {
        const NodeId producer = graph.producer(codes);
        if (!producer.valid()) {
            break;
        }
        const Node& node = graph.node(producer);
        if (const std::optional<CodeBounds> clip = codeBounds(graph, node, state.constants)) {
            bounds = {std::max(bounds.lo, clip->lo), std::min(bounds.hi, clip->hi)};
        } else if (!node.is("Identity") && !movesCodes(node)) {
            break;
        }
        patch.role(producer, "weight");
        codes = node.input(0);
    }
    return bounds;
}

void explain(Patch& patch, const QuantizerParams& params, const Tensor& codes)
{
    patch.explain(fmt::format("constant codes of {} on {}", toText(codes.dims()), toText(params.grid())));
}

/// Where the codes of a QuantizeLinear go, through data movement.
struct Readers {
    bool output = false;         // a graph output
    bool dequantizer = false;    // a DequantizeLinear
    std::optional<NodeId> other; // anything else
    std::vector<NodeId> moves;   // movement and clips before a graph output
};

bool castsCodes(const Graph& graph, const Node& node)
{
    return node.is("Cast") && node.output().valid() && isInteger(graph.value(node.output()).type);
}

Readers readersOf(const Graph& graph, ValueId codes, RecogniseState& state)
{
    Readers readers;
    std::vector<ValueId> waiting{codes};
    std::set<ValueId> seen{codes};
    while (!waiting.empty()) {
        const ValueId at = waiting.back();
        waiting.pop_back();
        readers.output = readers.output || graph.isOutput(at);
        for (const Use& use : graph.uses(at)) {
            const Node& reader = graph.node(use.node);
            if (isDequantizeLinear(reader)) {
                readers.dequantizer = true;
                continue;
            }
            if (reader.is("Shape") || reader.is("Size")) {
                continue;
            }
            const bool clips =
                use.slot == 0 && (codeBounds(graph, reader, state.constants) || castsCodes(graph, reader));
            if (use.slot == Use::captured || (!movesCodes(reader) && !clips)) {
                readers.other = use.node;
                continue;
            }
            for (const ValueId output : reader.outputs) {
                if (output.valid() && seen.insert(output).second) {
                    waiting.push_back(output);
                    if (readers.moves.empty() || readers.moves.back() != use.node) {
                        readers.moves.push_back(use.node);
                    }
                }
            }
        }
    }
    return readers;
}

bool leadsToOutput(const Graph& graph, NodeId id)
{
    return std::ranges::any_of(graph.node(id).outputs,
                               [&](ValueId output) { return output.valid() && graph.isOutput(output); });
}

} // namespace

bool isQuantizedHere(const Graph& graph, ValueId codes)
{
    for (int i = 0; i < 256 && codes.valid(); ++i) {
        const NodeId producer = graph.producer(codes);
        if (!producer.valid()) {
            return false;
        }
        if (isQuantizeLinear(graph.node(producer))) {
            return true;
        }
        codes = graph.node(producer).input(0);
    }
    return false;
}

Outcome recogniseConstantCodes(const Graph& graph, NodeId id, RecogniseState& state)
{
    const Node& node = graph.node(id);
    if (!isDequantizeLinear(node) || !node.input(0).valid() || !node.output().valid()) {
        return NoMatch{};
    }
    const Tensor* found = state.constants.find(graph, node.input(0));
    if (found == nullptr || isQuantizedHere(graph, node.input(0))) {
        return NoMatch{};
    }
    return constantCodes(graph, id, *found, state);
}

Outcome constantCodes(const Graph& graph, NodeId id, const Tensor& tensor, RecogniseState& state)
{
    const Node& node = graph.node(id);
    const Tensor* found = &tensor;
    if (!isInteger(found->type())) {
        return Miss{"codes-not-integer", fmt::format("it dequantizes {}", longName(found->type())), id};
    }
    const ParamsResult read = readParams(graph, id, state.constants, state.findings);
    if (!read) {
        return read.error();
    }
    QuantizerParams params = *read;
    params.storage = found->type();
    if (params.axis && static_cast<std::size_t>(*params.axis) < found->rank() &&
        found->dims()[static_cast<std::size_t>(*params.axis)] != static_cast<std::int64_t>(params.scales.size())) {
        return Miss{"axis-length",
                    fmt::format("{} scales for axis {} of length {}", params.scales.size(), *params.axis,
                                found->dims()[static_cast<std::size_t>(*params.axis)]),
                    id};
    }
    Tensor codes = *found;
    if (std::optional<Miss> bad = repairScales(graph, id, params, codes, state.findings)) {
        return *bad;
    }
    Patch patch(graph, id);
    const CodeBounds bounds = boundsOnTheWay(graph, node.input(0), state, patch);
    if (params.storage == found->type()) {
        params.qmin = std::max(params.qmin, bounds.lo);
        params.qmax = std::min(params.qmax, bounds.hi);
    }
    Value constant;
    constant.type = params.storage;
    constant.codes = params.grid();
    constant.shape = shapeOf(codes.dims());
    constant.constant = codes;
    const Value& source = graph.value(node.input(0));
    ValueId held = node.input(0);
    if (source.isConstant() && graph.fanOut(held) == 1) {
        constant.name = source.name;
        constant.doc = source.doc;
        constant.metadata = source.metadata;
        patch.setValue(held, std::move(constant));
    } else {
        constant.name = source.isConstant() ? source.name : graph.value(node.output()).name + "/codes";
        held = patch.addValue(std::move(constant));
    }
    Node dequantize;
    dequantize.op = nodes::dequantize;
    dequantize.domain = nodes::domain;
    dequantize.name = node.name;
    dequantize.inputs = {held};
    dequantize.outputs = {node.output()};
    dequantize.doc = node.doc;
    dequantize.metadata = node.metadata;
    patch.setNode(id, std::move(dequantize));
    Value output = graph.value(node.output());
    output.liesOn = params.grid();
    output.shape = shapeOf(codes.dims());
    if (!isFloat(output.type)) {
        output.type = ElementType::Float32;
    }
    patch.setValue(node.output(), std::move(output));
    patch.role(id, "quantizer");
    explain(patch, params, codes);
    return patch;
}

Outcome recogniseIntegerOutput(const Graph& graph, NodeId id, RecogniseState& state)
{
    const Node& node = graph.node(id);
    if (!isQuantizeLinear(node) || !node.input(0).valid() || !node.output().valid()) {
        return NoMatch{};
    }
    const Readers readers = readersOf(graph, node.output(), state);
    if (!readers.output && !readers.other) {
        return NoMatch{};
    }
    const ParamsResult params = readParams(graph, id, state.constants, state.findings);
    if (!params) {
        return params.error();
    }
    if (const std::optional<Miss> bad = badScale(graph, id, params->scales)) {
        return *bad;
    }
    if (readers.other) {
        return Miss{"integer-reader",
                    fmt::format("its codes are read by {} '{}'", graph.node(*readers.other).op,
                                nodeLabel(graph, *readers.other)),
                    *readers.other};
    }
    if (!isFloat(graph.value(node.input(0)).type)) {
        return Miss{"integer-data", fmt::format("it quantizes {} data", longName(graph.value(node.input(0)).type)), id};
    }
    const bool straight = std::ranges::all_of(readers.moves, [&](NodeId move) {
        const Node& each = graph.node(move);
        return leadsToOutput(graph, move) && graph.producer(each.input(0)) == id && each.outputs.size() == 1 &&
               !each.is("Concat") && !each.is("Cast");
    });
    if (!readers.moves.empty() && (readers.dequantizer || !straight || params->axis)) {
        return Miss{
            "output-behind-movement",
            fmt::format("{} stands between it and the integer graph output", graph.node(readers.moves.front()).op),
            readers.moves.front()};
    }
    Patch patch(graph, id);
    const Grid grid = params->grid();
    Node quantize;
    quantize.op = nodes::quantize;
    quantize.domain = nodes::domain;
    quantize.name = node.name;
    quantize.inputs = {node.input(0)};
    quantize.outputs = node.outputs;
    quantize.doc = node.doc;
    quantize.metadata = node.metadata;
    patch.setNode(id, std::move(quantize));
    Value codes = graph.value(node.output());
    codes.type = grid.storage;
    codes.codes = grid;
    patch.setValue(node.output(), std::move(codes));
    patch.role(id, "quantizer");
    for (const NodeId move : readers.moves) {
        Node moved = graph.node(move);
        Value output = graph.value(moved.output());
        if (const std::optional<CodeBounds> bounds = codeBounds(graph, moved, state.constants)) {
            moved.op = nodes::clamp;
            moved.domain = nodes::domain;
            moved.version = 0;
            moved.inputs.resize(1);
            moved.attributes = {{std::string(nodes::lo), std::max(bounds->lo, grid.qmin)},
                                {std::string(nodes::hi), std::min(bounds->hi, grid.qmax)}};
            patch.setNode(move, std::move(moved));
        }
        output.type = grid.storage;
        output.codes = grid;
        patch.setValue(graph.node(move).output(), std::move(output));
        patch.role(move, "movement");
    }
    patch.explain(fmt::format("integer graph output on {}", toText(grid)));
    return patch;
}

Outcome recogniseShapeOfCodes(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    const NodeId producer = node.input(0).valid() ? graph.producer(node.input(0)) : NodeId{};
    if ((!node.is("Shape") && !node.is("Size")) || !producer.valid() || !isQuantizeLinear(graph.node(producer))) {
        return NoMatch{};
    }
    Patch patch(graph, id);
    Node changed = node;
    changed.inputs[0] = graph.node(producer).input(0);
    patch.setNode(id, std::move(changed));
    patch.role(id, "shape");
    patch.role(producer, "quantizer");
    patch.explain("the codes have the shape of the numbers");
    return patch;
}

Outcome recogniseUnsupported(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (node.op == "DynamicQuantizeLinear") {
        return Miss{"dynamic-scale", "its scale is computed from data", id};
    }
    if (!isForeignQuantizer(node)) {
        return NoMatch{};
    }
    return Miss{"unsupported-dialect",
                fmt::format("{}{}{} is a quantizer that is not read here", node.domain, node.domain.empty() ? "" : ".",
                            node.op),
                id};
}

} // namespace crease
