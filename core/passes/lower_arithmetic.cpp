// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/lower.h"
#include "core/passes/match.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace crease {

namespace {

enum class Data { First, FirstTwo, All, Branches };

struct ArithmeticOp {
    std::string_view op;
    Data data;
};

constexpr std::array arithmeticOps{
    ArithmeticOp{"Add", Data::FirstTwo},
    ArithmeticOp{"Sub", Data::FirstTwo},
    ArithmeticOp{"Mul", Data::FirstTwo},
    ArithmeticOp{"Max", Data::All},
    ArithmeticOp{"Min", Data::All},
    ArithmeticOp{"Concat", Data::All},
    ArithmeticOp{"Where", Data::Branches},
    ArithmeticOp{"AveragePool", Data::First},
    ArithmeticOp{"GlobalAveragePool", Data::First},
    ArithmeticOp{"ReduceMean", Data::First},
    ArithmeticOp{"ReduceSum", Data::First},
    ArithmeticOp{"Resize", Data::First},
};

std::vector<std::size_t> dataSlots(const Node& node, Data data)
{
    switch (data) {
    case Data::First:
        return {0};
    case Data::FirstTwo:
        return {0, 1};
    case Data::Branches:
        return {1, 2};
    case Data::All:
        break;
    }
    std::vector<std::size_t> slots(node.inputs.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
        slots[i] = i;
    }
    return slots;
}

bool hasIntegerForm(const Node& node)
{
    if (node.is("Resize")) {
        const std::string mode = node.stringAttribute("mode", "nearest");
        return mode == "linear" &&
               node.stringAttribute("coordinate_transformation_mode", "half_pixel") != "tf_crop_and_resize" &&
               node.intAttribute("antialias", 0) == 0;
    }
    return !node.is("ReduceMean") || node.output().valid();
}

/// A float constant whose elements are 0 or of one magnitude, as codes -1, 0, 1 on a grid of that scale: exact. A
/// scalar always is.
ValueId exactConstant(Patch& patch, const Graph& graph, ValueId constant)
{
    const Value& real = graph.value(constant);
    if (!real.isConstant() || !isFloat(real.type)) {
        return {};
    }
    const std::vector<double> numbers = real.constant.toDoubles();
    double largest = 0.0;
    double smallest = 0.0;
    for (const double number : numbers) {
        const double size = std::abs(number);
        if (!std::isfinite(number)) {
            return {};
        }
        largest = std::max(largest, size);
        smallest = size > 0.0 && (smallest == 0.0 || size < smallest) ? size : smallest;
    }
    const auto distinct =
        std::ranges::all_of(numbers, [&](double number) { return number == 0.0 || std::abs(number) == largest; });
    if (!distinct) {
        return {};
    }
    Value codes = codesLike(real, Grid::perTensor(largest > 0.0 ? largest : 1.0, 0, ElementType::Int8));
    std::vector<std::int64_t> values(numbers.size());
    std::ranges::transform(numbers, values.begin(), [](double number) {
        return number > 0.0 ? 1 : number < 0.0 ? -1 : 0;
    });
    codes.shape = shapeOf(real.constant.dims());
    codes.constant = tensorOfInts(ElementType::Int8, real.constant.dims(), values);
    return patch.addValue(std::move(codes));
}

Outcome lowerArithmetic(const Graph& graph, NodeId id)
{
    const Node& quantize = graph.node(id);
    if (!isCrease(quantize, nodes::quantize)) {
        return NoMatch{};
    }
    const NodeId opId = graph.producer(quantize.inputs[0]);
    if (!opId.valid() || !graph.node(opId).domain.empty()) {
        return NoMatch{};
    }
    const Node& op = graph.node(opId);
    const auto row = std::ranges::find_if(arithmeticOps, [&](const ArithmeticOp& entry) { return entry.op == op.op; });
    if (row == arithmeticOps.end()) {
        return NoMatch{};
    }
    std::vector<Role> roles{{opId, "elementwise"}, {id, "quantizer"}};
    const auto miss = [&](std::string reason, std::string text, NodeId where) {
        return Miss{std::move(reason), std::move(text), where, roles};
    };
    const Grid& to = *graph.value(quantize.outputs[0]).codes;
    if (!hasIntegerForm(op)) {
        return miss("no-integer-form",
                    fmt::format("{} has no integer form with these attributes", labelOf(graph, opId)), opId);
    }
    if (!to.isPerTensor() || !roundsHalfEven(quantize)) {
        return miss("output-grid",
                    fmt::format("the quantizer of {} is per axis or does not round half to even", labelOf(graph, opId)),
                    id);
    }
    Patch patch(graph, id);
    Node integer = op;
    bool anyCodes = false;
    for (const std::size_t slot : dataSlots(op, row->data)) {
        const ValueId input = op.input(slot);
        if (!input.valid()) {
            return NoMatch{};
        }
        const ValueId codes = codesBehind(graph, input);
        if (codes.valid()) {
            const Grid& grid = *graph.value(codes).codes;
            if (!grid.isPerTensor() || grid.isWide()) {
                const NodeId where = graph.producer(codes);
                return miss("operand-not-quantized",
                            fmt::format("operand {} of {} ('{}') is an accumulator without a quantizer of its own",
                                        slot, labelOf(graph, opId), graph.value(input).name),
                            where.valid() ? where : opId);
            }
            integer.inputs[slot] = codes;
            anyCodes = true;
            continue;
        }
        const ValueId constant = graph.value(input).isConstant() ? exactConstant(patch, graph, input) : ValueId{};
        if (constant.valid()) {
            integer.inputs[slot] = constant;
            continue;
        }
        const NodeId where = graph.producer(input);
        return miss(graph.value(input).isConstant() ? "float-constant" : "operand-not-quantized",
                    fmt::format("operand {} of {} ('{}') has no quantizer: it comes from {}", slot,
                                labelOf(graph, opId), graph.value(input).name,
                                where.valid()                     ? labelOf(graph, where)
                                : graph.value(input).isConstant() ? "a constant with several magnitudes"
                                                                  : "a graph input"),
                    where.valid() ? where : opId);
    }
    if (!anyCodes) {
        return NoMatch{};
    }
    integer.outputs.clear();
    setCodeRange(integer, codeRange(quantize, to), to);
    Value codes = codesLike(graph.value(quantize.outputs[0]), to);
    codes.name = graph.value(quantize.outputs[0]).name;
    const ValueId now = patch.addNode(std::move(integer), std::move(codes));
    patch.replace(quantize.outputs[0], now);
    for (const Role& role : roles) {
        patch.role(role.node, role.name);
    }
    patch.explain(fmt::format("{} of codes with one exact rounding to {}", op.op, toText(to)));
    return patch;
}

} // namespace

std::vector<Rule> lowerArithmeticRules()
{
    return {{"lower/arithmetic", "folding.md 2.8 to 2.10, decision 4", Fidelity::X, lowerArithmetic}};
}

} // namespace crease
