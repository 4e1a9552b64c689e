// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/op_families.h"

#include <algorithm>
#include <map>
#include <utility>

namespace crease {

namespace {

struct Table {
    std::vector<OpInfo> rows;
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> byName; // (op, domain)
};

Table concatenated()
{
    Table table;
    for (const std::span<const OpInfo> family :
         {elementwiseOps(), movementOps(), indexingOps(), generationOps(), linearOps(), poolingOps(),
          normalisationOps(), reductionOps(), recurrentOps(), attentionOps(), quantizationOps(), integerOps(),
          controlOps()}) {
        for (const OpInfo& row : family) {
            table.byName.emplace(std::pair{row.op, row.domain}, table.rows.size());
            table.rows.push_back(row);
        }
    }
    return table;
}

const Table& table()
{
    static const Table rows = concatenated();
    return rows;
}

} // namespace

const OpInfo* findOp(std::string_view op, std::string_view domain)
{
    const auto found = table().byName.find(std::pair{op, domain == "ai.onnx" ? std::string_view{} : domain});
    return found == table().byName.end() ? nullptr : &table().rows[found->second];
}

std::span<const OpInfo> opTable()
{
    return table().rows;
}

FoldingClass foldingClass(const Node& node)
{
    const OpInfo* info = findOp(node.op, node.domain);
    return info != nullptr ? info->folding : FoldingClass::Float;
}

OpClass opClass(const Node& node)
{
    const OpInfo* info = findOp(node.op, node.domain);
    return info != nullptr ? info->look : OpClass::Other;
}

bool claimsType(const OpInfo& info, ElementType type)
{
    const unsigned bit = isFloat(type)                            ? claims::floats
                         : type == ElementType::Bool              ? claims::boolean
                         : isInteger(type) && bitWidth(type) >= 8 ? claims::integers
                         : isInteger(type)                        ? claims::smallInts
                                                                  : 0;
    return (info.types & bit) != 0;
}

} // namespace crease
