// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/shape_support.h"

#include <algorithm>
#include <fmt/format.h>

namespace crease {

std::unexpected<Error> shapeError(const ShapeContext& context, std::string message)
{
    Error error{ErrorKind::Input, "bad-shape", fmt::format("{}: {}", context.node.op, message)};
    const ValueId out = context.node.output();
    error.node = context.node.name;
    if (error.node.empty() && out.valid() && context.graph.contains(out)) {
        error.node = context.graph.value(out).name;
    }
    return std::unexpected(std::move(error));
}

bool hasInput(const ShapeContext& context, std::size_t slot)
{
    return context.node.input(slot).valid();
}

const TypedShape& inputAt(const ShapeContext& context, std::size_t slot)
{
    static const TypedShape absent;
    return slot < context.inputs.size() ? context.inputs[slot] : absent;
}

const std::optional<IntTerms>& termsAt(const ShapeContext& context, std::size_t slot)
{
    static const std::optional<IntTerms> nothing;
    return slot < context.contents.size() ? context.contents[slot] : nothing;
}

const Tensor* constantAt(const ShapeContext& context, std::size_t slot)
{
    const ValueId id = context.node.input(slot);
    const bool constant = id.valid() && context.graph.contains(id) && context.graph.value(id).isConstant();
    return constant ? &context.graph.value(id).constant : nullptr;
}

std::optional<std::vector<std::int64_t>> knownInts(const ShapeContext& context, std::size_t slot)
{
    if (const auto& terms = termsAt(context, slot)) {
        std::vector<std::int64_t> values;
        for (const IntTerm& term : *terms) {
            if (!term.value) {
                return std::nullopt;
            }
            values.push_back(*term.value);
        }
        return values;
    }
    const Tensor* constant = constantAt(context, slot);
    if (constant != nullptr && isInteger(constant->type())) {
        return constant->toInts();
    }
    return std::nullopt;
}

IntTerm termOf(const Dim& dim)
{
    return dim.known() ? IntTerm{dim.value, {}} : IntTerm{{}, dim.symbol};
}

Dim dimOf(const IntTerm& term)
{
    return term.value ? known(std::max<std::int64_t>(*term.value, -1)) : Dim{-1, term.symbol};
}

Dim known(std::int64_t value)
{
    return value <= largestDim ? Dim{value} : Dim{};
}

Dim product(const Dim& a, const Dim& b)
{
    if (a.known() && b.known()) {
        std::int64_t value = 0;
        return __builtin_mul_overflow(a.value, b.value, &value) ? Dim{} : known(value);
    }
    if (a == known(0) || b == known(0)) {
        return known(0);
    }
    return a == known(1) ? b : b == known(1) ? a : Dim{};
}

Dim sum(const Dim& a, const Dim& b)
{
    if (a.known() && b.known()) {
        std::int64_t value = 0;
        return __builtin_add_overflow(a.value, b.value, &value) ? Dim{} : known(value);
    }
    return a == known(0) ? b : b == known(0) ? a : Dim{};
}

Result<Shape> broadcastShapes(const ShapeContext& context, const Shape& a, const Shape& b)
{
    Shape result(std::max(a.size(), b.size()));
    for (std::size_t i = 0; i < result.size(); ++i) {
        const Dim da = i < a.size() ? a[a.size() - 1 - i] : known(1);
        const Dim db = i < b.size() ? b[b.size() - 1 - i] : known(1);
        Dim& to = result[result.size() - 1 - i];
        if (da.known() && db.known() && da.value != db.value && da.value != 1 && db.value != 1) {
            return shapeError(context, fmt::format("shapes {} and {} do not broadcast", toText(a), toText(b)));
        }
        if (da == db || db == known(1)) {
            to = da;
        } else if (da == known(1) || db.known()) {
            to = db;
        } else if (da.known()) {
            to = da;
        } // two symbols: either may be 1
    }
    return result;
}

Result<MaybeShape> broadcastInputs(const ShapeContext& context, std::size_t from, std::size_t to)
{
    Shape result;
    for (std::size_t i = from; i < to; ++i) {
        if (!inputAt(context, i).shape) {
            return MaybeShape{};
        }
        result = TRY(broadcastShapes(context, result, *inputAt(context, i).shape));
    }
    return MaybeShape{std::move(result)};
}

Result<std::size_t> axisIn(const ShapeContext& context, std::int64_t axis, std::size_t rank)
{
    const std::optional<int> normal = normalizedAxis(axis, rank);
    if (!normal) {
        return shapeError(context, fmt::format("axis {} is out of range for rank {}", axis, rank));
    }
    return static_cast<std::size_t>(*normal);
}

ShapeResult oneOutput(ElementType type, MaybeShape shape)
{
    std::vector<TypedShape> outputs;
    outputs.push_back({type, std::move(shape)});
    return outputs;
}

ShapeResult sameAsInput(ShapeContext& context)
{
    return oneOutput(inputAt(context, 0).type, inputAt(context, 0).shape);
}

ShapeResult broadcastAll(ShapeContext& context)
{
    return oneOutput(inputAt(context, 0).type, TRY(broadcastInputs(context, 0, context.inputs.size())));
}

ShapeResult broadcastToBool(ShapeContext& context)
{
    return oneOutput(ElementType::Bool, TRY(broadcastInputs(context, 0, context.inputs.size())));
}

} // namespace crease
