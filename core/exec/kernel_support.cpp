// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/kernel_support.h"

#include <algorithm>
#include <fmt/format.h>

namespace crease {

std::string kernelLabel(const Graph& graph, const Node& node)
{
    if (!node.name.empty()) {
        return node.name;
    }
    const ValueId out = node.output();
    return out.valid() && graph.contains(out) ? graph.value(out).name : node.op;
}

std::unexpected<Error> notClaimed(const KernelContext& context, std::string message)
{
    Error error{ErrorKind::Unsupported, "unsupported-op", fmt::format("{}: {}", context.node.op, message)};
    error.node = kernelLabel(context.graph, context.node);
    return std::unexpected(std::move(error));
}

std::unexpected<Error> badNode(const KernelContext& context, std::string message)
{
    Error error{ErrorKind::Input, "bad-node", fmt::format("{}: {}", context.node.op, message)};
    error.node = kernelLabel(context.graph, context.node);
    return std::unexpected(std::move(error));
}

Result<Dims> broadcastDims(const KernelContext& context, const Dims& a, const Dims& b)
{
    Dims result(std::max(a.size(), b.size()), 1);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const std::int64_t da = i < a.size() ? a[a.size() - 1 - i] : 1;
        const std::int64_t db = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (da != db && da != 1 && db != 1) {
            return badNode(context, fmt::format("shapes {} and {} do not broadcast", toText(a), toText(b)));
        }
        result[result.size() - 1 - i] = da == 1 ? db : da;
    }
    return result;
}

std::vector<std::int64_t> stridesOf(const Dims& dims)
{
    std::vector<std::int64_t> strides(dims.size(), 1);
    for (std::size_t i = dims.size(); i-- > 1;) {
        strides[i - 1] = strides[i] * dims[i];
    }
    return strides;
}

std::vector<std::int64_t> broadcastStrides(const Dims& dims, const Dims& to)
{
    const std::vector<std::int64_t> dense = stridesOf(dims);
    std::vector<std::int64_t> strides(to.size(), 0);
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const std::size_t at = to.size() - dims.size() + i;
        strides[at] = dims[i] == 1 ? 0 : dense[i];
    }
    return strides;
}

Result<int> axisOf(const KernelContext& context, std::int64_t axis, std::size_t rank)
{
    const std::optional<int> normal = normalizedAxis(axis, rank);
    if (!normal) {
        return badNode(context, fmt::format("axis {} is out of range for rank {}", axis, rank));
    }
    return *normal;
}

std::vector<std::int64_t> intsOf(const KernelContext& context, std::size_t slot, std::vector<std::int64_t> fallback)
{
    return context.has(slot) ? context.input(slot).toInts() : std::move(fallback);
}

} // namespace crease
