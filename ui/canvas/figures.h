// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/trace.h"
#include "core/verify/verify.h"
#include "ui/canvas/scene.h"

#include <memory>
#include <unordered_map>

namespace crease {

/// By scene id: what a verification of the whole fold says about the nodes of one stage. A tensor of the final graph
/// speaks for its producer and for all that its producer came from; the worst counts. Nodes that nothing was compared
/// for, and float tensors in Colour by error, are absent. Marks are those of nodeMarks.
std::shared_ptr<const std::unordered_map<std::uint64_t, SceneFigures>>
figuresOf(const Trace& trace, const Verification& verification, std::size_t stage);

} // namespace crease
