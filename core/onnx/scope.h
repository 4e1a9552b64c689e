// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/onnx/proto.h"
#include "core/support/result.h"
#include "core/support/text.h"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace crease {

inline constexpr int maxDepth = 64; // of subgraphs and function calls in each other

using Names = std::unordered_map<std::string, ValueId>;
using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;
using Infos = std::unordered_map<std::string, onnx::ValueInfoProto*>;

/// The names that a list of nodes sees. A subgraph's scope looks further in `outer` and captures what it finds there;
/// a function's body sees nothing but its own names.
struct Scope {
    Graph& graph;
    Scope* outer = nullptr;
    Names names{};
    std::vector<Capture> captures{}; // without the attribute's name
};

/// The attributes that a function was called with.
struct Arguments {
    const Attributes* attributes = nullptr;
    const std::vector<Capture>* captures = nullptr;
    const Graph* graph = nullptr; // where the captures' outer values are
};

struct Body {
    Scope& scope;
    const std::map<std::string, int>& opsets;
    Arguments arguments{};
    std::string prefix{}; // of names, in a function
    int depth = 0;
};

std::unexpected<Error> inputFault(std::string id, std::string message);
/// What to call a node of a file in a message: its op and name.
std::string labelOf(const onnx::NodeProto& proto);

/// The value that a name stands for; an invalid id for a function's input that the caller left out; nothing where the
/// name is unknown.
std::optional<ValueId> find(Scope& scope, const std::string& name);

/// Adds the value's name to an error that has none.
template <class T>
Result<T> ofValue(Result<T> result, const std::string& value)
{
    if (!result && result.error().value.empty()) {
        result.error().value = printable(value);
    }
    return result;
}

} // namespace crease
