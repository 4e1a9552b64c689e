// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/export/constructs.h"

#include <cmath>
#include <fmt/format.h>
#include <random>

namespace crease::test {

namespace {

std::string head(int opset = 13)
{
    return fmt::format("graph \"g\" ir 8 opset \"\" {}\n", opset);
}

/// A constant of reproducible random codes.
std::string codes(const std::string& name, const std::string& type, const std::string& dims, const std::string& grid,
                  std::size_t count, int low, int high, unsigned seed = 1)
{
    std::mt19937 random(seed);
    std::string list;
    for (std::size_t i = 0; i < count; ++i) {
        list += fmt::format("{}{}", i ? ", " : "",
                            low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1)));
    }
    return fmt::format("const %{}: {}[{}] codes {} = [{}]\n", name, type, dims, grid, list);
}

std::string numbers(std::size_t count, double first, double ratio)
{
    std::string list;
    for (std::size_t i = 0; i < count; ++i) {
        list += fmt::format("{}{}", i ? ", " : "", static_cast<double>(static_cast<float>(first * std::pow(ratio, i))));
    }
    return list;
}

std::string repeated(std::size_t count, const std::string& text)
{
    std::string list;
    for (std::size_t i = 0; i < count; ++i) {
        list += (i ? ", " : "") + text;
    }
    return list;
}

/// s_x * s_w as the final graph has it: products of float32 in double.
std::string products(std::size_t count, double x, double first, double ratio)
{
    std::string list;
    for (std::size_t i = 0; i < count; ++i) {
        const auto w = static_cast<double>(static_cast<float>(first * std::pow(ratio, i)));
        list += fmt::format("{}{:.17g}", i ? ", " : "", static_cast<double>(static_cast<float>(x)) * w);
    }
    return list;
}

const std::string image = "input %q: u8[1x4x6x6] codes u8(0.05000000074505806, 117)\n";
const std::string rows = "input %q: u8[3x8] codes u8(0.05000000074505806, 117)\n";
const std::string batch = "input %q: u8[2x3x8] codes u8(0.05000000074505806, 117)\n";

std::string perChannel(std::size_t channels, int axis, double first = 0.01, const std::string& zero = "0",
                       const std::string& type = "s8")
{
    return fmt::format("{}([{}], [{}], axis {})", type, numbers(channels, first, 1.3), repeated(channels, zero), axis);
}

std::string accumulator(std::size_t channels, int axis, double first = 0.01)
{
    return fmt::format("s32([{}], [{}], axis {})", products(channels, 0.05000000074505806, first, 1.3),
                       repeated(channels, "0"), axis);
}

void addLinear(std::vector<Construct>& all)
{
    const std::string w = codes("w", "s8", "5x4x3x3", perChannel(5, 0), 180, -127, 127);
    const std::string bias = "bias_codes = tensor s32[5] [100, -2000, 0, 31, 7]";
    all.push_back({"conv",
                   head() + image + w + "%y: u8[1x5x6x6] codes u8(0.5, 131) = Conv(%q, %w) {pads = [1, 1, 1, 1], " +
                       bias + "}\noutput %y\n",
                   "QLinearConv"});
    all.push_back({"conv with clamp",
                   head() + image + w +
                       "%y: u8[1x5x6x6] codes u8(0.25, 131) = Conv(%q, %w) {pads = [1, 1, 1, 1], lo = "
                       "131, hi = 200, " +
                       bias + "}\noutput %y\n",
                   "Clip QLinearConv"});
    all.push_back({"conv on a narrow grid",
                   head() + image + w + "%y: u8[1x5x4x4] codes u8(0.5, 128, 120..135) = Conv(%q, %w)\noutput %y\n",
                   "Clip QLinearConv"});
    all.push_back({"depthwise",
                   head() + image + codes("w", "s8", "4x1x3x3", perChannel(4, 0), 36, -127, 127) +
                       "%y: u8[1x4x2x2] codes u8(0.25, 131) = Conv(%q, %w) {group = 4, strides = [2, 2], "
                       "auto_pad = \"VALID\"}\noutput %y\n",
                   "QLinearConv"});
    all.push_back({"conv, unsigned weight with a zero point a channel",
                   head() + image + codes("w", "u8", "2x4x1x1", "u8([0.01, 0.02], [127, 128], axis 0)", 8, 0, 255) +
                       "%y: u8[1x2x6x6] codes u8(0.25, 131) = Conv(%q, %w)\noutput %y\n",
                   "QLinearConv"});
    all.push_back({"conv 1d",
                   head() + "input %q: u8[1x4x9] codes u8(0.05000000074505806, 117)\n" +
                       codes("w", "s8", "5x4x3", perChannel(5, 0), 60, -127, 127) +
                       "%y: u8[1x5x7] codes u8(0.25, 131) = Conv(%q, %w) {" + bias + "}\noutput %y\n",
                   "QLinearConv"});
    all.push_back({"conv 3d",
                   head() + "input %q: u8[1x2x4x4x4] codes u8(0.05000000074505806, 117)\n" +
                       codes("w", "s8", "5x2x2x2x2", perChannel(5, 0), 80, -127, 127) +
                       "%y: u8[1x5x3x3x3] codes u8(0.25, 131) = Conv(%q, %w) {" + bias + "}\noutput %y\n",
                   "QLinearConv"});
    all.push_back({"conv, dilated, padded on one side",
                   head() + image + w +
                       "%y: u8[1x5x4x3] codes u8(0.5, 131) = Conv(%q, %w) {dilations = [2, 2], pads = [2, 0, 0, 1], " +
                       bias + "}\noutput %y\n",
                   "QLinearConv"});
    all.push_back(
        {"conv, SAME_UPPER with strides",
         head() + image + w +
             "%y: u8[1x5x3x3] codes u8(0.5, 131) = Conv(%q, %w) {auto_pad = \"SAME_UPPER\", kernel_shape = [3, 3], "
             "strides = [2, 2], " +
             bias + "}\noutput %y\n",
         "QLinearConv"});
    all.push_back({"conv of 16-bit data",
                   head(21) + "input %q: u16[1x4x6x6] codes u16(0.0005000000237487257, 30000)\n" +
                       codes("w", "s8", "2x4x1x1", "s8([0.01, 0.02], [0, 0], axis 0)", 8, -127, 127) +
                       "%y: u8[1x2x6x6] codes u8(0.25, 131) = Conv(%q, %w)\noutput %y\n",
                   "Conv DequantizeLinear DequantizeLinear Mul QuantizeLinear", 0.05, false, 0.05});
    all.push_back({"conv of 16-bit data, clamped",
                   head(21) + "input %q: u16[1x4x6x6] codes u16(0.0005000000237487257, 30000)\n" +
                       codes("w", "s8", "2x4x1x1", "s8([0.01, 0.02], [0, 0], axis 0)", 8, -127, 127) +
                       "%y: s16[1x2x6x6] codes s16(0.01, -7) = Conv(%q, %w) {lo = -7, hi = 900}\noutput %y\n",
                   "Cast Cast Clip Conv DequantizeLinear DequantizeLinear Mul QuantizeLinear", 0.05, false, 0.05});
    const std::string m = codes("w", "s8", "8x5", perChannel(5, 1), 40, -128, 127);
    all.push_back({"matmul, a batch of weights with a scale a column",
                   head() + batch + codes("w", "s8", "2x8x5", perChannel(5, 2), 80, -128, 127) +
                       "%y: u8[2x3x5] codes u8(0.25, 131) = MatMul(%q, %w)\noutput %y\n",
                   "Cast DequantizeLinear MatMul Mul QuantizeLinear", 0.05, false, 0.05});
    all.push_back({"matmul, a batch of weights with a zero point a column",
                   head() + batch + codes("w", "s8", "2x8x2", "s8([0.01, 0.02], [3, -2], axis 2)", 32, -128, 127) +
                       "%y: s32[2x3x2] codes s32([0.0005000000074505806, 0.0010000000149011612], [0, 0], axis 2) = "
                       "MatMul(%q, %w)\n%z: f32[2x3x2] = crease.Dequantize(%y)\noutput %z\n",
                   ""});
    // ONNX Runtime makes a MatMulNBits of a DequantizeLinear, which quantizes the data once more.
    all.push_back({"matmul of 16-bit data",
                   head(21) + "input %q: u16[24x8] codes u16(0.0005000000237487257, 30000)\n" + m +
                       "%y: u8[24x5] codes u8(0.05, 131) = MatMul(%q, %w)\noutput %y\n",
                   "Cast DequantizeLinear MatMul Mul QuantizeLinear", 0.02, false, 0.02});
    all.push_back({"gemm of 16-bit data",
                   head(21) + "input %q: u16[24x8] codes u16(0.0005000000237487257, 30000)\n" + m +
                       "%y: u8[24x5] codes u8(0.05, 131) = Gemm(%q, %w) {" + bias + "}\noutput %y\n",
                   "Add Cast DequantizeLinear Gemm Mul QuantizeLinear", 0.02, false, 0.02});
    all.push_back({"matmul, a batch of weights with one scale",
                   head() + batch + codes("w", "s8", "2x8x5", "s8(0.01, 3)", 80, -128, 127) +
                       "%y: u8[2x3x5] codes u8(0.25, 131) = MatMul(%q, %w)\noutput %y\n",
                   "QLinearMatMul"});
    all.push_back({"gemm",
                   head() + rows + m + "%y: u8[3x5] codes u8(0.25, 131) = Gemm(%q, %w) {" + bias + "}\noutput %y\n",
                   "QGemm"});
    all.push_back({"gemm transB",
                   head() + rows + codes("w", "s8", "5x8", perChannel(5, 0), 40, -128, 127) +
                       "%y: u8[3x5] codes u8(0.25, 131) = Gemm(%q, %w) {transB = 1, " + bias + "}\noutput %y\n",
                   "QGemm"});
    all.push_back({"matmul without bias",
                   head() + batch + m + "%y: u8[2x3x5] codes u8(0.25, 131) = MatMul(%q, %w)\noutput %y\n",
                   "QLinearMatMul"});
    all.push_back(
        {"matmul with bias, rank 3",
         head() + batch + m + "%y: u8[2x3x5] codes u8(0.25, 131) = MatMul(%q, %w) {" + bias + "}\noutput %y\n",
         "QGemm Reshape Reshape"});
    all.push_back({"matmul with bias, free dimensions",
                   head() + "input %q: u8[NxTx8] codes u8(0.05000000074505806, 117)\n" + m +
                       "%y: u8[NxTx5] codes u8(0.25, 131) = MatMul(%q, %w) {" + bias + "}\noutput %y\n",
                   "Concat QGemm Reshape Reshape Shape Slice"});
    all.push_back({"matmul of a vector with bias",
                   head() + "input %q: u8[8] codes u8(0.05000000074505806, 117)\n" +
                       codes("w", "s8", "8x5", "s8(0.01, 0)", 40, -127, 127) +
                       "%y: u8[5] codes u8(0.25, 131) = MatMul(%q, %w) {" + bias + "}\noutput %y\n",
                   "QGemm Reshape Reshape"});
    all.push_back({"matmul of two activations",
                   head() + batch + "input %p: u8[2x8x4] codes u8(0.019999999552965164, 30)\n" +
                       "%y: u8[2x3x4] codes u8(0.25, 131) = MatMul(%q, %p)\noutput %y\n",
                   "QLinearMatMul"});
    all.push_back(
        {"matmul of two activations with bias",
         head() + batch + "input %p: u8[2x8x4] codes u8(0.019999999552965164, 30)\n" +
             "%y: u8[2x3x4] codes u8(0.25, 131) = MatMul(%q, %p) {bias_codes = tensor s32[1] [999]}\noutput %y\n",
         "Add Cast MatMulInteger Mul QuantizeLinear"});
    all.push_back({"transposed convolution",
                   head() + image + codes("w", "s8", "4x2x2x2", perChannel(2, 1), 32, -127, 127) +
                       "%y: u8[1x4x12x12] codes u8(0.25, 131) = ConvTranspose(%q, %w) {group = 2, strides = [2, 2], "
                       "bias_codes = tensor s32[4] [10, -20, 30, 4000]}\noutput %y\n",
                   "Add ConvTranspose DequantizeLinear DequantizeLinear Mul QuantizeLinear"});
}

void addAccumulators(std::vector<Construct>& all)
{
    const std::string bias = "bias = f64 [0.1, -0.25, 0.0, 3.0, 1e-3]";
    const std::string real = "%y: f32[1x5x4x4] = crease.Dequantize(%acc) {" + bias + "}\noutput %y\n";
    const std::string conv = "%acc: s32[1x5x4x4] codes " + accumulator(5, 1) + " = Conv(%q, %w)\n";
    all.push_back({"conv to float",
                   head() + image + codes("w", "s8", "5x4x3x3", perChannel(5, 0), 180, -127, 127) + conv + real,
                   "Add Cast ConvInteger Mul"});
    all.push_back({"conv to float, unsigned weight with two zero points",
                   head() + image + codes("w", "u8", "2x4x1x1", "u8([0.01, 0.02], [127, 128], axis 0)", 8, 0, 255) +
                       "%acc: s32[1x2x6x6] codes s32([0.00050000000745058060, 0.0010000000149011612], [0, 0], axis 1) "
                       "= Conv(%q, %w)\n"
                       "%y: f32[1x2x6x6] = crease.Dequantize(%acc)\noutput %y\n",
                   ""});
    all.push_back({"conv to float and codes",
                   head() + image + codes("w", "s8", "5x4x3x3", perChannel(5, 0), 180, -127, 127) + conv +
                       "%z: u8[1x5x4x4] codes u8(0.5, 131) = crease.Requantize(%acc) {" + bias +
                       ", lo = 131}\noutput %z\n" + real,
                   "Add Add Cast Cast Clip ConvInteger Mul Mul QuantizeLinear"});
    all.push_back({"gemm transB to float",
                   head() + rows + codes("w", "s8", "5x8", perChannel(5, 0), 40, -128, 127) + "%acc: s32[3x5] codes " +
                       accumulator(5, 1) + " = Gemm(%q, %w) {transB = 1}\n%y: f32[3x5] = crease.Dequantize(%acc) {" +
                       bias + "}\noutput %y\n",
                   "Add Cast MatMulInteger Mul"});
    all.push_back({"matmul to float",
                   head() + batch + codes("w", "s8", "8x5", perChannel(5, 1), 40, -128, 127) +
                       "%acc: s32[2x3x5] codes " + accumulator(5, 2) +
                       " = MatMul(%q, %w)\n%y: f32[2x3x5] = crease.Dequantize(%acc) {" + bias + "}\noutput %y\n",
                   "Add Cast MatMulInteger Mul"});
    all.push_back({"transposed convolution to float",
                   head() + image + codes("w", "s8", "4x3x2x2", perChannel(3, 1), 48, -127, 127) +
                       "%acc: s32[1x3x12x12] codes " + accumulator(3, 1) +
                       " = ConvTranspose(%q, %w) {strides = [2, 2]}\n"
                       "%y: f32[1x3x12x12] = crease.Dequantize(%acc) {bias = f64 [0.5]}\noutput %y\n",
                   "Add ConvTranspose DequantizeLinear DequantizeLinear Mul"});
}

void addTwoInput(std::vector<Construct>& all)
{
    const std::string two = "input %a: u8[2x3x4] codes u8(0.05000000074505806, 117)\n"
                            "input %b: u8[3x4] codes u8(0.019999999552965164, 30)\n";
    const auto op = [&](const std::string& name, const std::string& grid, const std::string& more = "") {
        return head() + two + "%y: u8[2x3x4] codes " + grid + " = " + name + "(%a, %b)" + more + "\noutput %y\n";
    };
    // Scales without simple ratio: no exact ties, but QLinearAdd sums in float32.
    all.push_back({"add", op("Add", "u8(0.0612345, 128)"), "QLinearAdd", 0.02});
    all.push_back(
        {"add with clamp", op("Add", "u8(0.0612345, 128)", " {lo = 128, hi = 250}"), "Clip QLinearAdd", 0.02});
    all.push_back({"sub", op("Sub", "u8(0.0612345, 128)"), "Cast Gather QLinearAdd", 0.02});
    all.push_back({"mul", op("Mul", "u8(0.0612345, 128)"), "QLinearMul", 0.02});
    // Ties everywhere and an odd zero point (BC-33): the kernel gets them wrong, the option avoids it.
    const std::string ties = head() + "input %a: u8[64] codes u8(0.5, 0)\ninput %b: u8[64] codes u8(0.25, 0)\n"
                                      "%y: u8[64] codes u8(0.5, 1) = Add(%a, %b)\noutput %y\n";
    all.push_back({"add at ties", ties, "QLinearAdd", 0.6, false, 0.6});
    all.push_back({"add at ties, exact", ties, "Add DequantizeLinear DequantizeLinear QuantizeLinear", 0.0, true, 0.0});
    all.push_back({"add a constant",
                   head() + "input %a: u8[2x3x4] codes u8(0.05000000074505806, 117)\n"
                            "const %c: u8[1] codes u8(1.5, 128) = [129]\n"
                            "%y: u8[2x3x4] codes u8(0.0612345, 128) = Add(%a, %c)\noutput %y\n",
                   "QLinearAdd", 0.02});
    for (const std::string name : {"Add", "Mul", "Sub"}) {
        all.push_back({name + " a constant of rank 0",
                       head() +
                           "input %a: u8[2x3x4] codes u8(0.05000000074505806, 117)\n"
                           "const %c: u8[] codes u8(1.5, 128) = [129]\n"
                           "%y: u8[2x3x4] codes u8(0.0612345, 128) = " +
                           name + "(%a, %c)\noutput %y\n",
                       name == "Mul" ? "QLinearMul" : "QLinearAdd", 0.02});
    }
    all.push_back({"concat along a negative axis",
                   head() + "input %a: u8[2x3] codes u8(0.05000000074505806, 117)\ninput %b: u8[2x5] codes "
                            "u8(0.019999999552965164, 30)\n"
                            "%y: u8[2x8] codes u8(0.0612345, 99) = Concat(%a, %b) {axis = -1}\noutput %y\n",
                   "QLinearConcat"});
    all.push_back({"max of two grids", op("Max", "u8(0.0612345, 100)"), "Cast Cast Gather Gather Max"});
    all.push_back({"min on one grid",
                   head() + "input %a: u8[6] codes u8(0.5, 3)\ninput %b: u8[6] codes u8(0.5, 3)\n"
                            "%y: u8[6] codes u8(0.5, 3) = Min(%a, %b)\noutput %y\n",
                   "Min"});
    all.push_back({"where",
                   head() + "input %c: b1[2x3x4]\n" + two +
                       "%y: u8[2x3x4] codes u8(0.0612345, 100) = Where(%c, %a, %b)\noutput %y\n",
                   "Cast Cast Gather Gather Where"});
    all.push_back({"concat of two grids",
                   head() + "input %a: u8[2x3] codes u8(0.05000000074505806, 117)\ninput %b: u8[2x5] codes "
                            "u8(0.019999999552965164, 30)\n"
                            "%y: u8[2x8] codes u8(0.0612345, 99) = Concat(%a, %b) {axis = 1}\noutput %y\n",
                   "QLinearConcat"});
    // BC-55: scales with a simple ratio; float32 and exact tables are compared entry by entry.
    all.push_back({"concat at ties",
                   head() + "input %a: u8[2x300] codes u8(0.1, 0)\ninput %b: u8[2x300] codes u8(0.3, 7)\n"
                            "%y: u8[2x600] codes u8(0.2, 1) = Concat(%a, %b) {axis = 1}\noutput %y\n",
                   "", 0.0, false, 0.0});
}

void addPooling(std::vector<Construct>& all)
{
    const auto op = [&](const std::string& name, const std::string& grid, const std::string& dims,
                        const std::string& more, const std::string& scalar = "") {
        return head() + "input %q: u8[1x4x6x6] codes u8(0.5, 117)\n" + scalar + "%y: u8[" + dims + "] codes " + grid +
               " = " + name + more + "\noutput %y\n";
    };
    // The grid of the output is that of the input, the counts are even: every second mean is a tie.
    all.push_back({"average pool",
                   op("AveragePool", "u8(0.5, 117)", "1x4x3x3", "(%q) {kernel_shape = [2, 2], strides = [2, 2]}"),
                   "QLinearConv", 0.0, false, 0.3});
    all.push_back({"average pool counting its padding",
                   op("AveragePool", "u8(0.25, 3)", "1x4x6x6",
                      "(%q) {kernel_shape = [3, 3], pads = [1, 1, 1, 1], count_include_pad = 1}"),
                   "QLinearConv", 0.0, false, 0.3});
    all.push_back({"average pool not counting its padding",
                   op("AveragePool", "u8(0.5, 116)", "1x4x6x6", "(%q) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]}"),
                   "QLinearAveragePool", 0.05, false, 0.3});
    all.push_back({"average pool not counting its padding, exact ties",
                   op("AveragePool", "u8(0.5, 117)", "1x4x6x6", "(%q) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]}"),
                   "AveragePool Cast Mul QuantizeLinear Sub", 0.0, true, 0.3});
    all.push_back({"average pool whose last windows overhang its padding",
                   op("AveragePool", "u8(0.25, 116)", "1x4x4x4",
                      "(%q) {kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2], ceil_mode = 1, "
                      "count_include_pad = 1}"),
                   "AveragePool Cast Mul QuantizeLinear Sub", 0.3, false, 0.3});
    all.push_back(
        {"average pool whose last windows overhang its data",
         op("AveragePool", "u8(0.25, 116)", "1x4x3x3", "(%q) {kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1}"),
         "QLinearAveragePool", 0.3, false, 0.3});
    all.push_back({"global average pool", op("GlobalAveragePool", "u8(0.5, 117)", "1x4x1x1", "(%q)"), "QLinearConv",
                   0.0, false, 0.3});
    all.push_back(
        {"mean over the spatial axes, dropped",
         op("ReduceMean", "u8(0.25, 117)", "1x4", "(%q, %axes) {keepdims = 0}", "const %axes: s64[2] = [2, -1]\n"),
         "QLinearConv Squeeze", 0.0, false, 0.3});
    all.push_back({"mean over channels",
                   op("ReduceMean", "u8(0.25, 117)", "1x1x6x6", "(%q, %axes)", "const %axes: s64[1] = [1]\n"),
                   "DequantizeLinear QuantizeLinear ReduceMean", 0.3, false, 0.3});
    all.push_back({"max pool",
                   op("MaxPool", "u8(0.5, 117)", "1x4x4x4",
                      "(%q) {kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]}"),
                   "MaxPool", 0.0, false, 0.0});
    all.push_back(
        {"global max pool", op("GlobalMaxPool", "u8(0.5, 117)", "1x4x1x1", "(%q)"), "ReduceMax", 0.0, false, 0.0});
    all.push_back(
        {"pad without a value",
         op("Pad", "u8(0.5, 117)", "1x4x8x8", "(%q, %pads)", "const %pads: s64[8] = [0, 0, 1, 1, 0, 0, 1, 1]\n"), "Pad",
         0.0, false, 0.0});
    all.push_back({"pad with a value",
                   op("Pad", "u8(0.5, 117)", "1x4x8x8", "(%q, %pads, %value)",
                      "const %pads: s64[8] = [0, 0, 1, 1, 0, 0, 1, 1]\nconst %value: u8[] codes u8(0.5, 117) = [99]\n"),
                   "Pad", 0.0, false, 0.0});
    all.push_back({"nearest resize",
                   op("Resize", "u8(0.5, 117)", "1x4x12x12", "(%q, _, %scales) {mode = \"nearest\"}",
                      "const %scales: f32[4] = [1, 1, 2, 2]\n"),
                   "Resize", 0.0, false, 0.0});
    all.push_back(
        {"transpose and reshape",
         head() + image +
             "const %s: s64[2] = [1, -1]\n%t: u8[1x6x6x4] codes u8(0.05000000074505806, 117) = Transpose(%q) {perm = "
             "[0, 2, 3, 1]}\n%y: u8[1x144] codes u8(0.05000000074505806, 117) = Reshape(%t, %s)\noutput %y\n",
         "Reshape Transpose", 0.0, false, 0.0});
}

void addBorders(std::vector<Construct>& all)
{
    all.push_back({"quantize and dequantize",
                   head() + "input %x: f32[300]\n%q: u8[300] codes u8(0.019999999552965164, 128, 20..230) = "
                            "crease.Quantize(%x) {lo = 128}\n%y: f32[300] = crease.Dequantize(%q)\noutput %y\n",
                   "Clip DequantizeLinear QuantizeLinear", 0.0, false, 0.0});
    for (const std::string rounding : {"half_away", "half_up", "floor", "ceil", "trunc"}) {
        all.push_back({"quantize " + rounding,
                       head() +
                           "input %x: f32[300]\n%q: u8[300] codes u8(0.03125, 127) = crease.Quantize(%x) {order = "
                           "\"B\", rounding = \"" +
                           rounding + "\"}\noutput %q\n",
                       "", 0.0, false, 0.0});
    }
    // Ties of both signs: half_down is toward zero.
    const std::string halves = "input %c: s8[300] codes s8(0.015625, 0)\n%x: f32[300] = crease.Dequantize(%c)\n";
    for (const std::string rounding : {"half_down", "half_away", "away", "trunc", "floor"}) {
        all.push_back({"quantize signed " + rounding,
                       head() + halves + "%q: s8[300] codes s8(0.03125, 0) = crease.Quantize(%x) {rounding = \"" +
                           rounding + "\"}\noutput %q\n",
                       "", 0.0, false, 0.0});
    }
    all.push_back({"quantize a channel by floor",
                   head() + "input %x: f32[3x2x4]\n%q: s8[3x2x4] codes s8([0.0625, 0.25], [3, -5], axis 1) = "
                            "crease.Quantize(%x) {rounding = \"floor\", divide = \"reciprocal\"}\noutput %q\n",
                   "", 0.0, false, 0.0});
    all.push_back({"fake quantizer by floor",
                   head() + halves +
                       "%y: f32[300] on s8(0.03125, 3) = crease.FakeQuant(%x) {grid = s8(0.03125, 3), "
                       "rounding = \"floor\"}\noutput %y\n",
                   "Add Cast Clip DequantizeLinear DequantizeLinear Div Floor", 0.0, false, 0.0});
    all.push_back({"requantize",
                   head() + rows + "%y: u8[3x8] codes u8(0.1, 3) = crease.Requantize(%q) {hi = 200}\noutput %y\n",
                   "Cast Gather", 0.0, false, 0.0});
    all.push_back(
        {"requantize signed",
         head() +
             "input %q: s8[300] codes s8(0.1, -3)\n%y: u8[300] codes u8(0.2, 128) = crease.Requantize(%q)\noutput %y\n",
         "Add Cast Gather", 0.0, false, 0.0});
    std::string table;
    std::string tables;
    for (int i = 0; i < 256; ++i) {
        table += fmt::format("{}{}", i ? ", " : "", i * 7 % 256);
    }
    for (int i = 0; i < 4 * 256; ++i) {
        tables += fmt::format("{}{}", i ? ", " : "", i * 11 % 253);
    }
    all.push_back({"table",
                   head() +
                       "input %q: u8[300] codes u8(0.1, 3)\n%y: u8[300] codes u8(0.2, 128) = crease.Table(%q) {table = "
                       "tensor u8[256] [" +
                       table + "]}\noutput %y\n",
                   "Cast Gather", 0.0, false, 0.0});
    all.push_back({"a table a channel",
                   head() + image +
                       "%y: u8[1x4x6x6] codes u8(0.2, 128) = crease.Table(%q) {axis = 1, table = tensor u8[4x256] [" +
                       tables + "]}\noutput %y\n",
                   "Add Cast Gather", 0.0, false, 0.0});
    all.push_back(
        {"clamp",
         head() + rows +
             "%y: u8[3x8] codes u8(0.05000000074505806, 117) = crease.Clamp(%q) {lo = 117, hi = 200}\noutput %y\n",
         "Clip", 0.0, false, 0.0});
    all.push_back({"clamp of 16 bits",
                   head(21) + "input %q: s16[300] codes s16(0.001, 3)\n%y: s16[300] codes s16(0.001, 3) = "
                              "crease.Clamp(%q) {lo = 3, hi = 20000}\noutput %y\n",
                   "Cast Cast Clip", 0.0, false, 0.0});
    // ONNX Runtime would run each of these on its own integer kernels, with other results.
    all.push_back({"softmax island",
                   head() + rows +
                       "%x: f32[3x8] = crease.Dequantize(%q)\n%s: f32[3x8] = Softmax(%x) {axis = -1}\n"
                       "%y: u8[3x8] codes u8(0.00390625, 0) = crease.Quantize(%s)\noutput %y\n",
                   "Cast Mul QuantizeLinear Softmax Sub", 0.0, false, 0.0});
    all.push_back({"float weight",
                   head() + rows + "const %w: f32[8x2] = [" + numbers(16, 0.3, 1.1) +
                       "]\n%x: f32[3x8] = crease.Dequantize(%q)\n%m: f32[3x2] = MatMul(%x, %w)\n"
                       "%y: u8[3x2] codes u8(0.5, 100) = crease.Quantize(%m)\noutput %y\n",
                   "Cast MatMul Mul QuantizeLinear Sub", 0.0, false, 0.0});
    all.push_back({"float data",
                   head() + "input %x: f32[3x8]\n" + codes("w", "s8", "8x5", perChannel(5, 1), 40, -128, 127) +
                       "%f: f32[8x5] = crease.Dequantize(%w)\n%y: f32[3x5] = MatMul(%x, %f)\noutput %y\n",
                   "Cast MatMul Mul", 0.0, false, 0.0});
    all.push_back({"float linear op that carries its bias",
                   head() + "input %x: f32[3x8]\nconst %w: f32[8x2] = [" + numbers(16, 0.3, 1.1) +
                       "]\n%y: f32[3x2] = MatMul(%x, %w) {bias = f64 [0.5, -0.25]}\noutput %y\n",
                   "Add MatMul"});
    all.push_back({"float16 borders",
                   head() +
                       "input %x: f16[300]\n%q: u8[300] codes u8(0.0625, 128) = crease.Quantize(%x)\n%y: f16[300] = "
                       "crease.Dequantize(%q)\noutput %y\n",
                   "Cast Cast DequantizeLinear QuantizeLinear", 0.0, false, 0.0});
    all.push_back({"fake quantizer",
                   head() + "input %x: f32[300]\n%y: f32[300] on s8(0.03125, 3, -100..100) = crease.FakeQuant(%x) "
                            "{grid = s8(0.03125, 3, -100..100), lo = 3}\noutput %y\n",
                   "Clip DequantizeLinear QuantizeLinear", 0.0, false, 0.0});
}

/// Quantizers of QONNX that no pass took: float ops in the file.
void addQonnx(std::vector<Construct>& all)
{
    const auto quant = [&](const std::string& name, const std::string& attributes, const std::string& zero,
                           const std::string& bits, const std::string& ops) {
        all.push_back({"qonnx " + name,
                       head() + "input %x: f32[400]\nconst %s: f32[] = [0.25]\nconst %z: f32[] = [" + zero +
                           "]\nconst %b: f32[] = [" + bits +
                           "]\n%y: f32[400] = qonnx.custom_op.general.Quant(%x, %s, %z, %b) {" + attributes +
                           "}\noutput %y\n",
                       ops});
    };
    const std::string away = "Abs Add Clip Div Floor Greater Mul Mul Sign Sub Where";
    quant("half even", "narrow = 0, signed = 1, rounding_mode = \"ROUND\"", "0", "20", "Clip Div Mul Round");
    quant("with a zero point", "narrow = 1, signed = 0, rounding_mode = \"FLOOR\"", "1.5", "4",
          "Add Clip Div Floor Mul Sub");
    quant("up", "narrow = 1, signed = 1, rounding_mode = \"UP\"", "0", "4", "Abs Ceil Clip Div Mul Mul Sign");
    quant("down", "narrow = 0, signed = 1, rounding_mode = \"round_to_zero\"", "0", "4",
          "Abs Clip Div Floor Mul Mul Sign");
    quant("half down", "narrow = 0, signed = 1, rounding_mode = \"HALF_DOWN\"", "0", "4", away);
    quant("half up", "narrow = 0, signed = 1, rounding_mode = \"HALF_UP\"", "0", "4",
          "Abs Add Clip Div Floor GreaterOrEqual Mul Mul Sign Sub Where");
    quant("one signed bit", "narrow = 1, signed = 1, rounding_mode = \"ROUND\"", "0", "1",
          "Div GreaterOrEqual Mul Where");
    all.push_back({"qonnx bipolar",
                   head() + "input %x: f32[400]\nconst %s: f32[] = [0.25]\n%y: f32[400] = "
                            "onnx.brevitas.BipolarQuant(%x, %s)\noutput %y\n",
                   "GreaterOrEqual Mul Where"});
}

} // namespace

std::vector<Construct> constructs()
{
    std::vector<Construct> all;
    addLinear(all);
    addAccumulators(all);
    addTwoInput(all);
    addPooling(all);
    addBorders(all);
    addQonnx(all);
    return all;
}

} // namespace crease::test
