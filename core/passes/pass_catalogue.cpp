// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/absorb_activations.h"
#include "core/passes/canonicalise.h"
#include "core/passes/deduplicate.h"
#include "core/passes/eliminate_dead.h"
#include "core/passes/fold_batch_norm.h"
#include "core/passes/fold_constants.h"
#include "core/passes/fold_weights.h"
#include "core/passes/fuse.h"
#include "core/passes/legalise.h"
#include "core/passes/lower.h"
#include "core/passes/pass.h"
#include "core/passes/propagate_grids.h"
#include "core/passes/quantize_bias.h"
#include "core/passes/recognise.h"
#include "core/passes/tabulate.h"
#include "core/passes/unshare.h"

#include <algorithm>
#include <array>

namespace crease {

namespace {

constexpr std::array catalogue{
    PassInfo{
        "recognise", "Recognise", "Every quantizer of the file becomes a FakeQuant with its grid",
        "Reads QuantizeLinear and DequantizeLinear pairs of ai.onnx and com.microsoft (P1), an integer Clip between "
        "them (P2), dequantized integer weights and biases (P3), integer inputs and outputs (P19) and QONNX Quant "
        "(P36); constants behind scales and zero points are evaluated. Data movement between a quantizer and its "
        "dequantizer moves behind it. Quantizers whose scale depends on data, blocked ones and unknown dialects "
        "stay and are named.",
        runRecognise},
    PassInfo{
        "canonicalise", "Canonicalise", "Nodes that do nothing go, ops take the one form that later passes look for",
        "Identity, Dropout without training, Casts to the same type, Transposes that undo each other; who asks for "
        "the shape of a value that is quantized next asks for that of the quantized one (P28); equal quantizers of one "
        "value "
        "are one; a Gemm without transA, a bias that is a constant row or an Add.",
        runCanonicalise},
    PassInfo{
        "fold-constants", "Fold constants", "What depends on constants alone is evaluated, up to a quantized constant",
        "In the file's own types, so that the numbers are those that the file's runtime would see. Never through a "
        "dequantized weight: that would erase its quantization.",
        runFoldConstants},
    PassInfo{"unshare", "Unshare", "Each reader of a quantized constant gets a quantizer of its own",
             "Before anything changes a weight or counts its readers: a scale folded for one layer must not be seen by "
             "another (P7).",
             runUnshare},
    PassInfo{"fold-weights", "Fold weights", "Quantized constants become codes and a grid",
             "The codes are decided with the division, rounding and range of the file's quantizer; integer weights are "
             "taken as they are. Data movement behind a weight moves its codes and the axis of its scales (P5).",
             runFoldWeights},
    PassInfo{
        "fold-batch-norm", "Fold BN", "BatchNormalization goes into the scales, signs and bias of a quantized weight",
        "A chain of BatchNormalization, Mul, Div, Add and Sub with constants per output channel is one factor a and "
        "one shift d in double (L6). Codes keep their magnitudes: s_w'[c] = |a| * s_w[c], codes negated where a < 0, "
        "in a wider type where a code has no negative. The bias is kept exact until quantize-bias.",
        runFoldBatchNorm},
    PassInfo{"propagate-grids", "Propagate grids",
             "Grids pass through data movement; quantizers move to where they are needed",
             "Data movement, max pooling and clamps between points of a grid keep the grid of their input (L2, L3). A "
             "quantizer behind such an op moves before it where its input is not on a grid yet, also before each input "
             "of a Concat. A quantizer whose input already lies on its grid goes (L4); one of another grid stays: both "
             "roundings count (L5). No grid is chosen here.",
             runPropagateGrids},
    PassInfo{"absorb-activations", "Absorb activations", "Relu and Clip before a quantizer become its clamp bounds",
             "Quantizing is monotone, so any Relu, Relu6, Clip, and Max or Min with a constant in front of a quantizer "
             "is a clamp of its codes, whatever the zero point or range (L1). Bounds are rounded half to even and "
             "saturated. Other readers keep the activation.",
             runAbsorbActivations},
    PassInfo{
        "tabulate", "Tabulate", "Element-wise regions of one 8-bit value become a table",
        "A subgraph of element-wise ops whose only input that is no scalar constant is one per-tensor 8-bit value, "
        "and that ends in a quantizer, is a map of 256 codes (L10), intermediate quantizers included. Entries are "
        "evaluated in double, ties to even.",
        runTabulate},
    PassInfo{
        "lower", "Lower", "Integer units: accumulators, requantizers and exactly rounded integer ops",
        "Linear ops on codes sum their products in an int32 or int64 accumulator; each quantizer behind it becomes "
        "one exactly rounded Requantize, a float reader gets a Dequantize with the exact bias. Add, Mul, Concat and "
        "pooling become one integer op with one rounding; data movement works on codes. What stays in float stands "
        "between Dequantize and Quantize and is listed with its reason.",
        runLower},
    PassInfo{
        "legalise", "Legalise", "The forms and scales that the target has kernels for",
        "Codes are shifted between signed and unsigned (exact), scales are rounded to float32 as the target's file "
        "stores them, and ops without a kernel on the target are named.",
        runLegalise},
    PassInfo{"quantize-bias", "Quantize bias", "Exact biases are rounded to int32 on the accumulator's grid",
             "The bias of each requantizer becomes rne(b / (s_x s_w)) codes; a bias beyond int32 takes the remedies of "
             "folding.md 2.4 in order. This is the one inexact step of a fold: it moves a value by at most half an "
             "accumulator step.",
             runQuantizeBias},
    PassInfo{"fuse", "Fuse", "A linear op, its requantizer and its clamp become one kernel",
             "An accumulator that one requantizer reads is fused with it; one that several read is computed for each.",
             runFuse},
    PassInfo{
        "deduplicate", "Deduplicate", "Equal constants and equal nodes are kept once",
        "Compares by value: element type, shape, contents and grid for constants; op, attributes and inputs for nodes.",
        runDeduplicate},
    PassInfo{"eliminate-dead", "Eliminate dead", "What no output depends on is removed",
             "Nodes and constants that no graph output reads, directly or through a subgraph.", runEliminateDead},
};

} // namespace

std::span<const PassInfo> passCatalogue()
{
    return catalogue;
}

const PassInfo* findPass(std::string_view id)
{
    const auto found = std::ranges::find(catalogue, id, &PassInfo::id);
    return found == catalogue.end() ? nullptr : &*found;
}

} // namespace crease
