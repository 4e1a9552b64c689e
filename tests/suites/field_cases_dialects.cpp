// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/suites/field_cases.h"

#include <array>

namespace crease::test {

namespace {

/// BatchNormalization of one channel with epsilon 1.
std::string norm(const std::string& in, const std::string& out, const std::string& gamma, const std::string& beta,
                 const std::string& mean, const std::string& variance, const std::string& shape)
{
    std::string text;
    const std::array<std::pair<const char*, const std::string*>, 4> params{
        {{"g", &gamma}, {"b", &beta}, {"m", &mean}, {"v", &variance}}};
    for (const auto& [letter, value] : params) {
        text += "const %" + out + letter + ": f32[1] = [" + *value + "]\n";
    }
    return text + "%" + out + ": f32" + shape + " = BatchNormalization(%" + in + ", %" + out + "g, %" + out + "b, %" +
           out + "m, %" + out + "v) {epsilon = 1.0}\n";
}

std::string quant(const std::string& in, const std::string& out, const std::string& shape, const std::string& scale,
                  const std::string& zero, const std::string& bits, const std::string& attributes)
{
    return "const %" + out + "_s: f32" + scale + "\nconst %" + out + "_z: f32[] = [" + zero + "]\nconst %" + out +
           "_b: f32[] = [" + bits + "]\n%" + out + ": f32" + shape + " = qonnx.custom_op.general.Quant(%" + in + ", %" +
           out + "_s, %" + out + "_z, %" + out + "_b) {" + attributes + "}\n";
}

void addNorms(std::vector<FieldCase>& cases)
{
    const std::string shape = "[1x1x1x2]";
    const auto start = head() + "input %x: f32[1x1x1x2]\n" + pair("x", "xd", "0.125", 0, "s8", shape);
    // Conv(w * factor), / factor, + b, BatchNormalization: the factor is -1.5 / sqrt(3 + 1).
    const auto chain = [&](const std::string& factor, const std::string& bias, const std::string& last) {
        return start + weight("w", "s8", "[1x1x1x1]", "[-3]", "0.25") + "const %f: f32" + factor + " = [-0.75]\n" +
               "%c: f32[1x1x1x2] = Conv(%xd, %w)\n%d: f32[1x1x1x2] = Div(%c, %f)\n" + bias +
               norm(bias.empty() ? "d" : "a", "n", "-1.5", "0.25", "0.5", "3", shape) + last + "output %y\n";
    };
    const std::string relu = "%r: f32[1x1x1x2] = Relu(%n)\n" + pair("r", "y", "0.025", 0, "u8", shape);
    const std::string plain = pair("n", "y", "0.025", 0, "s8", shape);
    const std::string add = "%a: f32[1x1x1x2] = Add(%d, %k)\n";
    cases.push_back({"BC-14 simulated fold of a norm",
                     chain("[1x1x1x1]", "const %k: f32[1x1x1x1] = [0.2]\n" + add, plain),
                     {{2.0, -2.0}},
                     {-1.025, 1.975},
                     1});
    cases.push_back({"BC-14 with Relu, bias behind Identity",
                     chain("[]", "const %j: f32[1] = [0.2]\n%k: f32[1] = Identity(%j)\n" + add, relu),
                     {{2.0, -2.0}},
                     {0.0, 1.975},
                     1});
    cases.push_back({"BC-14 without a bias", chain("[1x1x1x1]", "", plain), {{2.0, -2.0}}, {-0.875, 2.125}, 1});
    cases.push_back({"BC-15 the norm makes the bias",
                     start + weight("w", "s8", "[1x1x1x1]", "[2]", "0.5") + "%c: f32[1x1x1x2] = Conv(%xd, %w)\n" +
                         norm("c", "n", "1", "1", "0", "3", shape) + pair("n", "y", "0.125", 0, "s8", shape) +
                         "output %y\n",
                     {{1.0, -4.0}},
                     {1.5, -1.0},
                     1});
    cases.push_back({"BC-17 a layer read twice, a weight read twice",
                     start + weight("w", "s8", "[1x1x1x1]", "[2]", "0.5") + "const %k: f32[1] = [10]\n" +
                         "%c: f32[1x1x1x2] = Conv(%xd, %w)\n%e: f32[1x1x1x2] = Conv(%xd, %w)\n" +
                         norm("c", "n", "1", "0", "0", "0", shape) + norm("e", "o", "2", "0", "0", "0", shape) +
                         "%y: f32[1x1x1x2] = Add(%c, %k)\noutput %n\noutput %o\noutput %y\n",
                     {{2.0, -1.0}},
                     {2.0, -1.0, 4.0, -2.0, 12.0, 9.0},
                     2});
}

void addArithmetic(std::vector<FieldCase>& cases)
{
    cases.push_back({"BC-32 rounding comes before the zero point",
                     head() + "input %x: f32[4]\n" + pair("x", "y", "1", 1, "u8", "[4]") + "output %y\n",
                     {{0.5, 1.5, 2.5, 3.5}},
                     {0.0, 2.0, 2.0, 4.0}});
    cases.push_back({"BC-36 saturation comes after the zero point",
                     head() + "input %x: f32[2]\n" + pair("x", "y", "1", -100, "s8", "[2]") + "output %y\n",
                     {{200.0, 300.0}},
                     {200.0, 227.0}});
    cases.push_back({"BC-50 MaxPool at opset 10",
                     head(10) + "input %x: f32[1x1x1x4]\n" + pair("x", "a", "0.5", 3, "s8", "[1x1x1x4]") +
                         "%m: f32[1x1x1x2] = MaxPool(%a) {kernel_shape = [1, 2], strides = [1, 2]}\n" +
                         pair("m", "y", "0.5", 3, "s8", "[1x1x1x2]") + "output %y\n",
                     {{-1.0, -70.0, 2.2, 1.0}},
                     {-1.0, 2.0}});
    const auto clipped = [](const std::string& type, const std::string& low, const std::string& high,
                            const std::string& scale) {
        return head() + "input %x: f32[2]\nconst %s: f32[] = [" + scale + "]\nconst %z: " + type +
               "[] = [0]\nconst %lo: " + type + "[] = [" + low + "]\nconst %hi: " + type + "[] = [" + high +
               "]\n%q: " + type + "[2] = QuantizeLinear(%x, %s, %z)\n%c: " + type +
               "[2] = Clip(%q, %lo, %hi)\n%d: f32[2] = DequantizeLinear(%c, %s, %z)\n" +
               "%r: f32[2] = Neg(%d)\n%y: f32[2] = Neg(%r)\noutput %y\n";
    };
    cases.push_back({"BC-88 narrow range", clipped("s8", "-127", "127", "1"), {{-128.0, 200.0}}, {-127.0, 127.0}});
    cases.push_back({"BC-89 0 to 127", clipped("u8", "0", "127", "0.1"), {{100.0, -1.0}}, {12.7, 0.0}});
    cases.push_back({"BC-89 -8 to 7", clipped("s8", "-8", "7", "0.1"), {{100.0, -100.0}}, {0.7, -0.8}});
}

void addQonnx(std::vector<FieldCase>& cases)
{
    const std::vector<double> data{-10.0, -4.0, -3.75, -1.25, 1.25, 3.75, 7.25, 10.0};
    const auto four = [&](const std::string& name, const std::string& attributes, std::vector<double> right) {
        cases.push_back(
            {"BC-93 " + name,
             head() + "input %x: f32[8]\n" +
                 quant("x", "y", "[8]", "[] = [0.5]", "0", "4", attributes + ", rounding_mode = \"ROUND\"") +
                 "output %y\n",
             {data},
             std::move(right)});
    };
    four("signed", "signed = 1, narrow = 0", {-4.0, -4.0, -4.0, -1.0, 1.0, 3.5, 3.5, 3.5});
    four("signed, narrow", "signed = 1, narrow = 1", {-3.5, -3.5, -3.5, -1.0, 1.0, 3.5, 3.5, 3.5});
    four("unsigned", "signed = 0, narrow = 0", {0.0, 0.0, 0.0, 0.0, 1.0, 4.0, 7.0, 7.5});
    four("unsigned, narrow", "signed = 0, narrow = 1", {0.0, 0.0, 0.0, 0.0, 1.0, 4.0, 7.0, 7.0});
    cases.push_back({"BC-95 an odd zero point is added before rounding",
                     head() + "input %x: f32[3]\n" +
                         quant("x", "y", "[3]", "[] = [1]", "1", "8", "signed = 0, narrow = 0") + "output %y\n",
                     {{2.5, 0.5, 1.5}},
                     {3.0, 1.0, 1.0}});
    cases.push_back({"BC-96 scales of shape [C, 1], a scalar zero point",
                     head() + "input %x: f32[1x2]\n" + pair("x", "xd", "1", 0, "s8", "[1x2]") +
                         "const %w: f32[2x2] = [1.1, 2.2, 3.3, 4.4]\n" +
                         quant("w", "wq", "[2x2]", "[2x1] = [1, 0.5]", "0", "8", "signed = 1, narrow = 0") +
                         "%y: f32[1x2] = Gemm(%xd, %wq) {transB = 1}\noutput %y\n",
                     {{1.0, 2.0}},
                     {5.0, 12.5},
                     1});
    cases.push_back({"BC-96 scales along two axes stay",
                     head() + "input %x: f32[2x2]\n" +
                         quant("x", "y", "[2x2]", "[2x2] = [1, 0.5, 0.25, 2]", "0", "8", "signed = 1, narrow = 0") +
                         "output %y\n",
                     {{1.2, 1.2, 1.2, 1.2}},
                     {1.0, 1.0, 1.25, 2.0}});
    cases.push_back({"BC-98 BipolarQuant",
                     head() + "input %x: f32[4]\nconst %s: f32[] = [0.5]\n"
                              "%y: f32[4] = qonnx.custom_op.general.BipolarQuant(%x, %s)\noutput %y\n",
                     {{-0.1, -0.0, 0.0, 0.1}},
                     {-0.5, 0.5, 0.5, 0.5}});
    cases.push_back({"BC-98 one signed bit",
                     head() + "input %x: f32[4]\n" +
                         quant("x", "y", "[4]", "[] = [0.5]", "0", "1", "signed = 1, narrow = 0") + "output %y\n",
                     {{-0.1, -0.0, 0.0, 0.1}},
                     {-0.5, 0.5, 0.5, 0.5}});
}

} // namespace

std::vector<FieldCase> dialectCases()
{
    std::vector<FieldCase> cases;
    addNorms(cases);
    addArithmetic(cases);
    addQonnx(cases);
    return cases;
}

} // namespace crease::test
