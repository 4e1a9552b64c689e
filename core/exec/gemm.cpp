// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/gemm.h"

#include "core/support/parallel_for.h"

#include <Eigen/Core>

#include <algorithm>

namespace crease {

namespace {

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using ColumnMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
using Stride = Eigen::OuterStride<>;

Eigen::Index index(std::size_t value)
{
    return static_cast<Eigen::Index>(value);
}

/// Eigen cuts its sums by the sizes of the caches; fixed sizes make them the same on every machine.
void fixBlocking()
{
    static const bool done = [] {
        Eigen::setCpuCacheSizes(32 * 1024, 512 * 1024, 4 * 1024 * 1024);
        return true;
    }();
    static_cast<void>(done);
}

template <class T>
auto rowMap(MatrixView<const T> view)
{
    return Eigen::Map<const RowMajor<T>, 0, Stride>(view.data, index(view.rows), index(view.columns),
                                                    Stride(index(view.stride)));
}

template <class T>
auto columnMap(MatrixView<const T> view)
{
    return Eigen::Map<const ColumnMajor<T>, 0, Stride>(view.data, index(view.rows), index(view.columns),
                                                       Stride(index(view.stride)));
}

template <class A, class B, class Out>
void product(const A& a, const B& b, Out& out, bool accumulate)
{
    if (accumulate) {
        out.noalias() += a * b;
    } else {
        out.noalias() = a * b;
    }
}

} // namespace

template <class T>
void multiply(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> out, bool accumulate)
{
    fixBlocking();
    if (a.columns == 0 && !accumulate) {
        for (std::size_t row = 0; row < out.rows; ++row) {
            std::fill_n(out.data + row * out.stride, out.columns, T{0});
        }
        return;
    }
    Eigen::Map<RowMajor<T>, 0, Stride> result(out.data, index(out.rows), index(out.columns), Stride(index(out.stride)));
    if (a.transposed && b.transposed) {
        product(columnMap(a), columnMap(b), result, accumulate);
    } else if (a.transposed) {
        product(columnMap(a), rowMap(b), result, accumulate);
    } else if (b.transposed) {
        product(rowMap(a), columnMap(b), result, accumulate);
    } else {
        product(rowMap(a), rowMap(b), result, accumulate);
    }
}

template <class T>
void multiplyParallel(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> out, int threads)
{
    constexpr std::size_t block = 128;
    const bool byRows = out.rows >= out.columns;
    const std::size_t length = byRows ? out.rows : out.columns;
    const std::size_t blocks = (length + block - 1) / block;
    if (blocks <= 1) {
        multiply(a, b, out);
        return;
    }
    parallelFor(blocks, threads, [&](std::size_t i) {
        const std::size_t from = i * block;
        const std::size_t count = std::min(block, length - from);
        MatrixView<const T> partA = a;
        MatrixView<const T> partB = b;
        MatrixView<T> partOut = out;
        if (byRows) {
            partA.data += a.transposed ? from : from * a.stride;
            partA.rows = count;
            partOut.data += from * out.stride;
            partOut.rows = count;
        } else {
            partB.data += b.transposed ? from * b.stride : from;
            partB.columns = count;
            partOut.data += from;
            partOut.columns = count;
        }
        multiply(partA, partB, partOut);
    });
}

template void multiply<float>(MatrixView<const float>, MatrixView<const float>, MatrixView<float>, bool);
template void multiply<double>(MatrixView<const double>, MatrixView<const double>, MatrixView<double>, bool);
template void multiplyParallel<float>(MatrixView<const float>, MatrixView<const float>, MatrixView<float>, int);
template void multiplyParallel<double>(MatrixView<const double>, MatrixView<const double>, MatrixView<double>, int);

} // namespace crease
