// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/layout/segment_graph.h"

namespace crease::layout {

/// The own engine, always available: orders each row by medians, makes straight columns of what follows each other
/// (the trunk first), and moves the columns as near to their neighbours as the rows allow.
SegmentPlacement placeLayered(const SegmentGraph& segment, const Metrics& metrics);

} // namespace crease::layout
