// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/kernel.h"

namespace crease {

struct ResizeTap {
    std::int64_t index = 0;
    double weight = 1.0;
};

/// What one axis of a Resize does: for each output position the input positions it is made of. No taps: outside of the
/// region of tf_crop_and_resize.
struct ResizeAxis {
    bool changes = false;
    std::vector<std::vector<ResizeTap>> positions;
};

struct ResizePlan {
    Dims dims; // of the output
    std::vector<ResizeAxis> axes;
    bool nearest = true;
    double outside = 0.0; // the extrapolation value

    /// Whether each output is one input.
    bool moves() const;
};

/// From the node's attributes and its inputs roi, scales and sizes.
Result<ResizePlan> resizePlan(const KernelContext& context);

} // namespace crease
