// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/picture.h"

namespace crease::test {

/// The second block of a residual network before and after BatchNorm is folded (look.md's main picture), or several
/// blocks of it.
Scene beforeFold(int blocks = 1);
/// The next scene: BatchNorms gone, but that of the shortcut; their Conv and its weight quantizer changed.
Scene afterFold(const Scene& before);
/// Integer: convolutions with stored weights, requantizers, a float island.
Scene lowered(const Scene& after, std::vector<layout::Origin>& origins);

/// The id of a node of a scene by its short name and op; 0 where there is none.
std::uint64_t idOf(const Scene& scene, const QString& op, const QString& shortName);

} // namespace crease::test
