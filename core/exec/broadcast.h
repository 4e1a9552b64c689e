// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/kernel_support.h"

#include <array>

namespace crease {

/// A walk over the elements of a broadcast result in row-major order, of up to three operands: axes that all operands
/// step through alike are merged, so that the innermost loop is long.
struct BroadcastWalk {
    std::vector<std::int64_t> lengths;                // merged axes, the last one is the inner loop
    std::array<std::vector<std::int64_t>, 3> strides; // of each operand along them
    std::size_t operands = 0;

    static BroadcastWalk over(const Dims& result, std::initializer_list<const Dims*> operandDims);

    std::int64_t inner() const { return lengths.back(); }
    std::int64_t innerStride(std::size_t operand) const { return strides[operand].back(); }

    /// Calls body(output offset, operand offsets) for each run of the inner loop.
    template <class Body>
    void forEachRun(Body&& body) const
    {
        std::int64_t runs = 1;
        for (std::size_t i = 0; i + 1 < lengths.size(); ++i) {
            runs *= lengths[i];
        }
        if (runs == 0 || inner() == 0) {
            return;
        }
        std::vector<std::int64_t> index(lengths.size(), 0);
        std::array<std::int64_t, 3> offsets{};
        for (std::int64_t run = 0; run < runs; ++run) {
            body(run * inner(), offsets);
            for (std::size_t axis = lengths.size() - 1; axis-- > 0;) {
                for (std::size_t operand = 0; operand < operands; ++operand) {
                    offsets[operand] += strides[operand][axis];
                }
                if (++index[axis] < lengths[axis]) {
                    break;
                }
                for (std::size_t operand = 0; operand < operands; ++operand) {
                    offsets[operand] -= strides[operand][axis] * lengths[axis];
                }
                index[axis] = 0;
            }
        }
    }
};

/// out[i] = f(a[i], b[i]) under broadcasting; inner strides are 0 or 1.
template <class A, class B, class Out, class F>
void broadcastBinary(const BroadcastWalk& walk, const A* a, const B* b, Out* out, F f)
{
    const std::int64_t count = walk.inner();
    const bool movesA = walk.innerStride(0) != 0;
    const bool movesB = walk.innerStride(1) != 0;
    walk.forEachRun([&](std::int64_t at, const std::array<std::int64_t, 3>& offsets) {
        const A* x = a + offsets[0];
        const B* y = b + offsets[1];
        Out* __restrict to = out + at;
        if (movesA && movesB) {
            for (std::int64_t i = 0; i < count; ++i) {
                to[i] = f(x[i], y[i]);
            }
        } else if (movesA) {
            const B right = *y;
            for (std::int64_t i = 0; i < count; ++i) {
                to[i] = f(x[i], right);
            }
        } else if (movesB) {
            const A left = *x;
            for (std::int64_t i = 0; i < count; ++i) {
                to[i] = f(left, y[i]);
            }
        } else {
            const Out value = f(*x, *y);
            for (std::int64_t i = 0; i < count; ++i) {
                to[i] = value;
            }
        }
    });
}

} // namespace crease
