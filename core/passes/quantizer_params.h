// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/constants.h"
#include "core/rewrite/rule.h"
#include "core/support/diagnostic.h"

#include <expected>
#include <set>
#include <string_view>

namespace crease {

/// What a rule finds out about the user's model beside its outcome: each finding once a node.
class Findings {
public:
    void add(Severity severity, std::string id, std::string text, std::string node, std::string value = {});
    const Diagnostics& all() const { return m_all; }

private:
    std::set<std::pair<std::string, std::string>> m_seen;
    Diagnostics m_all;
};

/// Scale, zero point and axis as a QuantizeLinear or DequantizeLinear gives them: scales are not checked for sign.
struct QuantizerParams {
    std::vector<double> scales;
    std::vector<std::int64_t> zeroPoints;
    std::optional<int> axis; // nothing where one scale and zero point hold for the whole tensor
    ElementType storage = ElementType::Undefined;
    std::int64_t qmin = 0;
    std::int64_t qmax = 0;

    /// Scales, zero points and axis; storage and range aside.
    bool sameNumbers(const QuantizerParams& other) const
    {
        return scales == other.scales && zeroPoints == other.zeroPoints && axis == other.axis;
    }
    Grid grid() const { return {scales, zeroPoints, axis, storage, qmin, qmax}; }
};

bool isQuantizeLinear(const Node& node);
bool isDequantizeLinear(const Node& node);

using ParamsResult = std::expected<QuantizerParams, Miss>;

/// The parameters of a QuantizeLinear or DequantizeLinear of ai.onnx or com.microsoft (formats.md §1).
ParamsResult readParams(const Graph& graph, NodeId id, ConstantResolver& constants, Findings& findings);

/// A miss with the channel and value where a scale is no positive finite number.
std::optional<Miss> badScale(const Graph& graph, NodeId id, const std::vector<double>& scales);

/// Whether a miss says that the file itself is at fault, not that a form is unknown here: such a quantizer cannot be
/// valid for anyone.
bool isFaultOfFile(std::string_view missId);

/// What a node is called in messages: its name, or its op and first output.
std::string nodeLabel(const Graph& graph, NodeId id);

} // namespace crease
