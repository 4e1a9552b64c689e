// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/equal.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>
#include <vector>

namespace crease {

namespace {

bool differs(std::string* why, std::string reason)
{
    if (why != nullptr) {
        *why = std::move(reason);
    }
    return false;
}

bool equalValues(const Graph& a, ValueId left, const Graph& b, ValueId right, std::string* why)
{
    if (left.valid() != right.valid()) {
        return differs(why, "an optional input is absent in one graph only");
    }
    if (!left.valid() || sameValue(a.value(left), b.value(right))) {
        return true;
    }
    return differs(why, fmt::format("value '{}' differs from '{}'", a.value(left).name, b.value(right).name));
}

bool equalLists(const Graph& a, const std::vector<ValueId>& left, const Graph& b, const std::vector<ValueId>& right,
                const std::string& what, std::string* why)
{
    if (left.size() != right.size()) {
        return differs(why, fmt::format("{}: {} against {}", what, left.size(), right.size()));
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (!equalValues(a, left[i], b, right[i], why)) {
            return false;
        }
    }
    return true;
}

/// In which order a subgraph names what it captures says nothing: it is that of its nodes, which may be sorted again.
std::vector<Capture> inOrder(const Graph& graph, std::vector<Capture> captures)
{
    std::ranges::stable_sort(captures, {}, [&](const Capture& capture) {
        return std::tie(capture.attribute, graph.value(capture.outer).name);
    });
    return captures;
}

bool equalCaptures(const Graph& a, const Node& left, const Graph& b, const Node& right, std::string* why)
{
    if (left.captures.size() != right.captures.size()) {
        return differs(why, fmt::format("node '{}' captures a different number of values", left.name));
    }
    const std::vector<Capture> first = inOrder(a, left.captures);
    const std::vector<Capture> second = inOrder(b, right.captures);
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (first[i].attribute != second[i].attribute || !equalValues(a, first[i].outer, b, second[i].outer, why)) {
            return differs(why, fmt::format("node '{}' captures '{}' where the other captures '{}'", left.name,
                                            a.value(first[i].outer).name, b.value(second[i].outer).name));
        }
    }
    return true;
}

} // namespace

bool equalGraphs(const Graph& a, const Graph& b, std::string* why)
{
    if (a.name != b.name || a.doc != b.doc || a.metadata != b.metadata) {
        return differs(why, "the graphs' name, doc string or metadata differ");
    }
    if (a.model() != b.model()) {
        return differs(why, "what the files say of the model differs");
    }
    if (!equalLists(a, a.inputs(), b, b.inputs(), "inputs", why) ||
        !equalLists(a, a.outputs(), b, b.outputs(), "outputs", why)) {
        return false;
    }
    if (a.nodeCount() != b.nodeCount()) {
        return differs(why, fmt::format("{} nodes against {}", a.nodeCount(), b.nodeCount()));
    }
    for (std::size_t i = 0; i < a.order().size(); ++i) {
        const Node& left = a.node(a.order()[i]);
        const Node& right = b.node(b.order()[i]);
        if (!sameNode(left, right)) {
            return differs(why, fmt::format("node {} ({} '{}') differs from {} '{}'", i, left.op, left.name, right.op,
                                            right.name));
        }
        if (!equalLists(a, left.inputs, b, right.inputs, "inputs of '" + left.name + "'", why) ||
            !equalLists(a, left.outputs, b, right.outputs, "outputs of '" + left.name + "'", why) ||
            !equalCaptures(a, left, b, right, why)) {
            return false;
        }
    }
    return true;
}

bool sameAttribute(const Attribute& a, const Attribute& b)
{
    if (a.index() != b.index()) {
        return false;
    }
    const auto sameGraphs = [](const GraphRef& left, const GraphRef& right) {
        return left == right || (left != nullptr && right != nullptr && equalGraphs(*left, *right));
    };
    if (const auto* tensor = std::get_if<Tensor>(&a)) {
        return tensor->identical(std::get<Tensor>(b));
    }
    if (const auto* tensors = std::get_if<std::vector<Tensor>>(&a)) {
        return std::ranges::equal(*tensors, std::get<std::vector<Tensor>>(b),
                                  [](const Tensor& left, const Tensor& right) { return left.identical(right); });
    }
    if (const auto* graph = std::get_if<GraphRef>(&a)) {
        return sameGraphs(*graph, std::get<GraphRef>(b));
    }
    if (const auto* graphs = std::get_if<std::vector<GraphRef>>(&a)) {
        return std::ranges::equal(*graphs, std::get<std::vector<GraphRef>>(b), sameGraphs);
    }
    return std::visit(
        [&]<class T>(const T& left) {
            if constexpr (std::is_same_v<T, Tensor> || std::is_same_v<T, std::vector<Tensor>> ||
                          std::is_same_v<T, GraphRef> || std::is_same_v<T, std::vector<GraphRef>>) {
                return false;
            } else {
                return left == std::get<T>(b);
            }
        },
        a);
}

} // namespace crease
