// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/exec/node_test_suite.h"

#include "core/exec/program.h"
#include "core/onnx/importer.h"
#include "core/onnx/tensor_proto.h"
#include "core/ops/op_table.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

namespace fs = std::filesystem;

namespace crease::test {

namespace {

std::string bytesOf(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

struct Tolerance {
    double relative = 1e-3;
    double absolute = 1e-7;
};

Tolerance toleranceOf(const fs::path& test)
{
    Tolerance tolerance;
    if (fs::exists(test / "data.json")) {
        const auto json = nlohmann::json::parse(bytesOf(test / "data.json"), nullptr, false);
        tolerance.relative = json.value("rtol", tolerance.relative);
        tolerance.absolute = json.value("atol", tolerance.absolute);
    }
    return tolerance;
}

std::string typeReason(ElementType type)
{
    if (type == ElementType::String) {
        return "strings";
    }
    if (isFloat8(type)) {
        return "float8 and float4";
    }
    return type == ElementType::Complex64 || type == ElementType::Complex128 ? "complex numbers" : "";
}

bool isRandom(std::string_view op)
{
    static const std::set<std::string_view> random{"Bernoulli",        "Multinomial",   "RandomNormal",
                                                   "RandomNormalLike", "RandomUniform", "RandomUniformLike"};
    return random.contains(op);
}

bool isTraining(const Graph& graph, const Node& node)
{
    if (node.domain == "ai.onnx.preview.training" || node.intAttribute("training_mode", 0) != 0) {
        return true;
    }
    const bool dropout = node.op == "Dropout" && node.input(2).valid();
    const Tensor flag = dropout ? graph.value(node.input(2)).constant : Tensor{};
    return dropout && (!flag.valid() || flag.asInt(0) != 0);
}

/// Why the graph is outside of the claims of the op table; empty where it is inside.
std::string outsideOfClaims(const Graph& graph);

std::string outsideOfClaims(const Graph& graph, const Node& node)
{
    const std::string name = node.domain.empty() ? node.op : node.domain + "." + node.op;
    for (const auto& ends : {node.inputs, node.outputs}) {
        for (const ValueId id : ends) {
            if (!id.valid()) {
                continue;
            }
            if (!graph.value(id).opaqueType.empty()) {
                return "sequences, optionals and maps";
            }
            if (const std::string reason = typeReason(graph.value(id).type); !reason.empty()) {
                return reason;
            }
        }
    }
    if (isRandom(node.op)) {
        return "random numbers";
    }
    if (isTraining(graph, node)) {
        return "training";
    }
    if (node.op.starts_with("Sequence") || node.op.starts_with("Optional") || node.op == "SplitToSequence") {
        return "sequences, optionals and maps";
    }
    const OpInfo* info = findOp(node.op, node.domain);
    if (info == nullptr) {
        return "op not in the table: " + name;
    }
    if (node.version != 0 && (node.version < info->since || node.version > info->until)) {
        return fmt::format("{} of opset {}", name, node.version);
    }
    for (const ValueId id : node.inputs) {
        if (id.valid() && graph.value(id).type != ElementType::Undefined && !claimsType(*info, graph.value(id).type)) {
            return fmt::format("{} of {}", name, longName(graph.value(id).type));
        }
    }
    for (const auto& [key, attribute] : node.attributes) {
        if (const auto* body = std::get_if<GraphRef>(&attribute)) {
            if (const std::string reason = outsideOfClaims(**body); !reason.empty()) {
                return reason;
            }
        }
    }
    return {};
}

std::string outsideOfClaims(const Graph& graph)
{
    for (const ValueId id : graph.values()) {
        if (!graph.value(id).opaqueType.empty()) {
            return "sequences, optionals and maps";
        }
    }
    for (const NodeId id : graph.order()) {
        if (const std::string reason = outsideOfClaims(graph, graph.node(id)); !reason.empty()) {
            return reason;
        }
    }
    return {};
}

/// `steps`: how far integers may be apart.
std::string difference(const Tensor& got, const Tensor& wanted, const Tolerance& tolerance, std::int64_t steps)
{
    if (got.dims() != wanted.dims()) {
        return fmt::format("shape {} instead of {}", toText(got.dims()), toText(wanted.dims()));
    }
    if (!isFloat(wanted.type())) {
        const auto a = got.toInts();
        const auto b = wanted.toInts();
        const auto [at, other] =
            std::ranges::mismatch(a, b, [steps](std::int64_t x, std::int64_t y) { return std::abs(x - y) <= steps; });
        return at == a.end() ? "" : fmt::format("{} instead of {} at {}", *at, *other, at - a.begin());
    }
    const auto a = got.toDoubles();
    const auto b = wanted.toDoubles();
    for (std::size_t i = 0; i < a.size(); ++i) {
        const bool equal = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
        if (!equal && !(std::fabs(a[i] - b[i]) <= tolerance.absolute + tolerance.relative * std::fabs(b[i]))) {
            return fmt::format("{} instead of {} at {} of {}", a[i], b[i], i, a.size());
        }
    }
    return {};
}

/// Old data has the bits of bfloat16 tensors as uint16.
Tensor asDeclared(Tensor tensor, ElementType type)
{
    if (type != ElementType::BFloat16 || tensor.type() != ElementType::UInt16) {
        return tensor;
    }
    auto owner = std::make_shared<const Tensor>(std::move(tensor));
    const void* data = owner->raw();
    const Dims dims = owner->dims();
    return Tensor::view(type, dims, std::move(owner), data);
}

Result<std::vector<Tensor>> tensorsIn(const fs::path& folder, std::string_view kind, const Graph& graph,
                                      const std::vector<ValueId>& values)
{
    std::vector<Tensor> tensors;
    for (const ValueId id : values) {
        const std::string bytes = bytesOf(folder / fmt::format("{}_{}.pb", kind, tensors.size()));
        tensors.push_back(asDeclared(TRY(tensorFromProtoBytes(bytes)).tensor, graph.value(id).type));
    }
    return tensors;
}

/// Inference from the inputs alone, against what the outputs really are.
std::string checkShapes(const Graph& original, const std::vector<Tensor>& inputs, const std::vector<Tensor>& wanted,
                        SuiteReport& report)
{
    Graph graph = original;
    for (const ValueId id : graph.values()) {
        Value value = graph.value(id);
        if (!graph.isInput(id) && !value.isConstant()) {
            value.type = ElementType::Undefined;
            value.shape.reset();
            graph.setValue(id, std::move(value));
        }
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Value value = graph.value(graph.inputs()[i]);
        value.shape = shapeOf(inputs[i].dims());
        graph.setValue(graph.inputs()[i], std::move(value));
    }
    if (const auto inferred = inferShapes(graph); !inferred) {
        return "shape inference: " + describe(inferred.error());
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const Value& value = graph.value(graph.outputs()[i]);
        ++report.outputs;
        if (value.type != wanted[i].type()) {
            return fmt::format("inferred type {} instead of {}", longName(value.type), longName(wanted[i].type()));
        }
        if (!value.shape) {
            continue;
        }
        bool fits = value.shape->size() == wanted[i].rank();
        bool whole = fits;
        for (std::size_t d = 0; fits && d < wanted[i].rank(); ++d) {
            const Dim& dim = (*value.shape)[d];
            fits = !dim.known() || dim.value == wanted[i].dims()[d];
            whole = whole && dim.known();
        }
        if (!fits) {
            return fmt::format("inferred shape {} instead of {}", toText(*value.shape), toText(wanted[i].dims()));
        }
        report.shapesInferred += whole ? 1 : 0;
    }
    return {};
}

bool isHalf(ElementType type)
{
    return type == ElementType::Float16 || type == ElementType::BFloat16;
}

bool hasOp(const Graph& graph, std::initializer_list<std::string_view> ops)
{
    return std::ranges::any_of(graph.order(),
                               [&](NodeId id) { return std::ranges::find(ops, graph.node(id).op) != ops.end(); });
}

/// float64 keeps what the file's types round away, and has other bits.
bool isDefinedInExact(const Graph& graph)
{
    const bool half = std::ranges::any_of(graph.values(), [&](ValueId id) { return isHalf(graph.value(id).type); });
    return !half && !hasOp(graph, {"BitCast"});
}

/// Four units in the last place of a half type: what is expected of an expanded function was not rounded from op to op.
Tolerance widened(Tolerance tolerance, ElementType type)
{
    const double units = type == ElementType::BFloat16 ? 1.0 / 64 : type == ElementType::Float16 ? 1.0 / 512 : 0.0;
    return {std::max(tolerance.relative, units), tolerance.absolute};
}

std::string runSet(const Graph& graph, const fs::path& data, const Tolerance& tolerance, SuiteReport& report)
{
    const auto inputs = tensorsIn(data, "input", graph, graph.inputs());
    const auto wanted = tensorsIn(data, "output", graph, graph.outputs());
    if (!inputs || !wanted) {
        return "reading the data: " + describe((inputs ? wanted : inputs).error());
    }
    const Job job;
    for (const Precision precision : {Precision::Float32, Precision::Exact}) {
        const bool exact = precision == Precision::Exact;
        if (exact && !isDefinedInExact(graph)) {
            continue;
        }
        // The same division in float64 falls to the other side of a tie.
        const std::int64_t steps = exact && hasOp(graph, {"DynamicQuantizeLinear", "Round"}) ? 1 : 0;
        const std::string label = exact ? "in float64: " : "";
        const auto program = Program::create(graph, {precision, 1, false});
        if (!program) {
            return label + describe(program.error());
        }
        const auto outputs = program->run(*inputs, job);
        if (!outputs) {
            return label + describe(outputs.error());
        }
        for (std::size_t i = 0; i < wanted->size(); ++i) {
            const Tensor& want = (*wanted)[i];
            const ElementType type = exact && isFloat(want.type()) ? ElementType::Float64 : want.type();
            if ((*outputs)[i].type() != type) {
                return fmt::format("{}{} instead of {}", label, longName((*outputs)[i].type()), longName(type));
            }
            if (const std::string text = difference((*outputs)[i], want, widened(tolerance, want.type()), steps);
                !text.empty()) {
                return fmt::format("{}output {}: {}", label, i, text);
            }
        }
    }
    return checkShapes(graph, *inputs, *wanted, report);
}

/// ONNX's text, ONNX Runtime and we take length_resized as the output's integer length; two tests take it as the
/// product with the scale, unrounded.
bool hasFractionalAlignCorners(const Graph& graph, const fs::path& data)
{
    const auto inputs = tensorsIn(data, "input", graph, graph.inputs());
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        const auto slot = std::ranges::find(graph.inputs(), node.input(2));
        if (!inputs || node.op != "Resize" || slot == graph.inputs().end() ||
            node.stringAttribute("coordinate_transformation_mode") != "align_corners") {
            continue;
        }
        const Tensor& scales = (*inputs)[static_cast<std::size_t>(slot - graph.inputs().begin())];
        for (std::size_t i = 0; i < scales.size(); ++i) {
            const double length = scales.asDouble(i) * static_cast<double>(inputs->front().dims()[i]);
            if (std::fabs(length - std::round(length)) > 1e-3) {
                return true;
            }
        }
    }
    return false;
}

void runTest(const fs::path& test, SuiteReport& report)
{
    const std::string name = test.filename().string();
    ++report.found;
    const auto model = importModel((test / "model.onnx").string(), {}, {});
    if (!model && model.error().id == "opset-too-old") {
        report.notClaimed["opsets below 7"].push_back(name);
        return;
    }
    if (!model) {
        report.failures.push_back(name + ": import: " + describe(model.error()));
        return;
    }
    if (const std::string reason = outsideOfClaims(model->graph); !reason.empty()) {
        report.notClaimed[reason].push_back(name);
        return;
    }
    if (hasFractionalAlignCorners(model->graph, test / "test_data_set_0")) {
        report.notClaimed["Resize that aligns corners of an unrounded length, which ONNX's text rounds"].push_back(
            name);
        return;
    }
    int sets = 0;
    for (; fs::exists(test / fmt::format("test_data_set_{}", sets)); ++sets) {
        const std::string fault =
            runSet(model->graph, test / fmt::format("test_data_set_{}", sets), toleranceOf(test), report);
        if (!fault.empty()) {
            report.failures.push_back(fmt::format("{} set {}: {}", name, sets, fault));
            return;
        }
    }
    if (sets == 0) {
        report.failures.push_back(name + ": no data");
        return;
    }
    ++report.passed;
}

} // namespace

std::string SuiteReport::text() const
{
    std::size_t outside = 0;
    std::string reasons;
    for (const auto& [reason, names] : notClaimed) {
        outside += names.size();
        reasons += fmt::format("\n    {:4} {}", names.size(), reason);
    }
    return fmt::format("{} node tests: {} ran, {} passed, {} failed, {} not claimed; of {} outputs {} have their whole "
                       "shape inferred{}",
                       found, ran(), passed, failures.size(), outside, outputs, shapesInferred, reasons);
}

SuiteReport runNodeTests(const std::string& folder)
{
    SuiteReport report;
    std::vector<fs::path> tests;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (fs::exists(entry.path() / "model.onnx")) {
            tests.push_back(entry.path());
        }
    }
    std::ranges::sort(tests);
    for (const fs::path& test : tests) {
        runTest(test, report);
    }
    return report;
}

} // namespace crease::test
