// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/window.h"

namespace crease {

/// y = conv(x, w), padding with 0: x is [batch, channels, in], w [outChannels, channels / groups, kernel], y [batch,
/// outChannels, out]. The order of each sum depends on the shapes alone. For float and double.
template <class T>
void convolve(const Window& window, std::int64_t groups, std::int64_t outChannels, const T* x, const T* w, T* y,
              int threads);

/// y = transposed conv: w is [channels, outChannels / groups, kernel].
template <class T>
void convolveTransposed(const Window& window, std::int64_t groups, std::int64_t outChannels, const T* x, const T* w,
                        T* y, int threads);

} // namespace crease
