// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/broadcast.h"

#include <algorithm>
#include <ranges>

namespace crease {

BroadcastWalk BroadcastWalk::over(const Dims& result, std::initializer_list<const Dims*> operandDims)
{
    BroadcastWalk walk;
    walk.operands = operandDims.size();
    std::vector<std::vector<std::int64_t>> full;
    for (const Dims* dims : operandDims) {
        full.push_back(broadcastStrides(*dims, result));
    }
    for (std::size_t axis = 0; axis < result.size(); ++axis) {
        if (result[axis] == 1) {
            continue;
        }
        // Merges with the axis before where stepping over this whole axis is one step of that one, for all operands.
        const bool merges =
            !walk.lengths.empty() &&
            std::ranges::all_of(std::views::iota(std::size_t{0}, full.size()), [&](std::size_t operand) {
                return walk.strides[operand].back() == full[operand][axis] * result[axis];
            });
        if (merges) {
            walk.lengths.back() *= result[axis];
        } else {
            walk.lengths.push_back(result[axis]);
        }
        for (std::size_t operand = 0; operand < full.size(); ++operand) {
            if (merges) {
                walk.strides[operand].back() = full[operand][axis];
            } else {
                walk.strides[operand].push_back(full[operand][axis]);
            }
        }
    }
    if (walk.lengths.empty()) {
        walk.lengths.push_back(1);
        for (std::size_t operand = 0; operand < full.size(); ++operand) {
            walk.strides[operand].push_back(0);
        }
    }
    return walk;
}

} // namespace crease
