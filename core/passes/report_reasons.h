// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/report.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace crease {

struct Reason {
    std::string id;
    std::string text;
    std::string node; // a name
};

/// Why what is float at the end of a trace stayed so: from the misses of its passes, else from the nodes themselves.
class Reasons {
public:
    explicit Reasons(const Trace& trace);

    /// Nothing where the quantizer whose descendants in the final graph these are has become integer.
    std::optional<Reason> keptBecause(const std::vector<NodeId>& descendants, QuantizerRole role) const;

    std::vector<Island> islands() const;

private:
    Reason ofNode(NodeId id) const;
    Reason ofSource(NodeId id) const;
    bool isFloatOp(NodeId id) const;
    bool feedsInteger(ValueId codes) const;
    std::optional<Reason> ofReaders(ValueId real) const;
    std::optional<Reason> missAt(NodeId id) const;
    std::optional<Reason> switchedOffAt(NodeId id) const;
    std::optional<Reason> faultAt(NodeId id) const;
    std::optional<Reason> faultBeside(NodeId id) const;

    const Trace* m_trace;
    const Graph* m_graph;                                    // the final one
    std::unordered_map<std::uint32_t, const Miss*> m_misses; // by node of the final graph
    std::unordered_map<std::uint32_t, const Miss*> m_blamed; // those that only name the node
    std::unordered_map<std::uint32_t, std::string> m_off;    // sites that the recipe switched off, by node
    /// Of a value of the final graph.
    struct Readers {
        NodeId linear;          // the first linear op
        bool quantizer = false; // a Quantize
        bool other = false;     // anything but a Dequantize
    };
    std::vector<Readers> m_readers; // by value
};

} // namespace crease
