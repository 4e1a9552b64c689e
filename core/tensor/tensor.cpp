// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/tensor.h"

#include "core/tensor/dispatch.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace crease {

namespace {

template <class T>
double elementToDouble(T value)
{
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
        return static_cast<double>(value.toFloat());
    } else {
        return static_cast<double>(value);
    }
}

std::int64_t truncatedToInt(double value)
{
    constexpr double limit = 9223372036854775808.0;
    if (std::isnan(value) || value >= limit || value < -limit) {
        return std::numeric_limits<std::int64_t>::min();
    }
    return static_cast<std::int64_t>(value);
}

/// A float as an integer of this type: truncated. What does not fit is undefined in ONNX; here it is what x86 makes of
/// it, as in ONNX Runtime: the smallest of 32 or 64 bits, of which a narrower type keeps the low ones.
std::int64_t castToInt(double value, ElementType type)
{
    constexpr double half = 9223372036854775808.0;
    if (type == ElementType::UInt64 && value >= half && value < 2.0 * half) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
    }
    const std::int64_t wide = truncatedToInt(value);
    const bool narrow = type != ElementType::Int64 && type != ElementType::UInt64 && type != ElementType::UInt32;
    return narrow && (wide < lowest(ElementType::Int32) || wide > highest(ElementType::Int32))
               ? lowest(ElementType::Int32)
               : wide;
}

template <class T>
std::int64_t elementToInt(T value)
{
    if constexpr (std::is_integral_v<T>) {
        return static_cast<std::int64_t>(value);
    } else {
        return truncatedToInt(elementToDouble(value));
    }
}

/// Sign- or zero-extends the low bits, as a cast to a 2- or 4-bit type does.
std::int64_t wrapped(std::int64_t value, ElementType type)
{
    const int bits = bitWidth(type);
    if (bits >= 8) {
        return value;
    }
    const std::int64_t low = value & ((std::int64_t{1} << bits) - 1);
    const bool negative = isSigned(type) && ((low >> (bits - 1)) & 1) != 0;
    return negative ? low - (std::int64_t{1} << bits) : low;
}

template <class T>
T fromDouble(double value)
{
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
        // Rounding to float first is harmless unless the value is no float; round to odd keeps the second rounding
        // right.
        auto narrow = static_cast<float>(value);
        if (std::isfinite(narrow) && static_cast<double>(narrow) != value) {
            const bool away = std::abs(static_cast<double>(narrow)) > std::abs(value);
            const float truncated = away ? std::nextafter(narrow, 0.0F) : narrow;
            auto bits = std::bit_cast<std::uint32_t>(truncated);
            narrow = std::bit_cast<float>(bits | 1U);
        }
        return T::fromFloat(narrow);
    } else {
        return static_cast<T>(value);
    }
}

} // namespace

Tensor Tensor::view(ElementType type, Dims dims, std::shared_ptr<const void> owner, const void* data)
{
    Tensor tensor;
    tensor.m_type = type;
    tensor.m_size = static_cast<std::size_t>(elementCount(dims).value());
    tensor.m_dims = std::move(dims);
    tensor.m_owner = std::move(owner);
    tensor.m_data = data;
    return tensor;
}

Tensor Tensor::strings(Dims dims, std::vector<std::string> values)
{
    auto owner = std::make_shared<const std::vector<std::string>>(std::move(values));
    const void* data = owner.get();
    return view(ElementType::String, std::move(dims), std::move(owner), data);
}

const std::vector<std::string>& Tensor::stringValues() const
{
    assert(m_type == ElementType::String);
    return *static_cast<const std::vector<std::string>*>(m_data);
}

Tensor Tensor::reshaped(Dims dims) const
{
    assert(static_cast<std::size_t>(elementCount(dims).value()) == m_size);
    return view(m_type, std::move(dims), m_owner, m_data);
}

double Tensor::asDouble(std::size_t index) const
{
    double result = 0.0;
    [[maybe_unused]] const bool numeric =
        dispatchNumeric(m_type, [&]<class T>(std::type_identity<T>) { result = elementToDouble(data<T>()[index]); });
    assert(numeric);
    return result;
}

std::int64_t Tensor::asInt(std::size_t index) const
{
    std::int64_t result = 0;
    [[maybe_unused]] const bool numeric =
        dispatchNumeric(m_type, [&]<class T>(std::type_identity<T>) { result = elementToInt(data<T>()[index]); });
    assert(numeric);
    return result;
}

std::vector<double> Tensor::toDoubles() const
{
    std::vector<double> result(m_size);
    dispatchNumeric(m_type, [&]<class T>(std::type_identity<T>) {
        std::ranges::transform(data<T>(), result.begin(), [](T value) { return elementToDouble(value); });
    });
    return result;
}

std::vector<std::int64_t> Tensor::toInts() const
{
    std::vector<std::int64_t> result(m_size);
    dispatchNumeric(m_type, [&]<class T>(std::type_identity<T>) {
        std::ranges::transform(data<T>(), result.begin(), [](T value) { return elementToInt(value); });
    });
    return result;
}

Tensor Tensor::converted(ElementType type) const
{
    if (type == m_type) {
        return *this;
    }
    if (type == ElementType::Bool) {
        TensorWriter<bool> writer(m_dims);
        for (std::size_t i = 0; i < m_size; ++i) {
            writer[i] = asDouble(i) != 0.0;
        }
        return std::move(writer).finish();
    }
    if (isFloat(type)) {
        if (isInteger(m_type) && bitWidth(m_type) == 64 && type != ElementType::Float64) {
            TensorWriter<float> writer(m_dims);
            for (std::size_t i = 0; i < m_size; ++i) {
                writer[i] = m_type == ElementType::UInt64 ? static_cast<float>(data<std::uint64_t>()[i])
                                                          : static_cast<float>(data<std::int64_t>()[i]);
            }
            return std::move(writer).finish().converted(type);
        }
        const std::vector<double> values = toDoubles();
        return tensorOfDoubles(type, m_dims, values);
    }
    std::vector<std::int64_t> values(m_size);
    if (isFloat(m_type)) {
        std::ranges::transform(toDoubles(), values.begin(), [type](double value) { return castToInt(value, type); });
    } else {
        values = toInts();
    }
    for (std::int64_t& value : values) {
        value = wrapped(value, type);
    }
    return tensorOfInts(type, m_dims, values);
}

bool Tensor::identical(const Tensor& other) const
{
    if (m_type != other.m_type || m_dims != other.m_dims) {
        return false;
    }
    if (!valid() || m_data == other.m_data) {
        return true;
    }
    if (m_type == ElementType::String) {
        return stringValues() == other.stringValues();
    }
    return bytes() == 0 || std::memcmp(m_data, other.m_data, bytes()) == 0;
}

Tensor tensorOfInts(ElementType type, Dims dims, std::span<const std::int64_t> values)
{
    Tensor result;
    dispatchNumeric(type, [&]<class T>(std::type_identity<T>) {
        TensorWriter<T> writer(std::move(dims));
        assert(writer.size() == values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
                writer[i] = T::fromFloat(static_cast<float>(values[i]));
            } else {
                writer[i] = static_cast<T>(values[i]);
            }
        }
        result = std::move(writer).finish(type);
    });
    assert(result.valid());
    return result;
}

Tensor tensorOfDoubles(ElementType type, Dims dims, std::span<const double> values)
{
    assert(isFloat(type));
    Tensor result;
    dispatchNumeric(type, [&]<class T>(std::type_identity<T>) {
        TensorWriter<T> writer(std::move(dims));
        assert(writer.size() == values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            writer[i] = fromDouble<T>(values[i]);
        }
        result = std::move(writer).finish(type);
    });
    return result;
}

Tensor zeros(ElementType type, Dims dims)
{
    if (type == ElementType::String) {
        const auto count = static_cast<std::size_t>(elementCount(dims).value());
        return Tensor::strings(std::move(dims), std::vector<std::string>(count));
    }
    const auto count = static_cast<std::size_t>(elementCount(dims).value());
    auto owner = std::make_shared<std::vector<std::byte>>(std::max<std::size_t>(count * byteWidth(type), 1));
    const void* data = owner->data();
    return Tensor::view(type, std::move(dims), std::move(owner), data);
}

} // namespace crease
