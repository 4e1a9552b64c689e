// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/op_families.h"

namespace crease {

std::span<const OpInfo> elementwiseOps()
{
    return {};
}
std::span<const OpInfo> movementOps()
{
    return {};
}
std::span<const OpInfo> indexingOps()
{
    return {};
}
std::span<const OpInfo> generationOps()
{
    return {};
}
std::span<const OpInfo> linearOps()
{
    return {};
}
std::span<const OpInfo> poolingOps()
{
    return {};
}
std::span<const OpInfo> normalisationOps()
{
    return {};
}
std::span<const OpInfo> reductionOps()
{
    return {};
}
std::span<const OpInfo> recurrentOps()
{
    return {};
}
std::span<const OpInfo> quantizationOps()
{
    return {};
}
std::span<const OpInfo> integerOps()
{
    return {};
}
std::span<const OpInfo> controlOps()
{
    return {};
}

} // namespace crease
