// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/kernel_families.h"
#include "core/exec/kernel_support.h"
#include "core/exec/window.h"
#include "core/support/parallel_for.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

namespace crease {

namespace {

std::size_t unsign(std::int64_t value)
{
    return static_cast<std::size_t>(value);
}

template <class T>
constexpr bool isPooled = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <class T>
constexpr T smallest()
{
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                : std::numeric_limits<T>::lowest();
}

/// Calls f(plane, position, output index) for every output element, planes in parallel.
template <class F>
void forEachOutput(const KernelContext& context, const Window& window, F&& f)
{
    const std::int64_t size = window.outSize();
    parallelFor(unsign(window.batch * window.channels), context.threads, [&](std::size_t plane) {
        const auto start = static_cast<std::int64_t>(plane) * size;
        for (std::int64_t position = 0; position < size; ++position) {
            f(static_cast<std::int64_t>(plane) * window.inSize(), position, unsign(start + position));
        }
    });
}

/// The index that MaxPool reports, with storage_order 1 the first spatial axis runs fastest.
std::int64_t reportedIndex(const Window& window, std::int64_t spatial, bool columnMajor)
{
    if (!columnMajor) {
        return spatial;
    }
    const std::int64_t x = spatial % window.in[2];
    const std::int64_t y = spatial / window.in[2] % window.in[1];
    const std::int64_t z = spatial / window.in[2] / window.in[1];
    return z + window.in[0] * (y + window.in[1] * x);
}

template <class T>
std::vector<Tensor> maxPooled(const KernelContext& context, const Window& window)
{
    const T* x = context.input(0).data<T>().data();
    const bool columnMajor = context.node.intAttribute("storage_order", 0) != 0;
    const bool wantsIndices = context.node.outputs.size() > 1 && context.node.outputs[1].valid();
    const Dims dims = window.outDims(window.channels);
    TensorWriter<T> y(dims);
    TensorWriter<std::int64_t> indices(wantsIndices ? dims : Dims{0});
    forEachOutput(context, window, [&](std::int64_t plane, std::int64_t position, std::size_t out) {
        T best = smallest<T>();
        std::int64_t at = -1;
        forEachInWindow(window, position, [&](std::int64_t i) {
            const T value = x[plane + i];
            if (at < 0 || value > best) {
                best = value;
                at = i;
            }
        });
        y[out] = best;
        if (wantsIndices) {
            indices[out] = plane + reportedIndex(window, std::max<std::int64_t>(at, 0), columnMajor);
        }
    });
    std::vector<Tensor> outputs;
    outputs.push_back(std::move(y).finish(context.input(0).type()));
    if (wantsIndices) {
        outputs.push_back(std::move(indices).finish());
    }
    return outputs;
}

Result<std::vector<Tensor>> maxPool(const KernelContext& context)
{
    const Window window = TRY(windowOf(context, context.input(0).dims(), {}));
    const ElementType type = context.input(0).type();
    Result<std::vector<Tensor>> result = notClaimed(context, fmt::format("on {}", longName(type)));
    dispatchNumeric(type, [&]<class T>(std::type_identity<T>) {
        if constexpr (isPooled<T>) {
            result = maxPooled<T>(context, window);
        }
    });
    return result;
}

Result<std::vector<Tensor>> averagePool(const KernelContext& context)
{
    const Window window = TRY(windowOf(context, context.input(0).dims(), {}));
    const bool countsPadding = context.node.intAttribute("count_include_pad", 0) != 0;
    const ElementType type = context.input(0).type();
    Result<std::vector<Tensor>> result = notClaimed(context, fmt::format("on {}", longName(type)));
    dispatchFloat(type, [&]<class T>(std::type_identity<T>) {
        const T* x = context.input(0).data<T>().data();
        TensorWriter<T> y(window.outDims(window.channels));
        forEachOutput(context, window, [&](std::int64_t plane, std::int64_t position, std::size_t out) {
            T sum{0};
            const std::int64_t inside = forEachInWindow(window, position, [&](std::int64_t i) { sum += x[plane + i]; });
            const std::int64_t count = countsPadding ? tapsAt(window, position).covered : inside;
            y[out] = count > 0 ? sum / static_cast<T>(count) : T{0};
        });
        result = one(std::move(y).finish());
    });
    return result;
}

/// The p-norm from the sum of the p-th powers.
template <class T>
T root(T sum, std::int64_t p)
{
    return p == 1 ? sum : p == 2 ? std::sqrt(sum) : std::pow(sum, T{1} / static_cast<T>(p));
}

template <class T>
T power(T value, std::int64_t p)
{
    const T magnitude = std::fabs(value);
    return p == 1 ? magnitude : p == 2 ? magnitude * magnitude : std::pow(magnitude, static_cast<T>(p));
}

Result<std::vector<Tensor>> lpPool(const KernelContext& context)
{
    const Window window = TRY(windowOf(context, context.input(0).dims(), {}));
    const std::int64_t p = context.node.intAttribute("p", 2);
    const ElementType type = context.input(0).type();
    Result<std::vector<Tensor>> result = notClaimed(context, fmt::format("on {}", longName(type)));
    dispatchFloat(type, [&]<class T>(std::type_identity<T>) {
        const T* x = context.input(0).data<T>().data();
        TensorWriter<T> y(window.outDims(window.channels));
        forEachOutput(context, window, [&](std::int64_t plane, std::int64_t position, std::size_t out) {
            T sum{0};
            forEachInWindow(window, position, [&](std::int64_t i) { sum += power(x[plane + i], p); });
            y[out] = root(sum, p);
        });
        result = one(std::move(y).finish());
    });
    return result;
}

struct Planes {
    Dims dims; // of the output
    std::size_t count = 0;
    std::size_t size = 0;
};

Result<Planes> planesOf(const KernelContext& context)
{
    const Dims& dims = context.input(0).dims();
    if (dims.size() < 2) {
        return badNode(context, fmt::format("an input of {}", toText(dims)));
    }
    Planes planes;
    planes.dims = Dims(dims.size(), 1);
    planes.dims[0] = dims[0];
    planes.dims[1] = dims[1];
    planes.count = unsign(dims[0] * dims[1]);
    planes.size = planes.count == 0 ? 0 : context.input(0).size() / planes.count;
    return planes;
}

template <class T, class F>
Tensor perPlane(const KernelContext& context, const Planes& planes, F&& f)
{
    const std::span<const T> x = context.input(0).data<T>();
    TensorWriter<T> y(planes.dims);
    for (std::size_t i = 0; i < planes.count; ++i) {
        y[i] = f(x.subspan(i * planes.size, planes.size));
    }
    return std::move(y).finish(context.input(0).type());
}

Result<std::vector<Tensor>> globalMaxPool(const KernelContext& context)
{
    const Planes planes = TRY(planesOf(context));
    const ElementType type = context.input(0).type();
    Result<std::vector<Tensor>> result = notClaimed(context, fmt::format("on {}", longName(type)));
    dispatchNumeric(type, [&]<class T>(std::type_identity<T>) {
        if constexpr (isPooled<T>) {
            result = one(perPlane<T>(context, planes, [](std::span<const T> plane) {
                T best = smallest<T>();
                for (const T value : plane) {
                    best = std::max(best, value);
                }
                return best;
            }));
        }
    });
    return result;
}

template <class F>
Result<std::vector<Tensor>> globalFloatPool(const KernelContext& context, F&& f)
{
    const Planes planes = TRY(planesOf(context));
    const ElementType type = context.input(0).type();
    Result<std::vector<Tensor>> result = notClaimed(context, fmt::format("on {}", longName(type)));
    dispatchFloat(type, [&]<class T>(std::type_identity<T>) { result = one(perPlane<T>(context, planes, f)); });
    return result;
}

Result<std::vector<Tensor>> globalAveragePool(const KernelContext& context)
{
    return globalFloatPool(context, []<class T>(std::span<const T> plane) {
        T sum{0};
        for (const T value : plane) {
            sum += value;
        }
        return sum / static_cast<T>(plane.size());
    });
}

Result<std::vector<Tensor>> globalLpPool(const KernelContext& context)
{
    const std::int64_t p = context.node.intAttribute("p", 2);
    return globalFloatPool(context, [p]<class T>(std::span<const T> plane) {
        T sum{0};
        for (const T value : plane) {
            sum += power(value, p);
        }
        return root(sum, p);
    });
}

constexpr std::array rows = {
    KernelRow{"MaxPool", "", maxPool},
    KernelRow{"AveragePool", "", averagePool},
    KernelRow{"LpPool", "", lpPool},
    KernelRow{"GlobalMaxPool", "", globalMaxPool},
    KernelRow{"GlobalAveragePool", "", globalAveragePool},
    KernelRow{"GlobalLpPool", "", globalLpPool},
};

} // namespace

std::span<const KernelRow> poolingKernels()
{
    return rows;
}

} // namespace crease
