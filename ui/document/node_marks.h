// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/trace.h"
#include "core/verify/verify.h"

#include <QString>

#include <optional>
#include <unordered_map>

namespace crease {

/// What a verification says about one node of one stage. In the final graph it is the comparison of the node's own
/// tensor; elsewhere it is that of the tensors of the rewrite that made the node.
struct NodeMark {
    Verdict verdict = Verdict::NotChecked;
    Counts counts{};
    bool isOwnTensor = false; // else the tensors of its rewrite together
    std::string note{};       // why not checked, or what failed first
};

using NodeMarks = std::unordered_map<std::uint32_t, NodeMark>; // by index of the node's id

/// The marks of a stage. A node that no pass made or changed up to there has none: there is nothing to compare.
NodeMarks nodeMarks(const Trace& trace, const Verification& verification, std::size_t stage);

/// The icon of a certificate's mark.
QString certificateIcon(Verdict verdict);

/// What a mark means, in one line: "within steps: 3 codes off by one of 64,000: bias".
QString markText(const NodeMark& mark);

} // namespace crease
