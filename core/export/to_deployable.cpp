// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/deploy_arithmetic.h"
#include "core/export/deploy_border.h"
#include "core/export/deploy_float_form.h"
#include "core/export/deploy_linear.h"
#include "core/export/deploy_pool.h"
#include "core/export/deploy_quantizers.h"
#include "core/export/exporter.h"
#include "core/ir/integer_nodes.h"
#include "core/ir/verifier.h"
#include "core/onnx/writer.h"
#include "core/passes/integer_linear.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace crease {

namespace {

bool touchesCodes(const Graph& graph, const Node& node)
{
    const auto isCodes = [&](ValueId id) { return id.valid() && graph.value(id).codes.has_value(); };
    return std::ranges::any_of(node.inputs, isCodes) || std::ranges::any_of(node.outputs, isCodes);
}

Result<void> emitCreaseNode(Deployment& out, NodeId id)
{
    const Node& node = out.source().node(id);
    if (node.op == nodes::quantize) {
        emitQuantize(out, id);
    } else if (node.op == nodes::dequantize) {
        emitDequantize(out, id);
    } else if (node.op == nodes::requantize) {
        emitRequantize(out, id);
    } else if (node.op == nodes::table) {
        emitTable(out, id);
    } else if (node.op == nodes::clamp) {
        emitClamp(out, id);
    } else if (node.op == nodes::fakeQuant) {
        emitFakeQuant(out, id);
    } else {
        return failure(ErrorKind::Internal, "unknown-node", fmt::format("no export of crease.{}", node.op));
    }
    return {};
}

void reportFloatForm(Deployment& out, const Node& node)
{
    out.report(Severity::Info, "no-kernel",
               fmt::format("{}: the target has no integer kernel of this form; in the file it is a float {} between "
                           "DequantizeLinear and QuantizeLinear",
                           node.op, node.op),
               node.output());
}

void noteWideWeights(Deployment& out, const Node& node)
{
    const Value& weight = out.sourceValue(node.inputs[1]);
    if (!weight.isConstant() || weight.type != ElementType::Int8 ||
        out.sourceValue(node.inputs[0]).type != ElementType::UInt8) {
        return;
    }
    const auto codes = weight.constant.data<std::int8_t>();
    if (std::ranges::any_of(codes, [](std::int8_t code) { return code > 64 || code < -64; })) {
        out.declareWideWeights(node.output());
    }
}

void emitOperatorForm(Deployment& out, NodeId id)
{
    const Node& node = out.source().node(id);
    if (isIntegerLinear(out.source(), node)) {
        noteWideWeights(out, node);
        emitLinearOperator(out, id);
    } else if (!emitOnCodes(out, id) && !emitArithmeticOperator(out, id)) {
        reportFloatForm(out, node);
        const bool inexactTies = node.op == "AveragePool" && out.target().exactTies;
        (inexactTies || countsBeyondPadding(node) ? emitUnmergedFloatForm : emitFloatForm)(out, id);
    }
}

void emitQdqForm(Deployment& out, NodeId id)
{
    const Node& node = out.source().node(id);
    if (isIntegerLinear(out.source(), node)) {
        noteWideWeights(out, node);
        // Without a quantizer behind it a DQ-op unit stays float in ONNX Runtime: its sums are written as integers.
        if (out.grid(node.output()).isWide()) {
            emitLinearOperator(out, id);
            return;
        }
        if (out.target().op(node.op) == nullptr) {
            reportFloatForm(out, node);
        }
        emitLinearFloatForm(out, id);
        return;
    }
    if (node.op == "Shape" || node.op == "Size") {
        return;
    }
    const bool bytes = std::ranges::all_of(node.inputs, [&](ValueId input) {
        return input.valid() && out.sourceValue(input).codes && out.grid(input).isPerTensor() &&
               bitWidth(out.grid(input).storage) == 8;
    });
    if (node.op == "Concat" && bytes && needsExactTables(out, node)) {
        emitConcatOfTables(out, id);
        return;
    }
    if (emitPoolAsConv(out, id)) {
        return;
    }
    if (countsBeyondPadding(node)) {
        reportFloatForm(out, node);
        emitUnmergedFloatForm(out, id);
        return;
    }
    const TargetOp* row = out.target().op(node.op);
    const bool odd =
        node.output().valid() && out.sourceValue(node.output()).codes && out.grid(node.output()).zeroPoint() % 2 != 0;
    if (row == nullptr || (node.op == "Resize" && node.stringAttribute("mode", "nearest") != "nearest")) {
        reportFloatForm(out, node);
    }
    if (row && row->zeroPointBeforeRounding && node.op != "Sub") {
        if (odd && out.target().exactTies) {
            emitUnmergedFloatForm(out, id);
            return;
        }
        out.declareTies(fmt::format("QLinear{} that ONNX Runtime makes", node.op), node.output(), odd);
    }
    emitFloatForm(out, id);
}

/// An Identity that only joins what was emitted: its producer makes the value itself.
void joinIdentities(Graph& graph, std::size_t firstNew)
{
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        if (id.index < firstNew || !graph.contains(id) || !graph.node(id).is("Identity")) {
            continue;
        }
        const ValueId from = graph.node(id).inputs[0];
        const ValueId to = graph.node(id).output();
        const NodeId producer = graph.producer(from);
        if (!producer.valid() || graph.fanOut(from) != 1 || producer.index < firstNew) {
            continue;
        }
        Node node = graph.node(producer);
        std::ranges::replace(node.outputs, from, to);
        graph.removeNode(id);
        graph.setNode(producer, std::move(node));
        graph.removeValue(from);
    }
}

void nameNodes(Graph& graph)
{
    std::set<std::string> used;
    std::map<std::string, int> last; // the suffix that was given last, by what it follows
    for (const NodeId id : graph.order()) {
        const std::string& name = graph.node(id).name;
        if (!name.empty() && used.insert(name).second) {
            continue;
        }
        Node node = graph.node(id);
        const std::string output = node.output().valid() ? graph.value(node.output()).name : std::string("node");
        const std::string base = name.empty() ? fmt::format("{}_{}", output, node.op) : name;
        node.name = base;
        while (!used.insert(node.name).second) {
            node.name = fmt::format("{}_{}", base, ++last[base]);
        }
        graph.setNode(id, std::move(node));
    }
}

std::int64_t irVersionOf(int opset)
{
    struct Row {
        int opset;
        std::int64_t ir;
    };
    constexpr std::array rows{Row{14, 7}, Row{18, 8}, Row{20, 9}, Row{22, 10}, Row{23, 11}, Row{24, 12}};
    const auto row = std::ranges::find_if(rows, [opset](const Row& entry) { return opset <= entry.opset; });
    return row == rows.end() ? 13 : row->ir;
}

void finishNodes(Graph& graph, int opset)
{
    ModelInfo model = graph.model();
    model.opsets[""] = opset;
    model.irVersion = std::max(model.irVersion, irVersionOf(opset));
    for (const NodeId id : graph.order()) {
        const Node& old = graph.node(id);
        if (old.domain == microsoft) {
            model.opsets.try_emplace(std::string(microsoft), 1);
        }
        if (old.version == 0 && (old.domain.empty() || old.domain == microsoft)) {
            Node node = old;
            node.version = node.domain.empty() ? opset : 1;
            graph.setNode(id, std::move(node));
        }
    }
    graph.setModel(std::move(model));
}

void dropUnusedConstants(Graph& graph)
{
    for (const ValueId id : graph.values()) {
        const bool source = graph.producer(id).valid() || graph.isInput(id);
        if (!source && graph.fanOut(id) == 0 && std::ranges::find(graph.captured(), id) == graph.captured().end()) {
            graph.removeValue(id);
        }
    }
}

std::vector<Correspondence> correspondenceOf(const Deployment& out, const Graph& graph)
{
    std::vector<Correspondence> all;
    for (const ValueId id : graph.values()) {
        if (!out.source().contains(id) || out.sourceValue(id).isConstant()) {
            continue;
        }
        const Value& value = out.sourceValue(id);
        Correspondence entry{graph.value(id).name, value.name, "real", {}, {}, -1};
        if (value.codes && out.form(id) == AccumulatorForm::Integers) {
            entry.relation = "codes";
            entry.scales = value.codes->scales;
            entry.zeroPoints = value.codes->zeroPoints;
            entry.axis = value.codes->axis.value_or(-1);
        } else if (value.codes && out.form(id) == AccumulatorForm::FloatCodes) {
            continue;
        } else if (!value.codes && !isFloat(value.type)) {
            continue;
        }
        all.push_back(std::move(entry));
    }
    return all;
}

/// The grids have become constants of the file; types are what the file says.
void forgetGrids(const Deployment& out, Graph& graph)
{
    for (const ValueId id : graph.values()) {
        if (!out.source().contains(id)) {
            continue;
        }
        Value value = graph.value(id);
        if (!value.codes && !value.liesOn) {
            continue;
        }
        if (value.codes && out.form(id) != AccumulatorForm::Integers) {
            value.type = ElementType::Float32;
        }
        value.codes.reset();
        value.liesOn.reset();
        graph.setValue(id, std::move(value));
    }
}

} // namespace

Result<Graph> toDeployable(const Graph& final, const Target& target, std::vector<Correspondence>* correspondence,
                           Diagnostics* diagnostics)
{
    Deployment out(final, target);
    const std::size_t firstNew = final.nodeCapacity();
    for (const NodeId id : final.order()) {
        const Node& node = final.node(id);
        if (node.domain == nodes::domain) {
            TRY(emitCreaseNode(out, id));
        } else if (node.domain.empty() && isLinearOp(node.op) && node.attribute(nodes::bias) &&
                   !touchesCodes(final, node)) {
            emitFloatLinear(out, id);
        } else if (isQonnxQuantizer(node)) {
            emitQonnxQuantizer(out, id);
        } else if (touchesCodes(final, node)) {
            if (target.format == "onnx-qdq") {
                emitQdqForm(out, id);
            } else {
                emitOperatorForm(out, id);
            }
        }
    }
    Graph& graph = out.graph();
    TRY(refuseForeignQuantizers(graph, target));
    TRY(graph.sort());
    joinIdentities(graph, firstNew);
    if (correspondence) {
        *correspondence = correspondenceOf(out, graph);
    }
    forgetGrids(out, graph);
    dropUnusedConstants(graph);
    TRY(graph.sort());
    finishNodes(graph, out.opset());
    if (const int required = requiredOpset(graph); required > out.opset()) {
        finishNodes(graph, required);
    }
    nameNodes(graph);
    TRY(verify(graph));
    if (diagnostics) {
        const Diagnostics found = out.diagnostics();
        diagnostics->insert(diagnostics->end(), found.begin(), found.end());
    }
    return graph;
}

} // namespace crease
