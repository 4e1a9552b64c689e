// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/integer_kernels.h"

#include "core/exec/kernel_families.h"
#include "core/ir/integer_nodes.h"

#include <array>

namespace crease {

namespace {

constexpr std::array rows = {
    KernelRow{nodes::fakeQuant, nodes::domain, fakeQuant},
    KernelRow{nodes::quantize, nodes::domain, quantizeToGrid},
    KernelRow{nodes::dequantize, nodes::domain, dequantizeFromGrid},
    KernelRow{nodes::requantize, nodes::domain, requantize},
    KernelRow{nodes::table, nodes::domain, lookUpTable},
    KernelRow{nodes::clamp, nodes::domain, clampCodes},
    KernelRow{"Conv", "", integerConv},
    KernelRow{"ConvTranspose", "", integerConvTranspose},
    KernelRow{"Gemm", "", integerGemm},
    KernelRow{"MatMul", "", integerMatMul},
    KernelRow{"Add", "", integerAdd},
    KernelRow{"Sum", "", integerAdd},
    KernelRow{"Sub", "", integerSub},
    KernelRow{"Mul", "", integerMul},
    KernelRow{"Div", "", integerDiv},
    KernelRow{"Max", "", integerMax},
    KernelRow{"Min", "", integerMin},
    KernelRow{"Where", "", integerWhere},
    KernelRow{"Concat", "", integerConcat},
    KernelRow{"Relu", "", integerRelu},
    KernelRow{"Pad", "", integerPad},
    KernelRow{"AveragePool", "", integerAveragePool},
    KernelRow{"GlobalAveragePool", "", integerGlobalAveragePool},
    KernelRow{"ReduceMean", "", integerReduceMean},
    KernelRow{"ReduceSum", "", integerReduceSum},
    KernelRow{"Resize", "", integerResize},
};

} // namespace

std::span<const KernelRow> integerKernels()
{
    return rows;
}

} // namespace crease
