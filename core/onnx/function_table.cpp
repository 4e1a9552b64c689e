// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/function_table.h"

#include "core/onnx/wire.h"
#include "core/support/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace crease {

std::string normalDomain(const std::string& domain)
{
    return domain == "ai.onnx" ? std::string() : domain;
}

std::map<std::string, int> opsetsOf(const OpsetImports& imports)
{
    std::map<std::string, int> opsets;
    for (const auto& import : imports) {
        int& version = opsets[normalDomain(import.domain())];
        version = std::max(version, static_cast<int>(std::clamp<std::int64_t>(import.version(), 0, 1'000'000)));
    }
    return opsets;
}

std::map<std::string, int> mergedOpsets(std::map<std::string, int> first, const std::map<std::string, int>& second)
{
    first.insert(second.begin(), second.end());
    return first;
}

Result<FunctionExtras> functionExtras(onnx::FunctionProto& function)
{
    FunctionExtras extras;
    std::string bytes = wire::extraFields(function, {1, 4, 5, 6, 7, 8, 9, 10});
    const auto parse = [&](int number, auto& list) {
        for (const std::string& payload : wire::takeField(bytes, number)) {
            if (!list.emplace_back().ParsePartialFromString(payload)) {
                return false;
            }
        }
        return true;
    };
    if (!parse(11, extras.defaults) || !parse(12, extras.valueInfo)) {
        return failure(ErrorKind::Input, "malformed",
                       fmt::format("function '{}' has a malformed field", printable(function.name())));
    }
    return extras;
}

Result<FunctionTable> FunctionTable::create(onnx::ModelProto& model)
{
    FunctionTable table;
    for (onnx::FunctionProto& function : *model.mutable_functions()) {
        std::string extras = wire::extraFields(function, {1, 4, 5, 6, 7, 8, 9, 10});
        const auto overloads = wire::takeField(extras, 13);
        const auto key = std::tuple(normalDomain(function.domain()), function.name(),
                                    overloads.empty() ? std::string() : overloads.back());
        if (!table.m_functions.emplace(key, &function).second) {
            return failure(ErrorKind::Input, "two-functions",
                           fmt::format("two functions are called '{}' in domain '{}'", printable(function.name()),
                                       printable(function.domain())));
        }
    }
    return table;
}

onnx::FunctionProto* FunctionTable::find(const std::string& domain, const std::string& name,
                                         const std::string& overload) const
{
    if (m_functions.empty()) {
        return nullptr;
    }
    const auto found = m_functions.find(std::tuple(domain, name, overload));
    return found == m_functions.end() ? nullptr : found->second;
}

} // namespace crease
