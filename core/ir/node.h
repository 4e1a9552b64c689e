// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/attribute.h"
#include "core/ir/ids.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crease {

using Metadata = std::vector<std::pair<std::string, std::string>>;

/// An outer value that a subgraph of a node reads: it counts as a use of the outer value.
struct Capture {
    std::string attribute; // which subgraph attribute
    ValueId inner;         // the value that stands for it there
    ValueId outer;
    bool operator==(const Capture&) const = default;
};

/// One operation. Domain "" is ai.onnx, "crease" are the nodes of core/ir/integer_nodes.h.
struct Node {
    std::string op;
    std::string domain{};
    std::string name{};            // a label: may be empty or repeated
    std::vector<ValueId> inputs{}; // an invalid id stands for an absent optional input
    std::vector<ValueId> outputs{};
    Attributes attributes{};
    std::vector<Capture> captures{};
    int version = 0; // opset version of the domain whose meaning this node has; 0 for crease nodes and unknown domains
    std::string doc{};
    Metadata metadata{};
    std::string opaque{}; // fields of the NodeProto that we do not know, as their bytes

    bool is(std::string_view opName, std::string_view opDomain = {}) const
    {
        return op == opName && domain == opDomain;
    }

    const Attribute* attribute(std::string_view key) const;
    std::int64_t intAttribute(std::string_view key, std::int64_t fallback) const;
    double floatAttribute(std::string_view key, double fallback) const; // float or double
    std::string stringAttribute(std::string_view key, std::string_view fallback = {}) const;
    std::vector<std::int64_t> intsAttribute(std::string_view key, std::vector<std::int64_t> fallback = {}) const;
    std::vector<double> doublesAttribute(std::string_view key) const; // floats or doubles; empty where absent
    const Tensor* tensorAttribute(std::string_view key) const;
    const Grid* gridAttribute(std::string_view key) const;

    ValueId input(std::size_t slot) const { return slot < inputs.size() ? inputs[slot] : ValueId{}; }
    ValueId output(std::size_t slot = 0) const { return slot < outputs.size() ? outputs[slot] : ValueId{}; }
};

bool sameNode(const Node& a, const Node& b); // everything but ids of inputs and outputs

} // namespace crease
