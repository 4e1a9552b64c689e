// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/linear_shapes.h"

#include "core/ops/op_families.h"
#include "core/ops/window.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

namespace crease {

Result<MaybeShape> convShape(const ShapeContext& context, const MaybeShape& x, const MaybeShape& w)
{
    if (!x) {
        return MaybeShape{};
    }
    if (x->size() < 3 || (w && w->size() != x->size())) {
        return shapeError(context,
                          fmt::format("input {} and weights {}", toText(*x), w ? toText(*w) : std::string("unknown")));
    }
    const std::int64_t group = context.node.intAttribute("group", 1);
    if (w && (*x)[1].known() && (*w)[1].known() && (*x)[1] != product((*w)[1], known(group))) {
        return shapeError(
            context, fmt::format("{} input channels for weights {} in {} groups", (*x)[1].value, toText(*w), group));
    }
    const std::size_t spatial = x->size() - 2;
    std::vector<std::int64_t> kernel;
    for (std::size_t i = 0; w && i < spatial; ++i) {
        kernel.push_back((*w)[i + 2].value);
    }
    const Window window = windowOf(context.node, std::move(kernel));
    Shape result{(*x)[0], w ? (*w)[0] : Dim{}};
    const std::string fault = windowFault(window, spatial);
    if (!fault.empty()) {
        const bool kernelUnknown = !w || std::ranges::any_of(*w, [](const Dim& dim) { return !dim.known(); });
        if (!kernelUnknown) {
            return shapeError(context, fault);
        }
        result.resize(x->size());
        return MaybeShape{std::move(result)};
    }
    for (std::size_t i = 0; i < spatial; ++i) {
        const Dim& dim = (*x)[i + 2];
        result.push_back(dim.known() ? known(window.output(i, dim.value)) : Dim{});
    }
    return MaybeShape{std::move(result)};
}

Result<MaybeShape> matMulShape(const ShapeContext& context, const MaybeShape& a, const MaybeShape& b)
{
    if (!a || !b) {
        return MaybeShape{};
    }
    if (a->empty() || b->empty()) {
        return shapeError(context, "an operand is a scalar");
    }
    const Dim& inner = a->back();
    const Dim& outer = b->size() == 1 ? (*b)[0] : (*b)[b->size() - 2];
    if (inner.known() && outer.known() && inner != outer) {
        return shapeError(context, fmt::format("shapes {} and {} do not multiply", toText(*a), toText(*b)));
    }
    const auto batch = [](const Shape& shape) {
        return shape.size() > 2 ? Shape(shape.begin(), shape.end() - 2) : Shape{};
    };
    Shape result = TRY(broadcastShapes(context, batch(*a), batch(*b)));
    if (a->size() > 1) {
        result.push_back((*a)[a->size() - 2]);
    }
    if (b->size() > 1) {
        result.push_back(b->back());
    }
    return MaybeShape{std::move(result)};
}

Result<MaybeShape> gemmShape(const ShapeContext& context, const MaybeShape& a, const MaybeShape& b)
{
    if (!a || !b) {
        return MaybeShape{Shape(2)};
    }
    if (a->size() != 2 || b->size() != 2) {
        return shapeError(context, fmt::format("shapes {} and {}", toText(*a), toText(*b)));
    }
    const bool transA = context.node.intAttribute("transA", 0) != 0;
    const bool transB = context.node.intAttribute("transB", 0) != 0;
    const Dim& inner = (*a)[transA ? 0 : 1];
    const Dim& other = (*b)[transB ? 1 : 0];
    if (inner.known() && other.known() && inner != other) {
        return shapeError(context, fmt::format("shapes {} and {} do not multiply", toText(*a), toText(*b)));
    }
    return MaybeShape{Shape{(*a)[transA ? 1 : 0], (*b)[transB ? 0 : 1]}};
}

namespace {

using Look = OpClass;

ShapeResult conv(ShapeContext& context)
{
    return oneOutput(inputAt(context, 0).type,
                     TRY(convShape(context, inputAt(context, 0).shape, inputAt(context, 1).shape)));
}

ShapeResult convTranspose(ShapeContext& context)
{
    const MaybeShape& x = inputAt(context, 0).shape;
    const MaybeShape& w = inputAt(context, 1).shape;
    const ElementType type = inputAt(context, 0).type;
    if (!x || !w) {
        return oneOutput(type, {});
    }
    if (x->size() < 3 || w->size() != x->size()) {
        return shapeError(context, fmt::format("input {} and weights {}", toText(*x), toText(*w)));
    }
    const std::size_t spatial = x->size() - 2;
    std::vector<std::int64_t> kernel;
    for (std::size_t i = 0; i < spatial; ++i) {
        kernel.push_back((*w)[i + 2].value);
    }
    const Window window = windowOf(context.node, std::move(kernel));
    if (const std::string fault = windowFault(window, spatial); !fault.empty()) {
        return shapeError(context, fault);
    }
    const auto added = context.node.intsAttribute("output_padding", std::vector<std::int64_t>(spatial, 0));
    if (added.size() != spatial || std::ranges::any_of(added, [](std::int64_t value) {
            return value > largestWindow || value < -largestWindow;
        })) {
        return shapeError(context, fmt::format("{} entries of output_padding for {} axes", added.size(), spatial));
    }
    const auto wished = context.node.intsAttribute("output_shape");
    Shape result{(*x)[0], product((*w)[1], known(context.node.intAttribute("group", 1)))};
    for (std::size_t i = 0; i < spatial; ++i) {
        const Dim& dim = (*x)[i + 2];
        if (wished.size() >= spatial) {
            result.push_back(known(wished[wished.size() - spatial + i]));
        } else if (!dim.known()) {
            result.emplace_back();
        } else if (window.same()) {
            result.push_back(product(dim, known(window.strides[i])));
        } else {
            const Dim steps = product(known(std::max<std::int64_t>(dim.value - 1, 0)), known(window.strides[i]));
            result.push_back(
                sum(steps, known(added[i] + window.extent(i) - window.pads[i] - window.pads[i + spatial])));
        }
    }
    return oneOutput(type, std::move(result));
}

ShapeResult matMul(ShapeContext& context)
{
    return oneOutput(inputAt(context, 0).type,
                     TRY(matMulShape(context, inputAt(context, 0).shape, inputAt(context, 1).shape)));
}

ShapeResult gemm(ShapeContext& context)
{
    return oneOutput(inputAt(context, 0).type,
                     TRY(gemmShape(context, inputAt(context, 0).shape, inputAt(context, 1).shape)));
}

ShapeResult einsum(ShapeContext& context)
{
    const ElementType type = inputAt(context, 0).type;
    std::string equation = context.node.stringAttribute("equation");
    std::erase(equation, ' ');
    const auto arrow = equation.find("->");
    if (equation.find('.') != std::string::npos) {
        return oneOutput(type, {});
    }
    std::map<char, Dim> sizes;
    std::map<char, int> counts;
    std::size_t operand = 0;
    std::size_t axis = 0;
    for (const char letter : equation.substr(0, arrow)) {
        if (letter == ',') {
            ++operand;
            axis = 0;
            continue;
        }
        const MaybeShape& shape = inputAt(context, operand).shape;
        if (!shape) {
            return oneOutput(type, {});
        }
        if (axis >= shape->size()) {
            return shapeError(context, fmt::format("the equation {} does not fit {}", equation, toText(*shape)));
        }
        Dim& size = sizes[letter];
        const Dim& now = (*shape)[axis++];
        size = size.known() && size.value != 1 ? size : now;
        ++counts[letter];
    }
    std::string letters;
    if (arrow != std::string::npos) {
        letters = equation.substr(arrow + 2);
    } else {
        for (const auto& [letter, count] : counts) {
            if (count == 1) {
                letters += letter;
            }
        }
    }
    Shape result;
    for (const char letter : letters) {
        result.push_back(sizes[letter]);
    }
    return oneOutput(type, std::move(result));
}

constexpr unsigned numeric = claims::floats | claims::integers;

constexpr auto rows = std::to_array<OpInfo>({
    {"Conv", "", 1, 28, 2, 3, 1, FoldingClass::Linear, Look::Linear, conv, claims::floats},
    {"ConvTranspose", "", 1, 28, 2, 3, 1, FoldingClass::Linear, Look::Linear, convTranspose, claims::floats},
    {"Gemm", "", 7, 28, 2, 3, 1, FoldingClass::Linear, Look::Linear, gemm, claims::floats},
    {"MatMul", "", 1, 28, 2, 2, 1, FoldingClass::Linear, Look::Linear, matMul, numeric},
    {"Einsum", "", 12, 28, 1, -1, 1, FoldingClass::Linear, Look::Linear, einsum, claims::floats},
});

} // namespace

std::span<const OpInfo> linearOps()
{
    return rows;
}

} // namespace crease
