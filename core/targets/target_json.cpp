// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/targets/target.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crease {

namespace {

using Json = nlohmann::json;

std::unexpected<Error> wrong(std::string_view key, std::string_view expected)
{
    return failure(ErrorKind::Usage, "bad-target", fmt::format("target: '{}' must be {}", key, expected));
}

Result<void> knownKeys(const Json& object, std::string_view where, std::span<const std::string_view> keys)
{
    for (const auto& [key, value] : object.items()) {
        if (std::ranges::find(keys, std::string_view(key)) == keys.end()) {
            return failure(ErrorKind::Usage, "bad-target", fmt::format("target: unknown key '{}' in {}", key, where));
        }
    }
    return {};
}

Result<std::string> textOf(const Json& object, const char* key)
{
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) {
        return wrong(key, "a string");
    }
    return found->get<std::string>();
}

Result<bool> boolOf(const Json& object, const char* key, bool fallback)
{
    const auto found = object.find(key);
    if (found == object.end()) {
        return fallback;
    }
    if (!found->is_boolean()) {
        return wrong(key, "true or false");
    }
    return found->get<bool>();
}

Result<ElementType> typeOf(const Json& value, std::string_view key)
{
    const auto type = value.is_string() ? elementTypeFromName(value.get<std::string>()) : std::nullopt;
    if (!type || !isInteger(*type)) {
        return wrong(key, "an integer type such as int8");
    }
    return *type;
}

Result<TargetOp> opFromJson(const Json& json, const std::string& name)
{
    static constexpr std::array<std::string_view, 5> keys{"types", "per_channel_weights", "weight_zero_point",
                                                          "fused_clamp", "zero_point_before_rounding"};
    if (!json.is_object()) {
        return wrong(name, "an object");
    }
    TRY(knownKeys(json, "op " + name, keys));
    const auto types = json.find("types");
    if (types == json.end() || !types->is_array() || types->empty()) {
        return wrong(name + ".types", "a list of rows of types");
    }
    TargetOp op;
    for (const Json& row : *types) {
        if (!row.is_array() || row.empty()) {
            return wrong(name + ".types", "a list of rows of types");
        }
        std::vector<ElementType> operands;
        for (const Json& type : row) {
            operands.push_back(TRY(typeOf(type, name + ".types")));
        }
        op.types.push_back(std::move(operands));
    }
    op.perChannelWeights = TRY(boolOf(json, "per_channel_weights", op.perChannelWeights));
    op.weightZeroPoint = TRY(boolOf(json, "weight_zero_point", op.weightZeroPoint));
    op.fusedClamp = TRY(boolOf(json, "fused_clamp", op.fusedClamp));
    op.zeroPointBeforeRounding = TRY(boolOf(json, "zero_point_before_rounding", op.zeroPointBeforeRounding));
    return op;
}

} // namespace

Result<Target> targetFromJson(const std::string& text)
{
    static constexpr std::array<std::string_view, 10> keys{"name",      "title", "summary",    "format", "allows_float",
                                                           "min_opset", "bias",  "activation", "ties",   "ops"};
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) {
        return failure(ErrorKind::Usage, "bad-target", "target: not a JSON object");
    }
    TRY(knownKeys(json, "the target", keys));
    Target target;
    target.name = TRY(textOf(json, "name"));
    target.title = TRY(textOf(json, "title"));
    target.summary = json.contains("summary") ? TRY(textOf(json, "summary")) : std::string();
    target.format = TRY(textOf(json, "format"));
    if (target.format != "onnx-qoperator" && target.format != "onnx-qdq") {
        return wrong("format", "onnx-qoperator or onnx-qdq");
    }
    target.allowsFloat = TRY(boolOf(json, "allows_float", true));
    if (const auto opset = json.find("min_opset"); opset != json.end()) {
        if (!opset->is_number_integer() || opset->get<int>() < 13) {
            return wrong("min_opset", "a number from 13 on");
        }
        target.minOpset = opset->get<int>();
    }
    if (json.contains("bias")) {
        target.bias = TRY(typeOf(json["bias"], "bias"));
    }
    if (json.contains("activation")) {
        target.activation = TRY(typeOf(json["activation"], "activation"));
    }
    if (json.contains("ties")) {
        const std::string ties = TRY(textOf(json, "ties"));
        if (ties != "declared" && ties != "exact") {
            return wrong("ties", "declared or exact");
        }
        target.exactTies = ties == "exact";
    }
    const auto ops = json.find("ops");
    if (ops == json.end() || !ops->is_object()) {
        return wrong("ops", "an object of op names");
    }
    for (const auto& [name, op] : ops->items()) {
        target.ops[name] = TRY(opFromJson(op, name));
    }
    return target;
}

} // namespace crease
