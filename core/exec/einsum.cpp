// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/einsum.h"

#include "core/exec/kernel_support.h"
#include "core/exec/layout_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace crease {

namespace {

/// The labels of one operand or of the output. An ellipsis is written out as labels of digits, '9' the last axis.
struct Equation {
    std::vector<std::string> operands;
    std::string output;
};

constexpr std::string_view ellipsis = "...";
constexpr std::string_view ellipsisLabels = "0123456789";

std::string expanded(std::string term, std::size_t rank)
{
    const std::size_t at = term.find(ellipsis);
    if (at == std::string::npos) {
        return term;
    }
    const std::size_t named = term.size() - ellipsis.size();
    const std::size_t hidden = rank >= named ? std::min(rank - named, ellipsisLabels.size()) : 0;
    return term.replace(at, ellipsis.size(), ellipsisLabels.substr(ellipsisLabels.size() - hidden));
}

Equation parse(const KernelContext& context)
{
    std::string text = context.node.stringAttribute("equation");
    std::erase(text, ' ');
    const std::size_t arrow = text.find("->");
    const std::string left = text.substr(0, arrow);
    Equation equation;
    std::size_t widest = 0;
    for (std::size_t start = 0, slot = 0; start <= left.size(); ++slot) {
        const std::size_t comma = std::min(left.find(',', start), left.size());
        const std::string term = left.substr(start, comma - start);
        const std::size_t rank = context.has(slot) ? context.input(slot).rank() : 0;
        if (term.find(ellipsis) != std::string::npos) {
            widest = std::max(widest, rank + ellipsis.size() - std::min(rank + ellipsis.size(), term.size()));
        }
        equation.operands.push_back(expanded(term, rank));
        start = comma + 1;
    }
    if (arrow != std::string::npos) {
        const std::string term = text.substr(arrow + 2);
        equation.output = expanded(term, term.size() - std::min(term.size(), ellipsis.size()) + widest);
        return equation;
    }
    std::string all;
    for (const std::string& operand : equation.operands) {
        all += operand;
    }
    std::string once = all;
    std::ranges::sort(once);
    const auto repeated = std::ranges::unique(once);
    once.erase(repeated.begin(), repeated.end());
    for (const char label : once) {
        const bool hidden = ellipsisLabels.find(label) != std::string_view::npos;
        if (hidden || std::ranges::count(all, label) == 1) {
            equation.output += label;
        }
    }
    return equation;
}

/// Every label of the output once, and of an operand; every operand there.
Result<void> checkEquation(const KernelContext& context, const Equation& equation)
{
    const std::string text = context.node.stringAttribute("equation");
    if (equation.operands.size() != context.inputs.size()) {
        return badNode(context, fmt::format("{} operands for the equation {}", context.inputs.size(), text));
    }
    for (std::size_t slot = 0; slot < context.inputs.size(); ++slot) {
        if (!context.has(slot)) {
            return badNode(context, fmt::format("operand {} is missing", slot));
        }
        TRY(checkTypes(context, {slot}, context.input(0).type()));
    }
    for (const char label : equation.output) {
        const bool known = std::ranges::any_of(equation.operands, [label](const std::string& operand) {
            return operand.find(label) != std::string::npos;
        });
        if (!known || std::ranges::count(equation.output, label) != 1) {
            return badNode(context, fmt::format("the output of the equation {} names '{}' {}", text, label,
                                                known ? "twice" : "and no operand does"));
        }
    }
    return {};
}

/// One loop: its length and how far each operand moves with it.
struct Loop {
    char label = 0;
    std::int64_t length = 1;
    std::vector<std::int64_t> steps;
};

Result<std::vector<Loop>> loopsOf(const KernelContext& context, const Equation& equation)
{
    std::vector<Loop> loops;
    const auto loopOf = [&](char label) -> Loop& {
        const auto found = std::ranges::find(loops, label, &Loop::label);
        if (found != loops.end()) {
            return *found;
        }
        loops.push_back({label, 1, std::vector<std::int64_t>(equation.operands.size(), 0)});
        return loops.back();
    };
    for (const char label : equation.output) {
        loopOf(label);
    }
    for (std::size_t i = 0; i < equation.operands.size(); ++i) {
        const Dims& dims = context.input(i).dims();
        const std::string& labels = equation.operands[i];
        if (labels.size() != dims.size()) {
            return badNode(context, fmt::format("operand {} of {} does not fit the equation", i, toText(dims)));
        }
        const auto strides = stridesOf(dims);
        for (std::size_t axis = 0; axis < dims.size(); ++axis) {
            Loop& loop = loopOf(labels[axis]);
            if (dims[axis] != 1 && loop.length != 1 && loop.length != dims[axis]) {
                return badNode(context, fmt::format("operand {} of {} does not fit the equation", i, toText(dims)));
            }
            if (dims[axis] != 1) {
                loop.length = dims[axis];
                loop.steps[i] += strides[axis];
            }
        }
    }
    return loops;
}

/// Walks the loops in order; the operands' offsets follow.
template <class F>
void walk(std::span<const Loop> loops, std::vector<std::int64_t>& offsets, F&& f)
{
    if (loops.empty()) {
        f();
        return;
    }
    const Loop& loop = loops.front();
    for (std::int64_t i = 0; i < loop.length; ++i) {
        walk(loops.subspan(1), offsets, f);
        for (std::size_t operand = 0; operand < offsets.size(); ++operand) {
            offsets[operand] += loop.steps[operand];
        }
    }
    for (std::size_t operand = 0; operand < offsets.size(); ++operand) {
        offsets[operand] -= loop.steps[operand] * loop.length;
    }
}

} // namespace

Result<std::vector<Tensor>> einsum(const KernelContext& context)
{
    const Equation equation = parse(context);
    TRY(checkEquation(context, equation));
    const std::vector<Loop> loops = TRY(loopsOf(context, equation));
    const std::span<const Loop> outer = std::span(loops).first(equation.output.size());
    const std::span<const Loop> inner = std::span(loops).subspan(equation.output.size());
    Dims dims;
    for (const Loop& loop : outer) {
        dims.push_back(loop.length);
    }
    const ElementType type = context.input(0).type();
    Result<std::vector<Tensor>> result = notClaimed(context, fmt::format("on {}", longName(type)));
    const auto run = [&]<class T>(std::type_identity<T>) {
        std::vector<const T*> data;
        for (const Tensor& input : context.inputs) {
            data.push_back(input.data<T>().data());
        }
        TensorWriter<T> out(dims);
        T* element = out.data().data();
        std::vector<std::int64_t> offsets(data.size(), 0);
        using Sum = std::conditional_t<std::is_floating_point_v<T>, T, std::uint64_t>; // integers wrap
        walk(outer, offsets, [&] {
            Sum sum{0};
            walk(inner, offsets, [&] {
                Sum factor = static_cast<Sum>(data[0][offsets[0]]);
                for (std::size_t i = 1; i < data.size(); ++i) {
                    factor *= static_cast<Sum>(data[i][offsets[i]]);
                }
                sum += factor;
            });
            *element++ = static_cast<T>(sum);
        });
        result = one(std::move(out).finish());
    };
    dispatchNumeric(type, [&]<class T>(std::type_identity<T> typed) {
        if constexpr (std::is_floating_point_v<T> || isWideInteger<T>) {
            run(typed);
        }
    });
    return result;
}

} // namespace crease
