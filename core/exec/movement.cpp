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

std::unexpected<Error> stringsNotClaimed(const KernelContext& context)
{
    return notClaimed(context, "elements of string");
}

bool isString(const Tensor& tensor)
{
    return byteWidth(tensor.type()) == 0;
}

/// Axes brought into [0, rank), each named once.
Result<std::vector<std::size_t>> distinctAxes(const KernelContext& context, const Ints& axes, std::size_t rank)
{
    std::vector<std::size_t> distinct;
    for (const std::int64_t axis : axes) {
        const auto at = static_cast<std::size_t>(TRY(axisOf(context, axis, rank)));
        if (std::ranges::count(distinct, at) > 0) {
            return badNode(context, fmt::format("axis {} is given twice", axis));
        }
        distinct.push_back(at);
    }
    return distinct;
}

Outputs reshapedTo(const KernelContext& context, Dims dims)
{
    const Tensor& x = context.input(0);
    const auto count = elementCount(dims);
    if (!count || static_cast<std::size_t>(*count) != x.size()) {
        return badNode(context, fmt::format("{} cannot be reshaped to {}", toText(x.dims()), toText(dims)));
    }
    return one(x.reshaped(std::move(dims)));
}

Outputs reshape(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    Dims dims = context.input(1).toInts();
    const bool allowZero = context.node.intAttribute("allowzero", 0) != 0;
    std::int64_t rest = 1;
    std::ptrdiff_t inferred = -1;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (dims[i] == 0 && !allowZero) {
            if (i >= x.rank()) {
                return badNode(context, fmt::format("dimension {} is copied from {}", i, toText(x.dims())));
            }
            dims[i] = x.dims()[i];
        }
        if (dims[i] == -1 && inferred < 0) {
            inferred = static_cast<std::ptrdiff_t>(i);
        } else {
            rest *= dims[i];
        }
    }
    if (inferred >= 0) {
        dims[static_cast<std::size_t>(inferred)] = rest > 0 ? static_cast<std::int64_t>(x.size()) / rest : 0;
    }
    return reshapedTo(context, std::move(dims));
}

Outputs flatten(const KernelContext& context)
{
    const Dims& dims = context.input(0).dims();
    const std::int64_t axis = context.node.intAttribute("axis", 1);
    const auto rank = static_cast<std::int64_t>(dims.size());
    if (axis < -rank || axis > rank) {
        return badNode(context, fmt::format("axis {} is out of range for rank {}", axis, rank));
    }
    const auto at = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
    return reshapedTo(context, {productOf(dims, 0, at), productOf(dims, at, dims.size())});
}

Outputs squeeze(const KernelContext& context)
{
    const Dims& dims = context.input(0).dims();
    std::vector<bool> dropped(dims.size(), false);
    for (const std::int64_t axis : intsOf(context, 1)) {
        const auto at = static_cast<std::size_t>(TRY(axisOf(context, axis, dims.size())));
        if (dims[at] != 1) {
            return badNode(context, fmt::format("axis {} of {} is not 1", axis, toText(dims)));
        }
        dropped[at] = true;
    }
    Dims kept;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const bool drop = context.has(1) ? dropped[i] : dims[i] == 1;
        if (!drop) {
            kept.push_back(dims[i]);
        }
    }
    return reshapedTo(context, std::move(kept));
}

Outputs unsqueeze(const KernelContext& context)
{
    const Dims& dims = context.input(0).dims();
    const Ints axes = intsOf(context, 1);
    Dims result(dims.size() + axes.size(), 0);
    for (const std::int64_t axis : axes) {
        std::int64_t& dim = result[static_cast<std::size_t>(TRY(axisOf(context, axis, result.size())))];
        if (dim == 1) {
            return badNode(context, fmt::format("axis {} is given twice", axis));
        }
        dim = 1;
    }
    auto next = dims.begin();
    for (std::int64_t& dim : result) {
        dim = dim == 1 ? 1 : *next++;
    }
    return reshapedTo(context, std::move(result));
}

Outputs identity(const KernelContext& context)
{
    return one(context.input(0));
}

Outputs dropout(const KernelContext& context)
{
    for (std::size_t slot = 1; slot < 3; ++slot) {
        if (context.has(slot) && context.input(slot).size() != 1) {
            return badNode(context, fmt::format("input {} is no single element", slot));
        }
    }
    const bool training = context.has(2) && context.input(2).asInt(0) != 0;
    const double ratio = context.has(1) ? context.input(1).asDouble(0) : 0.5;
    if (training && ratio != 0.0) {
        return notClaimed(context, "training mode");
    }
    const Tensor& x = context.input(0);
    TensorWriter<bool> mask(x.dims());
    std::ranges::fill(mask.data(), true);
    return std::vector<Tensor>{x, std::move(mask).finish()};
}

Outputs transpose(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    if (isString(x)) {
        return stringsNotClaimed(context);
    }
    Ints permutation = context.node.intsAttribute("perm");
    if (permutation.empty()) {
        for (std::size_t i = x.rank(); i-- > 0;) {
            permutation.push_back(static_cast<std::int64_t>(i));
        }
    }
    if (permutation.size() != x.rank()) {
        return badNode(context, fmt::format("a permutation of {} axes for {}", permutation.size(), toText(x.dims())));
    }
    const Ints dense = stridesOf(x.dims());
    Dims dims;
    Ints strides;
    for (const std::size_t at : TRY(distinctAxes(context, permutation, x.rank()))) {
        dims.push_back(x.dims()[at]);
        strides.push_back(dense[at]);
    }
    return one(stridedCopy(x, dims, strides));
}

Outputs concat(const KernelContext& context)
{
    const Tensor& first = context.input(0);
    if (isString(first)) {
        return stringsNotClaimed(context);
    }
    const auto axis =
        static_cast<std::size_t>(TRY(axisOf(context, context.node.intAttribute("axis", 1), first.rank())));
    Dims dims = first.dims();
    dims[axis] = 0;
    for (const Tensor& input : context.inputs) {
        Dims other = input.dims();
        const bool fits = input.type() == first.type() && other.size() == dims.size();
        if (fits) {
            const std::int64_t length = other[axis];
            other[axis] = dims[axis];
            if (other == dims) {
                dims[axis] += length;
                continue;
            }
        }
        return badNode(context, fmt::format("{} {} beside {} {}", longName(input.type()), toText(input.dims()),
                                            longName(first.type()), toText(first.dims())));
    }
    BytesWriter writer(first.type(), dims);
    const auto outer = static_cast<std::size_t>(productOf(dims, 0, axis));
    const std::size_t width = byteWidth(first.type());
    const std::size_t row = static_cast<std::size_t>(productOf(dims, axis, dims.size())) * width;
    std::size_t at = 0;
    for (const Tensor& input : context.inputs) {
        const std::size_t chunk = static_cast<std::size_t>(productOf(input.dims(), axis, input.rank())) * width;
        for (std::size_t o = 0; o < outer && chunk > 0; ++o) {
            std::memcpy(writer.bytes() + o * row + at, input.raw() + o * chunk, chunk);
        }
        at += chunk;
    }
    return one(std::move(writer).finish());
}

Outputs split(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    if (isString(x)) {
        return stringsNotClaimed(context);
    }
    const auto axis = static_cast<std::size_t>(TRY(axisOf(context, context.node.intAttribute("axis", 0), x.rank())));
    const std::size_t count = context.node.outputs.size();
    if (count == 0) {
        return badNode(context, "no outputs");
    }
    Ints parts = intsOf(context, 1);
    if (parts.empty()) {
        const std::int64_t length = x.dims()[axis];
        const std::int64_t part = (length + static_cast<std::int64_t>(count) - 1) / static_cast<std::int64_t>(count);
        for (std::size_t i = 0; i < count; ++i) {
            parts.push_back(std::clamp<std::int64_t>(length - static_cast<std::int64_t>(i) * part, 0, part));
        }
    }
    const Ints strides = stridesOf(x.dims());
    std::vector<Tensor> outputs;
    std::int64_t from = 0;
    for (const std::int64_t part : parts) {
        if (part < 0 || part > x.dims()[axis] - from) {
            return badNode(context, fmt::format("parts do not sum to the {} of {}", x.dims()[axis], toText(x.dims())));
        }
        Dims dims = x.dims();
        dims[axis] = part;
        outputs.push_back(stridedCopy(x, dims, strides, from * strides[axis]));
        from += part;
    }
    if (parts.size() != count || from != x.dims()[axis]) {
        return badNode(context, fmt::format("{} parts of {} elements for {} outputs of {}", parts.size(), from, count,
                                            x.dims()[axis]));
    }
    return outputs;
}

Outputs slice(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    if (isString(x)) {
        return stringsNotClaimed(context);
    }
    const Ints starts = intsOf(context, 1);
    const Ints ends = intsOf(context, 2);
    Ints axes = intsOf(context, 3);
    const Ints steps = intsOf(context, 4, Ints(starts.size(), 1));
    for (std::size_t i = axes.size(); !context.has(3) && i < starts.size(); ++i) {
        axes.push_back(static_cast<std::int64_t>(i));
    }
    if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size()) {
        return badNode(context, "starts, ends, axes and steps of different lengths");
    }
    Dims dims = x.dims();
    Ints strides = stridesOf(dims);
    const std::vector<std::size_t> sliced = TRY(distinctAxes(context, axes, x.rank()));
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::size_t axis = sliced[i];
        const std::int64_t size = x.dims()[axis];
        const std::int64_t step = steps[i];
        if (step == 0) {
            return badNode(context, "a step is 0");
        }
        const std::int64_t low = step < 0 ? -1 : 0;
        const std::int64_t high = step < 0 ? size - 1 : size;
        const auto bound = [size](std::int64_t at) { return at < 0 ? at + size : at; };
        const std::int64_t from = std::clamp<std::int64_t>(bound(starts[i]), 0, std::max<std::int64_t>(high, 0));
        const std::int64_t to = std::clamp<std::int64_t>(bound(ends[i]), low, size);
        const std::int64_t span = step > 0 ? to - from : from - to;
        const std::int64_t stride = step > 0 ? step : -std::max(step, -std::int64_t{1} << 62);
        dims[axis] = span <= 0 || size == 0 ? 0 : 1 + (span - 1) / stride;
        offset += dims[axis] > 0 ? from * strides[axis] : 0;
        strides[axis] = dims[axis] > 1 ? strides[axis] * step : strides[axis];
    }
    return one(stridedCopy(x, dims, strides, offset));
}

Outputs expand(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    if (isString(x)) {
        return stringsNotClaimed(context);
    }
    const Dims dims = TRY(broadcastDims(context, x.dims(), context.input(1).toInts()));
    if (!elementCount(dims)) {
        return badNode(context, fmt::format("the shape {}", toText(dims)));
    }
    return one(stridedCopy(x, dims, broadcastStrides(x.dims(), dims)));
}

Outputs tile(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const Ints repeats = context.input(1).toInts();
    if (isString(x) || repeats.size() != x.rank()) {
        return isString(x)
                   ? Outputs(stringsNotClaimed(context))
                   : Outputs(badNode(context, fmt::format("{} repeats for {}", repeats.size(), toText(x.dims()))));
    }
    if (std::ranges::any_of(repeats, [](std::int64_t n) { return n < 0 || n > std::int64_t{1} << 31; })) {
        return badNode(context, "a number of repeats out of range");
    }
    const Ints dense = stridesOf(x.dims());
    Dims dims;
    Dims split;
    Ints strides;
    for (std::size_t i = 0; i < x.rank(); ++i) {
        dims.push_back(x.dims()[i] * repeats[i]);
        split.insert(split.end(), {repeats[i], x.dims()[i]});
        strides.insert(strides.end(), {0, dense[i]});
    }
    if (!elementCount(dims)) {
        return badNode(context, "repeats are negative");
    }
    return one(stridedCopy(x, split, strides).reshaped(std::move(dims)));
}

/// The space axes are cut into blocks of b (SpaceToDepth) or made of them (DepthToSpace): a transposition in rank 6.
Outputs spaceAndDepth(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const std::int64_t b = context.node.intAttribute("blocksize", 0);
    if (x.rank() != 4 || b < 1 || isString(x)) {
        return badNode(context, fmt::format("block size {} on {}", b, toText(x.dims())));
    }
    const auto [n, c, h, w] = std::array{x.dims()[0], x.dims()[1], x.dims()[2], x.dims()[3]};
    if (context.node.op == "SpaceToDepth") {
        if (h % b != 0 || w % b != 0) {
            return badNode(context, fmt::format("block size {} on {}", b, toText(x.dims())));
        }
        const std::int64_t plane = h * w;
        if (context.node.stringAttribute("mode", "DCR") == "CRD") {
            const Dims dims{n, c, b, b, h / b, w / b};
            return one(stridedCopy(x, dims, {c * plane, plane, w, 1, b * w, b}).reshaped({n, c * b * b, h / b, w / b}));
        }
        const Dims dims{n, b, b, c, h / b, w / b};
        return one(stridedCopy(x, dims, {c * plane, w, 1, plane, b * w, b}).reshaped({n, c * b * b, h / b, w / b}));
    }
    if (c % (b * b) != 0) {
        return badNode(context, fmt::format("block size {} on {}", b, toText(x.dims())));
    }
    const std::int64_t depth = c / (b * b);
    const std::int64_t plane = h * w;
    const bool crd = context.node.stringAttribute("mode", "DCR") == "CRD";
    const std::int64_t channel = crd ? b * b * plane : plane;
    const std::int64_t row = crd ? b * plane : b * depth * plane;
    const std::int64_t column = crd ? plane : depth * plane;
    const Dims dims{n, depth, h, b, w, b};
    return one(stridedCopy(x, dims, {c * plane, channel, w, row, 1, column}).reshaped({n, depth, h * b, w * b}));
}

/// Where an index of the padded axis reads from, -1 for the pad value.
Result<std::int64_t> padSource(const KernelContext& context, std::string_view mode, std::int64_t at, std::int64_t size)
{
    if (at >= 0 && at < size) {
        return at;
    }
    if (mode == "constant") {
        return -1;
    }
    if (size == 0) {
        return badNode(context, fmt::format("mode {} on an empty axis", mode));
    }
    if (mode == "edge") {
        return at < 0 ? 0 : size - 1;
    }
    if (mode == "wrap") {
        return ((at % size) + size) % size;
    }
    if (mode != "reflect") {
        return notClaimed(context, fmt::format("mode {}", mode));
    }
    const std::int64_t period = std::max<std::int64_t>(2 * (size - 1), 1);
    const std::int64_t folded = ((at % period) + period) % period;
    return folded < size ? folded : period - folded;
}

template <class T>
void padInto(const Tensor& x, const Dims& dims, const std::vector<Ints>& sources, T fill, T* to)
{
    const Ints strides = stridesOf(x.dims());
    const std::size_t last = dims.size() - 1;
    const std::int64_t rows = productOf(dims, 0, last);
    std::vector<std::size_t> index(last, 0);
    for (std::int64_t r = 0; r < rows; ++r) {
        std::int64_t base = 0;
        bool inside = true;
        for (std::size_t i = 0; i < last && inside; ++i) {
            inside = sources[i][index[i]] >= 0;
            base += sources[i][index[i]] * strides[i];
        }
        const T* from = wordsOf<T>(x) + (inside ? base : 0);
        for (const std::int64_t source : sources[last]) {
            *to++ = inside && source >= 0 ? from[source] : fill;
        }
        for (std::size_t i = last; i-- > 0;) {
            if (++index[i] < static_cast<std::size_t>(dims[i])) {
                break;
            }
            index[i] = 0;
        }
    }
}

/// The pad value where none is given: real zero, which on codes is the zero point.
Tensor zeroOf(const KernelContext& context)
{
    const ElementType type = context.input(0).type();
    const ValueId id = context.node.input(0);
    const bool onCodes = id.valid() && context.graph.contains(id) && context.graph.value(id).codes.has_value();
    if (!onCodes) {
        return zeros(type, {});
    }
    const std::array zeroPoint{context.graph.value(id).codes->zeroPoint()};
    return tensorOfInts(type, {}, zeroPoint);
}

Outputs pad(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const Ints pads = context.input(1).toInts();
    Ints axes = intsOf(context, 3);
    for (std::size_t i = 0; !context.has(3) && i < x.rank(); ++i) {
        axes.push_back(static_cast<std::int64_t>(i));
    }
    if (pads.size() != 2 * axes.size()) {
        return badNode(context, fmt::format("{} pads for {} axes", pads.size(), axes.size()));
    }
    if (x.rank() == 0) {
        return one(x);
    }
    Ints begins(x.rank(), 0);
    Dims dims = x.dims();
    const std::vector<std::size_t> padded = TRY(distinctAxes(context, axes, x.rank()));
    for (std::size_t i = 0; i < padded.size(); ++i) {
        constexpr auto limit = std::int64_t{1} << 56;
        if (std::max(std::abs(pads[i]), std::abs(pads[i + padded.size()])) > limit) {
            return badNode(context, fmt::format("pads of {} and {}", pads[i], pads[i + padded.size()]));
        }
        begins[padded[i]] = pads[i];
        dims[padded[i]] += pads[i] + pads[i + padded.size()];
    }
    const Tensor fill = context.has(2) ? context.input(2) : zeroOf(context);
    if (!elementCount(dims) || fill.size() != 1 || fill.type() != x.type()) {
        return badNode(context, fmt::format("pads of {} to {}", toText(x.dims()), toText(dims)));
    }
    const std::string mode = context.node.stringAttribute("mode", "constant");
    BytesWriter writer(x.type(), dims); // first: what does not fit in memory fails here
    std::vector<Ints> sources(x.rank());
    for (std::size_t axis = 0; axis < x.rank(); ++axis) {
        for (std::int64_t i = 0; i < dims[axis]; ++i) {
            sources[axis].push_back(TRY(padSource(context, mode, i - begins[axis], x.dims()[axis])));
        }
    }
    const bool done = dispatchWidth(x.type(), [&]<class T>(std::type_identity<T>) {
        padInto<T>(x, dims, sources, *wordsOf<T>(fill), reinterpret_cast<T*>(writer.bytes()));
    });
    return done ? one(std::move(writer).finish()) : stringsNotClaimed(context);
}

Outputs reverseSequence(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const Ints lengths = context.input(1).toInts();
    const auto timeAxis = static_cast<std::size_t>(context.node.intAttribute("time_axis", 0));
    const auto batchAxis = static_cast<std::size_t>(context.node.intAttribute("batch_axis", 1));
    if (x.rank() < 2 || timeAxis > 1 || batchAxis > 1 || timeAxis == batchAxis ||
        std::cmp_not_equal(lengths.size(), x.dims()[batchAxis])) {
        return badNode(context, fmt::format("{} lengths for {}", lengths.size(), toText(x.dims())));
    }
    BytesWriter writer(x.type(), x.dims());
    const Ints strides = stridesOf(x.dims());
    const std::size_t width = byteWidth(x.type());
    const std::size_t chunk = static_cast<std::size_t>(productOf(x.dims(), 2, x.rank())) * width;
    for (std::int64_t batch = 0; batch < x.dims()[batchAxis]; ++batch) {
        const std::int64_t length = lengths[static_cast<std::size_t>(batch)];
        if (length < 0 || length > x.dims()[timeAxis]) {
            return badNode(context, fmt::format("a length of {} for {}", length, toText(x.dims())));
        }
        for (std::int64_t t = 0; t < x.dims()[timeAxis]; ++t) {
            const std::int64_t from = t < length ? length - 1 - t : t;
            const auto at = [&](std::int64_t time) {
                return static_cast<std::size_t>(batch * strides[batchAxis] + time * strides[timeAxis]) * width;
            };
            std::memcpy(writer.bytes() + at(t), x.raw() + at(from), chunk);
        }
    }
    return one(std::move(writer).finish());
}

constexpr HalfTypes asIs = HalfTypes::AsIs;

constexpr auto rows = std::to_array<KernelRow>({
    {"Reshape", "", reshape, asIs},
    {"Flatten", "", flatten, asIs},
    {"Squeeze", "", squeeze, asIs},
    {"Unsqueeze", "", unsqueeze, asIs},
    {"Identity", "", identity, asIs},
    {"Dropout", "", dropout, asIs},
    {"Transpose", "", transpose, asIs},
    {"Concat", "", concat, asIs},
    {"Split", "", split, asIs},
    {"Slice", "", slice, asIs},
    {"Expand", "", expand, asIs},
    {"Tile", "", tile, asIs},
    {"DepthToSpace", "", spaceAndDepth, asIs},
    {"SpaceToDepth", "", spaceAndDepth, asIs},
    {"Pad", "", pad, asIs},
    {"ReverseSequence", "", reverseSequence, asIs},
});

} // namespace

std::span<const KernelRow> movementKernels()
{
    return rows;
}

} // namespace crease
