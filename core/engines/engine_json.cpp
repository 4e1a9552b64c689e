// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/process_engine.h"
#include "core/engines/shipped_engines.h"
#include "core/support/text.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crease {

namespace {

using Json = nlohmann::json;

std::unexpected<Error> wrong(std::string text)
{
    return failure(ErrorKind::Usage, "bad-engine", std::move(text));
}

Result<void> readKey(EngineDescription& engine, const std::string& key, const Json& value)
{
    const auto wants = [&](std::string_view type) {
        return wrong(fmt::format("'{}' in an engine's description must be {}", key, type));
    };
    if (key == "name" || key == "title" || key == "script") {
        if (!value.is_string()) {
            return wants("a string");
        }
        (key == "name" ? engine.name : key == "title" ? engine.title : engine.script) = value.get<std::string>();
    } else if (key == "argv") {
        const bool strings = value.is_array() && !value.empty() &&
                             std::ranges::all_of(value, [](const Json& item) { return item.is_string(); });
        if (!strings) {
            return wants("a list of strings");
        }
        engine.argv = value.get<std::vector<std::string>>();
    } else if (key == "many_sets" || key == "intermediates") {
        if (!value.is_boolean()) {
            return wants("true or false");
        }
        (key == "many_sets" ? engine.manySets : engine.intermediates) = value.get<bool>();
    } else if (key == "seconds") {
        if (!value.is_number() || !(value.get<double>() > 0.0)) {
            return wants("a number above 0");
        }
        engine.seconds = value.get<double>();
    } else {
        return wrong(fmt::format("'{}' is no key of an engine's description", printable(key)));
    }
    return {};
}

} // namespace

Result<EngineDescription> engineFromJson(const std::string& text)
{
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) {
        return wrong("an engine's description must be a JSON object");
    }
    EngineDescription engine;
    for (const auto& [key, value] : json.items()) {
        TRY(readKey(engine, key, value));
    }
    if (engine.name.empty() || engine.argv.empty()) {
        return wrong("an engine's description needs 'name' and 'argv'");
    }
    for (const std::string_view needed : {"{model}", "{inputs}", "{outputs}"}) {
        const bool there = std::ranges::any_of(
            engine.argv, [&](const std::string& argument) { return argument.find(needed) != std::string::npos; });
        if (!there) {
            return wrong(fmt::format("engine '{}': argv lacks {}", printable(engine.name), needed));
        }
    }
    if (!engine.script.empty()) {
        const std::string_view source = shippedScript(engine.script);
        if (source.empty()) {
            return wrong(fmt::format("engine '{}': no script '{}' ships with the program", printable(engine.name),
                                     printable(engine.script)));
        }
        engine.script = std::string(source);
    }
    return engine;
}

std::vector<EngineDescription> shippedEngines()
{
    std::vector<EngineDescription> engines;
    for (const std::string_view json : shippedEngineFiles()) {
        engines.push_back(engineFromJson(std::string(json)).value());
    }
    return engines;
}

Result<std::vector<EngineDescription>> allEngines(const std::vector<std::string>& folders)
{
    std::vector<EngineDescription> engines = shippedEngines();
    for (const std::string& folder : folders) {
        std::vector<std::filesystem::path> files;
        std::error_code code;
        for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
            if (entry.path().extension() == ".json") {
                files.push_back(entry.path());
            }
        }
        if (code) {
            auto error = wrong(fmt::format("the folder of engines cannot be read: {}", code.message()));
            error.error().file = folder;
            return error;
        }
        std::ranges::sort(files);
        for (const auto& file : files) {
            std::ifstream stream(file, std::ios::binary);
            auto engine = engineFromJson({std::istreambuf_iterator<char>(stream), {}});
            if (!engine) {
                engine.error().file = file.string();
                return std::unexpected(engine.error());
            }
            std::erase_if(engines, [&](const EngineDescription& known) { return known.name == engine->name; });
            engines.push_back(std::move(*engine));
        }
    }
    return engines;
}

} // namespace crease
