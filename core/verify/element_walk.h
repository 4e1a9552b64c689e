// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/support/job.h"

#include <functional>
#include <optional>
#include <vector>

namespace crease {

/// What a walk from a value toward its origins meets: nodes that leave every element in its place (clamps and changes
/// of type as well, since rounding commutes with them), nodes that move elements (MaxPool too: rounding is monotone),
/// Concat of one grid, and the rest, where the walk ends.
enum class Passage { Place, Moves, Joins, End };
Passage passageOf(const Graph& graph, const Node& node);

using TensorOf = std::function<Tensor(ValueId)>;

/// Numbers for each element of a value, carried from where the walk ends through the movement in between.
struct ElementWalk {
    /// Whether the walk ends at this node although it could pass.
    std::function<bool(const Node&)> endsAt;
    /// The numbers (float64) of a value where the walk ended; no tensor where there are none.
    std::function<Result<Tensor>(ValueId)> numbersOf;
};

/// The values at which a walk ends, and those that moving needs to know (shapes, axes).
struct WalkPlan {
    std::vector<ValueId> ends;
    std::vector<ValueId> needs;
    bool moves = false; // else there is one end, and every element has its place there
};
WalkPlan planWalk(const Graph& graph, ValueId value, const std::function<bool(const Node&)>& endsAt);

/// The numbers of `value`; no tensor where one of the ends has none.
Result<Tensor> walk(const Graph& graph, ValueId value, const ElementWalk& how, const TensorOf& tensorOf,
                    const Job& job);

} // namespace crease
