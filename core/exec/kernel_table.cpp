// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/kernel_families.h"
#include "core/ir/integer_nodes.h"
#include "core/ops/op_table.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace crease {

namespace {

using Key = std::pair<std::string_view, std::string_view>; // op, domain
using Table = std::map<Key, const KernelRow*>;

Table tableOf(std::initializer_list<std::span<const KernelRow>> families)
{
    Table table;
    for (const std::span<const KernelRow> family : families) {
        for (const KernelRow& row : family) {
            table.emplace(Key{row.op, row.domain}, &row);
        }
    }
    return table;
}

const Table& floatTable()
{
    static const Table table =
        tableOf({unaryKernels(), binaryKernels(), compareKernels(), movementKernels(), indexingKernels(),
                 shapeKernels(), castKernels(), reductionKernels(), softmaxKernels(), selectionKernels(),
                 recurrentKernels(), visionKernels(), attentionKernels(), qonnxKernels(), linearKernels(),
                 poolingKernels(), normKernels(), quantKernels(), resizeKernels()});
    return table;
}

const Table& integerTable()
{
    static const Table table = tableOf({integerKernels()});
    return table;
}

const KernelRow* find(const Table& table, const Node& node)
{
    const auto found = table.find(Key{node.op, node.domain});
    return found == table.end() ? nullptr : found->second;
}

} // namespace

const KernelRow* findKernel(const Graph& graph, const Node& node)
{
    const bool onCodes = std::ranges::any_of(
        node.inputs, [&](ValueId id) { return id.valid() && graph.contains(id) && graph.value(id).codes.has_value(); });
    if (onCodes || node.domain == nodes::domain) {
        if (const KernelRow* row = find(integerTable(), node)) {
            return row;
        }
        // A kernel that knows nothing of grids may see codes only where it does not compute with them.
        const FoldingClass folding = foldingClass(node);
        const bool movesOrCompares = folding == FoldingClass::Movement || folding == FoldingClass::Monotone ||
                                     folding == FoldingClass::Index || folding == FoldingClass::Quantizer;
        if (!movesOrCompares) {
            return nullptr;
        }
    }
    return find(floatTable(), node);
}

} // namespace crease
