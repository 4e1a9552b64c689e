// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace crease {

/// A vector in shared chunks: a copy shares every chunk, and a write copies just the chunk it touches.
template <class T, std::size_t ChunkSize = 128>
class CowVector {
public:
    std::size_t size() const { return m_size; }
    bool empty() const { return m_size == 0; }

    const T& operator[](std::size_t index) const { return (*m_chunks[index / ChunkSize])[index % ChunkSize]; }

    T& edit(std::size_t index)
    {
        auto& chunk = m_chunks[index / ChunkSize];
        if (chunk.use_count() != 1) {
            chunk = std::make_shared<Chunk>(*chunk);
        }
        return (*chunk)[index % ChunkSize];
    }

    void push_back(T value)
    {
        if (m_size % ChunkSize == 0) {
            m_chunks.push_back(std::make_shared<Chunk>());
        }
        edit(m_size) = std::move(value);
        ++m_size;
    }

private:
    using Chunk = std::array<T, ChunkSize>;
    std::vector<std::shared_ptr<Chunk>> m_chunks;
    std::size_t m_size = 0;
};

} // namespace crease
