// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/deploy_quantizers.h"

#include "core/exec/qonnx.h"
#include "core/passes/dialects.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string_view>
#include <variant>

namespace crease {

namespace {

struct Form {
    Rounding rounding = Rounding::HalfEven;
    double low = 0.0;
    double high = 0.0;
    bool bipolar = false; // a signed code of one bit is -1 or +1
};

std::optional<Form> formOf(const Graph& graph, const Node& node)
{
    if (node.op == "BipolarQuant") {
        return Form{Rounding::HalfEven, -1.0, 1.0, true};
    }
    const std::optional<Rounding> rounding = qonnxRounding(node.stringAttribute("rounding_mode", "ROUND"));
    if (!rounding || !node.input(3).valid() || !graph.value(node.input(3)).isConstant()) {
        return std::nullopt;
    }
    const Tensor& width = graph.value(node.input(3)).constant;
    const double bits = width.size() == 1 ? width.asDouble(0) : 0.0;
    if (bits != std::floor(bits) || bits < 1.0 || bits > 24.0) { // of which float32 holds every code
        return std::nullopt;
    }
    const bool isSignedCode = node.intAttribute("signed", 1) != 0;
    const double narrow = node.intAttribute("narrow", 0) != 0 ? 1.0 : 0.0;
    const double count = std::exp2(bits);
    if (!isSignedCode) {
        return Form{*rounding, 0.0, count - 1.0 - narrow};
    }
    return bits == 1.0 ? Form{*rounding, -1.0, 1.0, true} : Form{*rounding, narrow - count / 2.0, count / 2.0 - 1.0};
}

/// Builds the nodes that stand for one quantizer.
class Builder {
public:
    Builder(Deployment& out, const Node& node)
        : m_out(out), m_type(out.sourceValue(node.input(0)).type), m_shape(out.sourceValue(node.output()).shape)
    {
    }

    ValueId number(double value, std::string_view name)
    {
        const std::array<double, 1> one{value};
        return m_out.constant(tensorOfDoubles(m_type, {}, one), name);
    }

    /// A parameter of the quantizer in the type of its data.
    ValueId parameter(ValueId id)
    {
        const Value value = m_out.sourceValue(id);
        return value.isConstant() && value.type != m_type ? m_out.constant(value.constant.converted(m_type), value.name)
                                                          : id;
    }

    ValueId op(std::string_view name, std::vector<ValueId> inputs, std::string_view suffix)
    {
        return m_out.add(standardNode(name, std::move(inputs)), suffix, m_type, m_shape);
    }

    ValueId choice(std::string_view test, ValueId a, ValueId b, ValueId yes, ValueId no, std::string_view suffix)
    {
        const ValueId which = m_out.add(standardNode(test, {a, b}), "chosen", ElementType::Bool, m_shape);
        return op("Where", {which, yes, no}, suffix);
    }

    ValueId rounded(ValueId t, Rounding rounding)
    {
        if (rounding == Rounding::HalfEven || rounding == Rounding::Floor || rounding == Rounding::Ceil) {
            const bool even = rounding == Rounding::HalfEven;
            return op(even ? "Round" : rounding == Rounding::Floor ? "Floor" : "Ceil", {t}, "rounded");
        }
        const ValueId size = op("Abs", {t}, "magnitude");
        ValueId whole = op(rounding == Rounding::Away ? "Ceil" : "Floor", {size}, "whole");
        if (rounding == Rounding::HalfAway || rounding == Rounding::HalfDown) {
            const ValueId rest = op("Sub", {size, whole}, "rest");
            const ValueId more = op("Add", {whole, number(1.0, "one")}, "more");
            whole = choice(rounding == Rounding::HalfAway ? "GreaterOrEqual" : "Greater", rest, number(0.5, "half"),
                           more, whole, "nearest");
        }
        return op("Mul", {op("Sign", {t}, "sign"), whole}, "rounded");
    }

private:
    Deployment& m_out;
    ElementType m_type;
    std::optional<Shape> m_shape;
};

bool isZero(const Value& value)
{
    return value.isConstant() &&
           std::ranges::all_of(value.constant.toDoubles(), [](double number) { return number == 0.0; });
}

} // namespace

bool isQonnxQuantizer(const Node& node)
{
    return (node.op == "Quant" || node.op == "IntQuant" || node.op == "BipolarQuant") &&
           (node.domain == "qonnx.custom_op.general" || node.domain == "onnx.brevitas" ||
            node.domain == "finn.custom_op.general" || node.domain == "finn");
}

void emitQonnxQuantizer(Deployment& out, NodeId id)
{
    const Node node = out.source().node(id);
    const std::optional<Form> form = formOf(out.source(), node);
    const bool bipolarOp = node.op == "BipolarQuant";
    if (!form || node.inputs.size() < (bipolarOp ? 2U : 4U) || !isFloat(out.sourceValue(node.input(0)).type)) {
        return;
    }
    out.report(Severity::Info, "quantizer-in-float",
               fmt::format("{}: no pass takes it and no runtime loads it; in the file it is the same arithmetic in "
                           "float ops",
                           node.op),
               node.output());
    out.requireOpset(13);
    out.begin(id);
    Builder builder(out, node);
    const ValueId scale = builder.parameter(node.input(1));
    if (bipolarOp) {
        const ValueId sign = builder.choice("GreaterOrEqual", node.input(0), builder.number(0.0, "zero"),
                                            builder.number(1.0, "one"), builder.number(-1.0, "minus_one"), "sign");
        out.produce(standardNode("Mul", {sign, scale}), node.output());
        return;
    }
    const bool centred = isZero(out.sourceValue(node.input(2)));
    const ValueId zero = builder.parameter(node.input(2));
    ValueId at = builder.op("Div", {node.input(0), scale}, "steps");
    if (!centred) {
        at = builder.op("Add", {at, zero}, "shifted");
    }
    if (form->bipolar) {
        at = builder.choice("GreaterOrEqual", at, builder.number(0.0, "zero"), builder.number(1.0, "one"),
                            builder.number(-1.0, "minus_one"), "sign");
    } else {
        at = builder.op("Clip", {at, builder.number(form->low, "lowest"), builder.number(form->high, "highest")},
                        "clamped");
        at = builder.rounded(at, form->rounding);
    }
    if (!centred) {
        at = builder.op("Sub", {at, zero}, "centred");
    }
    out.produce(standardNode("Mul", {at, scale}), node.output());
}

Result<void> refuseForeignQuantizers(const Graph& graph, const Target& target)
{
    for (const NodeId id : graph.order()) {
        if (!graph.contains(id)) {
            continue;
        }
        const Node& node = graph.node(id);
        if (isForeignQuantizer(node) || isQonnxQuantizer(node)) {
            Error error{ErrorKind::Refused, "quantizer-not-loadable",
                        fmt::format("{}{}{} was not folded, and {} loads no such op: no file is written; export the "
                                    "model with QuantizeLinear and DequantizeLinear instead",
                                    node.domain, node.domain.empty() ? "" : ".", node.op, target.title)};
            error.node = node.name;
            error.value = node.output().valid() ? graph.value(node.output()).name : std::string{};
            return std::unexpected(std::move(error));
        }
        for (const auto& [key, attribute] : node.attributes) {
            if (const auto* body = std::get_if<GraphRef>(&attribute); body != nullptr && *body) {
                TRY(refuseForeignQuantizers(**body, target));
            } else if (const auto* bodies = std::get_if<std::vector<GraphRef>>(&attribute)) {
                for (const GraphRef& each : *bodies) {
                    TRY(refuseForeignQuantizers(*each, target));
                }
            }
        }
    }
    return {};
}

} // namespace crease
