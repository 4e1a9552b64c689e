// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/support/result.h"

#include <span>
#include <string_view>

namespace crease::forms {

/// A change of an op's form (not of its meaning): up to the form of opset `since`, down from it. Null: no change that
/// way.
struct Rule {
    std::string_view before; // the op's name in the older form
    std::string_view after;
    int since;
    Result<void> (*up)(Graph& graph, Node& node, const Rule& rule);
    Result<void> (*down)(Graph& graph, Node& node, const Rule& rule);
};

std::span<const Rule> attributeRules(); // attributes that became inputs
std::span<const Rule> addedRules();     // attributes and inputs that older forms do not have
std::span<const Rule> specialRules();

/// The element type of a value where it is stated, else that of the data it is computed from.
ElementType elementTypeHint(const Graph& graph, ValueId id);
/// A new constant that belongs to a node, named after its first output.
ValueId addConstant(Graph& graph, const Node& node, std::string_view what, Tensor tensor);
void setInput(Node& node, std::size_t slot, ValueId value);
void stripAbsent(std::vector<ValueId>& ids);
/// The shape of an input; null where the input is absent or its rank unknown.
const Shape* inputShape(const Graph& graph, const Node& node, std::size_t slot);
/// The element type of an input; Undefined where it is absent or unknown.
ElementType inputType(const Graph& graph, const Node& node, std::size_t slot);
/// The constant tensor of an input; null where it is absent or no constant.
const Tensor* constantInput(const Graph& graph, const Node& node, std::size_t slot);
std::unexpected<Error> inexpressible(const Graph& graph, const Node& node, int since, std::string_view why);

} // namespace crease::forms
