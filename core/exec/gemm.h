// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace crease {

/// A matrix in memory: rows * columns elements, `stride` elements from one row to the next, or, where `transposed`,
/// from one column to the next.
template <class T>
struct MatrixView {
    T* data = nullptr;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t stride = 0;
    bool transposed = false;
};

/// out = a * b, or out += a * b; out is not transposed. The order of each element's sum depends on the shapes alone.
/// For float and double.
template <class T>
void multiply(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> out, bool accumulate = false);

/// The same, on up to `threads` threads, with the same result for any number of them.
template <class T>
void multiplyParallel(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> out, int threads);

} // namespace crease
