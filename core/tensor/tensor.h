// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor/element_type.h"
#include "core/tensor/half.h"
#include "core/tensor/shape.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace crease {

/// The element type that a C++ type stands for by default.
template <class T>
constexpr ElementType elementTypeOf()
{
    if constexpr (std::is_same_v<T, float>) {
        return ElementType::Float32;
    } else if constexpr (std::is_same_v<T, double>) {
        return ElementType::Float64;
    } else if constexpr (std::is_same_v<T, Half>) {
        return ElementType::Float16;
    } else if constexpr (std::is_same_v<T, BFloat16>) {
        return ElementType::BFloat16;
    } else if constexpr (std::is_same_v<T, bool>) {
        return ElementType::Bool;
    } else if constexpr (std::is_same_v<T, std::int8_t>) {
        return ElementType::Int8;
    } else if constexpr (std::is_same_v<T, std::int16_t>) {
        return ElementType::Int16;
    } else if constexpr (std::is_same_v<T, std::int32_t>) {
        return ElementType::Int32;
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
        return ElementType::Int64;
    } else if constexpr (std::is_same_v<T, std::uint8_t>) {
        return ElementType::UInt8;
    } else if constexpr (std::is_same_v<T, std::uint16_t>) {
        return ElementType::UInt16;
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
        return ElementType::UInt32;
    } else if constexpr (std::is_same_v<T, std::uint64_t>) {
        return ElementType::UInt64;
    } else {
        static_assert(!sizeof(T), "no element type");
    }
}

/// An immutable array of elements in row-major order; copies share the data. A default-constructed tensor is no tensor.
class Tensor {
public:
    Tensor() = default;

    /// Shares memory that `owner` keeps alive. `data` must hold elementCount(dims) elements and be aligned for them.
    static Tensor view(ElementType type, Dims dims, std::shared_ptr<const void> owner, const void* data);
    static Tensor strings(Dims dims, std::vector<std::string> values);

    template <class T>
    static Tensor of(Dims dims, const std::vector<T>& values, ElementType type = elementTypeOf<T>());
    template <class T>
    static Tensor scalar(T value, ElementType type = elementTypeOf<T>())
    {
        return of<T>({}, std::vector<T>{value}, type);
    }

    bool valid() const { return m_type != ElementType::Undefined; }
    explicit operator bool() const { return valid(); }

    ElementType type() const { return m_type; }
    const Dims& dims() const { return m_dims; }
    std::size_t rank() const { return m_dims.size(); }
    std::size_t size() const { return m_size; } // number of elements
    std::size_t bytes() const { return m_size * byteWidth(m_type); }
    const std::byte* raw() const { return static_cast<const std::byte*>(m_data); }

    /// T must have the element's width: int8_t serves int8, int4 and int2, uint8_t serves uint8/4/2, bool and float8.
    template <class T>
    std::span<const T> data() const
    {
        assert(m_size == 0 || sizeof(T) == byteWidth(m_type));
        return {static_cast<const T*>(m_data), m_size};
    }

    const std::vector<std::string>& stringValues() const;

    /// The same elements under other dimensions of the same count.
    Tensor reshaped(Dims dims) const;

    /// Any numeric or bool element as double or integer (floats are truncated toward zero by asInt).
    double asDouble(std::size_t index) const;
    std::int64_t asInt(std::size_t index) const;
    std::vector<double> toDoubles() const;
    std::vector<std::int64_t> toInts() const;

    /// Element-wise conversion: to float types rounds half to even; to integer types truncates, and wraps
    /// integers (ONNX Cast).
    Tensor converted(ElementType type) const;

    /// Same type, dimensions and bits.
    bool identical(const Tensor& other) const;

private:
    ElementType m_type = ElementType::Undefined;
    Dims m_dims;
    std::size_t m_size = 0;
    std::shared_ptr<const void> m_owner;
    const void* m_data = nullptr;
};

/// Fresh, uninitialised memory that becomes a Tensor.
template <class T>
class TensorWriter {
public:
    explicit TensorWriter(Dims dims)
        : m_dims(std::move(dims)), m_size(static_cast<std::size_t>(elementCount(m_dims).value())),
          m_data(std::make_shared_for_overwrite<T[]>(std::max<std::size_t>(m_size, 1)))
    {
    }

    std::span<T> data() { return {m_data.get(), m_size}; }
    T& operator[](std::size_t index) { return m_data[index]; }
    std::size_t size() const { return m_size; }
    const Dims& dims() const { return m_dims; }

    Tensor finish(ElementType type = elementTypeOf<T>()) &&
    {
        assert(sizeof(T) == byteWidth(type));
        const T* data = m_data.get();
        return Tensor::view(type, std::move(m_dims), std::move(m_data), data);
    }

private:
    Dims m_dims;
    std::size_t m_size;
    std::shared_ptr<T[]> m_data;
};

template <class T>
Tensor Tensor::of(Dims dims, const std::vector<T>& values, ElementType type)
{
    TensorWriter<T> writer(std::move(dims));
    assert(writer.size() == values.size());
    std::copy(values.begin(), values.end(), writer.data().begin());
    return std::move(writer).finish(type);
}

/// Integers stored as any integer or bool type (no range check: values must fit).
Tensor tensorOfInts(ElementType type, Dims dims, std::span<const std::int64_t> values);
/// Doubles rounded once to a float type.
Tensor tensorOfDoubles(ElementType type, Dims dims, std::span<const double> values);
Tensor zeros(ElementType type, Dims dims);

} // namespace crease
