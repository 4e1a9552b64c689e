// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/kernel_families.h"
#include "core/exec/kernel_support.h"
#include "core/exec/strided_copy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>

namespace crease {

namespace {

using Outputs = Result<std::vector<Tensor>>;
using Ints = std::vector<std::int64_t>;

/// Indices brought into [0, size), or an error.
Result<Ints> indicesOf(const KernelContext& context, std::size_t slot, std::int64_t size)
{
    Ints indices = context.input(slot).toInts();
    for (std::int64_t& index : indices) {
        if (index < -size || index >= size) {
            return badNode(context, fmt::format("index {} is out of range for {} elements", index, size));
        }
        index += index < 0 ? size : 0;
    }
    return indices;
}

Outputs gather(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const auto axis = static_cast<std::size_t>(TRY(axisOf(context, context.node.intAttribute("axis", 0), x.rank())));
    const Ints indices = TRY(indicesOf(context, 1, x.dims()[axis]));
    Dims dims(x.dims().begin(), x.dims().begin() + static_cast<std::ptrdiff_t>(axis));
    dims.insert(dims.end(), context.input(1).dims().begin(), context.input(1).dims().end());
    dims.insert(dims.end(), x.dims().begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.dims().end());
    BytesWriter writer(x.type(), std::move(dims));
    const auto outer = static_cast<std::size_t>(productOf(x.dims(), 0, axis));
    const auto length = static_cast<std::size_t>(x.dims()[axis]);
    const std::size_t chunk = static_cast<std::size_t>(productOf(x.dims(), axis + 1, x.rank())) * byteWidth(x.type());
    std::byte* to = writer.bytes();
    for (std::size_t o = 0; o < outer && chunk > 0; ++o) {
        for (const std::int64_t index : indices) {
            std::memcpy(to, x.raw() + (o * length + static_cast<std::size_t>(index)) * chunk, chunk);
            to += chunk;
        }
    }
    return one(std::move(writer).finish());
}

/// For each element of indices, its offset in `dims` with the axis taken from the index.
Result<Ints> elementOffsets(const KernelContext& context, const Dims& dims, std::size_t axis)
{
    const Tensor& at = context.input(1);
    const Ints indices = TRY(indicesOf(context, 1, dims[axis]));
    bool fits = at.rank() == dims.size();
    for (std::size_t i = 0; fits && i < dims.size(); ++i) {
        fits = i == axis || at.dims()[i] <= dims[i];
    }
    if (!fits) {
        return badNode(context, fmt::format("indices {} for {}", toText(at.dims()), toText(dims)));
    }
    const Ints strides = stridesOf(dims);
    const Ints own = stridesOf(at.dims());
    Ints offsets(indices.size());
    for (std::size_t i = 0; i < indices.size(); ++i) {
        auto rest = static_cast<std::int64_t>(i);
        std::int64_t offset = 0;
        for (std::size_t d = 0; d < dims.size(); ++d) {
            offset += (d == axis ? indices[i] : rest / own[d]) * strides[d];
            rest %= own[d];
        }
        offsets[i] = offset;
    }
    return offsets;
}

Outputs gatherElements(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const auto axis = static_cast<std::size_t>(TRY(axisOf(context, context.node.intAttribute("axis", 0), x.rank())));
    const Ints offsets = TRY(elementOffsets(context, x.dims(), axis));
    BytesWriter writer(x.type(), context.input(1).dims());
    const bool done = dispatchWidth(x.type(), [&]<class T>(std::type_identity<T>) {
        T* to = reinterpret_cast<T*>(writer.bytes());
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            to[i] = wordsOf<T>(x)[offsets[i]];
        }
    });
    return done ? one(std::move(writer).finish()) : notClaimed(context, "elements of string");
}

struct Slices {
    Ints offsets;      // of each slice, in elements
    std::size_t chunk; // elements of a slice
};

/// The slices that tuples of indices (the last axis of input 1) name, after `batch` shared leading axes.
Result<Slices> slicesOf(const KernelContext& context, const Dims& dims, std::size_t batch)
{
    const Tensor& at = context.input(1);
    const std::size_t depth = at.rank() > 0 ? static_cast<std::size_t>(at.dims().back()) : 0;
    bool fits = at.rank() > batch && batch + depth <= dims.size();
    for (std::size_t i = 0; fits && i < batch; ++i) {
        fits = at.dims()[i] == dims[i];
    }
    if (!fits) {
        return badNode(context, fmt::format("indices {} for {}", toText(at.dims()), toText(dims)));
    }
    const Ints indices = at.toInts();
    const Ints strides = stridesOf(dims);
    const auto batches = static_cast<std::size_t>(productOf(dims, 0, batch));
    const std::int64_t batchStride = batch > 0 ? strides[batch - 1] : 0;
    const auto tuples = static_cast<std::size_t>(productOf(at.dims(), 0, at.rank() - 1));
    Slices slices{Ints(tuples), static_cast<std::size_t>(productOf(dims, batch + depth, dims.size()))};
    for (std::size_t t = 0; t < tuples; ++t) {
        const std::size_t perBatch = std::max<std::size_t>(tuples / std::max<std::size_t>(batches, 1), 1);
        slices.offsets[t] = batch > 0 ? static_cast<std::int64_t>(t / perBatch) * batchStride : 0;
        for (std::size_t d = 0; d < depth; ++d) {
            const std::int64_t size = dims[batch + d];
            const std::int64_t index = indices[t * depth + d];
            if (index < -size || index >= size) {
                return badNode(context, fmt::format("index {} is out of range for {} elements", index, size));
            }
            slices.offsets[t] += (index < 0 ? index + size : index) * strides[batch + d];
        }
    }
    return slices;
}

Outputs gatherND(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const auto batch = static_cast<std::size_t>(context.node.intAttribute("batch_dims", 0));
    const Slices slices = TRY(slicesOf(context, x.dims(), batch));
    const Tensor& at = context.input(1);
    Dims dims(at.dims().begin(), at.dims().end() - 1);
    dims.insert(dims.end(), x.dims().begin() + static_cast<std::ptrdiff_t>(batch) + at.dims().back(), x.dims().end());
    BytesWriter writer(x.type(), std::move(dims));
    const std::size_t width = byteWidth(x.type());
    for (std::size_t i = 0; i < slices.offsets.size() && slices.chunk > 0; ++i) {
        std::memcpy(writer.bytes() + i * slices.chunk * width,
                    x.raw() + static_cast<std::size_t>(slices.offsets[i]) * width, slices.chunk * width);
    }
    return one(std::move(writer).finish());
}

template <class T>
T combined(std::string_view reduction, T old, T now)
{
    if constexpr (std::is_same_v<T, bool>) {
        return reduction == "none" ? now : (reduction == "add" || reduction == "max") ? old || now : old && now;
    } else {
        // Unsigned, so that integers wrap.
        using W = std::conditional_t<std::is_floating_point_v<T>, T, std::uint64_t>;
        if (reduction == "add") {
            return static_cast<T>(static_cast<W>(old) + static_cast<W>(now));
        }
        if (reduction == "mul") {
            return static_cast<T>(static_cast<W>(old) * static_cast<W>(now));
        }
        if (reduction == "max") {
            return std::max(old, now);
        }
        return reduction == "min" ? std::min(old, now) : now;
    }
}

/// A copy of input 0 with the updates (input 2) put in at the offsets, `chunk` elements each.
Outputs scattered(const KernelContext& context, const Ints& offsets, std::size_t chunk)
{
    const Tensor& x = context.input(0);
    const Tensor& updates = context.input(2);
    if (updates.size() != offsets.size() * chunk || updates.type() != x.type()) {
        return badNode(context, fmt::format("updates {} for {} places", toText(updates.dims()), offsets.size()));
    }
    const std::string reduction = context.node.stringAttribute("reduction", "none");
    Tensor y;
    dispatchNumeric(x.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (!std::is_same_v<T, Half> && !std::is_same_v<T, BFloat16>) {
            TensorWriter<T> writer(x.dims());
            std::ranges::copy(x.data<T>(), writer.data().begin());
            const T* from = updates.data<T>().data();
            for (const std::int64_t offset : offsets) {
                for (std::size_t i = 0; i < chunk; ++i) {
                    T& to = writer[static_cast<std::size_t>(offset) + i];
                    to = combined(reduction, to, *from++);
                }
            }
            y = std::move(writer).finish(x.type());
        }
    });
    return y.valid() ? one(std::move(y)) : notClaimed(context, fmt::format("elements of {}", longName(x.type())));
}

Outputs scatterElements(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const auto axis = static_cast<std::size_t>(TRY(axisOf(context, context.node.intAttribute("axis", 0), x.rank())));
    return scattered(context, TRY(elementOffsets(context, x.dims(), axis)), 1);
}

Outputs scatterND(const KernelContext& context)
{
    const Slices slices = TRY(slicesOf(context, context.input(0).dims(), 0));
    return scattered(context, slices.offsets, slices.chunk);
}

/// Writes `update` into the past cache at each batch's write index, along the axis; mode circular wraps.
Outputs tensorScatter(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const Tensor& update = context.input(1);
    const auto axis = static_cast<std::size_t>(TRY(axisOf(context, context.node.intAttribute("axis", -2), x.rank())));
    const bool circular = context.node.stringAttribute("mode", "linear") == "circular";
    Dims expected = x.dims();
    if (axis == 0 || update.rank() != x.rank() || update.type() != x.type()) {
        return badNode(context, fmt::format("update {} for {}", toText(update.dims()), toText(x.dims())));
    }
    expected[axis] = update.dims()[axis];
    const Ints starts = intsOf(context, 2, Ints(static_cast<std::size_t>(x.dims()[0]), 0));
    if (expected != update.dims() || std::cmp_not_equal(starts.size(), x.dims()[0])) {
        return badNode(context, fmt::format("update {} for {}", toText(update.dims()), toText(x.dims())));
    }
    BytesWriter writer(x.type(), x.dims());
    std::memcpy(writer.bytes(), x.raw(), x.bytes());
    const std::int64_t length = x.dims()[axis];
    const std::int64_t steps = update.dims()[axis];
    const std::size_t chunk = static_cast<std::size_t>(productOf(x.dims(), axis + 1, x.rank())) * byteWidth(x.type());
    const std::int64_t outer = productOf(x.dims(), 0, axis);
    const std::int64_t perBatch = std::max<std::int64_t>(outer / std::max<std::int64_t>(x.dims()[0], 1), 1);
    for (std::int64_t o = 0; o < outer; ++o) {
        for (std::int64_t s = 0; s < steps; ++s) {
            std::int64_t at = starts[static_cast<std::size_t>(o / perBatch)] + s;
            at = circular && length > 0 ? ((at % length) + length) % length : at;
            if (at < 0 || at >= length) {
                return badNode(context, fmt::format("index {} is out of range for {} elements", at, length));
            }
            std::memcpy(writer.bytes() + static_cast<std::size_t>(o * length + at) * chunk,
                        update.raw() + static_cast<std::size_t>(o * steps + s) * chunk, chunk);
        }
    }
    return one(std::move(writer).finish());
}

Outputs compress(const KernelContext& context)
{
    const bool flat = context.node.attribute("axis") == nullptr;
    const Tensor x =
        flat ? context.input(0).reshaped({static_cast<std::int64_t>(context.input(0).size())}) : context.input(0);
    const auto axis = static_cast<std::size_t>(TRY(axisOf(context, context.node.intAttribute("axis", 0), x.rank())));
    if (context.input(1).type() != ElementType::Bool) {
        return badNode(context, fmt::format("a condition of {}", longName(context.input(1).type())));
    }
    const auto condition = context.input(1).data<bool>();
    Ints kept;
    for (std::size_t i = 0; i < condition.size(); ++i) {
        if (condition[i] && std::cmp_less(i, x.dims()[axis])) {
            kept.push_back(static_cast<std::int64_t>(i));
        }
    }
    Dims dims = x.dims();
    dims[axis] = static_cast<std::int64_t>(kept.size());
    BytesWriter writer(x.type(), std::move(dims));
    const std::int64_t outer = productOf(x.dims(), 0, axis);
    const std::size_t chunk = static_cast<std::size_t>(productOf(x.dims(), axis + 1, x.rank())) * byteWidth(x.type());
    std::byte* to = writer.bytes();
    for (std::int64_t o = 0; o < outer && chunk > 0; ++o) {
        for (const std::int64_t index : kept) {
            std::memcpy(to, x.raw() + static_cast<std::size_t>(o * x.dims()[axis] + index) * chunk, chunk);
            to += chunk;
        }
    }
    return one(std::move(writer).finish());
}

Outputs trilu(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    if (x.rank() < 2) {
        return badNode(context, fmt::format("an input {}", toText(x.dims())));
    }
    if (context.has(1) && context.input(1).size() != 1) {
        return badNode(context, "k is no single element");
    }
    const std::int64_t k = context.has(1) ? context.input(1).asInt(0) : 0;
    const bool upper = context.node.intAttribute("upper", 1) != 0;
    const std::int64_t rows = x.dims()[x.rank() - 2];
    const std::int64_t columns = x.dims()[x.rank() - 1];
    BytesWriter writer(x.type(), x.dims());
    const bool done = dispatchWidth(x.type(), [&]<class T>(std::type_identity<T>) {
        T* to = reinterpret_cast<T*>(writer.bytes());
        for (std::size_t i = 0; i < x.size(); ++i) {
            const auto at = static_cast<std::int64_t>(i);
            const std::int64_t over = at % columns - (at / columns) % rows;
            to[i] = (upper ? over >= k : over <= k) ? wordsOf<T>(x)[i] : T(0);
        }
    });
    return done ? one(std::move(writer).finish()) : notClaimed(context, "elements of string");
}

constexpr HalfTypes asIs = HalfTypes::AsIs;

constexpr auto rows = std::to_array<KernelRow>({
    {"Gather", "", gather, asIs},
    {"GatherElements", "", gatherElements, asIs},
    {"GatherND", "", gatherND, asIs},
    {"ScatterElements", "", scatterElements},
    {"ScatterND", "", scatterND},
    {"TensorScatter", "", tensorScatter, asIs},
    {"Compress", "", compress, asIs},
    {"Trilu", "", trilu, asIs},
});

} // namespace

std::span<const KernelRow> indexingKernels()
{
    return rows;
}

} // namespace crease
