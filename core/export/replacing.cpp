// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/replacing.h"

#include "core/passes/recipe.h"
#include "core/samples/samples.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace crease {

namespace {

namespace fs = std::filesystem;

std::string contentsOf(const std::string& path)
{
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

bool isOurs(const std::string& bytes, FileOfOurs kind)
{
    switch (kind) {
    case FileOfOurs::Model: // the metadata stands behind the graph, which for a big model is most of the file
        return bytes.find(modelMark) != std::string::npos;
    case FileOfOurs::Report:
        return bytes.find("\"crease\"") != std::string::npos && nlohmann::json::accept(bytes);
    case FileOfOurs::Recipe:
        return recipeFromJson(bytes).has_value();
    case FileOfOurs::Arrays:
        return bytes.ends_with(npzMark);
    case FileOfOurs::Picture:
        break;
    }
    return bytes.find(pictureMark) != std::string::npos;
}

std::unexpected<Error> cannotWrite(const std::string& path, std::string id, std::string message)
{
    Error error{ErrorKind::Output, std::move(id), std::move(message)};
    error.file = path;
    return std::unexpected(std::move(error));
}

} // namespace

Result<void> mayReplace(const std::string& path, bool force, FileOfOurs kind)
{
    std::error_code ignored; // writing there says what is wrong
    if (!fs::exists(path, ignored)) {
        return {};
    }
    if (!fs::is_regular_file(path, ignored)) {
        return cannotWrite(path, "cannot-write", "it exists and is no regular file");
    }
    if (!force && !isOurs(contentsOf(path), kind)) {
        return cannotWrite(path, "foreign-file", "the file exists and was not written by Crease: --force replaces it");
    }
    return {};
}

bool sameFile(const std::string& a, const std::string& b)
{
    if (a.empty() || b.empty()) {
        return false;
    }
    std::error_code code;
    if (fs::equivalent(a, b, code)) {
        return true;
    }
    std::error_code other;
    const fs::path left = fs::weakly_canonical(fs::absolute(a), code);
    const fs::path right = fs::weakly_canonical(fs::absolute(b), other);
    return !code && !other && left == right;
}

Result<void> checkNoInput(const std::string& what, const std::string& path, const std::vector<std::string>& inputs)
{
    for (const std::string& input : inputs) {
        if (sameFile(path, input)) {
            return failure(ErrorKind::Usage, "same-file",
                           fmt::format("{} {} is also an input: give it another name", what, path));
        }
    }
    return {};
}

} // namespace crease
