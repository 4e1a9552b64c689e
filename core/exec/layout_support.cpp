// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/layout_support.h"

#include "core/exec/kernel_support.h"

#include <fmt/format.h>

#include <algorithm>

namespace crease {

namespace {

/// Swaps the two inner axes of [outer, rows, columns].
Tensor swapped(const Tensor& tensor, Dims dims, std::size_t outer, std::size_t rows, std::size_t columns)
{
    Tensor result;
    dispatchNumeric(tensor.type(), [&]<class T>(std::type_identity<T>) {
        const T* from = tensor.data<T>().data();
        TensorWriter<T> out(dims);
        for (std::size_t block = 0; block < outer; ++block) {
            for (std::size_t row = 0; row < rows; ++row) {
                for (std::size_t column = 0; column < columns; ++column) {
                    out[(block * columns + column) * rows + row] = from[(block * rows + row) * columns + column];
                }
            }
        }
        result = std::move(out).finish(tensor.type());
    });
    return result;
}

} // namespace

Tensor channelsFirst(const Tensor& tensor)
{
    Dims dims = tensor.dims();
    std::rotate(dims.begin() + 1, dims.end() - 1, dims.end());
    const auto outer = static_cast<std::size_t>(dims[0]);
    const auto columns = static_cast<std::size_t>(dims[1]);
    const std::size_t each = outer * columns == 0 ? 0 : tensor.size() / (outer * columns);
    return swapped(tensor, dims, outer, each, columns);
}

Tensor channelsLast(const Tensor& tensor)
{
    Dims dims = tensor.dims();
    std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
    const auto outer = static_cast<std::size_t>(dims[0]);
    const auto rows = static_cast<std::size_t>(dims.back());
    const std::size_t each = outer * rows == 0 ? 0 : tensor.size() / (outer * rows);
    return swapped(tensor, dims, outer, rows, each);
}

std::vector<std::size_t> broadcastIndices(const Dims& dims, const Dims& to)
{
    const auto strides = broadcastStrides(dims, to);
    std::vector<std::size_t> indices(static_cast<std::size_t>(elementCount(to).value_or(0)));
    Dims at(to.size(), 0);
    std::int64_t offset = 0;
    for (std::size_t& index : indices) {
        index = static_cast<std::size_t>(offset);
        for (std::size_t axis = to.size(); axis-- > 0;) {
            offset += strides[axis];
            if (++at[axis] < to[axis]) {
                break;
            }
            offset -= strides[axis] * to[axis];
            at[axis] = 0;
        }
    }
    return indices;
}

Result<void> checkTypes(const KernelContext& context, std::initializer_list<std::size_t> slots, ElementType type)
{
    for (const std::size_t slot : slots) {
        if (context.has(slot) && context.input(slot).type() != type) {
            return badNode(context, fmt::format("input {} is {}, not {}", slot, longName(context.input(slot).type()),
                                                longName(type)));
        }
    }
    return {};
}

Result<Tensor> concatenated(const KernelContext& context, const std::vector<Tensor>& parts, std::int64_t axis)
{
    Dims dims = parts.front().dims();
    const auto at = static_cast<std::size_t>(TRY(axisOf(context, axis, dims.size())));
    dims[at] = 0;
    for (const Tensor& part : parts) {
        Dims expected = dims;
        expected[at] = part.rank() == dims.size() ? part.dims()[at] : -1;
        if (part.dims() != expected || part.type() != parts.front().type()) {
            return badNode(context, fmt::format("a part of {} beside one of {}", toText(part.dims()),
                                                toText(parts.front().dims())));
        }
    }
    for (const Tensor& part : parts) {
        dims[at] += part.dims()[at];
    }
    std::size_t outer = 1;
    for (std::size_t i = 0; i < at; ++i) {
        outer *= static_cast<std::size_t>(dims[i]);
    }
    const ElementType type = parts.front().type();
    Tensor result;
    dispatchNumeric(type, [&]<class T>(std::type_identity<T>) {
        TensorWriter<T> out(dims);
        T* to = out.data().data();
        for (std::size_t row = 0; row < outer; ++row) {
            for (const Tensor& part : parts) {
                const std::size_t count = part.size() / outer;
                to = std::copy_n(part.data<T>().data() + row * count, count, to);
            }
        }
        result = std::move(out).finish(type);
    });
    if (!result.valid()) {
        return notClaimed(context, fmt::format("on {}", longName(type)));
    }
    return result;
}

} // namespace crease
