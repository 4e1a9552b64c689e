// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/recipe.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>

namespace crease {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 8> keys = {
    "target", "passes", "passes_off", "sites_off", "keep_float", "allow_approximate", "require_integer", "io"};

std::size_t distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
        }
    }
    return row.back();
}

std::string_view nearestKey(std::string_view key)
{
    return *std::ranges::min_element(keys, {}, [key](std::string_view known) { return distance(key, known); });
}

std::unexpected<Error> wrong(std::string_view key, std::string message)
{
    Error error{ErrorKind::Usage, "bad-recipe", fmt::format("recipe: '{}' {}", key, message)};
    error.value = std::string(key);
    return std::unexpected(std::move(error));
}

Result<std::vector<std::string>> strings(const Json& json, std::string_view key)
{
    if (!json.is_array()) {
        return wrong(key, fmt::format("must be a list of strings, not {}", json.dump()));
    }
    std::vector<std::string> list;
    for (const Json& each : json) {
        if (!each.is_string()) {
            return wrong(key, fmt::format("must hold strings, not {}", each.dump()));
        }
        list.push_back(each.get<std::string>());
    }
    return list;
}

Result<std::set<std::string>> stringSet(const Json& json, std::string_view key)
{
    const std::vector<std::string> list = TRY(strings(json, key));
    return std::set<std::string>(list.begin(), list.end());
}

Result<std::string> stringOf(const Json& json, std::string_view key)
{
    if (!json.is_string()) {
        return wrong(key, fmt::format("must be a string, not {}", json.dump()));
    }
    return json.get<std::string>();
}

Result<bool> boolOf(const Json& json, std::string_view key)
{
    if (!json.is_boolean()) {
        return wrong(key, fmt::format("must be true or false, not {}", json.dump()));
    }
    return json.get<bool>();
}

Result<void> readKey(Recipe& recipe, std::string_view key, const Json& json)
{
    if (key == "target") {
        recipe.target = TRY(stringOf(json, key));
    } else if (key == "passes") {
        recipe.passes = TRY(strings(json, key));
    } else if (key == "passes_off") {
        recipe.passesOff = TRY(stringSet(json, key));
    } else if (key == "sites_off") {
        recipe.sitesOff = TRY(stringSet(json, key));
    } else if (key == "keep_float") {
        recipe.keepFloat = TRY(stringSet(json, key));
    } else if (key == "allow_approximate") {
        recipe.allowApproximate = TRY(boolOf(json, key));
    } else if (key == "require_integer") {
        recipe.requireInteger = TRY(boolOf(json, key));
    } else if (key == "io") {
        recipe.io = TRY(stringOf(json, key));
        if (recipe.io != "float" && recipe.io != "integer") {
            return wrong(key, fmt::format("must be float or integer, not '{}'", recipe.io));
        }
    } else {
        return wrong(key, fmt::format("is no key of a recipe; the nearest is '{}'", nearestKey(key)));
    }
    return {};
}

} // namespace

std::string recipeToJson(const Recipe& recipe)
{
    Json json;
    json["target"] = recipe.target;
    if (!recipe.passes.empty()) {
        json["passes"] = recipe.passes;
    }
    json["passes_off"] = recipe.passesOff;
    json["sites_off"] = recipe.sitesOff;
    json["keep_float"] = recipe.keepFloat;
    json["allow_approximate"] = recipe.allowApproximate;
    json["require_integer"] = recipe.requireInteger;
    json["io"] = recipe.io;
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Recipe> recipeFromJson(const std::string& text)
{
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) {
        return failure(ErrorKind::Usage, "bad-recipe", "recipe: the text is no JSON object");
    }
    Recipe recipe;
    for (const auto& [key, value] : json.items()) {
        TRY(readKey(recipe, key, value));
    }
    return recipe;
}

} // namespace crease
