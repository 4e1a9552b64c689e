// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/run_kernel.h"

#include "core/exec/kernel_support.h"
#include "core/ir/integer_nodes.h"
#include "core/ops/op_table.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>

namespace crease {

namespace {

using Outputs = Result<std::vector<Tensor>>;

bool isHalf(const Tensor& tensor)
{
    return tensor.type() == ElementType::Float16 || tensor.type() == ElementType::BFloat16;
}

/// Inputs before the last required one are optional only in com.microsoft, whose kernels look for themselves.
Result<void> checkInputs(const KernelContext& context)
{
    const Node& node = context.node;
    const OpInfo* info = findOp(node.op, node.domain);
    const auto required = static_cast<std::size_t>(info != nullptr ? info->minInputs : 0);
    const bool all = node.domain.empty() || node.domain == nodes::domain;
    for (std::size_t slot = 0; slot < required; ++slot) {
        if (slot >= context.inputs.size() || ((all || slot == 0) && !context.has(slot))) {
            return badNode(context, fmt::format("input {} is missing", slot));
        }
    }
    const bool keepsStrings = node.op == "Identity" || node.op == "Shape" || node.op == "Size";
    const bool strings = std::ranges::any_of(
        context.inputs, [](const Tensor& input) { return input.valid() && byteWidth(input.type()) == 0; });
    if (strings && !keepsStrings) {
        return notClaimed(context, "elements of string");
    }
    return {};
}

Outputs run(const KernelRow& row, const KernelContext& context)
{
    const auto half = std::ranges::find_if(context.inputs, isHalf);
    if (row.half == HalfTypes::AsIs || half == context.inputs.end()) {
        return row.kernel(context);
    }
    std::vector<Tensor> inputs;
    for (const Tensor& input : context.inputs) {
        inputs.push_back(isHalf(input) ? input.converted(ElementType::Float32) : input);
    }
    const KernelContext widened{context.graph, context.node, inputs,         context.precision,
                                context.job,   nullptr,      context.threads};
    std::vector<Tensor> outputs = TRY(row.kernel(widened));
    for (Tensor& output : outputs) {
        if (output.type() == ElementType::Float32) {
            output = output.converted(half->type());
        }
    }
    return outputs;
}

} // namespace

Outputs runKernel(const KernelRow& row, const KernelContext& context)
{
    TRY(checkInputs(context));
    try {
        return run(row, context);
    } catch (const std::exception&) { // std::bad_alloc and its like: a shape of the file's is too large
        return notClaimed(context, "its outputs do not fit in memory");
    }
}

} // namespace crease
