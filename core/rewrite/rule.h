// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/patch.h"

#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace crease {

/// folding.md §0. X: exact for every input. R: at most one step, at a tie, float noise or the rounding of a bias. A:
/// approximate.
enum class Fidelity { X, R, A };

struct NoMatch {};

/// It is the rule's pattern, and this predicate failed.
struct Miss {
    std::string id;   // stable, kebab-case: what failed
    std::string text; // one sentence with the value that decided it
    NodeId node;      // the node that it failed at
    std::vector<Role> roles{};
};

using Outcome = std::variant<NoMatch, Miss, Patch>;

/// Looks at a read-only graph at one anchor node and proposes. Rules hold no state.
struct Rule {
    std::string_view id;  // kebab-case, unique: fold-batch-norm/affine
    std::string_view law; // L6, P13, or words
    Fidelity fidelity = Fidelity::X;
    std::function<Outcome(const Graph&, NodeId)> match;
};

} // namespace crease
