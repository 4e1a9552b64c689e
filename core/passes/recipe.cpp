// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/recipe.h"

#include "core/support/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crease {

namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> keys{
    "target", "passes", "passes_off", "sites_off", "keep_float", "allow_approximate", "require_integer", "io"};

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

/// The order of passes. An empty list would read as "none" and mean "all", and a pass that stands twice has no one
/// place.
Result<std::vector<std::string>> passList(const Json& json, std::string_view key)
{
    std::vector<std::string> list = TRY(strings(json, key));
    if (list.empty()) {
        return wrong(key, "is an empty list: leave it out for the usual passes, or name the passes to run");
    }
    std::set<std::string> seen;
    for (const std::string& pass : list) {
        if (!seen.insert(pass).second) {
            return wrong(key, fmt::format("names '{}' twice: each pass runs once", pass));
        }
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
        recipe.passes = TRY(passList(json, key));
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
        const std::string hint = suggestion(key, keys);
        return wrong(key, "is no key of a recipe" +
                              (hint.empty() ? fmt::format(" (those are {})", fmt::join(keys, ", ")) : hint));
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
