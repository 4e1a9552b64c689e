// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/layout/layout_result.h"

namespace crease::layout {

/// Draws every edge of a result whose centres are set and whose stub edges are marked: straight or as one cubic where
/// nothing is in the way, else through a lane between the boxes. Chips with an empty rectangle get a free place.
/// A path that is already there and that no `fresh` box touches is kept as it is.
void routeEdges(LayoutResult& result, const std::vector<bool>& fresh, const Metrics& metrics);

/// Lists the chips that the stub edges of a result need, without places.
std::vector<StubChip> makeChips(const LayoutResult& result);

/// The rectangle around everything.
Rect boundsOf(const LayoutResult& result);

} // namespace crease::layout
