// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/suites/field_cases.h"

#include <algorithm>

namespace crease::test {

std::string head(int opset)
{
    return "graph \"case\" ir 8 opset \"\" " + std::to_string(opset) + ", \"com.microsoft\" 1\n";
}

std::string pair(const std::string& in, const std::string& out, const std::string& scale, int zeroPoint,
                 const std::string& type, const std::string& shape)
{
    return "const %" + out + "_s: f32[] = [" + scale + "]\nconst %" + out + "_z: " + type + "[] = [" +
           std::to_string(zeroPoint) + "]\n%" + out + "_q: " + type + shape + " = QuantizeLinear(%" + in + ", %" + out +
           "_s, %" + out + "_z)\n%" + out + ": f32" + shape + " = DequantizeLinear(%" + out + "_q, %" + out + "_s, %" +
           out + "_z)\n";
}

std::string weight(const std::string& out, const std::string& type, const std::string& shape, const std::string& codes,
                   const std::string& scales, const std::string& axis, const std::string& zeroPoints)
{
    const auto dims = [](const std::string& values) {
        if (values.front() != '[') {
            return std::string("[] = [") + values + "]";
        }
        const auto commas = static_cast<std::size_t>(std::count(values.begin(), values.end(), ','));
        return "[" + std::to_string(commas + 1) + "] = " + values;
    };
    std::string text =
        "const %" + out + "_c: " + type + shape + " = " + codes + "\nconst %" + out + "_s: f32" + dims(scales) + "\n";
    std::string zero;
    if (!zeroPoints.empty()) {
        text += "const %" + out + "_z: " + type + dims(zeroPoints) + "\n";
        zero = ", %" + out + "_z";
    }
    return text + "%" + out + ": f32" + shape + " = DequantizeLinear(%" + out + "_c, %" + out + "_s" + zero + ")" +
           (axis.empty() ? "" : " {axis = " + axis + "}") + "\n";
}

std::vector<FieldCase> biasCases()
{
    std::vector<FieldCase> cases;
    cases.push_back({"BC-01 bias on a scale of its own",
                     head() + "input %x: f32[1x1x1x1]\n" + pair("x", "xd", "0.5", 0, "s8", "[1x1x1x1]") +
                         weight("w", "s8", "[1x1x1x1]", "[2]", "0.25") + weight("b", "s32", "[1]", "[100]", "0.01") +
                         "%c: f32[1x1x1x1] = Conv(%xd, %w, %b)\n" + pair("c", "y", "0.125", 0, "s8", "[1x1x1x1]") +
                         "output %y\n",
                     {{2.0}},
                     {2.0},
                     1});
    cases.push_back(
        {"BC-02 bias beyond int32",
         head() + "input %x: f32[1x1x1x1]\nconst %b: f32[2] = [5, -4.5]\n" +
             pair("x", "xd", "0.5", 0, "s8", "[1x1x1x1]") + weight("w", "s8", "[2x1x1x1]", "[3, -100]", "7.843e-10") +
             "%c: f32[1x2x1x1] = Conv(%xd, %w, %b)\n" + pair("c", "y", "0.05", 0, "s8", "[1x2x1x1]") + "output %y\n",
         {{2.0}},
         {5.0, -4.5},
         1});
    cases.push_back({"BC-03 dead channel with an epsilon scale",
                     head() + "input %x: f32[1x1x1x1]\nconst %b: f32[3] = [1, 13, 1]\n" +
                         pair("x", "xd", "0.05", 0, "s8", "[1x1x1x1]") +
                         weight("w", "s8", "[3x1x1x1]", "[90, 0, 90]", "[5e-4, 1.1920929e-7, 5e-4]", "0") +
                         "%c: f32[1x3x1x1] = Conv(%xd, %w, %b)\n" + pair("c", "y", "0.1", 0, "u8", "[1x3x1x1]") +
                         "output %y\n",
                     {{1.0}},
                     {1.0, 13.0, 1.0},
                     1});
    const auto gemm = [](const std::string& m, const std::string& codes, const std::string& c) {
        return head() + "input %x: f32[" + m + "x2]\n" + codes + pair("x", "xd", "0.5", 0, "s8", "[" + m + "x2]") +
               weight("w", "s8", "[3x2]", "[1, 2, 3, 4, 5, 6]", "[1, 0.5, 0.25]", "0") + "const %b: " + c +
               "\n%c: f32[" + m + "x3] = Gemm(%xd, %w, %b) {transB = 1}\n" +
               pair("c", "y", "0.125", 0, "u8", "[" + m + "x3]") + "output %y\n";
    };
    cases.push_back({"BC-04 row", gemm("1", "", "f32[1x3] = [1, 2, 3]"), {{1.0, 2.0}}, {6.0, 7.5, 7.25}, 1});
    cases.push_back({"BC-04 scalar", gemm("1", "", "f32[] = [1]"), {{1.0, 2.0}}, {6.0, 6.5, 5.25}, 1});
    cases.push_back({"BC-04 one", gemm("1", "", "f32[1] = [2]"), {{1.0, 2.0}}, {7.0, 7.5, 6.25}, 1});
    cases.push_back({"BC-04 column",
                     gemm("2", "", "f32[2x1] = [1, 2]"),
                     {{1.0, 2.0, 2.0, 1.0}},
                     {6.0, 6.5, 5.25, 6.0, 7.0, 6.0},
                     1});
    cases.push_back({"BC-05 shared weight and bias",
                     head() + "input %x: f32[1x1x1x1]\ninput %v: f32[1x1x1x1]\nconst %b: f32[1] = [1]\n" +
                         pair("x", "xd", "0.5", 0, "s8", "[1x1x1x1]") + pair("v", "vd", "0.05", 0, "s8", "[1x1x1x1]") +
                         weight("w", "s8", "[1x1x1x1]", "[2]", "0.25") +
                         "%a: f32[1x1x1x1] = Conv(%xd, %w, %b)\n%c: f32[1x1x1x1] = Conv(%vd, %w, %b)\n" +
                         pair("a", "y", "0.1", 0, "s8", "[1x1x1x1]") + pair("c", "z", "0.1", 0, "s8", "[1x1x1x1]") +
                         "output %y\noutput %z\n",
                     {{2.0}, {0.2}},
                     {2.0, 1.1},
                     2});
    cases.push_back({"BC-07 int32 with a zero point",
                     head() + "input %x: f32[1]\n" + weight("b", "s32", "[1]", "[30]", "0.5", "", "10") +
                         "%y: f32[1] = Add(%x, %b)\noutput %y\n",
                     {{0.0}},
                     {10.0}});
    std::string row = "[127";
    std::vector<double> ones{32767.0};
    for (int i = 1; i < 520; ++i) {
        row += ", 127";
        ones.push_back(32767.0);
    }
    cases.push_back({"BC-08 wide accumulator without bias",
                     head(21) + "input %x: f32[1x520]\n" + pair("x", "xd", "1", 0, "s16", "[1x520]") +
                         weight("w", "s8", "[520x1]", row + "]", "1") + "%y: f32[1x1] = MatMul(%xd, %w)\noutput %y\n",
                     {ones},
                     {32767.0 * 127.0 * 520.0},
                     1});
    cases.push_back({"BC-08 bias named empty",
                     head() + "input %x: f32[1x1x1x1]\n" + pair("x", "xd", "0.5", 0, "s8", "[1x1x1x1]") +
                         weight("w", "s8", "[1x1x1x1]", "[2]", "0.25") + "%c: f32[1x1x1x1] = Conv(%xd, %w, _)\n" +
                         pair("c", "y", "0.125", 0, "s8", "[1x1x1x1]") + "output %y\n",
                     {{2.0}},
                     {1.0},
                     1});
    cases.push_back({"BC-09 scale through MaxPool",
                     head() + "input %x: f32[1x1x1x2]\nconst %b: f32[1] = [-0.02718665823340416]\n" +
                         pair("x", "xd", "0.0078125", 0, "s8", "[1x1x1x2]") +
                         "%m: f32[1x1x1x1] = MaxPool(%xd) {kernel_shape = [1, 2]}\n" +
                         weight("w", "s8", "[1x1x1x1]", "[64]", "0.00390625") +
                         "%c: f32[1x1x1x1] = Conv(%m, %w, %b)\n" + pair("c", "y", "0.0078125", 0, "s8", "[1x1x1x1]") +
                         "output %y\n",
                     {{0.5, 0.25}},
                     {0.1015625},
                     1});
    return cases;
}

std::vector<FieldCase> affineCases()
{
    std::vector<FieldCase> cases;
    const auto norm = [](const std::string& codes, const std::string& scales, const std::string& params) {
        return head() + "input %x: f32[1x1x1x1]\n" + pair("x", "xd", "1", 0, "s8", "[1x1x1x1]") +
               weight("w", "s8", "[2x1x1x1]", codes, scales, scales.front() == '[' ? "0" : "") + params +
               "%c: f32[1x2x1x1] = Conv(%xd, %w)\n"
               "%y: f32[1x2x1x1] = BatchNormalization(%c, %g, %b, %m, %v) {epsilon = 1.0}\noutput %y\n";
    };
    cases.push_back({"BC-11 one scale, two factors",
                     norm("[100, 100]", "0.01",
                          "const %g: f32[2] = [1, 100]\nconst %b: f32[2] = [0, 0]\nconst %m: f32[2] = [0, 0]\n"
                          "const %v: f32[2] = [0, 0]\n"),
                     {{1.0}},
                     {1.0, 100.0},
                     1});
    cases.push_back({"BC-12 negative and zero gamma",
                     norm("[-128, 100]", "[0.02, 0.01]",
                          "const %g: f32[2] = [-3, 0]\nconst %b: f32[2] = [1, 2]\nconst %m: f32[2] = [0.5, 0.25]\n"
                          "const %v: f32[2] = [3, 8]\n"),
                     {{1.0}},
                     {5.59, 2.0},
                     1});
    const auto transpose = [](const std::string& axis, const std::string& scales, const std::string& group,
                              const std::string& channels) {
        return head() + "input %x: f32[1x2x1x1]\n" + pair("x", "xd", "1", 0, "s8", "[1x2x1x1]") +
               weight("w", "s8", "[2x3x1x1]", "[10, 10, 10, 1, 2, 3]", scales, axis) + "%y: f32[1x" + channels +
               "x1x1] = ConvTranspose(%xd, %w) {group = " + group + "}\noutput %y\n";
    };
    cases.push_back(
        {"BC-19 ConvTranspose axis 1", transpose("1", "[1, 0.1, 0.01]", "1", "3"), {{1.0, 1.0}}, {11.0, 1.2, 0.13}, 1});
    cases.push_back(
        {"BC-19 ConvTranspose axis 0", transpose("0", "[1, 0.1]", "1", "3"), {{1.0, 1.0}}, {10.1, 10.2, 10.3}, 0});
    cases.push_back({"BC-19 ConvTranspose groups",
                     transpose("1", "[1, 0.1, 0.01]", "2", "6"),
                     {{1.0, 1.0}},
                     {10.0, 1.0, 0.1, 1.0, 0.2, 0.03},
                     1});
    cases.push_back({"BC-21 axis and zero points",
                     head() + "input %x: f32[1]\n" +
                         weight("w", "s8", "[2x3]", "[1, 1, 1, 4, 4, 4]", "[0.5, 2, 10]", "1", "[0, 1, -1]") +
                         "%y: f32[2x3] = Add(%x, %w)\noutput %y\n",
                     {{0.0}},
                     {0.5, 0.0, 20.0, 2.0, 6.0, 50.0}});
    for (const char* axis : {"", "1", "-1"}) {
        cases.push_back({std::string("BC-22 axis ") + (*axis == '\0' ? "missing" : axis),
                         head() + "input %x: f32[1]\n" + weight("w", "s8", "[2x2]", "[1, 1, 1, 1]", "[1, 10]", axis) +
                             "%y: f32[2x2] = Add(%x, %w)\noutput %y\n",
                         {{0.0}},
                         {1.0, 10.0, 1.0, 10.0}});
    }
    cases.push_back({"BC-22 axis -2",
                     head() + "input %x: f32[1]\n" + weight("w", "s8", "[2x2]", "[1, 1, 1, 1]", "[1, 10]", "-2") +
                         "%y: f32[2x2] = Add(%x, %w)\noutput %y\n",
                     {{0.0}},
                     {1.0, 1.0, 10.0, 10.0}});
    cases.push_back({"BC-22 scales along the sum of a MatMul",
                     head() + "input %x: f32[1x2]\n" + pair("x", "xd", "1", 0, "s8", "[1x2]") +
                         weight("w", "s8", "[2x2]", "[1, 2, 3, 4]", "[1, 10]", "0") +
                         "%y: f32[1x2] = MatMul(%xd, %w)\noutput %y\n",
                     {{1.0, 1.0}},
                     {31.0, 42.0},
                     0});
    cases.push_back({"BC-23 axis through Unsqueeze",
                     head() + "input %x: f32[1]\nconst %a: s64[3] = [0, 1, 2]\n" +
                         weight("w", "s8", "[2]", "[3, 3]", "[1, 10]", "0") +
                         "%u: f32[1x1x1x2] = Unsqueeze(%w, %a)\n%y: f32[1x1x1x2] = Mul(%x, %u)\noutput %y\n",
                     {{1.0}},
                     {3.0, 30.0}});
    cases.push_back({"BC-25 weight through Transpose",
                     head() + "input %x: f32[1x2]\n" + pair("x", "xd", "1", 0, "s8", "[1x2]") +
                         weight("w", "s8", "[3x2]", "[10, 20, 30, 40, 50, 60]", "[1, 0.1, 0.01]", "0") +
                         "%t: f32[2x3] = Transpose(%w) {perm = [1, 0]}\n%y: f32[1x3] = MatMul(%xd, %t)\noutput %y\n",
                     {{1.0, 2.0}},
                     {50.0, 11.0, 1.7},
                     1});
    cases.push_back({"BC-27 transA",
                     head() + "input %x: f32[2x2]\n" + pair("x", "xd", "0.5", 0, "s8", "[2x2]") +
                         weight("w", "s8", "[1x2]", "[2, 4]", "0.25") +
                         "%c: f32[2x1] = Gemm(%xd, %w) {transA = 1, transB = 1}\n" +
                         pair("c", "y", "0.125", 0, "s8", "[2x1]") + "output %y\n",
                     {{2.0, 1.0, 3.0, 4.0}},
                     {4.0, 4.5},
                     1});
    struct Factors {
        const char* alpha;
        const char* beta;
        double right;
    };
    for (const Factors& each : {Factors{"2.0", "1.0", 5.0}, Factors{"1.0", "0.5", 2.5}, Factors{"2.0", "0.5", 4.5},
                                Factors{"0.0", "1.0", 1.0}, Factors{"1.0", "0.0", 2.0}, Factors{"0.0", "0.0", 0.0}}) {
        cases.push_back({std::string("BC-28 alpha ") + each.alpha + " beta " + each.beta,
                         head() + "input %x: f32[1x2]\n" + pair("x", "xd", "0.5", 0, "s8", "[1x2]") +
                             weight("w", "s8", "[2x1]", "[2, 4]", "0.25") + weight("b", "s32", "[1]", "[8]", "0.125") +
                             "%c: f32[1x1] = Gemm(%xd, %w, %b) {alpha = " + each.alpha + ", beta = " + each.beta +
                             "}\n" + pair("c", "y", "0.125", 0, "s8", "[1x1]") + "output %y\n",
                         {{2.0, 1.0}},
                         {each.right},
                         1});
    }
    cases.push_back({"BC-30 depthwise with a dead channel",
                     head() + "input %x: f32[1x2x1x1]\nconst %b: f32[2] = [0, 3]\n" +
                         pair("x", "xd", "0.05", 0, "s8", "[1x2x1x1]") +
                         weight("w", "s8", "[2x1x1x1]", "[100, 127]", "[0.01, 7.874e-9]", "0") +
                         "%c: f32[1x2x1x1] = Conv(%xd, %w, %b) {group = 2}\n" +
                         pair("c", "y", "0.1", 0, "s8", "[1x2x1x1]") + "output %y\n",
                     {{1.0, 1.0}},
                     {1.0, 3.0},
                     1});
    return cases;
}

} // namespace crease::test
