// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/convolution.h"

#include "core/exec/gemm.h"
#include "core/support/parallel_for.h"

#include <algorithm>
#include <vector>

namespace crease {

namespace {

std::size_t unsign(std::int64_t value)
{
    return static_cast<std::size_t>(value);
}

/// The positions [first, last) on one output axis whose tap at `offset` falls inside the input.
struct Range {
    std::int64_t first = 0;
    std::int64_t last = 0;
};

Range insideRange(const Window& window, std::size_t axis, std::int64_t tap)
{
    const std::int64_t offset = tap * window.dilation[axis] - window.begin[axis];
    const std::int64_t stride = window.stride[axis];
    const std::int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
    const std::int64_t room = window.in[axis] - 1 - offset;
    const std::int64_t last = room < 0 ? 0 : std::min(window.out[axis], room / stride + 1);
    return {std::min(first, last), last};
}

template <class F>
void forEachTap(const Window& window, F&& f)
{
    for (std::int64_t z = 0; z < window.kernel[0]; ++z) {
        for (std::int64_t y = 0; y < window.kernel[1]; ++y) {
            for (std::int64_t x = 0; x < window.kernel[2]; ++x) {
                f(z, y, x);
            }
        }
    }
}

/// The index in the input's plane of the row that tap (z, y) of output row (oz, oy) reads, or -1 in the padding.
std::int64_t inputRow(const Window& window, std::int64_t oz, std::int64_t oy, std::int64_t z, std::int64_t y)
{
    const std::int64_t iz = oz * window.stride[0] - window.begin[0] + z * window.dilation[0];
    const std::int64_t iy = oy * window.stride[1] - window.begin[1] + y * window.dilation[1];
    if (iz < 0 || iz >= window.in[0] || iy < 0 || iy >= window.in[1]) {
        return -1;
    }
    return (iz * window.in[1] + iy) * window.in[2];
}

/// One row of the im2col matrix: what one tap sees at the output positions [from, to).
template <class T>
void gatherTap(const Window& window, const T* plane, std::array<std::int64_t, 3> tap, std::int64_t from,
               std::int64_t to, T* row)
{
    const std::int64_t width = window.out[2];
    const Range inside = insideRange(window, 2, tap[2]);
    const std::int64_t offset = tap[2] * window.dilation[2] - window.begin[2];
    const std::int64_t stride = window.stride[2];
    for (std::int64_t position = from; position < to;) {
        const std::int64_t line = position / width;
        const std::int64_t a = position - line * width;
        const std::int64_t b = std::min(width, a + to - position);
        const std::int64_t source = inputRow(window, line / window.out[1], line % window.out[1], tap[0], tap[1]);
        const std::int64_t first = source < 0 ? b : std::clamp(inside.first, a, b);
        const std::int64_t last = source < 0 ? b : std::clamp(inside.last, first, b);
        std::fill(row, row + (first - a), T{0});
        const T* from2 = plane + std::max<std::int64_t>(source, 0) + offset;
        if (stride == 1) {
            std::copy(from2 + first, from2 + last, row + (first - a));
        } else {
            for (std::int64_t x = first; x < last; ++x) {
                row[x - a] = from2[x * stride];
            }
        }
        std::fill(row + (last - a), row + (b - a), T{0});
        row += b - a;
        position += b - a;
    }
}

template <class T>
void depthwisePlane(const Window& window, const T* plane, const T* taps, T* out)
{
    std::vector<Range> ranges;
    for (std::int64_t x = 0; x < window.kernel[2]; ++x) {
        ranges.push_back(insideRange(window, 2, x));
    }
    const std::int64_t stride = window.stride[2];
    for (std::int64_t oz = 0; oz < window.out[0]; ++oz) {
        for (std::int64_t oy = 0; oy < window.out[1]; ++oy) {
            T* __restrict row = out + (oz * window.out[1] + oy) * window.out[2];
            std::fill(row, row + window.out[2], T{0});
            const T* weight = taps;
            forEachTap(window, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
                const T factor = *weight++;
                const std::int64_t source = inputRow(window, oz, oy, z, y);
                if (source < 0) {
                    return;
                }
                const Range range = ranges[unsign(x)];
                const T* __restrict in = plane + source + x * window.dilation[2] - window.begin[2];
                if (stride == 1) {
                    for (std::int64_t i = range.first; i < range.last; ++i) {
                        row[i] += factor * in[i];
                    }
                } else {
                    for (std::int64_t i = range.first; i < range.last; ++i) {
                        row[i] += factor * in[i * stride];
                    }
                }
            });
        }
    }
}

bool isPointwise(const Window& window)
{
    const Window::Axes ones{1, 1, 1};
    const Window::Axes zeros{0, 0, 0};
    return window.kernel == ones && window.stride == ones && window.begin == zeros && window.end == zeros;
}

/// Columns of the im2col matrix that are made at a time.
std::int64_t columnBlock(const Window& window, std::int64_t depth)
{
    if (isPointwise(window)) {
        return 4096;
    }
    return std::max<std::int64_t>(64, (std::int64_t{1} << 18) / std::max<std::int64_t>(depth, 1) / 64 * 64);
}

} // namespace

template <class T>
void convolve(const Window& window, std::int64_t groups, std::int64_t outChannels, const T* x, const T* w, T* y,
              int threads)
{
    const std::int64_t inEach = window.channels / groups;
    const std::int64_t outEach = outChannels / groups;
    const std::int64_t taps = window.kernelSize();
    const std::int64_t inSize = window.inSize();
    const std::int64_t outSize = window.outSize();
    if (inEach == 1) {
        parallelFor(unsign(window.batch * outChannels), threads, [&](std::size_t task) {
            const std::int64_t channel = static_cast<std::int64_t>(task) % outChannels;
            const std::int64_t sample = static_cast<std::int64_t>(task) / outChannels;
            depthwisePlane(window, x + (sample * window.channels + channel / outEach) * inSize, w + channel * taps,
                           y + (sample * outChannels + channel) * outSize);
        });
        return;
    }
    const std::int64_t depth = inEach * taps;
    const std::int64_t block = columnBlock(window, depth);
    const std::int64_t blocks = (outSize + block - 1) / block;
    parallelFor(unsign(window.batch * groups * blocks), threads, [&](std::size_t task) {
        const std::int64_t from = static_cast<std::int64_t>(task) % blocks * block;
        const std::int64_t to = std::min(outSize, from + block);
        const std::int64_t group = static_cast<std::int64_t>(task) / blocks % groups;
        const std::int64_t sample = static_cast<std::int64_t>(task) / blocks / groups;
        const T* planes = x + (sample * window.channels + group * inEach) * inSize;
        T* out = y + (sample * outChannels + group * outEach) * outSize + from;
        const MatrixView<const T> weights{w + group * outEach * depth, unsign(outEach), unsign(depth), unsign(depth)};
        const MatrixView<T> result{out, unsign(outEach), unsign(to - from), unsign(outSize)};
        if (isPointwise(window)) {
            multiply<T>(weights, {planes + from, unsign(depth), unsign(to - from), unsign(inSize)}, result);
            return;
        }
        std::vector<T> columns(unsign(depth * (to - from)));
        T* row = columns.data();
        for (std::int64_t channel = 0; channel < inEach; ++channel) {
            forEachTap(window, [&](std::int64_t kz, std::int64_t ky, std::int64_t kx) {
                gatherTap(window, planes + channel * inSize, {kz, ky, kx}, from, to, row);
                row += to - from;
            });
        }
        multiply<T>(weights, {columns.data(), unsign(depth), unsign(to - from), unsign(to - from)}, result);
    });
}

template <class T>
void convolveTransposed(const Window& window, std::int64_t groups, std::int64_t outChannels, const T* x, const T* w,
                        T* y, int threads)
{
    const std::int64_t inEach = window.channels / groups;
    const std::int64_t outEach = outChannels / groups;
    const std::int64_t taps = window.kernelSize();
    const std::int64_t inSize = window.inSize();
    const std::int64_t outSize = window.outSize();
    const std::int64_t rows = outEach * taps;
    parallelFor(unsign(window.batch * groups), threads, [&](std::size_t task) {
        const std::int64_t group = static_cast<std::int64_t>(task) % groups;
        const std::int64_t sample = static_cast<std::int64_t>(task) / groups;
        std::vector<T> columns(unsign(rows * inSize));
        multiply<T>(
            {w + group * inEach * rows, unsign(rows), unsign(inEach), unsign(rows), true},
            {x + (sample * window.channels + group * inEach) * inSize, unsign(inEach), unsign(inSize), unsign(inSize)},
            {columns.data(), unsign(rows), unsign(inSize), unsign(inSize)});
        T* out = y + (sample * outChannels + group * outEach) * outSize;
        std::fill(out, out + outEach * outSize, T{0});
        const T* column = columns.data();
        for (std::int64_t channel = 0; channel < outEach; ++channel) {
            T* plane = out + channel * outSize;
            forEachTap(window, [&](std::int64_t kz, std::int64_t ky, std::int64_t kx) {
                for (std::int64_t i = 0; i < inSize; ++i) {
                    const std::int64_t ix = i % window.in[2];
                    const std::int64_t iy = i / window.in[2] % window.in[1];
                    const std::int64_t iz = i / window.in[2] / window.in[1];
                    const std::int64_t oz = iz * window.stride[0] - window.begin[0] + kz * window.dilation[0];
                    const std::int64_t oy = iy * window.stride[1] - window.begin[1] + ky * window.dilation[1];
                    const std::int64_t ox = ix * window.stride[2] - window.begin[2] + kx * window.dilation[2];
                    if (oz >= 0 && oz < window.out[0] && oy >= 0 && oy < window.out[1] && ox >= 0 &&
                        ox < window.out[2]) {
                        plane[(oz * window.out[1] + oy) * window.out[2] + ox] += column[i];
                    }
                }
                column += inSize;
            });
        }
    });
}

template void convolve<float>(const Window&, std::int64_t, std::int64_t, const float*, const float*, float*, int);
template void convolve<double>(const Window&, std::int64_t, std::int64_t, const double*, const double*, double*, int);
template void convolveTransposed<float>(const Window&, std::int64_t, std::int64_t, const float*, const float*, float*,
                                        int);
template void convolveTransposed<double>(const Window&, std::int64_t, std::int64_t, const double*, const double*,
                                         double*, int);

} // namespace crease
