// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/layout/segment_graph.h"

#include <optional>

namespace crease::layout {

std::string encodeRequest(const std::vector<const SegmentGraph*>& segments, const Metrics& metrics);

struct Answer {
    bool malformed = false;
    std::size_t segment = 0;
    std::optional<SegmentPlacement> placement;
};

Answer decodeAnswer(const std::string& message, const SegmentGraph& segment);

/// Cuts one whole message off the front of what was read.
std::optional<std::string> takeMessage(std::string& input);

} // namespace crease::layout
