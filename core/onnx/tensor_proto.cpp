// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/tensor_proto.h"

#include "core/onnx/tensor_reader.h"
#include "core/support/text.h"
#include "core/tensor/onnx_types.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace crease {

bool isPacked(ElementType type)
{
    return bitWidth(type) < 8 && type != ElementType::Bool && type != ElementType::String;
}

namespace {

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian and shared as it is");

constexpr std::uint64_t maxDenseBytes = std::uint64_t{256} << 20; // of a sparse tensor: a few bytes of file claim them

std::unexpected<Error> fault(std::string message)
{
    return failure(ErrorKind::Input, "bad-tensor", std::move(message));
}

std::uint64_t bytesInFile(ElementType type, std::uint64_t count)
{
    if (isPacked(type)) {
        const auto perByte = static_cast<std::uint64_t>(8 / bitWidth(type));
        return (count + perByte - 1) / perByte;
    }
    return count * byteWidth(type);
}

/// Elements of 2 or 4 bits, one a byte, sign-extended.
Tensor unpacked(ElementType type, const Dims& dims, const std::string& bytes)
{
    TensorWriter<std::uint8_t> writer(dims);
    const auto bits = static_cast<unsigned>(bitWidth(type));
    const unsigned perByte = 8 / bits;
    const unsigned mask = (1U << bits) - 1;
    const unsigned sign = isInteger(type) && isSigned(type) ? 1U << (bits - 1) : 0;
    for (std::size_t i = 0; i < writer.size(); ++i) {
        const unsigned byte = static_cast<unsigned char>(bytes[i / perByte]);
        const unsigned code = (byte >> (i % perByte * bits)) & mask;
        writer[i] = static_cast<std::uint8_t>((code ^ sign) - sign);
    }
    return std::move(writer).finish(type);
}

Result<Tensor> fromBytes(ElementType type, const Dims& dims, std::uint64_t count,
                         std::shared_ptr<const std::string> bytes)
{
    const std::uint64_t needed = bytesInFile(type, count);
    if (bytes->size() != needed) {
        return fault(fmt::format("{} elements of {} ({}) need {} bytes and there are {}", count, longName(type),
                                 toText(dims), needed, bytes->size()));
    }
    if (isPacked(type)) {
        return unpacked(type, dims, *bytes);
    }
    const void* data = bytes->data();
    const std::size_t alignment = std::min<std::size_t>(byteWidth(type), 8);
    if (reinterpret_cast<std::uintptr_t>(data) % alignment != 0) {
        auto aligned = std::shared_ptr<std::uint64_t[]>(new std::uint64_t[bytes->size() / 8 + 1]);
        std::memcpy(aligned.get(), data, bytes->size());
        data = aligned.get();
        return Tensor::view(type, dims, std::move(aligned), data);
    }
    if (type == ElementType::Bool) {
        TensorWriter<bool> writer(dims);
        for (std::size_t i = 0; i < writer.size(); ++i) {
            writer[i] = (*bytes)[i] != 0;
        }
        return std::move(writer).finish();
    }
    return Tensor::view(type, dims, std::move(bytes), data);
}

/// Elements held one an entry of a repeated field.
template <class T, class Field>
Result<Tensor> fromField(ElementType type, const Dims& dims, std::uint64_t count, const Field& field, const char* name)
{
    if (static_cast<std::uint64_t>(field.size()) != count) {
        return fault(fmt::format("{} elements of {} ({}) and {} entries of {}", count, longName(type), toText(dims),
                                 field.size(), name));
    }
    TensorWriter<T> writer(dims);
    for (int i = 0; i < field.size(); ++i) {
        const auto entry = field[i];
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            if (!std::in_range<T>(entry)) {
                return fault(fmt::format("{} of {} is no {}", entry, name, longName(type)));
            }
        }
        writer[static_cast<std::size_t>(i)] = static_cast<T>(entry);
    }
    return std::move(writer).finish(type);
}

Result<Tensor> complexFromField(ElementType type, const Dims& dims, std::uint64_t count, const void* entries,
                                int entryCount)
{
    if (static_cast<std::uint64_t>(entryCount) != 2 * count) {
        return fault(
            fmt::format("{} elements of {} ({}) and {} entries", count, longName(type), toText(dims), entryCount));
    }
    auto bytes = std::make_shared<std::string>(static_cast<std::size_t>(count) * byteWidth(type), '\0');
    if (count > 0) {
        std::memcpy(bytes->data(), entries, bytes->size());
    }
    return fromBytes(type, dims, count, std::move(bytes));
}

Result<Tensor> packedFromField(ElementType type, const Dims& dims, std::uint64_t count, const onnx::TensorProto& proto)
{
    auto bytes = std::make_shared<std::string>();
    bytes->reserve(static_cast<std::size_t>(proto.int32_data_size()));
    for (const int entry : proto.int32_data()) {
        bytes->push_back(static_cast<char>(entry & 0xFF));
    }
    return fromBytes(type, dims, count, std::move(bytes));
}

Result<Tensor> fromTypedFields(ElementType type, const Dims& dims, std::uint64_t count, const onnx::TensorProto& proto)
{
    switch (type) {
    case ElementType::Float32:
        return fromField<float>(type, dims, count, proto.float_data(), "float_data");
    case ElementType::Float64:
        return fromField<double>(type, dims, count, proto.double_data(), "double_data");
    case ElementType::Complex64:
        return complexFromField(type, dims, count, proto.float_data().data(), proto.float_data_size());
    case ElementType::Complex128:
        return complexFromField(type, dims, count, proto.double_data().data(), proto.double_data_size());
    case ElementType::Int64:
        return fromField<std::int64_t>(type, dims, count, proto.int64_data(), "int64_data");
    case ElementType::UInt64:
        return fromField<std::uint64_t>(type, dims, count, proto.uint64_data(), "uint64_data");
    case ElementType::UInt32:
        return fromField<std::uint32_t>(type, dims, count, proto.uint64_data(), "uint64_data");
    case ElementType::Int32:
        return fromField<std::int32_t>(type, dims, count, proto.int32_data(), "int32_data");
    case ElementType::Bool:
        return fromField<bool>(type, dims, count, proto.int32_data(), "int32_data");
    case ElementType::String:
        if (static_cast<std::uint64_t>(proto.string_data_size()) != count) {
            return fault(fmt::format("{} strings ({}) and {} entries", count, toText(dims), proto.string_data_size()));
        }
        return Tensor::strings(dims, {proto.string_data().begin(), proto.string_data().end()});
    default:
        break;
    }
    if (isPacked(type)) {
        return packedFromField(type, dims, count, proto);
    }
    if (type == ElementType::Int8) {
        return fromField<std::int8_t>(type, dims, count, proto.int32_data(), "int32_data");
    }
    if (type == ElementType::Int16) {
        return fromField<std::int16_t>(type, dims, count, proto.int32_data(), "int32_data");
    }
    if (byteWidth(type) == 2) {
        return fromField<std::uint16_t>(type, dims, count, proto.int32_data(), "int32_data");
    }
    return fromField<std::uint8_t>(type, dims, count, proto.int32_data(), "int32_data");
}

Result<std::uint64_t> number(const std::string& key, const std::string& text)
{
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        return fault(fmt::format("external data has {} '{}'", key, printable(text)));
    }
    return value;
}

Result<ExternalLocation> externalLocation(const onnx::TensorProto& proto)
{
    ExternalLocation where;
    for (const auto& entry : proto.external_data()) {
        if (entry.key() == "location") {
            where.location = entry.value();
        } else if (entry.key() == "offset") {
            where.offset = TRY(number("offset", entry.value()));
        } else if (entry.key() == "length") {
            where.length = TRY(number("length", entry.value()));
        }
    }
    return where;
}

} // namespace

Result<Tensor> readTensor(onnx::TensorProto& proto, ExternalData& external, const TensorLimits& limits, bool release)
{
    const ElementType type = elementTypeFromOnnx(proto.data_type());
    if (type == ElementType::Undefined) {
        return fault(fmt::format("element type {} is unknown", proto.data_type()));
    }
    if (proto.has_segment()) {
        return fault("a tensor in segments is not supported");
    }
    const Dims dims(proto.dims().begin(), proto.dims().end());
    const auto count = elementCount(dims);
    if (!count) {
        return fault(fmt::format("dimensions {} are no shape", toText(dims)));
    }
    const auto elements = static_cast<std::uint64_t>(*count);
    const std::uint64_t width = std::max<std::uint64_t>(byteWidth(type), 1);
    const bool isExternal = proto.data_location() == onnx::TensorProto::EXTERNAL;
    const std::uint64_t limit = isExternal ? limits.maxExternalBytes : limits.maxBytes;
    if (elements > limit / width) {
        return fault(fmt::format("dimensions {} of {} are over the limit of {} bytes{}", toText(dims), longName(type),
                                 limit, isExternal ? "" : " (crease-cli --max-tensor raises it)"));
    }
    if (isExternal) {
        if (type == ElementType::String) {
            return fault("strings cannot be external data");
        }
        const ExternalLocation where = TRY(externalLocation(proto));
        return fromBytes(type, dims, elements, TRY(external.read(where, bytesInFile(type, elements))));
    }
    if (proto.has_raw_data() && type != ElementType::String) {
        auto bytes = release ? std::make_shared<const std::string>(std::move(*proto.mutable_raw_data()))
                             : std::make_shared<const std::string>(proto.raw_data());
        return fromBytes(type, dims, elements, std::move(bytes));
    }
    return fromTypedFields(type, dims, elements, proto);
}

Result<Tensor> readSparseTensor(onnx::SparseTensorProto& proto, ExternalData& external, const TensorLimits& limits)
{
    const Dims dims(proto.dims().begin(), proto.dims().end());
    const Tensor values = TRY(readTensor(*proto.mutable_values(), external, limits, false));
    const Tensor indices = TRY(readTensor(*proto.mutable_indices(), external, limits, false));
    const auto count = elementCount(dims);
    const std::size_t width = byteWidth(values.type());
    const std::uint64_t limit = std::min(limits.maxBytes, maxDenseBytes);
    if (!count || width == 0 || static_cast<std::uint64_t>(*count) > limit / width) {
        return fault(fmt::format("a sparse tensor of {} {} is over the limit of {} bytes", longName(values.type()),
                                 toText(dims), limit));
    }
    const bool linear = indices.rank() == 1;
    if (indices.type() != ElementType::Int64 || indices.size() != values.size() * (linear ? 1 : dims.size())) {
        return fault(fmt::format("sparse tensor has {} values and indices {}", values.size(), toText(indices.dims())));
    }
    auto bytes =
        std::shared_ptr<std::uint64_t[]>(new std::uint64_t[static_cast<std::size_t>(*count) * width / 8 + 1]());
    auto* target = reinterpret_cast<std::byte*>(bytes.get());
    const auto entries = indices.data<std::int64_t>();
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::int64_t at = linear ? entries[i] : 0;
        for (std::size_t d = 0; !linear && d < dims.size(); ++d) {
            const std::int64_t index = entries[i * dims.size() + d];
            if (index < 0 || index >= dims[d]) {
                return fault(fmt::format("sparse tensor {} has index {}", toText(dims), index));
            }
            at = at * dims[d] + index;
        }
        if (at < 0 || at >= *count) {
            return fault(fmt::format("sparse tensor {} has index {}", toText(dims), at));
        }
        std::memcpy(target + static_cast<std::size_t>(at) * width, values.raw() + i * width, width);
    }
    return Tensor::view(values.type(), dims, std::move(bytes), target);
}

std::string packedBytes(const Tensor& tensor)
{
    const auto bits = static_cast<unsigned>(bitWidth(tensor.type()));
    const unsigned perByte = 8 / bits;
    std::string bytes((tensor.size() + perByte - 1) / perByte, '\0');
    const auto codes = tensor.data<std::uint8_t>();
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const unsigned code = codes[i] & ((1U << bits) - 1);
        bytes[i / perByte] =
            static_cast<char>(static_cast<unsigned char>(bytes[i / perByte]) | code << (i % perByte * bits));
    }
    return bytes;
}

void writeTensorHeader(const Tensor& tensor, onnx::TensorProto& proto)
{
    proto.set_data_type(static_cast<int>(onnxNumber(tensor.type())));
    for (const std::int64_t dim : tensor.dims()) {
        proto.add_dims(dim);
    }
}

void writeTensor(const Tensor& tensor, onnx::TensorProto& proto)
{
    writeTensorHeader(tensor, proto);
    if (tensor.type() == ElementType::String) {
        for (const std::string& text : tensor.stringValues()) {
            proto.add_string_data(text);
        }
    } else if (isPacked(tensor.type())) {
        proto.set_raw_data(packedBytes(tensor));
    } else {
        proto.set_raw_data(tensor.raw(), tensor.bytes());
    }
}

Result<NamedTensor> tensorFromProtoBytes(const std::string& bytes)
{
    onnx::TensorProto proto;
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
        !proto.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
        return fault("the bytes are no TensorProto");
    }
    ExternalData none{std::string()};
    Tensor tensor = TRY(readTensor(proto, none, {}, true));
    return NamedTensor{proto.name(), std::move(tensor)};
}

std::string tensorToProtoBytes(const std::string& name, const Tensor& tensor)
{
    onnx::TensorProto proto;
    proto.set_name(name);
    writeTensor(tensor, proto);
    return proto.SerializePartialAsString();
}

} // namespace crease
