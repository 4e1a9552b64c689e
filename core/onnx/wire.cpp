// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/wire.h"

#include "core/onnx/proto.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace crease::wire {

namespace {

/// One field at a time from a buffer; every length is checked against what is left.
class Reader {
public:
    struct Field {
        int number = 0;
        int wireType = 0;
        std::size_t start = 0;    // of the tag
        std::string_view payload; // of a length-delimited field
    };

    explicit Reader(std::string_view bytes) : m_bytes(bytes) {}

    bool atEnd() const { return m_at == m_bytes.size(); }
    std::size_t position() const { return m_at; }
    const std::string& fault() const { return m_fault; }

    std::optional<Field> next()
    {
        Field field;
        field.start = m_at;
        const auto tag = varint("tag");
        if (!tag) {
            return std::nullopt;
        }
        field.wireType = static_cast<int>(*tag & 7U);
        if (*tag >> 3U == 0 || *tag >> 3U > 0x1FFFFFFFU) {
            return fail(field.start, fmt::format("field number {} is invalid", *tag >> 3U));
        }
        field.number = static_cast<int>(*tag >> 3U);
        switch (field.wireType) {
        case 0:
            return varint("varint") ? std::optional(field) : std::nullopt;
        case 1:
            return skip(8) ? std::optional(field) : std::nullopt;
        case 5:
            return skip(4) ? std::optional(field) : std::nullopt;
        case 2: {
            const auto length = varint("length");
            if (!length) {
                return std::nullopt;
            }
            if (*length > m_bytes.size() - m_at) {
                return fail(field.start, fmt::format("field {} says {} bytes and {} are left", field.number, *length,
                                                     m_bytes.size() - m_at));
            }
            field.payload = m_bytes.substr(m_at, static_cast<std::size_t>(*length));
            m_at += static_cast<std::size_t>(*length);
            return field;
        }
        default:
            return fail(field.start, fmt::format("wire type {} is invalid", field.wireType));
        }
    }

private:
    std::nullopt_t fail(std::size_t at, const std::string& what)
    {
        m_fault = fmt::format("{}", what);
        m_at = at;
        return std::nullopt;
    }

    std::optional<std::uint64_t> varint(const char* what)
    {
        const std::size_t start = m_at;
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 70; shift += 7) {
            if (m_at == m_bytes.size()) {
                return fail(start, fmt::format("the data ends inside a {}", what));
            }
            const auto byte = static_cast<unsigned char>(m_bytes[m_at++]);
            value |= shift < 64 ? std::uint64_t{byte & 0x7FU} << shift : 0;
            if ((byte & 0x80U) == 0) {
                return value;
            }
        }
        return fail(start, fmt::format("a {} is longer than 10 bytes", what));
    }

    bool skip(std::size_t count)
    {
        if (m_bytes.size() - m_at < count) {
            fail(m_at, fmt::format("the data ends inside a number of {} bytes", count));
            return false;
        }
        m_at += count;
        return true;
    }

    std::string_view m_bytes;
    std::size_t m_at = 0;
    std::string m_fault;
};

struct Nested {
    std::string_view in;
    int number;
    std::string_view name;
    std::string_view message;
};

constexpr std::array nestedFields{
    Nested{"Model", 7, "graph", "Graph"},
    Nested{"Model", 8, "opset_import", "Leaf"},
    Nested{"Model", 14, "metadata_props", "Leaf"},
    Nested{"Model", 25, "functions", "Function"},
    Nested{"Graph", 1, "node", "Node"},
    Nested{"Graph", 5, "initializer", "Leaf"},
    Nested{"Graph", 11, "input", "Value"},
    Nested{"Graph", 12, "output", "Value"},
    Nested{"Graph", 13, "value_info", "Value"},
    Nested{"Function", 7, "node", "Node"},
    Nested{"Node", 5, "attribute", "Attribute"},
    Nested{"Attribute", 5, "t", "Leaf"},
    Nested{"Attribute", 6, "g", "Graph"},
    Nested{"Value", 2, "type", "Leaf"},
};

std::optional<std::string> faultIn(std::string_view bytes, std::string_view message, std::size_t base,
                                   const std::string& path, int depth)
{
    Reader reader(bytes);
    std::array<std::size_t, nestedFields.size()> counts{};
    while (!reader.atEnd()) {
        const auto field = reader.next();
        if (!field) {
            return fmt::format("{} at byte {}{}", reader.fault(), base + reader.position(),
                               path.empty() ? std::string() : fmt::format(" (in {})", path));
        }
        for (std::size_t i = 0; i < nestedFields.size(); ++i) {
            const Nested& nested = nestedFields[i];
            if (nested.in != message || nested.number != field->number) {
                continue;
            }
            const std::string inner =
                fmt::format("{}{}{}[{}]", path, path.empty() ? "" : ".", nested.name, counts[i]++);
            if (field->wireType != 2) {
                return fmt::format("{} has wire type {} at byte {}", inner, field->wireType, base + field->start);
            }
            if (depth < 64) {
                const auto offset = static_cast<std::size_t>(field->payload.data() - bytes.data());
                if (auto fault = faultIn(field->payload, nested.message, base + offset, inner, depth + 1)) {
                    return fault;
                }
            }
        }
    }
    return std::nullopt;
}

} // namespace

std::string extraFields(google::protobuf::Message& message, std::initializer_list<int> handled)
{
    const google::protobuf::Reflection& reflection = *message.GetReflection();
    std::string bytes;
    reflection.GetUnknownFields(message).SerializeToString(&bytes);
    std::vector<const google::protobuf::FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    std::erase_if(fields, [&](const auto* field) { return std::ranges::count(handled, field->number()) > 0; });
    if (!fields.empty()) {
        const std::unique_ptr<google::protobuf::Message> rest(message.New());
        reflection.SwapFields(&message, rest.get(), fields);
        bytes += rest->SerializePartialAsString();
        reflection.SwapFields(&message, rest.get(), fields);
    }
    return bytes;
}

std::vector<std::string> takeField(std::string& bytes, int number)
{
    if (bytes.empty()) {
        return {};
    }
    std::vector<std::string> taken;
    std::string rest;
    Reader reader(bytes);
    while (!reader.atEnd()) {
        const std::size_t start = reader.position();
        const auto field = reader.next();
        if (!field) {
            rest.append(bytes, start);
            break;
        }
        if (field->number == number && field->wireType == 2) {
            taken.emplace_back(field->payload);
        } else {
            rest.append(bytes, start, reader.position() - start);
        }
    }
    bytes = std::move(rest);
    return taken;
}

void appendVarint(std::string& bytes, std::uint64_t value)
{
    while (value >= 0x80) {
        bytes.push_back(static_cast<char>((value & 0x7FU) | 0x80U));
        value >>= 7U;
    }
    bytes.push_back(static_cast<char>(value));
}

void appendField(std::string& bytes, int number, std::string_view payload)
{
    appendVarint(bytes, static_cast<std::uint64_t>(number) << 3U | 2U);
    appendVarint(bytes, payload.size());
    bytes.append(payload);
}

std::pair<std::string, std::string> keyAndValue(const std::string& payload)
{
    std::string rest = payload;
    auto keys = takeField(rest, 1);
    auto values = takeField(rest, 2);
    return {keys.empty() ? std::string() : std::move(keys.back()),
            values.empty() ? std::string() : std::move(values.back())};
}

std::string keyAndValueBytes(const std::string& key, const std::string& value)
{
    std::string bytes;
    appendField(bytes, 1, key);
    appendField(bytes, 2, value);
    return bytes;
}

std::string describeFault(std::string_view bytes)
{
    if (auto fault = faultIn(bytes, "Model", 0, {}, 0)) {
        return *fault;
    }
    return "a field has a form that ONNX does not allow";
}

} // namespace crease::wire
