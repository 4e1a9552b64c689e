// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor/tensor.h"

#include <cstdint>
#include <vector>

namespace crease {

/// A dense tensor of these dimensions whose element at an index is that of `from` at offset + index . strides (in
/// elements; strides may be 0 or negative). No string tensors.
Tensor stridedCopy(const Tensor& from, const Dims& dims, const std::vector<std::int64_t>& strides,
                   std::int64_t offset = 0);

/// The product of the dimensions in [from, to).
std::int64_t productOf(const Dims& dims, std::size_t from, std::size_t to);

/// Memory for a dense tensor of any type but string, filled through bytes().
class BytesWriter {
public:
    BytesWriter(ElementType type, Dims dims);
    std::byte* bytes() { return m_bytes.get(); }
    Tensor finish() &&;

private:
    ElementType m_type;
    Dims m_dims;
    std::shared_ptr<std::byte[]> m_bytes;
};

} // namespace crease
