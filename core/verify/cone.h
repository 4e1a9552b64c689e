// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/trace.h"
#include "core/verify/pairing.h"

#include <vector>

namespace crease {

/// What lies between a compared value and the compared values before it: what is checked there.
struct Cone {
    std::vector<std::size_t> sites; // of the stage's rewrites, those that made or changed something in the cone
    bool islands = false;           // a float node is in it
};

/// One for each pair. `stage`: whose sites are looked for; null for none.
std::vector<Cone> conesOf(const Graph& after, const Pairing& pairing, const Stage* stage);

} // namespace crease
