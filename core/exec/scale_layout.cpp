// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/scale_layout.h"

#include "core/exec/kernel_support.h"

#include <fmt/format.h>

namespace crease {

namespace {

ScaleLayout alongAxis(const Dims& dims, std::size_t axis)
{
    ScaleLayout layout;
    layout.single = false;
    layout.length = dims[axis];
    for (std::size_t i = 0; i < axis; ++i) {
        layout.outer *= dims[i];
    }
    for (std::size_t i = axis + 1; i < dims.size(); ++i) {
        layout.inner *= dims[i];
    }
    return layout;
}

ScaleLayout forAll(const Dims& dims)
{
    ScaleLayout layout;
    layout.inner = elementCount(dims).value_or(0);
    return layout;
}

} // namespace

Result<ScaleLayout> gridLayout(const KernelContext& context, const Dims& dims, std::optional<int> axis,
                               std::size_t scaleCount)
{
    if (!axis || scaleCount == 1) {
        return forAll(dims);
    }
    const bool inRange = *axis >= 0 && static_cast<std::size_t>(*axis) < dims.size();
    if (!inRange || dims[static_cast<std::size_t>(*axis)] != static_cast<std::int64_t>(scaleCount)) {
        return badNode(context, fmt::format("{} scales on axis {} of {}", scaleCount, *axis, toText(dims)));
    }
    return alongAxis(dims, static_cast<std::size_t>(*axis));
}

Result<ScaleLayout> quantizerLayout(const KernelContext& context)
{
    const Dims& dims = context.input(0).dims();
    const Tensor& scale = context.input(1);
    const std::int64_t blockSize = context.node.intAttribute("block_size", 0);
    const auto misfit = [&] {
        return badNode(context, fmt::format("scales of {} for data of {}", toText(scale.dims()), toText(dims)));
    };
    if (context.has(2) && context.input(2).size() != scale.size() && context.input(2).size() != 1) {
        return badNode(context, fmt::format("{} zero points for {} scales", context.input(2).size(), scale.size()));
    }
    if (blockSize == 0 && scale.size() == 1) {
        return forAll(dims);
    }
    // A rank-1 tensor with n scales can only mean its one axis, whatever the default of 1 says (BC-22).
    const bool oneAxis = dims.size() == 1 && context.node.attribute("axis") == nullptr;
    const std::int64_t stated = oneAxis ? 0 : context.node.intAttribute("axis", 1);
    const auto axis = static_cast<std::size_t>(TRY(axisOf(context, stated, dims.size())));
    ScaleLayout layout = alongAxis(dims, axis);
    if (blockSize == 0) {
        if (scale.rank() != 1 || scale.dims()[0] != dims[axis]) {
            return misfit();
        }
        return layout;
    }
    layout.block = blockSize;
    if (scale.rank() != dims.size() || blockSize < 0) {
        return misfit();
    }
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const std::int64_t blocks = dims[i] / blockSize + (dims[i] % blockSize != 0 ? 1 : 0);
        if (scale.dims()[i] != (i == axis ? blocks : dims[i])) {
            return misfit();
        }
    }
    return layout;
}

} // namespace crease
