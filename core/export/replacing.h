// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/support/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace crease {

/// The kinds of file that Crease writes, each with a mark by which it is known again.
enum class FileOfOurs { Model, Report, Recipe, Arrays, Picture };

inline constexpr std::string_view modelMark = "crease.version"; // a key of the metadata
inline constexpr std::string_view pictureMark = "drawn by Crease";

/// An existing file is replaced only if `force`, or when it is a file of this kind that Crease wrote. Error: kind
/// Output.
Result<void> mayReplace(const std::string& path, bool force, FileOfOurs kind);

/// Whether two paths lead to one file, also where it does not exist yet.
bool sameFile(const std::string& a, const std::string& b);

/// Nothing that is written may stand on an input, --force or not. `what` is the flag or option, for the message. Error:
/// kind Usage.
Result<void> checkNoInput(const std::string& what, const std::string& path, const std::vector<std::string>& inputs);

} // namespace crease
