// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/deploy_arithmetic.h"

#include "core/exec/arithmetic.h"
#include "core/export/deploy_border.h"
#include "core/export/deploy_float_form.h"
#include "core/export/deploy_pool.h"
#include "core/ir/integer_nodes.h"
#include "core/ops/op_table.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace crease {

namespace {

bool isPerTensorByte(const Value& value)
{
    return value.codes && value.codes->isPerTensor() && bitWidth(value.codes->storage) == 8;
}

/// The codes that stand for the negated reals: 255 - q, and a zero point likewise.
ValueId negated(Deployment& out, ValueId codes, Grid& grid)
{
    const std::int64_t sum = lowest(grid.storage) + highest(grid.storage);
    grid.zeroPoints[0] = sum - grid.zeroPoints[0];
    const Value& value = out.sourceValue(codes);
    if (value.isConstant()) {
        std::vector<std::int64_t> turned = value.constant.toInts();
        std::ranges::for_each(turned, [sum](std::int64_t& code) { code = sum - code; });
        return out.constant(tensorOfInts(value.type, value.constant.dims(), turned), value.name + "_negated");
    }
    std::vector<std::int64_t> table(256);
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = highest(grid.storage) - static_cast<std::int64_t>(i);
    }
    const Tensor entries = tensorOfInts(grid.storage, {256}, table);
    return out.add(gatherNode(out, codes, entries, 0, "negation"), "negated", grid.storage, value.shape);
}

/// The codes of `input` on the output's grid.
ValueId onGrid(Deployment& out, ValueId input, const Grid& to, ClampRange range)
{
    const Value& value = out.sourceValue(input);
    if (*value.codes == to && isWholeType(range, to.storage)) {
        return input;
    }
    const Tensor table = requantizeTable(*value.codes, to, {}, range);
    if (!value.isConstant()) {
        return out.add(gatherNode(out, input, table, 0, value.name), "requantized", to.storage, value.shape);
    }
    std::vector<std::int64_t> codes = value.constant.toInts();
    for (std::int64_t& code : codes) {
        code = table.asInt(static_cast<std::size_t>(code - lowest(value.type)));
    }
    return out.constant(tensorOfInts(to.storage, value.constant.dims(), codes), value.name + "_requantized");
}

bool allBytes(const Deployment& out, const Node& node, std::span<const std::size_t> slots)
{
    return std::ranges::all_of(slots,
                               [&](std::size_t slot) {
                                   return node.input(slot).valid() &&
                                          isPerTensorByte(out.sourceValue(node.inputs[slot]));
                               }) &&
           isPerTensorByte(out.sourceValue(node.output()));
}

bool emitTwoInput(Deployment& out, NodeId id, std::string_view kernel)
{
    const Node node = out.source().node(id);
    constexpr std::array<std::size_t, 2> slots{0, 1};
    if (node.inputs.size() != 2 || !allBytes(out, node, slots)) {
        return false;
    }
    const std::array types{out.sourceValue(node.inputs[0]).type, out.sourceValue(node.inputs[1]).type,
                           out.sourceValue(node.output()).type};
    if (!out.target().accepts(node.op, types)) {
        return false;
    }
    const Grid& y = out.grid(node.output());
    const bool odd = y.zeroPoint() % 2 != 0;
    if (out.target().op(node.op)->zeroPointBeforeRounding) {
        if (odd && out.target().exactTies) {
            emitUnmergedFloatForm(out, id);
            return true;
        }
        out.declareTies(kernel, node.output(), odd);
    }
    out.begin(id);
    Grid bGrid = out.grid(node.inputs[1]);
    const ValueId b = node.op == "Sub" ? negated(out, node.inputs[1], bGrid) : node.inputs[1];
    const GridConstants first = out.gridConstants(out.grid(node.inputs[0]));
    const GridConstants second = out.gridConstants(bGrid);
    const GridConstants result = out.gridConstants(y);
    Node op = standardNode(kernel,
                           {node.inputs[0], first.scale, first.zeroPoint, b, second.scale, second.zeroPoint,
                            result.scale, result.zeroPoint},
                           microsoft);
    op.name = node.name;
    produceClamped(out, std::move(op), node, node.output());
    return true;
}

/// Max, Min, Where: every operand on the output's grid first, which commutes with picking (L1, L2).
bool emitPicking(Deployment& out, NodeId id, std::span<const std::size_t> slots)
{
    const Node node = out.source().node(id);
    if (!allBytes(out, node, slots)) {
        return false;
    }
    const Grid& y = out.grid(node.output());
    const ClampRange range = clampRange(node, y);
    out.begin(id);
    Node op = standardNode(node.op, node.inputs);
    op.name = node.name;
    op.version = node.version;
    for (const std::size_t slot : slots) {
        op.inputs[slot] = onGrid(out, node.inputs[slot], y, range);
    }
    out.produce(std::move(op), node.output());
    return true;
}

std::vector<std::size_t> allSlots(const Node& node)
{
    std::vector<std::size_t> slots(node.inputs.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
        slots[i] = i;
    }
    return slots;
}

/// What float32 makes of each code: QLinearConcat's table, and Q(DQ) of the QDQ form.
bool floatTableIsExact(const Grid& from, const Grid& to, ClampRange range)
{
    const Tensor exact = requantizeTable(from, to, {}, range);
    for (std::size_t i = 0; i < 256; ++i) {
        const std::int64_t code = lowest(from.storage) + static_cast<std::int64_t>(i) - from.zeroPoint();
        const float real = static_cast<float>(code) * static_cast<float>(from.scale());
        if (quantizeValueFloat32(real, static_cast<float>(to.scale()), to.zeroPoint(), range.low, range.high) !=
            exact.asInt(i)) {
            return false;
        }
    }
    return true;
}

bool emitConcat(Deployment& out, NodeId id)
{
    const Node node = out.source().node(id);
    if (!allBytes(out, node, allSlots(node))) {
        return false;
    }
    if (needsExactTables(out, node)) {
        emitConcatOfTables(out, id);
        return true;
    }
    out.begin(id);
    const GridConstants y = out.gridConstants(out.grid(node.output()));
    std::vector<ValueId> inputs{y.scale, y.zeroPoint};
    for (const ValueId input : node.inputs) {
        const GridConstants x = out.gridConstants(out.grid(input));
        inputs.insert(inputs.end(), {input, x.scale, x.zeroPoint});
    }
    Node op = standardNode("QLinearConcat", std::move(inputs), microsoft);
    op.attributes["axis"] = node.intAttribute("axis", 0);
    op.name = node.name;
    produceClamped(out, std::move(op), node, node.output());
    return true;
}

} // namespace

bool needsExactTables(const Deployment& out, const Node& node)
{
    const Grid& y = out.grid(node.output());
    return std::ranges::any_of(node.inputs, [&](ValueId input) {
        const Grid& x = out.grid(input);
        return x != y && !floatTableIsExact(x, y, {y.qmin, y.qmax});
    });
}

void emitConcatOfTables(Deployment& out, NodeId id)
{
    const Node node = out.source().node(id);
    const Grid& y = out.grid(node.output());
    out.begin(id);
    Node op = standardNode("Concat", {});
    op.attributes["axis"] = node.intAttribute("axis", 0);
    op.name = node.name;
    for (const ValueId input : node.inputs) {
        op.inputs.push_back(onGrid(out, input, y, clampRange(node, y)));
    }
    out.produce(std::move(op), node.output());
}

bool emitArithmeticOperator(Deployment& out, NodeId id)
{
    const Node& node = out.source().node(id);
    if (node.op == "Add" || node.op == "Sub") {
        return emitTwoInput(out, id, "QLinearAdd");
    }
    if (node.op == "Mul") {
        return emitTwoInput(out, id, "QLinearMul");
    }
    if (node.op == "Concat") {
        return emitConcat(out, id);
    }
    if (node.op == "Max" || node.op == "Min") {
        return emitPicking(out, id, allSlots(node));
    }
    if (node.op == "Where") {
        return emitPicking(out, id, std::array<std::size_t, 2>{1, 2});
    }
    return emitPool(out, id);
}

bool emitOnCodes(Deployment& out, NodeId id)
{
    const Graph& graph = out.source();
    const Node& node = graph.node(id);
    const ValueId data = node.op == "Where" ? node.input(1) : node.input(0);
    if (!data.valid() || !graph.value(data).codes) {
        return false;
    }
    if (node.op == "Shape" || node.op == "Size") {
        return true;
    }
    const Grid& grid = *graph.value(data).codes;
    const bool sameGrid =
        std::ranges::all_of(node.inputs,
                            [&](ValueId input) {
                                return !input.valid() || !graph.value(input).codes || *graph.value(input).codes == grid;
                            }) &&
        std::ranges::all_of(node.outputs, [&](ValueId output) {
            return !output.valid() || !graph.value(output).codes || *graph.value(output).codes == grid;
        });
    const std::array types{grid.storage};
    const bool clamped = node.attribute(nodes::lo) != nullptr || node.attribute(nodes::hi) != nullptr;
    const FoldingClass folding = foldingClass(node);
    const bool picks = folding == FoldingClass::Movement || folding == FoldingClass::Monotone ||
                       folding == FoldingClass::Index || node.op == "Concat" || node.op == "Where";
    const bool nearest = node.op != "Resize" || node.stringAttribute("mode", "nearest") == "nearest";
    if (!sameGrid || clamped || !nearest || (!picks && node.op != "Resize") || !out.target().accepts(node.op, types)) {
        return false;
    }
    if (node.op == "Pad" && !node.input(2).valid() && node.stringAttribute("mode", "constant") == "constant") {
        Node pad = node;
        pad.inputs.resize(std::max<std::size_t>(pad.inputs.size(), 3));
        pad.inputs[2] = out.constant(tensorOfInts(grid.storage, {}, std::array{grid.zeroPoint()}), "pad_code");
        out.graph().setNode(id, std::move(pad));
    }
    if (node.op == "GlobalMaxPool") {
        const auto& shape = graph.value(data).shape;
        if (!shape) {
            return false;
        }
        std::vector<std::int64_t> axes;
        for (std::size_t i = 2; i < shape->size(); ++i) {
            axes.push_back(static_cast<std::int64_t>(i));
        }
        const auto count = static_cast<std::int64_t>(axes.size());
        const Node original = node;
        out.begin(id);
        Node reduce = standardNode("ReduceMax", {data, out.constant(Tensor::of({count}, axes), "spatial_axes")});
        reduce.attributes["keepdims"] = std::int64_t{1};
        reduce.name = original.name;
        out.produce(std::move(reduce), original.output());
    }
    return true;
}

} // namespace crease
