// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/op_families.h"

#include <array>

namespace crease {

namespace {

// Their shapes come from their bodies: shape_inference.cpp.
constexpr auto rows = std::to_array<OpInfo>({
    {"If", "", 1, 28, 1, 1, -1, FoldingClass::Control, OpClass::Other, nullptr, claims::all},
    {"Loop", "", 1, 28, 2, -1, -1, FoldingClass::Control, OpClass::Other, nullptr, claims::all},
    {"Scan", "", 9, 28, 1, -1, -1, FoldingClass::Control, OpClass::Other, nullptr, claims::all},
});

} // namespace

std::span<const OpInfo> controlOps()
{
    return rows;
}

} // namespace crease
