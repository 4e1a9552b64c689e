// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/integer_support.h"

#include "core/ir/integer_nodes.h"

#include <fmt/format.h>

namespace crease {

namespace {

/// The 256 (or fewer) results that codes of 8 bits or fewer can have, entry code - lowest(storage).
std::vector<std::int64_t> resultsOf(ElementType storage, const CodeRounder& rounder, std::int64_t zeroPoint)
{
    std::vector<std::int64_t> results;
    for (std::int64_t code = lowest(storage); code <= highest(storage); ++code) {
        results.push_back(rounder(static_cast<double>(code - zeroPoint)));
    }
    return results;
}

} // namespace

CodeTarget targetWith(const Node& node, const Grid& grid)
{
    CodeTarget target{grid, grid.qmin, grid.qmax};
    target.lo = std::max(target.lo, node.intAttribute(nodes::lo, target.lo));
    target.hi = std::min(target.hi, node.intAttribute(nodes::hi, target.hi));
    return target;
}

Result<CodeTarget> targetOf(const KernelContext& context)
{
    const ValueId id = context.node.output();
    if (!id.valid() || !context.graph.value(id).codes) {
        return notClaimed(context, "codes come in but the output has no grid");
    }
    return targetWith(context.node, *context.graph.value(id).codes);
}

Result<Grid> gridOf(const KernelContext& context, std::size_t slot)
{
    const ValueId id = context.node.input(slot);
    if (!id.valid() || !context.graph.value(id).codes) {
        return notClaimed(context, fmt::format("input {} carries no codes", slot));
    }
    return *context.graph.value(id).codes;
}

Result<Grid> tensorGridOf(const KernelContext& context, std::size_t slot)
{
    Grid grid = TRY(gridOf(context, slot));
    if (grid.scales.size() != 1) {
        return notClaimed(context, fmt::format("input {} has a grid per channel", slot));
    }
    return grid;
}

Result<CodeTarget> tensorTargetOf(const KernelContext& context)
{
    CodeTarget target = TRY(targetOf(context));
    if (target.grid.scales.size() != 1) {
        return notClaimed(context, "the output has a grid per channel");
    }
    return target;
}

CodeRounder rounderTo(const CodeTarget& target, double scale, std::size_t channel)
{
    return {scale, 1.0, 0.0, Divisor{target.grid.scale(channel)}, target.grid.zeroPoint(channel), target.lo, target.hi};
}

std::vector<double> centredCodes(const Tensor& codes, std::int64_t zeroPoint)
{
    std::vector<double> values(codes.size());
    visitCodes(codes, [&](const auto* from) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<double>(static_cast<std::int64_t>(from[i]) - zeroPoint);
        }
    });
    return values;
}

Tensor requantizedTensor(const Tensor& codes, const Grid& from, const CodeTarget& target)
{
    const bool clamps = target.lo > from.qmin || target.hi < from.qmax;
    if (from == target.grid && !clamps) {
        return codes;
    }
    const CodeRounder rounder = rounderTo(target, from.scale());
    const std::int64_t zeroPoint = from.zeroPoint();
    if (byteWidth(codes.type()) == 1) {
        const std::vector<std::int64_t> results = resultsOf(codes.type(), rounder, zeroPoint);
        const std::int64_t first = lowest(codes.type());
        Tensor result;
        visitCodes(codes, [&](const auto* data) {
            result = makeCodes(target.grid.storage, codes.dims(),
                               [&](std::size_t i) { return results[static_cast<std::size_t>(data[i] - first)]; });
        });
        return result;
    }
    const std::vector<double> values = centredCodes(codes, zeroPoint);
    return makeCodes(target.grid.storage, codes.dims(), [&](std::size_t i) { return rounder(values[i]); });
}

} // namespace crease
