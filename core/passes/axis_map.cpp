// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/axis_map.h"

#include <algorithm>
#include <array>
#include <span>

namespace crease {

namespace {

std::optional<std::int64_t> product(std::span<const Dim> dims)
{
    std::int64_t count = 1;
    for (const Dim& dim : dims) {
        if (!dim.known()) {
            return std::nullopt;
        }
        count *= dim.value;
    }
    return count;
}

} // namespace

std::optional<int> movedAxis(const Node& node, const Shape& before, const Shape& after, int axis)
{
    const auto at = static_cast<std::size_t>(axis);
    if (at >= before.size() || !before[at].known()) {
        return std::nullopt;
    }
    if (node.is("Transpose")) {
        const std::vector<std::int64_t> perm = node.intsAttribute("perm");
        if (perm.empty()) {
            return static_cast<int>(before.size()) - 1 - axis;
        }
        const auto found = std::ranges::find(perm, static_cast<std::int64_t>(axis));
        return found == perm.end() ? std::nullopt : std::optional(static_cast<int>(found - perm.begin()));
    }
    static constexpr std::array regroupings{"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"};
    if (std::ranges::find(regroupings, node.op) == regroupings.end()) {
        return std::nullopt;
    }
    const std::optional<std::int64_t> outer = product(std::span(before).first(at));
    const std::optional<std::int64_t> inner = product(std::span(before).subspan(at + 1));
    for (std::size_t i = 0; i < after.size(); ++i) {
        if (!after[i].known() || after[i].value != before[at].value) {
            continue;
        }
        const bool sameOuter = outer && product(std::span(after).first(i)) == outer;
        const bool sameInner = inner && product(std::span(after).subspan(i + 1)) == inner;
        if (sameOuter || sameInner) {
            return static_cast<int>(i);
        }
    }
    return std::nullopt;
}

} // namespace crease
