// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/qonnx.h"
#include "core/exec/arithmetic.h"
#include "core/exec/broadcast.h"
#include "core/exec/kernel_families.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace crease {

namespace {

using Outputs = Result<std::vector<Tensor>>;

/// A signed code of one bit is -1 or +1.
struct CodeRange {
    double low;
    double high;
    bool bipolar = false;
};

Result<CodeRange> rangeOf(const KernelContext& context)
{
    const double bits = context.input(3).size() == 1 ? context.input(3).asDouble(0) : 0.0;
    const bool isSignedCode = context.node.intAttribute("signed", 1) != 0;
    const double narrow = context.node.intAttribute("narrow", 0) != 0 ? 1.0 : 0.0;
    if (bits != std::floor(bits) || bits < 1.0 || bits > 32.0) {
        return notClaimed(context, fmt::format("a bit width of {}", bits));
    }
    if (bits == 1.0 && isSignedCode) {
        return CodeRange{-1.0, 1.0, true};
    }
    const double count = std::exp2(bits);
    return isSignedCode ? CodeRange{-count / 2.0 + narrow, count / 2.0 - 1.0} : CodeRange{0.0, count - 1.0 - narrow};
}

Result<Rounding> roundingOf(const KernelContext& context)
{
    const std::string mode = context.node.stringAttribute("rounding_mode", "ROUND");
    if (const std::optional<Rounding> rounding = qonnxRounding(mode)) {
        return *rounding;
    }
    return notClaimed(context, fmt::format("rounding mode {}", mode));
}

/// (round(clamp(x / scale + zero point)) - zero point) * scale; all inputs float32 or all float64. In float32 every
/// step is rounded to it, as QONNX's own executor does; in Exact a constant of the file is decided so, too.
Outputs quant(const KernelContext& context)
{
    const CodeRange range = TRY(rangeOf(context));
    const Rounding rounding = TRY(roundingOf(context));
    const Tensor& x = context.input(0);
    const Tensor& scale = context.input(1);
    const Tensor& zero = context.input(2);
    if (!isFloat(x.type())) {
        return notClaimed(context, fmt::format("elements of {}", longName(x.type())));
    }
    const Dims dims = TRY(broadcastDims(context, TRY(broadcastDims(context, x.dims(), scale.dims())), zero.dims()));
    const BroadcastWalk walk = BroadcastWalk::over(dims, {&x.dims(), &scale.dims(), &zero.dims()});
    const std::vector<double> values = x.toDoubles();
    const std::vector<double> scales = scale.toDoubles();
    const std::vector<double> zeros = zero.toDoubles();
    const bool inFloat32 = x.type() == ElementType::Float32;
    const auto code = [&](double value, double s, double z) {
        const double t =
            inFloat32 ? static_cast<double>(static_cast<float>(value) / static_cast<float>(s) + static_cast<float>(z))
                      : snapped(value / s + z, rounding);
        if (range.bipolar) {
            return t >= 0.0 ? 1.0 : -1.0;
        }
        return roundTo(std::isnan(t) ? range.low : std::clamp(t, range.low, range.high), rounding);
    };
    std::vector<double> results(static_cast<std::size_t>(elementCount(dims).value()));
    walk.forEachRun([&](std::int64_t at, const std::array<std::int64_t, 3>& offsets) {
        for (std::int64_t i = 0; i < walk.inner(); ++i) {
            const auto of = [&](const std::vector<double>& from, std::size_t operand) {
                return from[static_cast<std::size_t>(offsets[operand] + i * walk.innerStride(operand))];
            };
            const double s = of(scales, 1);
            const double z = of(zeros, 2);
            results[static_cast<std::size_t>(at + i)] = (code(of(values, 0), s, z) - z) * s;
        }
    });
    return one(tensorOfDoubles(context.exact() ? ElementType::Float64 : x.type(), dims, results));
}

/// +scale where x >= 0, else -scale.
Outputs bipolarQuant(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    const Tensor& scale = context.input(1);
    if (!isFloat(x.type())) {
        return notClaimed(context, fmt::format("elements of {}", longName(x.type())));
    }
    const Dims dims = TRY(broadcastDims(context, x.dims(), scale.dims()));
    const BroadcastWalk walk = BroadcastWalk::over(dims, {&x.dims(), &scale.dims()});
    const std::vector<double> values = x.toDoubles();
    const std::vector<double> scales = scale.toDoubles();
    std::vector<double> results(static_cast<std::size_t>(elementCount(dims).value()));
    broadcastBinary(walk, values.data(), scales.data(), results.data(),
                    [](double value, double s) { return value >= 0.0 ? s : -s; });
    return one(tensorOfDoubles(context.exact() ? ElementType::Float64 : x.type(), dims, results));
}

constexpr std::string_view qonnx = "qonnx.custom_op.general";
constexpr std::string_view brevitas = "onnx.brevitas";

constexpr auto rows = std::to_array<KernelRow>({
    {"Quant", qonnx, quant},
    {"IntQuant", qonnx, quant},
    {"BipolarQuant", qonnx, bipolarQuant},
    {"Quant", brevitas, quant},
    {"IntQuant", brevitas, quant},
    {"BipolarQuant", brevitas, bipolarQuant},
});

} // namespace

std::optional<Rounding> qonnxRounding(std::string mode)
{
    std::ranges::transform(mode, mode.begin(),
                           [](char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c); });
    static constexpr std::array<std::pair<std::string_view, Rounding>, 9> names{{{"ROUND", Rounding::HalfEven},
                                                                                 {"HALF_EVEN", Rounding::HalfEven},
                                                                                 {"CEIL", Rounding::Ceil},
                                                                                 {"FLOOR", Rounding::Floor},
                                                                                 {"UP", Rounding::Away},
                                                                                 {"DOWN", Rounding::Trunc},
                                                                                 {"ROUND_TO_ZERO", Rounding::Trunc},
                                                                                 {"HALF_UP", Rounding::HalfAway},
                                                                                 {"HALF_DOWN", Rounding::HalfDown}}};
    const auto found = std::ranges::find(names, mode, &std::pair<std::string_view, Rounding>::first);
    return found != names.end() ? std::optional(found->second) : std::nullopt;
}

std::span<const KernelRow> qonnxKernels()
{
    return rows;
}

} // namespace crease
