// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/kernel.h"

namespace crease {

// One function a family file, each giving its rows; kernel_table.cpp lists them all.
std::span<const KernelRow> unaryKernels();
std::span<const KernelRow> binaryKernels();
std::span<const KernelRow> compareKernels();
std::span<const KernelRow> movementKernels();
std::span<const KernelRow> indexingKernels();
std::span<const KernelRow> shapeKernels();
std::span<const KernelRow> castKernels();
std::span<const KernelRow> reductionKernels();
std::span<const KernelRow> softmaxKernels();
std::span<const KernelRow> selectionKernels();
std::span<const KernelRow> recurrentKernels();
std::span<const KernelRow> visionKernels();
std::span<const KernelRow> attentionKernels();
std::span<const KernelRow> qonnxKernels();

std::span<const KernelRow> linearKernels();
std::span<const KernelRow> poolingKernels();
std::span<const KernelRow> normKernels();
std::span<const KernelRow> quantKernels();
std::span<const KernelRow> resizeKernels();

/// Nodes of domain crease, and ONNX ops whose inputs carry codes: looked up first for those.
std::span<const KernelRow> integerKernels();

} // namespace crease
