// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace crease {

/// SHA-256 of bytes that come in pieces.
class Sha256 {
public:
    Sha256();
    void add(std::string_view bytes);
    std::string hex() const; // 64 lower-case digits

private:
    std::array<std::uint32_t, 8> m_state;
    std::string m_rest; // fewer than 64 bytes
    std::uint64_t m_size = 0;
};

/// The SHA-256 of some bytes as 64 lower-case hexadecimal digits.
std::string sha256Hex(std::string_view bytes);

} // namespace crease
