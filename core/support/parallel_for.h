// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>

namespace crease {

/// Calls body(i) for every i in [0, count), on at most `threads` threads; returns when all are done. Body must not
/// throw.
void parallelFor(std::size_t count, int threads, const std::function<void(std::size_t)>& body);

} // namespace crease
