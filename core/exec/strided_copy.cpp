// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/strided_copy.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

namespace crease {

namespace {

struct Axis {
    std::int64_t length;
    std::int64_t stride;
};

/// Without axes of length 1, and with axes merged that together step evenly.
std::vector<Axis> mergedAxes(const Dims& dims, const std::vector<std::int64_t>& strides)
{
    std::vector<Axis> axes;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (dims[i] == 1) {
            continue;
        }
        if (!axes.empty() && axes.back().stride == strides[i] * dims[i]) {
            axes.back() = {axes.back().length * dims[i], strides[i]};
        } else {
            axes.push_back({dims[i], strides[i]});
        }
    }
    if (axes.empty()) {
        axes.push_back({1, 1});
    }
    return axes;
}

template <class T>
void copyRun(const T* from, T* to, const Axis& axis)
{
    if (axis.stride == 1) {
        std::memcpy(to, from, static_cast<std::size_t>(axis.length) * sizeof(T));
    } else if (axis.stride == 0) {
        std::fill_n(to, axis.length, *from);
    } else {
        for (std::int64_t i = 0; i < axis.length; ++i) {
            to[i] = from[i * axis.stride];
        }
    }
}

/// The two innermost axes where the outer one of them is dense in `from`: in tiles, so that cache lines are used whole.
template <class T>
void copyTransposed(const T* from, T* to, const Axis& rows, const Axis& columns)
{
    constexpr std::int64_t tile = 16;
    for (std::int64_t c = 0; c < columns.length; c += tile) {
        const std::int64_t end = std::min(columns.length, c + tile);
        for (std::int64_t r = 0; r < rows.length; ++r) {
            for (std::int64_t i = c; i < end; ++i) {
                to[r * columns.length + i] = from[r * rows.stride + i * columns.stride];
            }
        }
    }
}

template <class T>
void copyAxes(const T* from, T* to, std::vector<Axis> axes)
{
    const Axis inner = axes.back();
    axes.pop_back();
    const bool tiled = inner.stride != 1 && inner.stride != 0 && !axes.empty() && axes.back().stride == 1;
    const Axis second = tiled ? axes.back() : Axis{1, 0};
    if (tiled) {
        axes.pop_back();
    }
    std::int64_t runs = 1;
    for (const Axis& axis : axes) {
        runs *= axis.length;
    }
    std::vector<std::int64_t> index(axes.size(), 0);
    for (std::int64_t run = 0; run < runs; ++run) {
        if (tiled) {
            copyTransposed(from, to, second, inner);
            to += second.length * inner.length;
        } else {
            copyRun(from, to, inner);
            to += inner.length;
        }
        for (std::size_t axis = axes.size(); axis-- > 0;) {
            from += axes[axis].stride;
            if (++index[axis] < axes[axis].length) {
                break;
            }
            from -= axes[axis].stride * axes[axis].length;
            index[axis] = 0;
        }
    }
}

} // namespace

Tensor stridedCopy(const Tensor& from, const Dims& dims, const std::vector<std::int64_t>& strides, std::int64_t offset)
{
    BytesWriter writer(from.type(), dims);
    if (elementCount(dims).value() > 0) {
        std::vector<Axis> axes = mergedAxes(dims, strides);
        const auto copy = [&]<class T>(std::type_identity<T>) {
            copyAxes(reinterpret_cast<const T*>(from.raw()) + offset, reinterpret_cast<T*>(writer.bytes()),
                     std::move(axes));
        };
        switch (byteWidth(from.type())) {
        case 1:
            copy(std::type_identity<std::uint8_t>{});
            break;
        case 2:
            copy(std::type_identity<std::uint16_t>{});
            break;
        case 4:
            copy(std::type_identity<std::uint32_t>{});
            break;
        case 8:
            copy(std::type_identity<std::uint64_t>{});
            break;
        default:
            assert(byteWidth(from.type()) == 16);
            copy(std::type_identity<std::array<std::uint64_t, 2>>{});
        }
    }
    return std::move(writer).finish();
}

std::int64_t productOf(const Dims& dims, std::size_t from, std::size_t to)
{
    std::int64_t product = 1;
    for (std::size_t i = from; i < to; ++i) {
        product *= dims[i];
    }
    return product;
}

BytesWriter::BytesWriter(ElementType type, Dims dims) : m_type(type), m_dims(std::move(dims))
{
    const auto count = static_cast<std::size_t>(elementCount(m_dims).value());
    m_bytes = std::make_shared_for_overwrite<std::byte[]>(std::max<std::size_t>(count * byteWidth(type), 1));
}

Tensor BytesWriter::finish() &&
{
    const void* data = m_bytes.get();
    return Tensor::view(m_type, std::move(m_dims), std::move(m_bytes), data);
}

} // namespace crease
