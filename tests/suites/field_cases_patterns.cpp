// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/suites/field_cases.h"

namespace crease::test {

std::vector<FieldCase> patternCases()
{
    std::vector<FieldCase> cases;
    cases.push_back({"BC-44 two pairs in a row",
                     head() + "input %x: f32[3]\n" + pair("x", "a", "0.5", 0, "u8", "[3]") +
                         pair("a", "y", "0.4", 0, "u8", "[3]") + "output %y\n",
                     {{1.25, 200.0, -3.0}},
                     {0.8, 102.0, 0.0}});
    cases.push_back({"BC-44 two pairs, one scale",
                     head() + "input %x: f32[4]\n" + pair("x", "a", "0.1", 128, "u8", "[4]") +
                         pair("a", "y", "0.1", 0, "u8", "[4]") + "output %y\n",
                     {{-5.0, 5.0, 12.7, 20.0}},
                     {0.0, 5.0, 12.7, 12.7}});
    cases.push_back({"BC-46 int8 without zero point through Reshape",
                     head(21) + "input %x: f32[1]\nconst %n: s64[2] = [2, 1]\n" +
                         weight("w", "s8", "[2]", "[-30, 20]", "0.01") +
                         "%r: f32[2x1] = Reshape(%w, %n)\n%y: f32[2x1] = Add(%x, %r)\noutput %y\n",
                     {{0.0}},
                     {-0.3, 0.2}});
    cases.push_back({"BC-47 int32 through Reshape",
                     head() + "input %x: f32[1]\nconst %n: s64[2] = [1, 2]\n" +
                         weight("w", "s32", "[2]", "[-1000, 7]", "0.01", "", "0") +
                         "%r: f32[1x2] = Reshape(%w, %n)\n%y: f32[1x2] = Add(%x, %r)\noutput %y\n",
                     {{0.0}},
                     {-10.0, 0.07}});
    const auto conv = [](const std::string& activation, const std::string& out) {
        return head() + "input %x: f32[1x1x1x2]\n" + pair("x", "xd", "0.125", 0, "s8", "[1x1x1x2]") +
               weight("w", "s8", "[1x1x1x1]", "[1]", "1") + "%c: f32[1x1x1x2] = Conv(%xd, %w)\n" + activation + out +
               "output %y\n";
    };
    cases.push_back({"BC-51 Relu before a symmetric quantizer",
                     conv("%r: f32[1x1x1x2] = Relu(%c)\n", pair("r", "y", "0.125", 0, "s8", "[1x1x1x2]")),
                     {{-1.0, 1.0}},
                     {0.0, 1.0},
                     1});
    cases.push_back({"BC-51 Relu that the range implies",
                     conv("%r: f32[1x1x1x2] = Relu(%c)\n", pair("r", "y", "0.125", -128, "s8", "[1x1x1x2]")),
                     {{-1.0, 1.0}},
                     {0.0, 1.0},
                     1});
    cases.push_back({"BC-52 Clip inside the range",
                     head() + "input %x: f32[1x1x1x3]\nconst %lo: f32[] = [0]\nconst %hi: f32[] = [6]\n" +
                         pair("x", "xd", "1", 0, "s8", "[1x1x1x3]") + weight("w", "s8", "[1x1x1x1]", "[1]", "1") +
                         "%c: f32[1x1x1x3] = Conv(%xd, %w)\n%r: f32[1x1x1x3] = Clip(%c, %lo, %hi)\n" +
                         pair("r", "y", "0.05", -128, "s8", "[1x1x1x3]") + "output %y\n",
                     {{-1.0, 5.0, 10.0}},
                     {0.0, 5.0, 6.0},
                     1});
    cases.push_back({"BC-53 a pair on each side of Relu",
                     head() + "input %x: f32[1]\n" + pair("x", "a", "0.1", 0, "s8", "[1]") + "%r: f32[1] = Relu(%a)\n" +
                         pair("r", "y", "0.05", 0, "s8", "[1]") + "output %y\n",
                     {{0.14}},
                     {0.1}});
    cases.push_back({"BC-54 residual Add of three scales",
                     head() + "input %a: f32[3]\ninput %b: f32[3]\n" + pair("a", "ad", "0.1", 128, "u8", "[3]") +
                         pair("b", "bd", "0.02", 100, "u8", "[3]") + "%s: f32[3] = Add(%ad, %bd)\n" +
                         pair("s", "y", "0.05", 120, "u8", "[3]") + "output %y\n",
                     {{1.0, -1.0, 0.0}, {1.0, 0.0, 3.1}},
                     {2.0, -1.0, 3.1}});
    cases.push_back({"BC-54 one branch without a quantizer",
                     head() + "input %a: f32[2]\ninput %b: f32[2]\n" + pair("a", "ad", "0.1", 128, "u8", "[2]") +
                         "%s: f32[2] = Add(%ad, %b)\n" + pair("s", "y", "0.05", 120, "u8", "[2]") + "output %y\n",
                     {{1.0, -1.0}, {1.01, 0.0}},
                     {2.0, -1.0}});
    cases.push_back({"BC-55 Concat of two scales",
                     head() + "input %a: f32[1]\ninput %b: f32[1]\n" + pair("a", "ad", "0.5", 0, "s8", "[1]") +
                         pair("b", "bd", "0.1", 0, "s8", "[1]") + "%s: f32[2] = Concat(%ad, %bd) {axis = 0}\n" +
                         pair("s", "y", "0.25", 0, "s8", "[2]") + "output %y\n",
                     {{5.0}, {1.0}},
                     {5.0, 1.0}});
    cases.push_back({"BC-55 Concat of two types",
                     head() + "input %a: f32[1]\ninput %b: f32[1]\n" + pair("a", "ad", "0.5", 128, "u8", "[1]") +
                         pair("b", "bd", "0.5", 0, "s8", "[1]") + "%s: f32[2] = Concat(%ad, %bd) {axis = 0}\n" +
                         pair("s", "y", "0.5", 128, "u8", "[2]") + "output %y\n",
                     {{5.0}, {-5.0}},
                     {5.0, -5.0}});
    cases.push_back({"BC-55 Concat of one input",
                     head() + "input %a: f32[1]\n" + pair("a", "ad", "0.5", 0, "s8", "[1]") +
                         "%s: f32[1] = Concat(%ad) {axis = 0}\n" + pair("s", "y", "0.5", 0, "s8", "[1]") +
                         "output %y\n",
                     {{5.2}},
                     {5.0}});
    const auto pad = [](const std::string& value) {
        return head() + "input %x: f32[2]\nconst %p: s64[2] = [1, 1]\n" + value +
               pair("x", "xd", "0.1", 128, "u8", "[2]") + "%r: f32[4] = Pad(%xd, %p" + (value.empty() ? "" : ", %v") +
               ")\n" + pair("r", "y", "0.1", 128, "u8", "[4]") + "output %y\n";
    };
    cases.push_back({"BC-57 Pad with 0", pad(""), {{0.2, -0.8}}, {0.0, 0.2, -0.8, 0.0}});
    cases.push_back({"BC-57 Pad with -1", pad("const %v: f32[] = [-1]\n"), {{0.2, -0.8}}, {-1.0, 0.2, -0.8, -1.0}});
    cases.push_back({"BC-58 padding on a zero point",
                     head() + "input %x: f32[1x1x2]\n" + pair("x", "xd", "0.1", 128, "u8", "[1x1x2]") +
                         weight("w", "s8", "[1x1x3]", "[1, 2, 3]", "1") +
                         "%c: f32[1x1x2] = Conv(%xd, %w) {kernel_shape = [3], pads = [1, 1]}\n" +
                         pair("c", "y", "0.1", 0, "u8", "[1x1x2]") + "output %y\n",
                     {{1.0, 2.0}},
                     {8.0, 5.0},
                     1});
    cases.push_back({"BC-60 asymmetric weight",
                     head() + "input %x: f32[1x2]\n" + pair("x", "xd", "0.1", 10, "u8", "[1x2]") +
                         weight("w", "u8", "[2x1]", "[200, 50]", "0.01", "", "100") +
                         "%c: f32[1x1] = MatMul(%xd, %w)\n" + pair("c", "y", "0.1", 7, "u8", "[1x1]") + "output %y\n",
                     {{10.0, 5.0}},
                     {7.5},
                     1});
    cases.push_back({"BC-60 zero point per channel",
                     head() + "input %x: f32[1x1]\n" + pair("x", "xd", "0.5", 0, "s8", "[1x1]") +
                         weight("w", "s8", "[1x2]", "[11, 2]", "[1, 0.5]", "1", "[10, 0]") +
                         "%c: f32[1x2] = MatMul(%xd, %w)\n" + pair("c", "y", "0.5", 0, "s8", "[1x2]") + "output %y\n",
                     {{3.0}},
                     {3.0, 3.0},
                     1});
    cases.push_back({"BC-61 codes, numbers and a pool as outputs",
                     head() + "input %x: f32[1x1x2]\nconst %s: f32[] = [0.5]\nconst %z: s8[] = [0]\n"
                              "%q: s8[1x1x2] = QuantizeLinear(%x, %s, %z)\n"
                              "%d: f32[1x1x2] = DequantizeLinear(%q, %s, %z)\n"
                              "%m: f32[1x1x1] = MaxPool(%d) {kernel_shape = [2]}\n"
                              "%o: s8[1x1x1] = QuantizeLinear(%m, %s, %z)\noutput %q\noutput %d\noutput %o\n",
                     {{1.1, 2.3}},
                     {2.0, 5.0, 1.0, 2.5, 5.0}});
    cases.push_back({"BC-61 two readers of a dequantizer",
                     head() + "input %x: f32[2]\nconst %k: f32[] = [2]\n" + pair("x", "xd", "0.5", 0, "s8", "[2]") +
                         "%a: f32[2] = Relu(%xd)\n%b: f32[2] = Mul(%xd, %k)\noutput %a\noutput %b\n",
                     {{-1.1, 1.1}},
                     {0.0, 1.0, -2.0, 2.0}});
    cases.push_back({"BC-62 a float Add between two layers",
                     head() + "input %x: f32[1x2]\nconst %k: f32[2] = [0.3, -0.3]\n" +
                         pair("x", "xd", "0.5", 0, "s8", "[1x2]") + weight("w", "s8", "[2x2]", "[1, 2, 3, 4]", "0.5") +
                         "%c: f32[1x2] = Gemm(%xd, %w)\n%r: f32[1x2] = Relu(%c)\n%a: f32[1x2] = Add(%r, %k)\n" +
                         pair("a", "ad", "0.1", 0, "s8", "[1x2]") + weight("v", "s8", "[2x1]", "[1, 1]", "1") +
                         "%y: f32[1x1] = Gemm(%ad, %v)\noutput %y\n",
                     {{1.0, 1.0}},
                     {5.0},
                     2});
    cases.push_back({"BC-63 two dequantizers of one weight",
                     head() + "input %x: f32[1x2]\nconst %w: s8[2x2] = [1, 2, 3, 4]\nconst %s: f32[] = [0.5]\n" +
                         pair("x", "xd", "1", 0, "s8", "[1x2]") +
                         "%a: f32[2x2] = DequantizeLinear(%w, %s)\n%b: f32[2x2] = DequantizeLinear(%w, %s)\n"
                         "%m: f32[1x2] = MatMul(%xd, %a)\n" +
                         pair("m", "md", "0.5", 0, "s8", "[1x2]") + "%y: f32[1x2] = MatMul(%md, %b)\noutput %y\n",
                     {{1.0, 1.0}},
                     {5.5, 8.0},
                     2});
    cases.push_back({"BC-63 tied embedding",
                     head() +
                         "input %i: s64[1]\nconst %w: s8[2x2] = [1, 2, 3, 4]\nconst %s: f32[] = [0.5]\n"
                         "%a: f32[2x2] = DequantizeLinear(%w, %s)\n%e: f32[1x2] = Gather(%a, %i) {axis = 0}\n"
                         "%t: f32[2x2] = Transpose(%a)\n" +
                         pair("e", "ed", "0.5", 0, "s8", "[1x2]") + "%y: f32[1x2] = MatMul(%ed, %t)\noutput %y\n",
                     {{1.0}},
                     {2.75, 6.25},
                     1});
    cases.push_back({"BC-68 integer input and output",
                     head() +
                         "input %x: s8[1x1x1x1]\nconst %s: f32[] = [0.5]\nconst %z: s8[] = [0]\n"
                         "%d: f32[1x1x1x1] = DequantizeLinear(%x, %s, %z)\n" +
                         weight("w", "s8", "[1x1x1x1]", "[2]", "0.25") +
                         "%c: f32[1x1x1x1] = Conv(%d, %w)\n%y: s8[1x1x1x1] = QuantizeLinear(%c, %s, %z)\noutput %y\n",
                     {{6.0}},
                     {3.0},
                     1});
    cases.push_back({"BC-68 a pair and nothing else",
                     head() + "input %x: f32[2]\n" + pair("x", "y", "0.5", 0, "s8", "[2]") + "output %y\n",
                     {{1.1, -100.0}},
                     {1.0, -64.0}});
    return cases;
}

std::vector<FieldCase> parameterCases()
{
    std::vector<FieldCase> cases;
    cases.push_back({"BC-70 dead channel of scale 0",
                     head() + "input %x: f32[1x1]\n" + pair("x", "xd", "1", 0, "s8", "[1x1]") +
                         weight("w", "s8", "[1x3]", "[10, 0, 20]", "[0.1, 0, 0.2]", "1") +
                         "%y: f32[1x3] = MatMul(%xd, %w)\noutput %y\n",
                     {{1.0}},
                     {1.0, 0.0, 4.0},
                     1});
    cases.push_back({"BC-70 negative weight scale",
                     head() + "input %x: f32[1x1]\n" + pair("x", "xd", "1", 0, "s8", "[1x1]") +
                         weight("w", "s8", "[1x2]", "[10, -128]", "-0.1") +
                         "%y: f32[1x2] = MatMul(%xd, %w)\noutput %y\n",
                     {{1.0}},
                     {-1.0, 12.8},
                     1});
    cases.push_back({"BC-71 denormal scale",
                     head() + "input %x: f32[3]\nconst %s: f32[] = [1e-42]\nconst %z: s8[] = [0]\n"
                              "%y: s8[3] = QuantizeLinear(%x, %s, %z)\noutput %y\n",
                     {{-1.0, 0.0, 1.0}},
                     {-128.0, 0.0, 127.0}});
    cases.push_back(
        {"BC-72 zero point missing",
         head() + "input %x: f32[2]\nconst %s: f32[] = [1]\n%y: u8[2] = QuantizeLinear(%x, %s)\noutput %y\n",
         {{-5.0, 5.0}},
         {0.0, 5.0}});
    for (const char* scale : {"[]", "[1]"}) {
        for (const char* zero : {"[]", "[1]"}) {
            cases.push_back({std::string("BC-74 scale ") + scale + " zero point " + zero,
                             head() + "input %x: f32[2x1]\nconst %s: f32" + scale + " = [0.5]\nconst %z: s8" + zero +
                                 " = [3]\n%q: s8[2x1] = QuantizeLinear(%x, %s, %z)\n"
                                 "%y: f32[2x1] = DequantizeLinear(%q, %s, %z)\noutput %y\n",
                             {{1.2, -100.0}},
                             {1.0, -65.5}});
        }
    }
    cases.push_back({"BC-67 constants behind nodes",
                     head() +
                         "input %x: f32[2]\nconst %m: f32[] = [63.5]\nconst %k: f32[] = [127]\n"
                         "const %n: s64[1] = [1]\n%s: f32[] = Div(%m, %k)\n%e: s32[1] = ConstantOfShape(%n) {value = "
                         "tensor s32[1] [3]}\n%z: s8[1] = Cast(%e) {to = 3}\n"
                         "%q: s8[2] = QuantizeLinear(%x, %s, %z)\n%y: f32[2] = DequantizeLinear(%q, %s, %z)\n"
                         "output %y\n",
                     {{1.2, -100.0}},
                     {1.0, -65.5}});
    cases.push_back({"BC-75 two float types",
                     head(19) + "input %x: f32[1]\nconst %s: f32[] = [0.1]\nconst %t: f16[] = [0.1]\n"
                                "const %z: s8[] = [0]\n%q: s8[1] = QuantizeLinear(%x, %s, %z)\n"
                                "%y: f16[1] = DequantizeLinear(%q, %t, %z)\noutput %y\n",
                     {{0.5}},
                     {0.4998779296875}});
    cases.push_back({"BC-77 int16",
                     head(21) + "input %x: f32[3]\n" + pair("x", "y", "0.001", 0, "s16", "[3]") + "output %y\n",
                     {{1.2345, -40.0, 40.0}},
                     {1.234, -32.768, 32.767}});
    cases.push_back({"BC-77 int16 of com.microsoft",
                     head() + "input %x: f32[3]\nconst %s: f32[] = [0.001]\nconst %z: s16[] = [0]\n"
                              "%q: s16[3] = com.microsoft.QuantizeLinear(%x, %s, %z)\n"
                              "%y: f32[3] = com.microsoft.DequantizeLinear(%q, %s, %z)\noutput %y\n",
                     {{1.2345, -40.0, 40.0}},
                     {1.234, -32.768, 32.767}});
    cases.push_back({"BC-78 vector scale at opset 10",
                     head(10) + "input %x: f32[1]\n" + weight("w", "s8", "[2x2]", "[1, 1, 1, 1]", "[1, 2]") +
                         "%y: f32[2x2] = Add(%x, %w)\noutput %y\n",
                     {{0.0}},
                     {1.0, 2.0, 1.0, 2.0}});
    return cases;
}

} // namespace crease::test
