// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/samples/npy.h"

#include "core/tensor/dispatch.h"

#include <array>
#include <charconv>
#include <cstring>
#include <optional>

#include <fmt/format.h>

namespace crease {

namespace {

constexpr std::string_view magic = "\x93NUMPY";

struct Code {
    std::string_view code;
    ElementType type;
};

constexpr std::array codes{
    Code{"f4", ElementType::Float32}, Code{"f8", ElementType::Float64}, Code{"f2", ElementType::Float16},
    Code{"i1", ElementType::Int8},    Code{"i2", ElementType::Int16},   Code{"i4", ElementType::Int32},
    Code{"i8", ElementType::Int64},   Code{"u1", ElementType::UInt8},   Code{"u2", ElementType::UInt16},
    Code{"u4", ElementType::UInt32},  Code{"u8", ElementType::UInt64},  Code{"b1", ElementType::Bool},
};

std::unexpected<Error> broken(std::string text)
{
    return failure(ErrorKind::Input, "bad-npy", std::move(text));
}

struct Header {
    ElementType type = ElementType::Undefined;
    bool swapped = false;
    bool fortran = false;
    Dims dims;
};

/// Reads the Python dict literal of the header: keys in any order, either quote, trailing commas, L suffixes.
class HeaderParser {
public:
    explicit HeaderParser(std::string_view text) : m_text(text) {}

    Result<Header> parse()
    {
        Header header;
        bool descr = false;
        bool order = false;
        bool shape = false;
        if (!take('{')) {
            return broken("the array header is no dictionary");
        }
        while (!take('}')) {
            const auto key = string();
            if (!key || !take(':')) {
                return broken("the array header has a key that cannot be read");
            }
            if (*key == "descr" && !descr) {
                descr = true;
                const auto text = string();
                if (!text) {
                    return broken("structured array types are not supported");
                }
                TRY(setType(header, *text));
            } else if (*key == "fortran_order" && !order) {
                order = true;
                if (word("True")) {
                    header.fortran = true;
                } else if (!word("False")) {
                    return broken("fortran_order is neither True nor False");
                }
            } else if (*key == "shape" && !shape) {
                shape = true;
                if (!readShape(header.dims)) {
                    return broken("the array's shape cannot be read");
                }
            } else {
                return broken(fmt::format("unexpected key '{}' in the array header", *key));
            }
            if (!take(',')) {
                if (!take('}')) {
                    return broken("the array header does not end");
                }
                break;
            }
        }
        skipSpace();
        if (m_at != m_text.size()) {
            return broken("the array header has text after its end");
        }
        if (!descr || !order || !shape) {
            return broken("the array header lacks descr, fortran_order or shape");
        }
        return header;
    }

private:
    void skipSpace()
    {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\n' || m_text[m_at] == '\t')) {
            ++m_at;
        }
    }

    bool take(char wanted)
    {
        skipSpace();
        if (m_at < m_text.size() && m_text[m_at] == wanted) {
            ++m_at;
            return true;
        }
        return false;
    }

    bool word(std::string_view wanted)
    {
        skipSpace();
        if (m_text.substr(m_at).starts_with(wanted)) {
            m_at += wanted.size();
            return true;
        }
        return false;
    }

    std::optional<std::string_view> string()
    {
        skipSpace();
        if (m_at >= m_text.size() || (m_text[m_at] != '\'' && m_text[m_at] != '"')) {
            return std::nullopt;
        }
        const std::size_t end = m_text.find(m_text[m_at], m_at + 1);
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        const std::string_view result = m_text.substr(m_at + 1, end - m_at - 1);
        m_at = end + 1;
        return result;
    }

    bool readShape(Dims& dims)
    {
        if (!take('(')) {
            return false;
        }
        while (!take(')')) {
            skipSpace();
            std::int64_t dim = 0;
            const char* const end = m_text.data() + m_text.size();
            const auto [next, error] = std::from_chars(m_text.data() + m_at, end, dim);
            if (error != std::errc{} || dim < 0) {
                return false;
            }
            m_at = static_cast<std::size_t>(next - m_text.data());
            word("L");
            dims.push_back(dim);
            if (!take(',')) {
                return dims.size() > 1 && take(')'); // one dimension is written (3,)
            }
        }
        return true;
    }

    static Result<void> setType(Header& header, std::string_view text)
    {
        const char order = text.empty() ? '|' : text.front();
        const std::string_view code = text.empty() ? text : text.substr(1);
        if (order != '<' && order != '>' && order != '|' && order != '=') {
            return broken(fmt::format("array type '{}' is not supported", text));
        }
        for (const Code& row : codes) {
            if (row.code == code) {
                header.type = row.type;
                header.swapped = order == '>';
                return {};
            }
        }
        return broken(fmt::format("array type '{}' is not supported", text));
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

/// For every element in row-major order, its place in column-major order.
template <class F>
void forEachFortranIndex(const Dims& dims, std::size_t count, F&& visit)
{
    std::vector<std::size_t> strides(dims.size());
    std::size_t stride = 1;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        strides[axis] = stride;
        stride *= static_cast<std::size_t>(dims[axis]);
    }
    Dims index(dims.size(), 0);
    std::size_t from = 0;
    for (std::size_t to = 0; to < count; ++to) {
        visit(to, from);
        for (std::size_t axis = dims.size(); axis-- > 0;) {
            from += strides[axis];
            if (++index[axis] < dims[axis]) {
                break;
            }
            from -= strides[axis] * static_cast<std::size_t>(dims[axis]);
            index[axis] = 0;
        }
    }
}

Tensor tensorFromBytes(const Header& header, std::string_view data, std::size_t count)
{
    const std::size_t width = byteWidth(header.type);
    auto memory = std::make_shared_for_overwrite<std::byte[]>(std::max<std::size_t>(data.size(), 1));
    const auto* from = reinterpret_cast<const std::byte*>(data.data());
    if (header.fortran && header.dims.size() > 1) {
        forEachFortranIndex(header.dims, count, [&](std::size_t to, std::size_t at) {
            std::memcpy(memory.get() + to * width, from + at * width, width);
        });
    } else if (!data.empty()) {
        std::memcpy(memory.get(), from, data.size());
    }
    if (header.swapped && width > 1) {
        for (std::size_t i = 0; i < count; ++i) {
            std::reverse(memory.get() + i * width, memory.get() + (i + 1) * width);
        }
    }
    const std::byte* bytes = memory.get();
    return Tensor::view(header.type, header.dims, std::move(memory), bytes);
}

std::string_view codeOf(ElementType type)
{
    for (const Code& row : codes) {
        if (row.type == type) {
            return row.code;
        }
    }
    return {};
}

} // namespace

Result<Tensor> tensorFromNpy(std::string_view bytes)
{
    if (bytes.size() < 10 || !bytes.starts_with(magic)) {
        return broken("this is no numpy array (.npy)");
    }
    const auto byteAt = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])); };
    const std::size_t version = byteAt(6);
    if (version < 1 || version > 3) {
        return broken(fmt::format("numpy file format {}.{} is not known", version, byteAt(7)));
    }
    const std::size_t lengthBytes = version == 1 ? 2 : 4;
    const std::size_t start = 8 + lengthBytes;
    if (bytes.size() < start) {
        return broken("the array's header is cut off");
    }
    std::size_t length = 0;
    for (std::size_t i = 0; i < lengthBytes; ++i) {
        length |= byteAt(8 + i) << (8 * i);
    }
    if (length > bytes.size() - start) {
        return broken("the array's header is cut off");
    }
    const Header header = TRY(HeaderParser(bytes.substr(start, length)).parse());
    const auto count = elementCount(header.dims);
    const std::string_view data = bytes.substr(start + length);
    const std::size_t width = byteWidth(header.type);
    if (!count || static_cast<std::uint64_t>(*count) > bytes.max_size() / width) {
        return broken(fmt::format("the array's shape {} is too large", toText(header.dims)));
    }
    const std::size_t wanted = static_cast<std::size_t>(*count) * width;
    if (data.size() != wanted) {
        return broken(fmt::format("the array of shape {} and type {} needs {} bytes of data and has {}",
                                  toText(header.dims), longName(header.type), wanted, data.size()));
    }
    if (header.type == ElementType::Bool) {
        for (const char value : data) {
            if (value != 0 && value != 1) {
                return broken("a bool array has an element that is neither 0 nor 1");
            }
        }
    }
    return tensorFromBytes(header, data, static_cast<std::size_t>(*count));
}

Result<std::string> npyFromTensor(const Tensor& tensor)
{
    Tensor stored = tensor;
    if (tensor.type() == ElementType::BFloat16) {
        stored = tensor.converted(ElementType::Float32);
    } else if (isInteger(tensor.type()) && bitWidth(tensor.type()) < 8) {
        stored = tensor.converted(isSigned(tensor.type()) ? ElementType::Int8 : ElementType::UInt8);
    }
    const std::string_view code = codeOf(stored.type());
    if (code.empty()) {
        return failure(ErrorKind::Output, "npy-type",
                       fmt::format("a tensor of type {} cannot be written as a numpy array", longName(tensor.type())));
    }
    std::string shape;
    for (const std::int64_t dim : stored.dims()) {
        shape += fmt::format("{}, ", dim);
    }
    if (stored.rank() > 1) {
        shape.resize(shape.size() - 2);
    } else if (stored.rank() == 1) {
        shape.resize(shape.size() - 1);
    }
    const char order = byteWidth(stored.type()) == 1 ? '|' : '<';
    std::string header =
        fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}", order, code, shape);
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
    if (header.size() > 0xFFFF) {
        return failure(ErrorKind::Output, "npy-rank", fmt::format("a tensor of rank {} is too much", stored.rank()));
    }
    std::string bytes(magic);
    bytes += '\x01';
    bytes += '\0';
    bytes += static_cast<char>(header.size() & 0xFF);
    bytes += static_cast<char>(header.size() >> 8);
    bytes += header;
    bytes.append(reinterpret_cast<const char*>(stored.raw()), stored.bytes());
    return bytes;
}

} // namespace crease
