// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/support/result.h"

#include <set>
#include <string>
#include <vector>

namespace crease {

/// Target, passes, switched-off sites and options, as JSON: the window writes it, the command line replays it.
struct Recipe {
    std::string target = "onnxruntime-qoperator";
    std::vector<std::string> passes{}; // in order; empty: the catalogue's order
    std::set<std::string> passesOff{};
    std::set<std::string> sitesOff{};
    std::set<std::string> keepFloat{}; // node names
    bool allowApproximate = false;
    bool requireInteger = false;
    std::string io = "float"; // float | integer

    bool operator==(const Recipe&) const = default;
};

std::string recipeToJson(const Recipe& recipe);
/// Errors (kind Usage) name the key and value; unknown keys are refused with the nearest known one.
Result<Recipe> recipeFromJson(const std::string& text);

} // namespace crease
