// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace crease {

/// An index that cannot be mixed up with another kind of index. The default-constructed id names nothing.
template <class Tag>
struct StrongId {
    static constexpr std::uint32_t none = 0xFFFFFFFFU;
    std::uint32_t index = none;

    constexpr bool valid() const { return index != none; }
    constexpr explicit operator bool() const { return valid(); }
    constexpr auto operator<=>(const StrongId&) const = default;
};

} // namespace crease

template <class Tag>
struct std::hash<crease::StrongId<Tag>> {
    std::size_t operator()(crease::StrongId<Tag> id) const noexcept { return id.index; }
};
