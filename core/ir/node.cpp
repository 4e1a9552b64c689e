// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/node.h"

namespace crease {

const Attribute* Node::attribute(std::string_view key) const
{
    const auto found = attributes.find(key);
    return found == attributes.end() ? nullptr : &found->second;
}

std::int64_t Node::intAttribute(std::string_view key, std::int64_t fallback) const
{
    const Attribute* found = attribute(key);
    const auto* value = found != nullptr ? std::get_if<std::int64_t>(found) : nullptr;
    return value != nullptr ? *value : fallback;
}

double Node::floatAttribute(std::string_view key, double fallback) const
{
    const Attribute* found = attribute(key);
    if (found == nullptr) {
        return fallback;
    }
    if (const auto* value = std::get_if<float>(found)) {
        return static_cast<double>(*value);
    }
    const auto* value = std::get_if<double>(found);
    return value != nullptr ? *value : fallback;
}

std::string Node::stringAttribute(std::string_view key, std::string_view fallback) const
{
    const Attribute* found = attribute(key);
    const auto* value = found != nullptr ? std::get_if<std::string>(found) : nullptr;
    return value != nullptr ? *value : std::string(fallback);
}

std::vector<std::int64_t> Node::intsAttribute(std::string_view key, std::vector<std::int64_t> fallback) const
{
    const Attribute* found = attribute(key);
    const auto* value = found != nullptr ? std::get_if<std::vector<std::int64_t>>(found) : nullptr;
    if (value != nullptr)
        return *value;
    return fallback;
}

std::vector<double> Node::doublesAttribute(std::string_view key) const
{
    const Attribute* found = attribute(key);
    if (found == nullptr) {
        return {};
    }
    if (const auto* value = std::get_if<std::vector<double>>(found)) {
        return *value;
    }
    if (const auto* value = std::get_if<std::vector<float>>(found)) {
        return {value->begin(), value->end()};
    }
    return {};
}

const Tensor* Node::tensorAttribute(std::string_view key) const
{
    const Attribute* found = attribute(key);
    return found != nullptr ? std::get_if<Tensor>(found) : nullptr;
}

const Grid* Node::gridAttribute(std::string_view key) const
{
    const Attribute* found = attribute(key);
    return found != nullptr ? std::get_if<Grid>(found) : nullptr;
}

bool sameNode(const Node& a, const Node& b)
{
    if (a.op != b.op || a.domain != b.domain || a.name != b.name || a.version != b.version || a.doc != b.doc ||
        a.metadata != b.metadata || a.opaque != b.opaque || a.attributes.size() != b.attributes.size()) {
        return false;
    }
    for (auto left = a.attributes.begin(), right = b.attributes.begin(); left != a.attributes.end(); ++left, ++right) {
        if (left->first != right->first || !sameAttribute(left->second, right->second)) {
            return false;
        }
    }
    return true;
}

} // namespace crease
