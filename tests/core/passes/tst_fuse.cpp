// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/deduplicate.h"
#include "core/passes/eliminate_dead.h"
#include "core/passes/fuse.h"
#include "tests/core/passes/stage_of.h"

#include <QtTest>

using namespace crease;
using namespace crease::test;

class TestFuse : public QObject {
    Q_OBJECT
private slots:
    void requantizerAndClampGoIntoTheLinearOp();
    void eachQuantizerGetsItsOwn();
    void negative_floatBiasAndWideSumsStayApart();
    void negative_aSharedValueKeepsItsClamp();
    void equalConstantsAndNodesBecomeOne();
    void no_mergeOfWhatDiffers();
    void deadNodesAndConstantsGo();
};

void TestFuse::requantizerAndClampGoIntoTheLinearOp()
{
    const Stage stage = stageOf(runFuse, R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8(0.5, 0) = [1, 2, 3, 4]
%q: u8[1x2] codes u8(0.5, 0) = crease.Quantize(%x)
%acc: s32[1x2] codes s32(0.25, 0) = MatMul(%q, %w) "linear"
%r: u8[1x2] codes u8(0.5, 7) = crease.Requantize(%acc) {bias_codes = tensor s32[2] [5, -6], hi = 250}
%y: u8[1x2] codes u8(0.5, 7) = crease.Clamp(%r) {hi = 255, lo = 7}
output %y
)");
    COMPARE_GRAPH(stage.after, R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8(0.5, 0) = [1, 2, 3, 4]
%q: u8[1x2] codes u8(0.5, 0) = crease.Quantize(%x)
%y: u8[1x2] codes u8(0.5, 7) = MatMul(%q, %w) {bias_codes = tensor s32[2] [5, -6], hi = 250, lo = 7} "linear"
output %y
)");
}

void TestFuse::eachQuantizerGetsItsOwn()
{
    const Stage stage = stageOf(runFuse, R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8(0.5, 0) = [1, 2, 3, 4]
%q: u8[1x2] codes u8(0.5, 0) = crease.Quantize(%x)
%acc: s32[1x2] codes s32(0.25, 0) = MatMul(%q, %w)
%a: u8[1x2] codes u8(0.5, 7) = crease.Requantize(%acc)
%b: u8[1x2] codes u8(1.0, 7) = crease.Requantize(%acc)
%f: f32[1x2] = crease.Dequantize(%acc) {bias = f64 [0.1]}
output %a
output %b
output %f
)");
    COMPARE_GRAPH(stage.after, R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8(0.5, 0) = [1, 2, 3, 4]
%q: u8[1x2] codes u8(0.5, 0) = crease.Quantize(%x)
%acc: s32[1x2] codes s32(0.25, 0) = MatMul(%q, %w)
%a: u8[1x2] codes u8(0.5, 7) = MatMul(%q, %w)
%b: u8[1x2] codes u8(1.0, 7) = MatMul(%q, %w)
%f: f32[1x2] = crease.Dequantize(%acc) {bias = f64 [0.1]}
output %a
output %b
output %f
)");
}

void TestFuse::negative_floatBiasAndWideSumsStayApart()
{
    constexpr auto text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8(0.5, 0) = [1, 2, 3, 4]
const %v: s16[2x2] codes s16(0.5, 0) = [32767, 2, 3, 4]
%q: u8[1x2] codes u8(0.5, 0) = crease.Quantize(%x)
%acc: s32[1x2] codes s32(0.25, 0) = MatMul(%q, %w)
%a: u8[1x2] codes u8(0.5, 7) = crease.Requantize(%acc) {bias = f64 [0.1]}
%acc2: s32[1x2] codes s32(0.25, 0) = MatMul(%q, %v)
%b: u8[1x2] codes u8(0.5, 7) = crease.Requantize(%acc2) {bias_codes = tensor s32[1] [2147483000]}
output %a
output %b
)";
    const Stage stage = stageOf(runFuse, text);
    COMPARE_GRAPH(stage.after, text);
    QCOMPARE(stage.missed.size(), std::size_t{2});
    std::set<std::string> ids;
    for (const MissedSite& site : stage.missed) {
        ids.insert(site.miss.id);
    }
    QCOMPARE(ids, (std::set<std::string>{"accumulator-width", "float-bias"}));
}

void TestFuse::negative_aSharedValueKeepsItsClamp()
{
    constexpr auto text = R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
%q: u8[2] codes u8(0.5, 3) = crease.Quantize(%x)
%c: u8[2] codes u8(0.5, 3) = crease.Clamp(%q) {hi = 200, lo = 3}
output %q
output %c
)";
    const Stage stage = stageOf(runFuse, text);
    COMPARE_GRAPH(stage.after, text);
}

void TestFuse::equalConstantsAndNodesBecomeOne()
{
    const Stage stage = stageOf(runDeduplicate, R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8(0.5, 0) = [1, 2, 3, 4]
const %v: s8[2x2] codes s8(0.5, 0) = [1, 2, 3, 4]
%q: u8[1x2] codes u8(0.5, 0) = crease.Quantize(%x)
%p: u8[1x2] codes u8(0.5, 0) = crease.Quantize(%x)
%a: s32[1x2] codes s32(0.25, 0) = MatMul(%q, %w)
%b: s32[1x2] codes s32(0.25, 0) = MatMul(%p, %v)
%f: f32[1x2] = crease.Dequantize(%a) {bias = f64 [0.1]}
%g: f32[1x2] = crease.Dequantize(%b) {bias = f64 [0.2]}
output %f
output %g
)");
    COMPARE_GRAPH(stage.after, R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8(0.5, 0) = [1, 2, 3, 4]
%q: u8[1x2] codes u8(0.5, 0) = crease.Quantize(%x)
%a: s32[1x2] codes s32(0.25, 0) = MatMul(%q, %w)
%f: f32[1x2] = crease.Dequantize(%a) {bias = f64 [0.1]}
%g: f32[1x2] = crease.Dequantize(%a) {bias = f64 [0.2]}
output %f
output %g
)");
}

void TestFuse::no_mergeOfWhatDiffers()
{
    // Codes of another grid are other values, graph outputs keep their own node, random numbers are drawn twice.
    constexpr auto text = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: s8[2x2] codes s8(0.5, 0) = [1, 2, 3, 4]
const %v: s8[2x2] codes s8(0.25, 0) = [1, 2, 3, 4]
%q: u8[1x2] codes u8(0.5, 0) = crease.Quantize(%x)
%p: u8[1x2] codes u8(0.25, 0) = crease.Quantize(%x)
%a: s32[1x2] codes s32(0.25, 0) = MatMul(%q, %w)
%b: s32[1x2] codes s32(0.0625, 0) = MatMul(%p, %v)
%r1: f32[1x2] = RandomNormalLike(%x)
%r2: f32[1x2] = RandomNormalLike(%x)
%s: f32[1x2] = Add(%r1, %r2)
%t: f32[1x2] = Add(%r1, %r2)
output %a
output %b
output %s
output %t
)";
    const Stage stage = stageOf(runDeduplicate, text);
    COMPARE_GRAPH(stage.after, text);
}

void TestFuse::deadNodesAndConstantsGo()
{
    const Stage stage = stageOf(runEliminateDead, R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
input %unused: f32[2]
const %c: f32[2] = [1, 2]
const %d: f32[2] = [1, 2]
%a: f32[2] = Add(%x, %c)
%b: f32[2] = Add(%a, %c)
%e: f32[2] = Neg(%x)
output %e
)");
    COMPARE_GRAPH(stage.after, R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
input %unused: f32[2]
%e: f32[2] = Neg(%x)
output %e
)");
}

QTEST_GUILESS_MAIN(TestFuse)
#include "tst_fuse.moc"
