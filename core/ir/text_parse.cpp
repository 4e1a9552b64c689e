// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/text_format.h"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <unordered_map>

namespace crease {

namespace {

/// Characters with a position, and the few tokens that the text form has.
class Cursor {
public:
    explicit Cursor(std::string_view text) : m_text(text) {}

    bool atEnd()
    {
        skipSpace();
        return m_at >= m_text.size();
    }

    char peek()
    {
        skipSpace();
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }

    bool eat(std::string_view token)
    {
        skipSpace();
        if (!m_text.substr(m_at).starts_with(token)) {
            return false;
        }
        const bool word = std::isalnum(static_cast<unsigned char>(token.back())) != 0;
        const char next = m_at + token.size() < m_text.size() ? m_text[m_at + token.size()] : '\0';
        if (word && (std::isalnum(static_cast<unsigned char>(next)) != 0 || next == '_')) {
            return false;
        }
        m_at += token.size();
        return true;
    }

    bool eatSeparator(char separator)
    {
        if (peek() != separator) {
            return false;
        }
        ++m_at;
        return true;
    }

    Result<void> expect(std::string_view token)
    {
        if (!eat(token)) {
            return error(fmt::format("'{}' expected", token));
        }
        return {};
    }

    std::string take(std::string_view extra)
    {
        skipSpace();
        const std::size_t start = m_at;
        while (m_at < m_text.size() && (std::isalnum(static_cast<unsigned char>(m_text[m_at])) != 0 ||
                                        extra.find(m_text[m_at]) != std::string_view::npos)) {
            ++m_at;
        }
        return std::string(m_text.substr(start, m_at - start));
    }

    void back(std::size_t count) { m_at -= count; }

    Result<std::string> quoted()
    {
        TRY(expect("\""));
        std::string result;
        while (m_at < m_text.size() && m_text[m_at] != '"') {
            if (m_text[m_at] != '\\') {
                result += m_text[m_at++];
                continue;
            }
            if (m_text.substr(m_at).size() >= 4 && m_text[m_at + 1] == 'x') {
                result += static_cast<char>(std::strtol(std::string(m_text.substr(m_at + 2, 2)).c_str(), nullptr, 16));
                m_at += 4;
            } else if (m_at + 1 < m_text.size()) {
                result += m_text[m_at + 1];
                m_at += 2;
            } else {
                break;
            }
        }
        if (m_at >= m_text.size()) {
            return error("a string does not end");
        }
        ++m_at;
        return result;
    }

    std::unexpected<Error> error(std::string_view what) const
    {
        std::size_t line = 1;
        std::size_t column = 1;
        for (std::size_t i = 0; i < m_at && i < m_text.size(); ++i) {
            column = m_text[i] == '\n' ? 1 : column + 1;
            line += m_text[i] == '\n' ? 1 : 0;
        }
        return failure(ErrorKind::Input, "bad-text", fmt::format("line {}, column {}: {}", line, column, what));
    }

private:
    void skipSpace()
    {
        while (m_at < m_text.size()) {
            if (std::isspace(static_cast<unsigned char>(m_text[m_at])) != 0) {
                ++m_at;
            } else if (m_text[m_at] == '#') {
                while (m_at < m_text.size() && m_text[m_at] != '\n') {
                    ++m_at;
                }
            } else {
                break;
            }
        }
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

class Parser {
public:
    explicit Parser(Cursor& cursor) : m_cursor(cursor) {}

    Result<Graph> graph(bool nested)
    {
        TRY(m_cursor.expect("graph"));
        m_graph.name = TRY(m_cursor.quoted());
        ModelInfo info;
        TRY(m_cursor.expect("ir"));
        info.irVersion = TRY(integer());
        if (m_cursor.eat("opset")) {
            do {
                const std::string domain = TRY(m_cursor.quoted());
                info.opsets[domain] = static_cast<int>(TRY(integer()));
            } while (m_cursor.eat(","));
        }
        m_graph.setModel(std::move(info));
        std::vector<ValueId> inputs;
        std::vector<ValueId> outputs;
        while (!m_cursor.atEnd() && !(nested && m_cursor.peek() == '}')) {
            if (m_cursor.eat("input")) {
                inputs.push_back(TRY(declared()));
            } else if (m_cursor.eat("captured")) {
                m_graph.addCaptured(TRY(declared()));
            } else if (m_cursor.eat("const")) {
                TRY(constant());
            } else if (m_cursor.eat("output")) {
                outputs.push_back(TRY(known()));
            } else {
                TRY(node());
            }
        }
        m_graph.setInputs(std::move(inputs));
        m_graph.setOutputs(std::move(outputs));
        TRY(m_graph.sort());
        return std::move(m_graph);
    }

private:
    Result<std::int64_t> integer()
    {
        const std::string text = m_cursor.take("+-");
        char* end = nullptr;
        const std::int64_t value = std::strtoll(text.c_str(), &end, 10);
        if (text.empty() || *end != '\0') {
            return m_cursor.error("an integer expected");
        }
        return value;
    }

    Result<double> number(std::string* spelled = nullptr)
    {
        const std::string text = m_cursor.take("+-.");
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (text.empty() || *end != '\0') {
            return m_cursor.error("a number expected");
        }
        if (spelled != nullptr) {
            *spelled = text;
        }
        return value;
    }

    template <class T, class F>
    Result<std::vector<T>> list(F element)
    {
        std::vector<T> values;
        TRY(m_cursor.expect("["));
        while (!m_cursor.eat("]")) {
            if (!values.empty()) {
                TRY(m_cursor.expect(","));
            }
            values.push_back(TRY(element()));
        }
        return values;
    }

    Result<std::string> name()
    {
        TRY(m_cursor.expect("%"));
        if (m_cursor.peek() == '"') {
            return m_cursor.quoted();
        }
        std::string text = m_cursor.take("_./:-+@");
        while (text.ends_with(':')) {
            text.pop_back();
            m_cursor.back(1);
        }
        if (text.empty()) {
            return m_cursor.error("a name expected");
        }
        return text;
    }

    Result<ValueId> known()
    {
        const std::string text = TRY(name());
        const auto found = m_names.find(text);
        if (found == m_names.end()) {
            return m_cursor.error(fmt::format("value '{}' is not known here", text));
        }
        return found->second;
    }

    Result<ElementType> elementType()
    {
        if (m_cursor.eat("?")) {
            return ElementType::Undefined;
        }
        const std::string text = m_cursor.take("");
        const auto type = elementTypeFromName(text);
        if (!type) {
            return m_cursor.error(fmt::format("'{}' is no element type", text));
        }
        return *type;
    }

    Result<std::optional<Shape>> shape()
    {
        TRY(m_cursor.expect("["));
        if (m_cursor.eat("*")) {
            TRY(m_cursor.expect("]"));
            return std::optional<Shape>{};
        }
        Shape dims;
        while (!m_cursor.eat("]")) {
            if (!dims.empty() && !m_cursor.eatSeparator('x')) {
                return m_cursor.error("'x' expected between dimensions");
            }
            TRY(dimension(dims));
        }
        return std::optional<Shape>(std::move(dims));
    }

    /// Digits, ?, a quoted symbol or a plain one; "x" separates, so a plain symbol holds none.
    Result<void> dimension(Shape& dims)
    {
        if (m_cursor.eat("?")) {
            dims.push_back({});
            return {};
        }
        if (m_cursor.peek() == '"') {
            dims.push_back({-1, TRY(m_cursor.quoted())});
            return {};
        }
        std::string text = m_cursor.take("_./:-+@");
        const std::size_t separator = text.find('x');
        if (separator != std::string::npos) {
            m_cursor.back(text.size() - separator);
            text.resize(separator);
        }
        if (text.empty()) {
            return m_cursor.error("a dimension expected");
        }
        if (std::isdigit(static_cast<unsigned char>(text[0])) != 0) {
            dims.push_back({std::strtoll(text.c_str(), nullptr, 10), {}});
        } else {
            dims.push_back({-1, text});
        }
        return {};
    }

    Result<Grid> grid(ElementType storage)
    {
        Grid grid;
        grid.storage = storage;
        grid.qmin = lowest(storage);
        grid.qmax = highest(storage);
        TRY(m_cursor.expect("("));
        if (m_cursor.peek() == '[') {
            grid.scales = TRY(list<double>([&] { return number(); }));
            TRY(m_cursor.expect(","));
            grid.zeroPoints = TRY(list<std::int64_t>([&] { return integer(); }));
            TRY(m_cursor.expect(","));
            TRY(m_cursor.expect("axis"));
            grid.axis = static_cast<int>(TRY(integer()));
        } else {
            grid.scales = {TRY(number())};
            TRY(m_cursor.expect(","));
            grid.zeroPoints = {TRY(integer())};
        }
        if (m_cursor.eat(",")) {
            const std::string range = m_cursor.take("+-.");
            const std::size_t dots = range.find("..");
            if (dots == std::string::npos) {
                return m_cursor.error("a range such as -127..127 expected");
            }
            grid.qmin = std::strtoll(range.substr(0, dots).c_str(), nullptr, 10);
            grid.qmax = std::strtoll(range.substr(dots + 2).c_str(), nullptr, 10);
        }
        TRY(m_cursor.expect(")"));
        return grid;
    }

    Result<Tensor> elements(ElementType type, Dims dims)
    {
        const auto count = elementCount(dims);
        const auto check = [&](std::size_t given) -> Result<void> {
            if (!count || given != static_cast<std::size_t>(*count)) {
                return m_cursor.error(fmt::format("{} elements for a tensor of {}", given, toText(dims)));
            }
            return {};
        };
        if (type == ElementType::String) {
            auto values = TRY(list<std::string>([&] { return m_cursor.quoted(); }));
            TRY(check(values.size()));
            return Tensor::strings(std::move(dims), std::move(values));
        }
        if (isFloat(type)) {
            const auto values = TRY(list<double>([&] { return number(); }));
            TRY(check(values.size()));
            return tensorOfDoubles(type, std::move(dims), values);
        }
        if (!isInteger(type) && type != ElementType::Bool) {
            return m_cursor.error("a constant of this type cannot be written as text");
        }
        const auto values = TRY(list<std::int64_t>([&] { return integer(); }));
        TRY(check(values.size()));
        return tensorOfInts(type, std::move(dims), values);
    }

    Result<Value> declaration()
    {
        Value value;
        value.name = TRY(name());
        TRY(m_cursor.expect(":"));
        value.type = TRY(elementType());
        value.shape = TRY(shape());
        if (m_cursor.eat("codes")) {
            value.codes = TRY(grid(TRY(elementType())));
        }
        if (m_cursor.eat("on")) {
            value.liesOn = TRY(grid(TRY(elementType())));
        }
        return value;
    }

    Result<ValueId> add(Value value)
    {
        const std::string text = value.name;
        const ValueId id = m_graph.addValue(std::move(value));
        if (!m_names.emplace(text, id).second) {
            return m_cursor.error(fmt::format("value '{}' is declared twice", text));
        }
        return id;
    }

    Result<ValueId> declared() { return add(TRY(declaration())); }

    Result<void> constant()
    {
        Value value = TRY(declaration());
        value.alsoInput = m_cursor.eat("also_input");
        TRY(m_cursor.expect("="));
        const auto dims = value.shape ? knownDims(*value.shape) : std::nullopt;
        if (!dims) {
            return m_cursor.error("a constant needs a known shape");
        }
        value.constant = TRY(elements(value.type, *dims));
        TRY(add(std::move(value)));
        return {};
    }

    Result<Attribute> attribute()
    {
        if (m_cursor.peek() == '"') {
            return Attribute(TRY(m_cursor.quoted()));
        }
        if (m_cursor.peek() == '{') {
            return Attribute(TRY(subgraph()));
        }
        if (m_cursor.peek() == '[') {
            return numbersOrStrings();
        }
        if (m_cursor.eat("f64")) {
            if (m_cursor.peek() == '[') {
                return Attribute(TRY(list<double>([&] { return number(); })));
            }
            return Attribute(TRY(number()));
        }
        if (m_cursor.eat("tensors")) {
            return Attribute(TRY(list<Tensor>([&] { return tensor(); })));
        }
        if (m_cursor.peek() == 't') {
            return Attribute(TRY(tensor()));
        }
        if (m_cursor.eat("graphs")) {
            return Attribute(TRY(list<GraphRef>([&] { return subgraph(); })));
        }
        if (m_cursor.eat("ints")) {
            return Attribute(TRY(list<std::int64_t>([&] { return integer(); })));
        }
        if (m_cursor.eat("floats")) {
            return Attribute(std::vector<float>(
                TRY(list<float>([&]() -> Result<float> { return static_cast<float>(TRY(number())); }))));
        }
        if (m_cursor.eat("strings")) {
            return Attribute(TRY(list<std::string>([&] { return m_cursor.quoted(); })));
        }
        if (m_cursor.eat("opaque")) {
            return Attribute(OpaqueAttribute{TRY(m_cursor.quoted())});
        }
        const char first = m_cursor.peek();
        if (first == 's' || first == 'u') {
            return Attribute(TRY(grid(TRY(elementType()))));
        }
        std::string spelled;
        const double value = TRY(number(&spelled));
        if (isFloatSpelling(spelled)) {
            return Attribute(static_cast<float>(value));
        }
        return Attribute(static_cast<std::int64_t>(std::strtoll(spelled.c_str(), nullptr, 10)));
    }

    static bool isFloatSpelling(const std::string& text) { return text.find_first_of(".enf") != std::string::npos; }

    Result<Attribute> numbersOrStrings()
    {
        TRY(m_cursor.expect("["));
        const bool strings = m_cursor.peek() == '"';
        m_cursor.back(1);
        while (m_cursor.peek() != '[') {
            m_cursor.back(1);
        }
        if (strings) {
            return Attribute(TRY(list<std::string>([&] { return m_cursor.quoted(); })));
        }
        bool floats = false;
        std::vector<std::string> spellings = TRY(list<std::string>([&]() -> Result<std::string> {
            std::string spelled;
            TRY(number(&spelled));
            floats |= isFloatSpelling(spelled);
            return spelled;
        }));
        if (floats) {
            std::vector<float> values;
            for (const std::string& spelled : spellings) {
                values.push_back(std::strtof(spelled.c_str(), nullptr));
            }
            return Attribute(std::move(values));
        }
        std::vector<std::int64_t> values;
        for (const std::string& spelled : spellings) {
            values.push_back(std::strtoll(spelled.c_str(), nullptr, 10));
        }
        return Attribute(std::move(values));
    }

    Result<Tensor> tensor()
    {
        TRY(m_cursor.expect("tensor"));
        const ElementType type = TRY(elementType());
        const std::optional<Shape> dims = TRY(shape());
        const auto known = dims ? knownDims(*dims) : std::nullopt;
        if (!known) {
            return m_cursor.error("a tensor needs a known shape");
        }
        return elements(type, *known);
    }

    Result<GraphRef> subgraph()
    {
        TRY(m_cursor.expect("{"));
        Graph inner = TRY(Parser(m_cursor).graph(true));
        TRY(m_cursor.expect("}"));
        return std::make_shared<const Graph>(std::move(inner));
    }

    Result<void> captures(Node& node)
    {
        std::unordered_map<std::string, std::size_t> counts;
        do {
            const std::string key = m_cursor.take("_");
            const ValueId outer = TRY(known());
            const auto* attribute = node.attribute(key);
            const auto* ref = attribute != nullptr ? std::get_if<GraphRef>(attribute) : nullptr;
            const std::size_t index = counts[key]++;
            if (ref == nullptr || index >= (*ref)->captured().size()) {
                return m_cursor.error(fmt::format("'{}' is no subgraph that captures so many values", key));
            }
            node.captures.push_back({key, (*ref)->captured()[index], outer});
        } while (m_cursor.eat(","));
        return {};
    }

    Result<void> node()
    {
        Node node;
        std::vector<Value> outputs;
        do {
            if (m_cursor.eat("_")) {
                outputs.emplace_back();
            } else {
                outputs.push_back(TRY(declaration()));
            }
        } while (m_cursor.eat(","));
        TRY(m_cursor.expect("="));
        const std::string op = m_cursor.take("_.");
        const std::size_t dot = op.rfind('.');
        node.op = dot == std::string::npos ? op : op.substr(dot + 1);
        node.domain = dot == std::string::npos ? "" : op.substr(0, dot);
        if (node.op.empty()) {
            return m_cursor.error("an op expected");
        }
        const auto& opsets = m_graph.model().opsets;
        const auto opset = opsets.find(node.domain);
        node.version = opset == opsets.end() ? 0 : opset->second;
        if (m_cursor.eat("@")) {
            node.version = static_cast<int>(TRY(integer()));
        }
        TRY(m_cursor.expect("("));
        while (!m_cursor.eat(")")) {
            if (!node.inputs.empty()) {
                TRY(m_cursor.expect(","));
            }
            node.inputs.push_back(m_cursor.eat("_") ? ValueId{} : TRY(known()));
        }
        if (m_cursor.eat("{")) {
            while (!m_cursor.eat("}")) {
                if (!node.attributes.empty()) {
                    TRY(m_cursor.expect(","));
                }
                const std::string key = m_cursor.take("_");
                TRY(m_cursor.expect("="));
                node.attributes.insert_or_assign(key, TRY(attribute()));
            }
        }
        if (m_cursor.eat("captures")) {
            TRY(captures(node));
        }
        if (m_cursor.peek() == '"') {
            node.name = TRY(m_cursor.quoted());
        }
        for (Value& output : outputs) {
            node.outputs.push_back(output.name.empty() ? ValueId{} : TRY(add(std::move(output))));
        }
        if (outputs.size() == 1 && !node.outputs[0].valid()) {
            node.outputs.clear();
        }
        m_graph.addNode(std::move(node));
        return {};
    }

    Cursor& m_cursor;
    Graph m_graph;
    std::unordered_map<std::string, ValueId> m_names;
};

} // namespace

Result<Graph> parse(std::string_view text)
{
    Cursor cursor(text);
    return Parser(cursor).graph(false);
}

} // namespace crease
