// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ops/op_table.h"

namespace crease {

// One function a family file, each giving its rows; op_table.cpp concatenates them.
std::span<const OpInfo> elementwiseOps();
std::span<const OpInfo> movementOps();
std::span<const OpInfo> indexingOps();
std::span<const OpInfo> generationOps();
std::span<const OpInfo> linearOps();
std::span<const OpInfo> poolingOps();
std::span<const OpInfo> normalisationOps();
std::span<const OpInfo> reductionOps();
std::span<const OpInfo> recurrentOps();
std::span<const OpInfo> attentionOps();
std::span<const OpInfo> quantizationOps();
std::span<const OpInfo> integerOps();
std::span<const OpInfo> controlOps();

} // namespace crease
