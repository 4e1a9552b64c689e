// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/support/strong_id.h"

namespace crease {

struct NodeTag;
struct ValueTag;
using NodeId = StrongId<NodeTag>;
using ValueId = StrongId<ValueTag>;

} // namespace crease
