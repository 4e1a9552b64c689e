// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/recurrent_cells.h"

#include "core/exec/kernel_support.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace crease {

namespace {

using Activation = std::function<double(double)>;

struct Parameters {
    double alpha;
    double beta;
};

/// The activations of ONNX by name, with their default parameters where the node gives none.
std::optional<Activation> activationOf(std::string_view name, std::optional<double> alpha, std::optional<double> beta)
{
    const auto with = [&](double a, double b) { return Parameters{alpha.value_or(a), beta.value_or(b)}; };
    if (name == "Sigmoid") {
        return [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
    }
    if (name == "Tanh") {
        return [](double x) { return std::tanh(x); };
    }
    if (name == "Relu") {
        return [](double x) { return std::max(x, 0.0); };
    }
    if (name == "Softsign") {
        return [](double x) { return x / (1.0 + std::fabs(x)); };
    }
    if (name == "Softplus") {
        return [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); };
    }
    if (name == "Affine") {
        return [p = with(1.0, 0.0)](double x) { return p.alpha * x + p.beta; };
    }
    if (name == "LeakyRelu") {
        return [p = with(0.01F, 0.0)](double x) { return x < 0.0 ? p.alpha * x : x; };
    }
    if (name == "ThresholdedRelu") {
        return [p = with(1.0, 0.0)](double x) { return x > p.alpha ? x : 0.0; };
    }
    if (name == "ScaledTanh") {
        return [p = with(1.0, 1.0)](double x) { return p.alpha * std::tanh(p.beta * x); };
    }
    if (name == "HardSigmoid") {
        return [p = with(0.2F, 0.5)](double x) { return std::clamp(p.alpha * x + p.beta, 0.0, 1.0); };
    }
    if (name == "Elu") {
        return [p = with(1.0, 0.0)](double x) { return x < 0.0 ? p.alpha * std::expm1(x) : x; };
    }
    return std::nullopt;
}

bool takesAlpha(std::string_view name)
{
    return name == "Affine" || name == "LeakyRelu" || name == "ThresholdedRelu" || name == "ScaledTanh" ||
           name == "HardSigmoid" || name == "Elu";
}

bool takesBeta(std::string_view name)
{
    return name == "Affine" || name == "ScaledTanh" || name == "HardSigmoid";
}

/// The functions of one direction, in ONNX's order; alphas and betas are handed out to those that take one.
Result<std::vector<Activation>> activationsOf(const KernelContext& context, std::vector<std::string> defaults,
                                              std::size_t direction)
{
    std::vector<std::string> names;
    const Attribute* attribute = context.node.attribute("activations");
    if (const auto* given = attribute != nullptr ? std::get_if<std::vector<std::string>>(attribute) : nullptr) {
        names = *given;
    }
    const std::size_t count = defaults.size();
    if (names.empty()) {
        for (std::size_t i = 0; i <= direction; ++i) {
            names.insert(names.end(), defaults.begin(), defaults.end());
        }
    }
    if (names.size() < (direction + 1) * count) {
        return badNode(context, fmt::format("{} activations for direction {}", names.size(), direction));
    }
    const std::vector<double> alphas = context.node.doublesAttribute("activation_alpha");
    const std::vector<double> betas = context.node.doublesAttribute("activation_beta");
    std::size_t nextAlpha = 0;
    std::size_t nextBeta = 0;
    const auto next = [](const std::vector<double>& values, std::size_t& at) {
        return at < values.size() ? std::optional(values[at++]) : std::nullopt;
    };
    std::vector<Activation> functions;
    for (std::size_t i = 0; i < (direction + 1) * count; ++i) {
        const auto alpha = takesAlpha(names[i]) ? next(alphas, nextAlpha) : std::nullopt;
        const auto beta = takesBeta(names[i]) ? next(betas, nextBeta) : std::nullopt;
        const auto function = activationOf(names[i], alpha, beta);
        if (!function) {
            return notClaimed(context, fmt::format("the activation {}", names[i]));
        }
        if (i >= direction * count) {
            functions.push_back(*function);
        }
    }
    return functions;
}

/// What the cells share: their weights as values, so that a step needs nothing else.
struct Affine {
    std::vector<double> w;
    std::vector<double> r;
    std::vector<double> bias;
    RecurrentSizes sizes;
    double clip = 0.0; // 0: none

    double limited(double x) const { return clip > 0.0 ? std::clamp(x, -clip, clip) : x; }

    double fromInput(std::size_t row, std::span<const double> x) const
    {
        double sum = bias[row];
        for (std::size_t i = 0; i < sizes.input; ++i) {
            sum += w[row * sizes.input + i] * x[i];
        }
        return sum;
    }

    double fromHidden(std::size_t row, std::span<const double> hidden) const
    {
        double sum = bias[sizes.gates * sizes.hidden + row];
        for (std::size_t i = 0; i < sizes.hidden; ++i) {
            sum += r[row * sizes.hidden + i] * hidden[i];
        }
        return sum;
    }

    double both(std::size_t gate, std::size_t unit, std::span<const double> x, std::span<const double> hidden) const
    {
        const std::size_t row = gate * sizes.hidden + unit;
        return fromInput(row, x) + fromHidden(row, hidden);
    }
};

RecurrentCell rnnCell(Affine affine, std::vector<Activation> f)
{
    return {[affine = std::move(affine), f = std::move(f)](std::span<const double> x, std::span<double> hidden,
                                                           std::span<double>) {
        const std::vector<double> before(hidden.begin(), hidden.end());
        for (std::size_t j = 0; j < affine.sizes.hidden; ++j) {
            hidden[j] = f[0](affine.limited(affine.both(0, j, x, before)));
        }
    }};
}

RecurrentCell gruCell(Affine affine, std::vector<Activation> f, bool linearBeforeReset)
{
    return {[affine = std::move(affine), f = std::move(f),
             linearBeforeReset](std::span<const double> x, std::span<double> hidden, std::span<double>) {
        const std::size_t n = affine.sizes.hidden;
        const std::vector<double> before(hidden.begin(), hidden.end());
        std::vector<double> reset(n);
        std::vector<double> kept(n); // r . h
        for (std::size_t j = 0; j < n; ++j) {
            reset[j] = f[0](affine.limited(affine.both(1, j, x, before)));
            kept[j] = reset[j] * before[j];
        }
        for (std::size_t j = 0; j < n; ++j) {
            const double update = f[0](affine.limited(affine.both(0, j, x, before)));
            const std::size_t row = 2 * n + j;
            const double recurrent =
                linearBeforeReset ? reset[j] * affine.fromHidden(row, before) : affine.fromHidden(row, kept);
            const double candidate = f[1](affine.limited(affine.fromInput(row, x) + recurrent));
            hidden[j] = (1.0 - update) * candidate + update * before[j];
        }
    }};
}

RecurrentCell lstmCell(Affine affine, std::vector<Activation> f, std::vector<double> peepholes, bool inputForget)
{
    return {[affine = std::move(affine), f = std::move(f), peepholes = std::move(peepholes),
             inputForget](std::span<const double> x, std::span<double> hidden, std::span<double> cell) {
        const std::size_t n = affine.sizes.hidden;
        const std::vector<double> before(hidden.begin(), hidden.end());
        for (std::size_t j = 0; j < n; ++j) { // gates in the order i, o, f, c
            const double in = f[0](affine.limited(affine.both(0, j, x, before) + peepholes[j] * cell[j]));
            const double forget =
                inputForget ? 1.0 - in
                            : f[0](affine.limited(affine.both(2, j, x, before) + peepholes[2 * n + j] * cell[j]));
            const double candidate = f[1](affine.limited(affine.both(3, j, x, before)));
            const double now = forget * cell[j] + in * candidate;
            const double out = f[0](affine.limited(affine.both(1, j, x, before) + peepholes[n + j] * now));
            cell[j] = now;
            hidden[j] = out * f[2](now);
        }
    }};
}

} // namespace

Result<RecurrentCell> makeCell(const KernelContext& context, RecurrentKind kind, const RecurrentSizes& sizes,
                               const RecurrentWeights& weights, std::size_t direction)
{
    const auto copied = [](std::span<const double> values) {
        return std::vector<double>(values.begin(), values.end());
    };
    Affine affine{copied(weights.w), copied(weights.r), copied(weights.bias), sizes,
                  context.node.floatAttribute("clip", 0.0)};
    switch (kind) {
    case RecurrentKind::Rnn:
        return rnnCell(std::move(affine), TRY(activationsOf(context, {"Tanh"}, direction)));
    case RecurrentKind::Gru:
        return gruCell(std::move(affine), TRY(activationsOf(context, {"Sigmoid", "Tanh"}, direction)),
                       context.node.intAttribute("linear_before_reset", 0) != 0);
    case RecurrentKind::Lstm:
        break;
    }
    return lstmCell(std::move(affine), TRY(activationsOf(context, {"Sigmoid", "Tanh", "Tanh"}, direction)),
                    copied(weights.peepholes), context.node.intAttribute("input_forget", 0) != 0);
}

} // namespace crease
