// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/broadcast.h"
#include "core/exec/integer_kernels.h"
#include "core/exec/integer_support.h"
#include "core/exec/kernel_families.h"
#include "core/exec/layout_support.h"

#include <fmt/format.h>

#include <limits>

namespace crease {

namespace {

/// An operand as n * scale: whole numbers on a grid, or the values of a float constant with scale 1.
struct Operand {
    std::vector<double> n;
    double scale = 1.0;
    bool whole = true;
    Dims dims;
};

Result<Operand> operandAt(const KernelContext& context, std::size_t slot)
{
    const Tensor& tensor = context.input(slot);
    const ValueId id = context.node.input(slot);
    Operand operand;
    operand.dims = tensor.dims();
    if (!context.graph.value(id).codes) {
        if (!isFloat(tensor.type())) {
            return notClaimed(context, fmt::format("{} without a grid beside codes", longName(tensor.type())));
        }
        operand.n = tensor.toDoubles();
        operand.whole = false;
        return operand;
    }
    const Grid grid = TRY(tensorGridOf(context, slot));
    operand.n = centredCodes(tensor, grid.zeroPoint());
    operand.scale = grid.scale();
    return operand;
}

/// f(n of a, n of b) for every pair, as codes of the target.
template <class F>
Result<std::vector<Tensor>> pairs(const KernelContext& context, const Operand& a, const Operand& b,
                                  const CodeTarget& target, F&& f)
{
    const Dims dims = TRY(broadcastDims(context, a.dims, b.dims));
    const BroadcastWalk walk = BroadcastWalk::over(dims, {&a.dims, &b.dims});
    Result<std::vector<Tensor>> result = notClaimed(context, fmt::format("codes of {}", longName(target.grid.storage)));
    dispatchNumeric(target.grid.storage, [&]<class Out>(std::type_identity<Out>) {
        if constexpr (std::is_integral_v<Out> && !std::is_same_v<Out, bool>) {
            TensorWriter<Out> out(dims);
            broadcastBinary(walk, a.n.data(), b.n.data(), out.data().data(),
                            [&](double x, double y) { return static_cast<Out>(f(x, y)); });
            result = one(std::move(out).finish(target.grid.storage));
        }
    });
    return result;
}

/// a + sign * b in one rounding.
Result<std::vector<Tensor>> sumOfTwo(const KernelContext& context, double sign)
{
    const CodeTarget target = TRY(tensorTargetOf(context));
    const Operand a = TRY(operandAt(context, 0));
    const Operand b = TRY(operandAt(context, 1));
    const double scale = target.grid.scale();
    const std::int64_t zeroPoint = target.grid.zeroPoint();
    const double factorA = a.scale / scale;
    const double factorB = sign * b.scale / scale;
    return pairs(context, a, b, target, [&](double x, double y) {
        const double left = x * factorA;
        const double right = y * factorB;
        std::array<ExactTerm, 2> terms;
        return roundedCode(left + right, std::fabs(left) + std::fabs(right), Divisor{scale}, zeroPoint, target.lo,
                           target.hi, [&] {
                               terms = {ExactTerm{x, a.scale, 1.0}, ExactTerm{sign * y, b.scale, 1.0}};
                               return std::span<const ExactTerm>(terms);
                           });
    });
}

/// The sum of any number of operands in one rounding.
Result<std::vector<Tensor>> sumOfMany(const KernelContext& context)
{
    const CodeTarget target = TRY(tensorTargetOf(context));
    std::vector<Operand> operands;
    std::vector<std::vector<std::size_t>> indices;
    Dims dims;
    for (std::size_t slot = 0; slot < context.inputs.size(); ++slot) {
        operands.push_back(TRY(operandAt(context, slot)));
        dims = TRY(broadcastDims(context, dims, operands.back().dims));
    }
    for (const Operand& operand : operands) {
        indices.push_back(broadcastIndices(operand.dims, dims));
    }
    const double scale = target.grid.scale();
    std::vector<ExactTerm> terms(operands.size());
    return one(makeCodes(target.grid.storage, dims, [&](std::size_t i) {
        double quotient = 0.0;
        double magnitude = 0.0;
        for (std::size_t k = 0; k < operands.size(); ++k) {
            terms[k] = {operands[k].n[indices[k][i]], operands[k].scale, 1.0};
            const double part = terms[k].a * terms[k].b / scale;
            quotient += part;
            magnitude += std::fabs(part);
        }
        return roundedCode(quotient, magnitude, Divisor{scale}, target.grid.zeroPoint(), target.lo, target.hi,
                           [&] { return std::span<const ExactTerm>(terms); });
    }));
}

/// a / b: where b is 0, the bound that the sign of a calls for, and the lower one for 0 / 0.
std::int64_t dividedCode(double x, double y, const Operand& a, const Operand& b, const CodeTarget& target)
{
    if (y == 0.0) {
        return x > 0.0 ? target.hi : target.lo;
    }
    const double scale = target.grid.scale();
    const double numerator = y < 0.0 ? -x : x;
    const Divisor divisor{scale, b.scale, std::fabs(y)};
    const double quotient = numerator * a.scale / (scale * b.scale * std::fabs(y));
    const ExactTerm term{numerator, a.scale, 1.0};
    return roundedCode(quotient, std::fabs(quotient), divisor, target.grid.zeroPoint(), target.lo, target.hi,
                       [&] { return std::span<const ExactTerm>(&term, 1); });
}

/// The largest or smallest of the operands, each rounded to the output's grid: rounding keeps the order.
template <class F>
Result<std::vector<Tensor>> selected(const KernelContext& context, F&& better)
{
    const CodeTarget target = TRY(tensorTargetOf(context));
    Dims dims;
    std::vector<Operand> operands;
    for (std::size_t slot = 0; slot < context.inputs.size(); ++slot) {
        operands.push_back(TRY(operandAt(context, slot)));
        dims = TRY(broadcastDims(context, dims, operands.back().dims));
    }
    std::vector<std::int64_t> codes;
    for (const Operand& operand : operands) {
        const auto indices = broadcastIndices(operand.dims, dims);
        const CodeRounder rounder = rounderTo(target, operand.scale);
        const bool first = codes.empty();
        codes.resize(indices.size());
        for (std::size_t i = 0; i < codes.size(); ++i) {
            const std::int64_t code = rounder(operand.n[indices[i]]);
            codes[i] = first ? code : better(codes[i], code);
        }
    }
    return one(tensorOfInts(target.grid.storage, dims, codes));
}

/// One operand on the output's grid: codes, or a float constant.
Result<Tensor> onTarget(const KernelContext& context, std::size_t slot, const CodeTarget& target)
{
    if (context.graph.value(context.node.input(slot)).codes) {
        return requantizedTensor(context.input(slot), TRY(tensorGridOf(context, slot)), target);
    }
    const Operand operand = TRY(operandAt(context, slot));
    const CodeRounder rounder = rounderTo(target, 1.0);
    return makeCodes(target.grid.storage, operand.dims, [&](std::size_t i) { return rounder(operand.n[i]); });
}

const KernelRow* plainRow(std::span<const KernelRow> family, std::string_view op)
{
    for (const KernelRow& row : family) {
        if (row.op == op && row.domain.empty()) {
            return &row;
        }
    }
    return nullptr;
}

} // namespace

Result<std::vector<Tensor>> integerAdd(const KernelContext& context)
{
    return context.inputs.size() == 2 ? sumOfTwo(context, 1.0) : sumOfMany(context);
}

Result<std::vector<Tensor>> integerSub(const KernelContext& context)
{
    return sumOfTwo(context, -1.0);
}

Result<std::vector<Tensor>> integerMul(const KernelContext& context)
{
    const CodeTarget target = TRY(tensorTargetOf(context));
    const Operand a = TRY(operandAt(context, 0));
    const Operand b = TRY(operandAt(context, 1));
    const double scale = target.grid.scale();
    const double factor = a.scale * b.scale / scale;
    return pairs(context, a, b, target, [&](double x, double y) {
        // Whole numbers multiply exactly; a float constant has scale 1, which leaves it a factor of its own.
        const ExactTerm term =
            a.whole && b.whole ? ExactTerm{x * y, a.scale, b.scale} : ExactTerm{x, y, a.whole ? a.scale : b.scale};
        const double quotient = x * y * factor;
        return roundedCode(quotient, std::fabs(quotient), Divisor{scale}, target.grid.zeroPoint(), target.lo, target.hi,
                           [&] { return std::span<const ExactTerm>(&term, 1); });
    });
}

Result<std::vector<Tensor>> integerDiv(const KernelContext& context)
{
    const CodeTarget target = TRY(tensorTargetOf(context));
    const Operand a = TRY(operandAt(context, 0));
    Operand b = TRY(operandAt(context, 1));
    if (!b.whole) {
        if (b.n.size() != 1 || b.n[0] == 0.0) {
            return notClaimed(context, "a float divisor that is no single number");
        }
        b.scale = std::fabs(b.n[0]);
        b.n[0] = std::copysign(1.0, b.n[0]);
    }
    return pairs(context, a, b, target, [&](double x, double y) { return dividedCode(x, y, a, b, target); });
}

Result<std::vector<Tensor>> integerMax(const KernelContext& context)
{
    return selected(context, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
}

Result<std::vector<Tensor>> integerMin(const KernelContext& context)
{
    return selected(context, [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
}

Result<std::vector<Tensor>> integerWhere(const KernelContext& context)
{
    const CodeTarget target = TRY(tensorTargetOf(context));
    const Tensor& condition = context.input(0);
    if (condition.type() != ElementType::Bool) {
        return badNode(context, fmt::format("a condition of {}", longName(condition.type())));
    }
    const Tensor x = TRY(onTarget(context, 1, target));
    const Tensor y = TRY(onTarget(context, 2, target));
    const Dims dims = TRY(broadcastDims(context, TRY(broadcastDims(context, x.dims(), y.dims())), condition.dims()));
    const auto indexC = broadcastIndices(condition.dims(), dims);
    const auto indexX = broadcastIndices(x.dims(), dims);
    const auto indexY = broadcastIndices(y.dims(), dims);
    const std::span<const bool> chosen = condition.data<bool>();
    return one(makeCodes(target.grid.storage, dims,
                         [&](std::size_t i) { return chosen[indexC[i]] ? x.asInt(indexX[i]) : y.asInt(indexY[i]); }));
}

Result<std::vector<Tensor>> integerConcat(const KernelContext& context)
{
    const CodeTarget target = TRY(tensorTargetOf(context));
    std::vector<Tensor> parts;
    for (std::size_t slot = 0; slot < context.inputs.size(); ++slot) {
        parts.push_back(TRY(onTarget(context, slot, target)));
    }
    return one(TRY(concatenated(context, parts, context.node.intAttribute("axis", 0))));
}

Result<std::vector<Tensor>> integerRelu(const KernelContext& context)
{
    const Grid grid = TRY(tensorGridOf(context, 0));
    CodeTarget target = TRY(tensorTargetOf(context));
    target.lo = std::max(target.lo, target.grid.zeroPoint());
    return one(requantizedTensor(context.input(0), grid, target));
}

Result<std::vector<Tensor>> integerPad(const KernelContext& context)
{
    const Grid grid = TRY(gridOf(context, 0));
    const KernelRow* row = plainRow(movementKernels(), "Pad");
    const bool constantMode = context.node.stringAttribute("mode", "constant") == "constant";
    if (row == nullptr || (constantMode && !context.has(2) && grid.zeroPoints.size() != 1)) {
        return notClaimed(context, "Pad of a grid per channel");
    }
    if (!constantMode || context.has(2)) {
        return row->kernel(context);
    }
    std::vector<Tensor> inputs(context.inputs.begin(), context.inputs.end());
    inputs.resize(std::max<std::size_t>(inputs.size(), 3));
    const std::int64_t zeroPoint = grid.zeroPoint();
    inputs[2] = tensorOfInts(context.input(0).type(), {}, std::span(&zeroPoint, 1));
    return row->kernel(
        {context.graph, context.node, inputs, context.precision, context.job, context.cache, context.threads});
}

} // namespace crease
