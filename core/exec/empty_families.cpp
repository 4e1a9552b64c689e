// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/kernel_families.h"

namespace crease {

std::span<const KernelRow> movementKernels()
{
    return {};
}
std::span<const KernelRow> indexingKernels()
{
    return {};
}
std::span<const KernelRow> shapeKernels()
{
    return {};
}
std::span<const KernelRow> castKernels()
{
    return {};
}
std::span<const KernelRow> reductionKernels()
{
    return {};
}
std::span<const KernelRow> softmaxKernels()
{
    return {};
}
std::span<const KernelRow> selectionKernels()
{
    return {};
}

std::span<const KernelRow> normKernels()
{
    return {};
}
std::span<const KernelRow> resizeKernels()
{
    return {};
}
std::span<const KernelRow> integerKernels()
{
    return {};
}

} // namespace crease
