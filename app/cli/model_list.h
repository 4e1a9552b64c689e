// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/console.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace crease::cli {

/// What a command made of one model: its exit code, its JSON object, and its line in the summary.
struct ModelResult {
    int code = Done;
    nlohmann::json json;
    std::string line;
};

/// The results of a command that takes several models. One model prints its object as it is; several print "models", a
/// list of the same objects, with the "summary" and the first "error".
class ModelList {
public:
    ModelList(const Console& console, std::size_t count) : m_console(console), m_count(count) {}

    /// False after a cancelled model: the ones behind it are not begun.
    bool add(const std::string& model, ModelResult result);
    /// Prints, and returns the exit code: the worst of all.
    int finish() const;

private:
    const Console& m_console;
    std::size_t m_count;
    std::size_t m_done = 0;
    int m_code = Done;
    nlohmann::json m_list = nlohmann::json::array();
    std::optional<nlohmann::json> m_error;
    std::string m_summary;
};

} // namespace crease::cli
