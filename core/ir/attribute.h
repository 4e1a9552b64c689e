// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/grid.h"
#include "core/tensor/tensor.h"

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace crease {

class Graph;
using GraphRef = std::shared_ptr<const Graph>;

/// An attribute that no pass reads, kept as the bytes of its AttributeProto (sparse tensors, type protos).
struct OpaqueAttribute {
    std::string bytes;
    bool operator==(const OpaqueAttribute&) const = default;
};

/// ONNX's attribute kinds, and double, doubles and grid, which only nodes of ours carry.
using Attribute = std::variant<std::int64_t, float, std::string, Tensor, GraphRef, std::vector<std::int64_t>,
                               std::vector<float>, std::vector<std::string>, std::vector<Tensor>, std::vector<GraphRef>,
                               OpaqueAttribute, double, std::vector<double>, Grid>;

using Attributes = std::map<std::string, Attribute, std::less<>>;

/// By value: tensors by their bits, subgraphs by their text.
bool sameAttribute(const Attribute& a, const Attribute& b);

} // namespace crease
