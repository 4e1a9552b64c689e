// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crease {

/// The shortest decimal that reads back as the same float32 (if the value is one) or double.
std::string shortest(double value);

/// 1234567 -> "1,234,567".
std::string grouped(std::int64_t value);

/// 2800397 -> "2.8 MB".
std::string byteSize(std::uint64_t bytes);

/// Bytes that are no valid UTF-8 become \xNN, so that any name can be shown.
std::string printable(std::string_view bytes);

/// The one candidate that begins with the name, or the one that is fewest insertions, deletions and replacements away,
/// if it is near enough to be meant: at most a third of the name's letters, and always one.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates);
/// "; did you mean 'lower'?" where one is near, else nothing.
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

bool startsWithAny(std::string_view text, const std::vector<std::string_view>& prefixes);

} // namespace crease
