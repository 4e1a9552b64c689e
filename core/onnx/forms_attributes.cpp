// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/form_rules.h"

#include <array>
#include <fmt/format.h>

namespace crease::forms {

namespace {

enum class Holds { Ints, Int, IntScalar, Float, Floats, FloatOfData };

/// One attribute that became an input.
struct Moved {
    std::string_view op;
    int since;
    std::string_view attribute;
    std::size_t slot;
    Holds holds;
};

constexpr std::array moves{
    Moved{"Slice", 10, "starts", 1, Holds::Ints},
    Moved{"Slice", 10, "ends", 2, Holds::Ints},
    Moved{"Slice", 10, "axes", 3, Holds::Ints},
    Moved{"TopK", 10, "k", 1, Holds::Int},
    Moved{"Clip", 11, "min", 1, Holds::FloatOfData},
    Moved{"Clip", 11, "max", 2, Holds::FloatOfData},
    Moved{"Pad", 11, "pads", 1, Holds::Ints},
    Moved{"Pad", 11, "value", 2, Holds::FloatOfData},
    Moved{"Dropout", 12, "ratio", 1, Holds::Float},
    Moved{"Squeeze", 13, "axes", 1, Holds::Ints},
    Moved{"Unsqueeze", 13, "axes", 1, Holds::Ints},
    Moved{"Split", 13, "split", 1, Holds::Ints},
    Moved{"ReduceSum", 13, "axes", 1, Holds::Ints},
    Moved{"ReduceL1", 18, "axes", 1, Holds::Ints},
    Moved{"ReduceL2", 18, "axes", 1, Holds::Ints},
    Moved{"ReduceLogSum", 18, "axes", 1, Holds::Ints},
    Moved{"ReduceLogSumExp", 18, "axes", 1, Holds::Ints},
    Moved{"ReduceMax", 18, "axes", 1, Holds::Ints},
    Moved{"ReduceMean", 18, "axes", 1, Holds::Ints},
    Moved{"ReduceMin", 18, "axes", 1, Holds::Ints},
    Moved{"ReduceProd", 18, "axes", 1, Holds::Ints},
    Moved{"ReduceSumSquare", 18, "axes", 1, Holds::Ints},
    Moved{"Upsample", 9, "scales", 1, Holds::Floats},
    Moved{"DFT", 20, "axis", 2, Holds::IntScalar},
};

Result<Tensor> tensorOf(const Graph& graph, const Node& node, const Moved& move, const Attribute& attribute)
{
    if (const auto* ints = std::get_if<std::vector<std::int64_t>>(&attribute);
        ints != nullptr && move.holds == Holds::Ints) {
        return Tensor::of<std::int64_t>({static_cast<std::int64_t>(ints->size())}, *ints);
    }
    if (const auto* value = std::get_if<std::int64_t>(&attribute)) {
        if (move.holds == Holds::Int) {
            return Tensor::of<std::int64_t>({1}, {*value});
        }
        if (move.holds == Holds::IntScalar) {
            return Tensor::scalar(*value);
        }
    }
    if (const auto* floats = std::get_if<std::vector<float>>(&attribute);
        floats != nullptr && move.holds == Holds::Floats) {
        return Tensor::of<float>({static_cast<std::int64_t>(floats->size())}, *floats);
    }
    if (const auto* value = std::get_if<float>(&attribute)) {
        if (move.holds == Holds::Float) {
            return Tensor::scalar(*value);
        }
        if (move.holds == Holds::FloatOfData) {
            const ElementType type = elementTypeHint(graph, node.input(0));
            const std::array values{static_cast<double>(*value)};
            return tensorOfDoubles(isFloat(type) ? type : ElementType::Float32, {}, values);
        }
    }
    return failure(ErrorKind::Input, "bad-attribute",
                   fmt::format("attribute '{}' of {} has the wrong kind", move.attribute, node.op));
}

Result<Attribute> attributeOf(const Graph& graph, const Node& node, const Moved& move, const Tensor& tensor)
{
    switch (move.holds) {
    case Holds::Ints:
        return tensor.toInts();
    case Holds::Int:
    case Holds::IntScalar:
        if (tensor.size() == 1) {
            return tensor.asInt(0);
        }
        break;
    case Holds::Floats: {
        const std::vector<double> values = tensor.toDoubles();
        return std::vector<float>(values.begin(), values.end());
    }
    case Holds::Float:
    case Holds::FloatOfData:
        if (tensor.size() == 1 && isFloat(tensor.type())) {
            const double value = tensor.asDouble(0);
            const auto rounded = static_cast<float>(value);
            if (static_cast<double>(rounded) == value) {
                return rounded;
            }
        }
        break;
    }
    return inexpressible(graph, node, move.since,
                         fmt::format("its input {} is no attribute '{}'", move.slot, move.attribute));
}

Result<void> attributesToInputs(Graph& graph, Node& node, const Rule& rule)
{
    for (const Moved& move : moves) {
        const auto found = move.op == rule.before && move.since == rule.since ? node.attributes.find(move.attribute)
                                                                              : node.attributes.end();
        if (found == node.attributes.end()) {
            continue;
        }
        setInput(node, move.slot,
                 addConstant(graph, node, move.attribute, TRY(tensorOf(graph, node, move, found->second))));
        node.attributes.erase(found);
    }
    return {};
}

/// Inputs that the older form does not have at all: they must be absent or say nothing.
Result<void> dropNewInputs(const Graph& graph, Node& node, int since, std::size_t count)
{
    for (std::size_t slot = count; slot < node.inputs.size(); ++slot) {
        if (!node.inputs[slot].valid()) {
            continue;
        }
        const Tensor* tensor = constantInput(graph, node, slot);
        const auto all = [&](std::int64_t wanted) {
            const auto values = tensor != nullptr ? tensor->toInts() : std::vector<std::int64_t>{wanted - 1};
            return std::ranges::all_of(values, [wanted](std::int64_t value) { return value == wanted; });
        };
        const bool harmless = node.op == "Slice" ? all(1) : node.op == "Dropout" && all(0);
        if (!harmless) {
            return inexpressible(graph, node, since, fmt::format("it has an input {}", slot));
        }
    }
    node.inputs.resize(std::min(node.inputs.size(), count));
    return {};
}

Result<void> inputsToAttributes(Graph& graph, Node& node, const Rule& rule)
{
    std::size_t last = 0;
    for (const Moved& move : moves) {
        if (move.op == rule.before && move.since == rule.since) {
            last = std::max(last, move.slot);
        }
    }
    TRY(dropNewInputs(graph, node, rule.since, last + 1));
    for (const Moved& move : moves) {
        if (move.op != rule.before || move.since != rule.since || !node.input(move.slot).valid()) {
            continue;
        }
        const Tensor* tensor = constantInput(graph, node, move.slot);
        if (tensor == nullptr) {
            return inexpressible(graph, node, rule.since,
                                 fmt::format("its '{}' is computed, not a constant", move.attribute));
        }
        node.attributes.insert_or_assign(std::string(move.attribute), TRY(attributeOf(graph, node, move, *tensor)));
        node.inputs[move.slot] = {};
    }
    if (rule.before.starts_with("Reduce")) {
        if (node.intAttribute("noop_with_empty_axes", 0) != 0 && node.intsAttribute("axes").empty()) {
            return inexpressible(graph, node, rule.since, "it has noop_with_empty_axes and no axes");
        }
        node.attributes.erase("noop_with_empty_axes");
    }
    return {};
}

constexpr std::size_t countRules()
{
    std::size_t count = 0;
    for (std::size_t i = 0; i < moves.size(); ++i) {
        count += i == 0 || moves[i].op != moves[i - 1].op ? 1 : 0;
    }
    return count;
}

constexpr auto rulesOfMoves()
{
    std::array<Rule, countRules()> rules{};
    std::size_t at = 0;
    for (std::size_t i = 0; i < moves.size(); ++i) {
        if (i == 0 || moves[i].op != moves[i - 1].op) {
            rules[at++] = {moves[i].op, moves[i].op, moves[i].since, attributesToInputs, inputsToAttributes};
        }
    }
    return rules;
}

constexpr auto rules = rulesOfMoves();

} // namespace

std::span<const Rule> attributeRules()
{
    return rules;
}

} // namespace crease::forms
