// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/driver.h"
#include "core/targets/target.h"

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crease {

/// What a pass may depend on beside the graph.
struct PassContext {
    const Target& target;
    DriverOptions driver{};
    std::set<std::string> keepFloat{}; // node names that stay in float
};

/// One row of the catalogue: everything the window and the command line say of a pass.
struct PassInfo {
    std::string_view id;      // kebab-case
    std::string_view title;   // Fold BN
    std::string_view summary; // one sentence
    std::string_view detail;  // a paragraph: laws, what it leaves
    Result<Stage> (*run)(const Graph& before, const PassContext& context, const Job& job);
};

/// All passes in the default order.
std::span<const PassInfo> passCatalogue();
const PassInfo* findPass(std::string_view id);

} // namespace crease
