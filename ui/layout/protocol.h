// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

/// What goes over the pipes between Crease and its layout worker. Numbers are little-endian as the machine has them:
/// both ends run on the same one. The worker is no part of this program: it has its own copy of these definitions.
///
/// Request: Length, Header, then for each segment SegmentHead, its nodes, its edges.
/// Answer, one a segment and in their order: Length, AnswerHead, then a Place for each node.
/// Length counts the bytes that follow it.
namespace crease::layout::protocol {

using Length = std::uint32_t;
inline constexpr std::uint32_t kMagic = 0x43724c31;
inline constexpr Length kMaxLength = 64u << 20;

struct Header {
    std::uint32_t magic = kMagic;
    std::uint32_t segments = 0;
};

struct SegmentHead {
    std::uint32_t nodes = 0;
    std::uint32_t edges = 0;
    float columnGap = 16;
    float rankGap = 30;
};

enum class Role : std::uint32_t { Box = 0, Entry = 1, Exit = 2 };
enum class Side : std::uint32_t { Centre = 0, Left = 1, Right = 2 };

struct Node {
    Role role = Role::Box;
    float width = 0;
    float height = 0;
};

struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Side side = Side::Centre;
    std::uint32_t trunk = 0;
};

struct AnswerHead {
    std::uint32_t segment = 0;
    /// 0: laid out; otherwise no places follow.
    std::uint32_t failed = 0;
    std::uint32_t nodes = 0;
};

struct Place {
    float x = 0;
    float y = 0;
};

template <class T>
void put(std::string& out, const T& value)
{
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out.append(bytes, sizeof(T));
}

/// Takes a T off the front of [data, end); false when too little is left.
template <class T>
bool take(const char*& data, const char* end, T& value)
{
    if (static_cast<std::size_t>(end - data) < sizeof(T))
        return false;
    std::memcpy(&value, data, sizeof(T));
    data += sizeof(T);
    return true;
}

} // namespace crease::layout::protocol
