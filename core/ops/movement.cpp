// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/op_families.h"
#include "core/ops/resized_length.h"
#include "core/ops/shape_support.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace crease {

namespace {

using enum FoldingClass;
using Look = OpClass;

ElementType typeOf(const ShapeContext& context)
{
    return inputAt(context, 0).type;
}
const MaybeShape& shapeOfInput(const ShapeContext& context)
{
    return inputAt(context, 0).shape;
}

Dim productOf(const Shape& shape, std::size_t from, std::size_t to)
{
    Dim result = known(1);
    for (std::size_t i = from; i < to; ++i) {
        result = product(result, shape[i]);
    }
    return result;
}

/// The dimension that -1 stands for: the input's elements over those of the other dimensions, symbols cancelled.
Dim inferredDim(const Shape& from, const Shape& others)
{
    std::vector<std::string> symbols;
    std::int64_t total = 1;
    for (const Dim& dim : from) {
        if (dim.known()) {
            total *= dim.value;
        } else if (dim.symbol.empty()) {
            return {};
        } else {
            symbols.push_back(dim.symbol);
        }
    }
    std::int64_t divisor = 1;
    for (const Dim& dim : others) {
        if (dim.known()) {
            divisor *= dim.value;
            continue;
        }
        const auto found = std::ranges::find(symbols, dim.symbol);
        if (found == symbols.end()) {
            return {};
        }
        symbols.erase(found);
    }
    if (divisor == 0 || total % divisor != 0) {
        return {};
    }
    if (symbols.empty()) {
        return known(total / divisor);
    }
    return symbols.size() == 1 && total == divisor ? Dim{-1, symbols.front()} : Dim{};
}

ShapeResult reshape(ShapeContext& context)
{
    context.outputContents[0] = termsAt(context, 0);
    const auto& target = termsAt(context, 1);
    if (!target) {
        const MaybeShape& shape = inputAt(context, 1).shape;
        const bool rankKnown = shape && shape->size() == 1 && (*shape)[0].known() && (*shape)[0].value <= largestRank;
        return oneOutput(typeOf(context),
                         rankKnown ? MaybeShape(Shape(static_cast<std::size_t>((*shape)[0].value))) : MaybeShape{});
    }
    const MaybeShape& from = shapeOfInput(context);
    const bool allowZero = context.node.intAttribute("allowzero", 0) != 0;
    Shape result;
    std::optional<std::size_t> inferred;
    for (std::size_t i = 0; i < target->size(); ++i) {
        const IntTerm& term = (*target)[i];
        if (term.value == -1) {
            if (inferred) {
                return shapeError(context, "more than one dimension is -1");
            }
            inferred = i;
            result.emplace_back();
        } else if (term.value == 0 && !allowZero) {
            if (from && i >= from->size()) {
                return shapeError(context,
                                  fmt::format("dimension {} is copied from a shape of rank {}", i, from->size()));
            }
            result.push_back(from ? (*from)[i] : Dim{});
        } else {
            result.push_back(dimOf(term));
        }
    }
    if (from && inferred) {
        Shape others = result;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(*inferred));
        result[*inferred] = inferredDim(*from, others);
        const auto count = productOf(*from, 0, from->size());
        const auto rest = productOf(others, 0, others.size());
        if (count.known() && rest.known() && (rest.value == 0 ? count.value != 0 : count.value % rest.value != 0)) {
            return shapeError(context, fmt::format("{} cannot be reshaped to {}", toText(*from), toText(result)));
        }
    } else if (from) {
        const Dim before = productOf(*from, 0, from->size());
        const Dim after = productOf(result, 0, result.size());
        if (before.known() && after.known() && before != after) {
            return shapeError(context, fmt::format("{} cannot be reshaped to {}", toText(*from), toText(result)));
        }
    }
    return oneOutput(typeOf(context), std::move(result));
}

ShapeResult flatten(ShapeContext& context)
{
    const MaybeShape& shape = shapeOfInput(context);
    if (!shape) {
        return oneOutput(typeOf(context), Shape(2));
    }
    const std::int64_t wished = context.node.intAttribute("axis", 1);
    const std::int64_t rank = static_cast<std::int64_t>(shape->size());
    if (wished < -rank || wished > rank) {
        return shapeError(context, fmt::format("axis {} is out of range for rank {}", wished, rank));
    }
    const auto axis = static_cast<std::size_t>(wished < 0 ? wished + rank : wished);
    return oneOutput(typeOf(context), Shape{productOf(*shape, 0, axis), productOf(*shape, axis, shape->size())});
}

ShapeResult transpose(ShapeContext& context)
{
    const MaybeShape& shape = shapeOfInput(context);
    if (!shape) {
        return oneOutput(typeOf(context), {});
    }
    std::vector<std::int64_t> permutation = context.node.intsAttribute("perm");
    if (permutation.empty()) {
        for (std::size_t i = shape->size(); i-- > 0;) {
            permutation.push_back(static_cast<std::int64_t>(i));
        }
    }
    if (permutation.size() != shape->size()) {
        return shapeError(context,
                          fmt::format("a permutation of {} axes for rank {}", permutation.size(), shape->size()));
    }
    Shape result;
    for (const std::int64_t axis : permutation) {
        result.push_back((*shape)[TRY(axisIn(context, axis, shape->size()))]);
    }
    return oneOutput(typeOf(context), std::move(result));
}

ShapeResult squeeze(ShapeContext& context)
{
    context.outputContents[0] = termsAt(context, 0);
    const MaybeShape& shape = shapeOfInput(context);
    const auto axes = knownInts(context, 1);
    if (!shape || (hasInput(context, 1) && !axes)) {
        return oneOutput(typeOf(context), {});
    }
    std::vector<bool> dropped(shape->size(), false);
    if (axes) {
        for (const std::int64_t axis : *axes) {
            const std::size_t at = TRY(axisIn(context, axis, shape->size()));
            if ((*shape)[at].known() && (*shape)[at].value != 1) {
                return shapeError(context, fmt::format("axis {} of {} is not 1", axis, toText(*shape)));
            }
            dropped[at] = true;
        }
    } else {
        for (std::size_t i = 0; i < shape->size(); ++i) {
            if (!(*shape)[i].known()) {
                return oneOutput(typeOf(context), {});
            }
            dropped[i] = (*shape)[i].value == 1;
        }
    }
    Shape result;
    for (std::size_t i = 0; i < shape->size(); ++i) {
        if (!dropped[i]) {
            result.push_back((*shape)[i]);
        }
    }
    return oneOutput(typeOf(context), std::move(result));
}

ShapeResult unsqueeze(ShapeContext& context)
{
    context.outputContents[0] = termsAt(context, 0);
    const MaybeShape& shape = shapeOfInput(context);
    const auto axes = knownInts(context, 1);
    if (!shape || !axes) {
        return oneOutput(typeOf(context), {});
    }
    const std::size_t rank = shape->size() + axes->size();
    std::vector<bool> added(rank, false);
    for (const std::int64_t axis : *axes) {
        const std::size_t at = TRY(axisIn(context, axis, rank));
        if (added[at]) {
            return shapeError(context, fmt::format("axis {} is given twice", axis));
        }
        added[at] = true;
    }
    Shape result;
    for (std::size_t i = 0, next = 0; i < rank; ++i) {
        result.push_back(added[i] ? known(1) : (*shape)[next++]);
    }
    return oneOutput(typeOf(context), std::move(result));
}

ShapeResult concat(ShapeContext& context)
{
    const std::size_t count = context.inputs.size();
    bool allTerms = context.node.intAttribute("axis", 0) == 0;
    IntTerms terms;
    for (std::size_t i = 0; i < count && allTerms; ++i) {
        const auto& part = termsAt(context, i);
        allTerms = part.has_value() && inputAt(context, i).shape && inputAt(context, i).shape->size() == 1;
        if (allTerms) {
            terms.insert(terms.end(), part->begin(), part->end());
        }
    }
    if (allTerms) {
        context.outputContents[0] = std::move(terms);
    }
    MaybeShape result;
    for (std::size_t i = 0; i < count; ++i) {
        const MaybeShape& shape = inputAt(context, i).shape;
        if (!shape) {
            return oneOutput(typeOf(context), {});
        }
        const std::size_t axis = TRY(axisIn(context, context.node.intAttribute("axis", 1), shape->size()));
        if (!result) {
            result = shape;
            continue;
        }
        if (result->size() != shape->size()) {
            return shapeError(context, fmt::format("shapes {} and {}", toText(*result), toText(*shape)));
        }
        for (std::size_t d = 0; d < shape->size(); ++d) {
            Dim& to = (*result)[d];
            if (d == axis) {
                to = sum(to, (*shape)[d]);
            } else if (to.known() && (*shape)[d].known() && to != (*shape)[d]) {
                return shapeError(context, fmt::format("shapes {} and {}", toText(*result), toText(*shape)));
            } else if (!to.known()) {
                to = (*shape)[d].known() || to.symbol.empty() ? (*shape)[d] : to;
            }
        }
    }
    return oneOutput(typeOf(context), std::move(result));
}

ShapeResult split(ShapeContext& context)
{
    const std::size_t count = context.node.outputs.size();
    std::vector<TypedShape> outputs(count, TypedShape{typeOf(context), shapeOfInput(context)});
    const MaybeShape& shape = shapeOfInput(context);
    if (!shape) {
        return outputs;
    }
    const std::size_t axis = TRY(axisIn(context, context.node.intAttribute("axis", 0), shape->size()));
    const auto parts = knownInts(context, 1);
    const auto& terms = termsAt(context, 0);
    std::int64_t from = 0;
    for (std::size_t i = 0; i < count; ++i) {
        Dim& dim = (*outputs[i].shape)[axis];
        const auto pieces = static_cast<std::int64_t>(count);
        if (hasInput(context, 1)) {
            if (parts && parts->size() != count) {
                return shapeError(context, fmt::format("{} parts for {} outputs", parts->size(), count));
            }
            dim = parts ? known((*parts)[i]) : Dim{};
        } else if (dim.known()) {
            const std::int64_t part = (dim.value + pieces - 1) / pieces;
            dim = known(std::clamp<std::int64_t>(dim.value - static_cast<std::int64_t>(i) * part, 0, part));
        } else {
            dim = Dim{};
        }
        if (terms && dim.known() && std::cmp_less_equal(from + dim.value, terms->size())) {
            context.outputContents[i] = IntTerms(terms->begin() + from, terms->begin() + from + dim.value);
        }
        from += dim.known() ? dim.value : 0;
    }
    return outputs;
}

ShapeResult slice(ShapeContext& context)
{
    const MaybeShape& shape = shapeOfInput(context);
    if (!shape) {
        return oneOutput(typeOf(context), {});
    }
    const auto starts = knownInts(context, 1);
    const auto ends = knownInts(context, 2);
    auto axes = knownInts(context, 3);
    auto steps = knownInts(context, 4);
    if ((hasInput(context, 3) && !axes) || (hasInput(context, 4) && !steps)) {
        return oneOutput(typeOf(context), Shape(shape->size()));
    }
    const std::size_t count = starts ? starts->size() : ends ? ends->size() : axes ? axes->size() : shape->size();
    Shape result = *shape;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t axis =
            TRY(axisIn(context, axes && i < axes->size() ? (*axes)[i] : static_cast<std::int64_t>(i), shape->size()));
        const std::int64_t step = steps && i < steps->size() ? (*steps)[i] : 1;
        if (step == 0) {
            return shapeError(context, "a step is 0");
        }
        Dim& dim = result[axis];
        const std::int64_t start = starts && i < starts->size() ? (*starts)[i] : 0;
        const std::int64_t end = ends && i < ends->size() ? (*ends)[i] : 0;
        if (!starts || !ends) {
            dim = Dim{};
            continue;
        }
        if (!dim.known()) {
            if (step != 1 || start != 0 || end < std::int64_t{1} << 31) {
                dim = Dim{};
            }
            continue;
        }
        const std::int64_t size = dim.value;
        if (size == 0) {
            continue;
        }
        const std::int64_t low = step < 0 ? -1 : 0;
        const std::int64_t high = step < 0 ? size - 1 : size;
        const std::int64_t from = std::clamp(start < 0 ? start + size : start, std::int64_t{0}, high);
        const std::int64_t to = std::clamp(end < 0 ? end + size : end, low, size);
        const std::int64_t span = step > 0 ? to - from : from - to;
        const std::int64_t stride = step > 0 ? step : -std::max(step, -largestDim);
        dim = known(span <= 0 ? 0 : (span - 1) / stride + 1);
        if (const auto& terms = termsAt(context, 0);
            terms && shape->size() == 1 && std::cmp_equal(terms->size(), size)) {
            IntTerms sliced;
            for (std::int64_t k = 0; k < dim.value; ++k) {
                sliced.push_back((*terms)[static_cast<std::size_t>(from + k * step)]);
            }
            context.outputContents[0] = std::move(sliced);
        }
    }
    return oneOutput(typeOf(context), std::move(result));
}

ShapeResult expand(ShapeContext& context)
{
    const auto& target = termsAt(context, 1);
    if (!target || !shapeOfInput(context)) {
        return oneOutput(typeOf(context), {});
    }
    Shape wished;
    for (const IntTerm& term : *target) {
        wished.push_back(dimOf(term));
    }
    const auto& terms = termsAt(context, 0);
    if (terms && terms->size() == 1 && wished.size() <= 1) {
        const std::int64_t count = wished.empty() ? 1 : wished[0].value;
        if (count >= 0 && count <= 64) {
            context.outputContents[0] = IntTerms(static_cast<std::size_t>(count), (*terms)[0]);
        }
    }
    return oneOutput(typeOf(context), TRY(broadcastShapes(context, *shapeOfInput(context), wished)));
}

ShapeResult tile(ShapeContext& context)
{
    const MaybeShape& shape = shapeOfInput(context);
    const auto repeats = knownInts(context, 1);
    if (!shape) {
        return oneOutput(typeOf(context), {});
    }
    Shape result = *shape;
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = repeats && i < repeats->size() ? product(result[i], known((*repeats)[i])) : Dim{};
    }
    return oneOutput(typeOf(context), std::move(result));
}

ShapeResult pad(ShapeContext& context)
{
    const MaybeShape& shape = shapeOfInput(context);
    if (!shape) {
        return oneOutput(typeOf(context), {});
    }
    const auto pads = knownInts(context, 1);
    auto axes = knownInts(context, 3);
    if (!pads || (hasInput(context, 3) && !axes)) {
        return oneOutput(typeOf(context), Shape(shape->size()));
    }
    const std::size_t count = axes ? axes->size() : shape->size();
    if (pads->size() != 2 * count) {
        return shapeError(context, fmt::format("{} pads for {} axes", pads->size(), count));
    }
    Shape result = *shape;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t axis = axes ? TRY(axisIn(context, (*axes)[i], shape->size())) : i;
        result[axis] = sum(result[axis], known(0));
        std::int64_t added = 0;
        if (__builtin_add_overflow((*pads)[i], (*pads)[i + count], &added) || added > largestDim ||
            added < -largestDim) {
            return shapeError(context, fmt::format("pads of {} and {}", (*pads)[i], (*pads)[i + count]));
        }
        if (result[axis].known() && result[axis].value + added < 0) {
            return shapeError(context, fmt::format("pads of {} on {}", added, toText(*shape)));
        }
        result[axis] = result[axis].known() ? known(result[axis].value + added) : added == 0 ? result[axis] : Dim{};
    }
    return oneOutput(typeOf(context), std::move(result));
}

Dim divided(const Dim& dim, std::int64_t by)
{
    return dim.known() && by > 0 ? known(dim.value / by) : Dim{};
}

ShapeResult depthToSpace(ShapeContext& context)
{
    const MaybeShape& shape = shapeOfInput(context);
    if (!shape) {
        return oneOutput(typeOf(context), {});
    }
    const std::int64_t block = context.node.intAttribute("blocksize", 0);
    if (shape->size() != 4 || block < 1 || block > std::int64_t{1} << 20) {
        return shapeError(context, fmt::format("block size {} on {}", block, toText(*shape)));
    }
    const Dim b = known(block);
    const bool down = context.node.op == "SpaceToDepth";
    const Dim channels = down ? product((*shape)[1], known(block * block)) : divided((*shape)[1], block * block);
    const auto spatial = [&](const Dim& dim) { return down ? divided(dim, block) : product(dim, b); };
    return oneOutput(typeOf(context), Shape{(*shape)[0], channels, spatial((*shape)[2]), spatial((*shape)[3])});
}

ShapeResult resize(ShapeContext& context)
{
    const MaybeShape& shape = shapeOfInput(context);
    if (!shape) {
        return oneOutput(typeOf(context), {});
    }
    std::vector<std::size_t> axes;
    for (const std::int64_t axis : context.node.intsAttribute("axes")) {
        axes.push_back(TRY(axisIn(context, axis, shape->size())));
    }
    if (axes.empty()) {
        for (std::size_t i = 0; i < shape->size(); ++i) {
            axes.push_back(i);
        }
    }
    Shape result = *shape;
    const auto& sizes = termsAt(context, 3);
    const Tensor* scales = constantAt(context, 2);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        Dim& dim = result[axes[i]];
        const bool keepsAspect = context.node.stringAttribute("keep_aspect_ratio_policy", "stretch") != "stretch";
        if (hasInput(context, 3)) {
            dim = sizes && sizes->size() == axes.size() && !keepsAspect ? dimOf((*sizes)[i]) : Dim{};
        } else if (scales != nullptr && scales->size() == axes.size()) {
            const double scale = scales->asDouble(i);
            const std::int64_t scaled = dim.known() ? resizedLength(dim.value, scale) : -1;
            dim = scaled >= 0 ? known(scaled) : !dim.known() && scale == 1.0 ? dim : Dim{};
        } else {
            dim = Dim{};
        }
    }
    return oneOutput(typeOf(context), std::move(result));
}

constexpr auto rows = std::to_array<OpInfo>({
    {"Reshape", "", 5, 28, 2, 2, 1, Movement, Look::Movement, reshape, claims::all},
    {"Flatten", "", 1, 28, 1, 1, 1, Movement, Look::Movement, flatten, claims::all},
    {"Transpose", "", 1, 28, 1, 1, 1, Movement, Look::Movement, transpose, claims::all},
    {"Squeeze", "", 1, 28, 1, 2, 1, Movement, Look::Movement, squeeze, claims::all},
    {"Unsqueeze", "", 1, 28, 2, 2, 1, Movement, Look::Movement, unsqueeze, claims::all},
    {"Concat", "", 4, 28, 1, -1, 1, Rescale, Look::Movement, concat, claims::all},
    {"Split", "", 2, 28, 1, 2, -1, Movement, Look::Movement, split, claims::all},
    {"Slice", "", 1, 28, 3, 5, 1, Movement, Look::Movement, slice, claims::all},
    {"Expand", "", 8, 28, 2, 2, 1, Movement, Look::Movement, expand, claims::all},
    {"Tile", "", 6, 28, 2, 2, 1, Movement, Look::Movement, tile, claims::all},
    {"Pad", "", 1, 28, 2, 4, 1, Movement, Look::Movement, pad, claims::numbers},
    {"DepthToSpace", "", 1, 28, 1, 1, 1, Movement, Look::Movement, depthToSpace, claims::all},
    {"SpaceToDepth", "", 1, 28, 1, 1, 1, Movement, Look::Movement, depthToSpace, claims::all},
    {"Resize", "", 7, 28, 1, 4, 1, Rescale, Look::Movement, resize, claims::floats | claims::integers},
});

} // namespace

std::span<const OpInfo> movementOps()
{
    return rows;
}

} // namespace crease
