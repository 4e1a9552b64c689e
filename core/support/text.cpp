// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace crease {

namespace {

std::size_t utf8Length(std::string_view bytes)
{
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const unsigned char lead = at(0);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    if (length == 0 || length > bytes.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((at(i) & 0xC0) != 0x80) {
            return 0;
        }
    }
    const bool overlong = (lead == 0xE0 && at(1) < 0xA0) || (lead == 0xF0 && at(1) < 0x90);
    const bool beyond = (lead == 0xF4 && at(1) > 0x8F) || (lead == 0xED && at(1) > 0x9F);
    return overlong || beyond ? 0 : length;
}

std::size_t editDistance(std::string_view a, std::string_view b)
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

} // namespace

std::string shortest(double value)
{
    if (std::isnan(value)) {
        return "nan";
    }
    if (std::isinf(value)) {
        return value > 0 ? "inf" : "-inf";
    }
    std::array<char, 40> buffer{};
    const auto narrow = static_cast<float>(value);
    const bool single = static_cast<double>(narrow) == value;
    const auto end = single ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), narrow)
                            : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), end.ptr};
}

std::string grouped(std::int64_t value)
{
    std::string digits = std::to_string(value);
    const std::size_t first = digits[0] == '-' ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

std::string byteSize(std::uint64_t bytes)
{
    if (bytes < 1000) {
        return fmt::format("{} B", bytes);
    }
    constexpr std::array units{"kB", "MB", "GB", "TB"};
    double size = static_cast<double>(bytes) / 1000.0;
    std::size_t unit = 0;
    while (size >= 999.95 && unit + 1 < units.size()) {
        size /= 1000.0;
        ++unit;
    }
    return fmt::format("{:.1f} {}", size, units[unit]);
}

std::string printable(std::string_view bytes)
{
    std::string text;
    while (!bytes.empty()) {
        const std::size_t length = utf8Length(bytes);
        const auto lead = static_cast<unsigned char>(bytes[0]);
        if (length == 0 || lead < 0x20 || lead == 0x7F) {
            text += fmt::format("\\x{:02X}", lead);
            bytes.remove_prefix(1);
        } else {
            text += bytes.substr(0, length);
            bytes.remove_prefix(length);
        }
    }
    return text;
}

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates)
{
    const auto begins = [name](const std::string& candidate) { return candidate.starts_with(name); };
    if (name.size() >= 3 && std::ranges::count_if(candidates, begins) == 1) {
        return *std::ranges::find_if(candidates, begins);
    }
    const std::size_t allowed = std::max<std::size_t>(1, name.size() / 3);
    std::optional<std::string> best;
    std::size_t least = allowed + 1;
    for (const std::string& candidate : candidates) {
        const std::size_t apart = std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size());
        if (apart >= least) {
            continue;
        }
        if (const std::size_t distance = editDistance(name, candidate); distance < least) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates)
{
    const auto near = nearest(name, candidates);
    return near ? fmt::format("; did you mean '{}'?", printable(*near)) : std::string();
}

bool startsWithAny(std::string_view text, const std::vector<std::string_view>& prefixes)
{
    return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
}

} // namespace crease
