// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

/// The nodes of domain "crease": what fake quantizers are recognised into, and what joins integer ops.
/// An ONNX op (Conv, Add, MaxPool ...) whose data inputs carry `codes` is that op on integers; its outputs carry
/// `codes` too.
///
/// FakeQuant(x) -> y            float to float. Attributes: grid (Grid), rounding, order, divide, and lo, hi (codes)
/// where a clamp was
///                              absorbed. y = s * (clamp(round(x / s) + z, lo or qmin, hi or qmax) - z); y.liesOn =
///                              grid.
/// Quantize(x) -> q             float to codes; same attributes but grid, which is q.codes.
/// Dequantize(q) -> y           codes to float, y = s * (q - z) [+ bias]. Attribute bias (doubles, real units, one or
/// one per
///                              channel of q.codes.axis) where q is an accumulator. Without bias y.liesOn = q.codes.
/// Requantize(q) -> r           codes to codes of another grid: r = clamp(rne((s_q * (q - z_q) + bias) / s_r) + z_r,
/// lo, hi), decided
///                              exactly. Attributes: bias (doubles, real units), or after quantize-bias bias_codes
///                              (tensor int32/int64, on the grid of the accumulator q); lo, hi.
/// Table(q) -> r                8-bit codes to codes. Attribute table (tensor of r's storage type, rank 1, 256 entries;
/// entry
///                              q - lowest(storage of q)), or of shape [C, 256] with attribute axis.
/// Clamp(q) -> r                codes of the same grid, clamped to attributes lo, hi.
///
/// Conv, ConvTranspose, Gemm, MatMul on codes: inputs x, w only (no bias input; a Gemm has alpha = beta = 1, transA = 0
/// and no C); the output is an accumulator (codes: int32 or int64, scales s_x*s_w[c], zero point 0), or, when fused
/// with its Requantize, codes of any grid, with that Requantize's attributes (bias_codes, lo, hi) on the linear op.
/// Padding adds real zeros. Before lowering a float Conv, ConvTranspose, Gemm or MatMul may carry the attribute bias
/// (doubles, one per output channel) in the place of its bias input: an exact bias that fold-batch-norm made. Add, Sub,
/// Mul, Div, Max, Min, Where, Concat, AveragePool, GlobalAveragePool, ReduceMean, ReduceSum, Resize ... on codes: N
/// input grids, one output grid, one exact rounding; lo, hi where a clamp was absorbed. Data movement and MaxPool on
/// codes: the output grid is the input's; Pad takes its value as codes.
namespace crease::nodes {

inline constexpr std::string_view domain = "crease";
inline constexpr std::string_view fakeQuant = "FakeQuant";
inline constexpr std::string_view quantize = "Quantize";
inline constexpr std::string_view dequantize = "Dequantize";
inline constexpr std::string_view requantize = "Requantize";
inline constexpr std::string_view table = "Table";
inline constexpr std::string_view clamp = "Clamp";

// Attributes
inline constexpr std::string_view grid = "grid";
inline constexpr std::string_view bias = "bias";
inline constexpr std::string_view biasCodes = "bias_codes";
inline constexpr std::string_view lo = "lo";
inline constexpr std::string_view hi = "hi";
inline constexpr std::string_view tableEntries = "table";
inline constexpr std::string_view rounding =
    "rounding";                                    // half_even (default), half_away, half_up, floor, ceil, trunc, away
inline constexpr std::string_view order = "order"; // A (default), B, C, D: formats.md §0
inline constexpr std::string_view divide = "divide"; // division (default), reciprocal (times float32 1/s)
inline constexpr std::string_view source = "source"; // which construct of the file it was recognised from

} // namespace crease::nodes
