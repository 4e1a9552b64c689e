// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/broadcast.h"
#include "core/exec/kernel_families.h"
#include "core/exec/strided_copy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace crease {

namespace {

using Outputs = Result<std::vector<Tensor>>;
constexpr double never = -std::numeric_limits<double>::infinity();

/// A tensor [batch][heads][length][size] in double.
struct Heads {
    std::vector<double> values;
    std::int64_t batch = 0;
    std::int64_t heads = 0;
    std::int64_t length = 0;
    std::int64_t size = 0;

    Dims dims() const { return {batch, heads, length, size}; }
    const double* row(std::int64_t b, std::int64_t h, std::int64_t i) const
    {
        return values.data() + ((b * heads + h) * length + i) * size;
    }
};

/// From [batch][heads][length][size], or [batch][length][heads * size].
Result<Heads> headsOf(const KernelContext& context, std::size_t slot, std::string_view headsAttribute)
{
    Tensor x = context.input(slot);
    if (x.rank() == 3) {
        const std::int64_t heads = context.node.intAttribute(headsAttribute, 0);
        if (heads < 1 || x.dims()[2] % heads != 0) {
            return badNode(context, fmt::format("{} heads in {}", heads, toText(x.dims())));
        }
        const std::int64_t length = x.dims()[1];
        const std::int64_t size = x.dims()[2] / heads;
        x = stridedCopy(x, {x.dims()[0], heads, length, size}, {length * heads * size, size, heads * size, 1});
    }
    if (x.rank() != 4) {
        return badNode(context, fmt::format("an input {}", toText(x.dims())));
    }
    return Heads{x.toDoubles(), x.dims()[0], x.dims()[1], x.dims()[2], x.dims()[3]};
}

/// What came before, then what is new.
Result<Heads> behind(const KernelContext& context, std::size_t slot, Heads now)
{
    if (!context.has(slot)) {
        return now;
    }
    const Heads past = TRY(headsOf(context, slot, ""));
    if (past.batch != now.batch || past.heads != now.heads || past.size != now.size) {
        return badNode(context, fmt::format("a cache {} before {}", toText(past.dims()), toText(now.dims())));
    }
    Heads both{{}, now.batch, now.heads, past.length + now.length, now.size};
    for (std::int64_t line = 0; line < now.batch * now.heads; ++line) {
        for (const Heads* part : {&past, static_cast<const Heads*>(&now)}) {
            const auto from = part->values.begin() + line * part->length * part->size;
            both.values.insert(both.values.end(), from, from + part->length * part->size);
        }
    }
    return both;
}

/// What is added to the scores: [batch][heads][query][key], -inf where a query may not look.
struct Bias {
    std::vector<double> mask{};         // dense over batch, heads, query, key; empty where no mask is given
    std::vector<std::int64_t> filled{}; // keys in use a batch, where given
    Dims dims{};
    std::int64_t past = 0;
    bool causal = false;
    std::int64_t left = -1;
    std::int64_t right = -1;

    double at(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const
    {
        const std::int64_t used = filled.empty() ? 0 : filled[static_cast<std::size_t>(b)];
        const std::int64_t position = i + (filled.empty() || past > 0 ? past : used - dims[2]);
        const bool hidden = (causal && j > position) || (left >= 0 && position - j > left) ||
                            (right >= 0 && j - position > right) || (!filled.empty() && j >= used);
        const auto index = static_cast<std::size_t>(((b * dims[1] + h) * dims[2] + i) * dims[3] + j);
        return hidden ? never : mask.empty() ? 0.0 : mask[index];
    }
};

/// The mask over all of `dims`; keys beyond its end are hidden.
Result<std::vector<double>> denseMask(const KernelContext& context, const Dims& dims)
{
    const Tensor& given = context.input(3);
    std::vector<double> values = given.toDoubles();
    if (given.type() == ElementType::Bool) {
        std::ranges::transform(values, values.begin(), [](double allowed) { return allowed != 0.0 ? 0.0 : never; });
    }
    const std::int64_t width = given.rank() > 0 ? given.dims().back() : 1;
    const bool shorter = given.rank() > 0 && width != dims[3] && width < dims[3];
    Dims covered = dims;
    covered[3] = shorter ? width : dims[3];
    if (TRY(broadcastDims(context, given.dims(), covered)) != covered) {
        return badNode(context, fmt::format("a mask {} for scores {}", toText(given.dims()), toText(dims)));
    }
    const Tensor dense =
        stridedCopy(Tensor::of<double>(given.dims(), values), covered, broadcastStrides(given.dims(), covered));
    std::vector<double> result(static_cast<std::size_t>(productOf(dims, 0, 4)), never);
    for (std::int64_t row = 0; row < productOf(dims, 0, 3); ++row) {
        std::copy_n(dense.data<double>().begin() + row * covered[3], covered[3], result.begin() + row * dims[3]);
    }
    return result;
}

struct AttentionPlan {
    Heads q, k, v;
    Bias bias;
    double scale = 1.0;
    double softcap = 0.0;
};

Result<AttentionPlan> planOf(const KernelContext& context)
{
    const Node& node = context.node;
    AttentionPlan plan{TRY(headsOf(context, 0, "q_num_heads")),
                       TRY(headsOf(context, 1, "kv_num_heads")),
                       TRY(headsOf(context, 2, "kv_num_heads")),
                       {}};
    plan.k = TRY(behind(context, 4, std::move(plan.k)));
    plan.v = TRY(behind(context, 5, std::move(plan.v)));
    const Heads& q = plan.q;
    const Heads& k = plan.k;
    const Heads& v = plan.v;
    if (k.batch != q.batch || v.batch != q.batch || k.size != q.size || k.length != v.length || k.heads != v.heads ||
        k.heads < 1 || q.heads % k.heads != 0) {
        return badNode(context, fmt::format("queries {}, keys {} and values {}", toText(q.dims()), toText(k.dims()),
                                            toText(v.dims())));
    }
    plan.scale = node.floatAttribute("scale", 1.0 / std::sqrt(static_cast<double>(std::max<std::int64_t>(q.size, 1))));
    plan.softcap = node.floatAttribute("softcap", 0.0);
    Bias& bias = plan.bias;
    bias.dims = {q.batch, q.heads, q.length, k.length};
    bias.past = context.has(4) && context.input(4).rank() == 4 ? context.input(4).dims()[2] : 0;
    bias.causal = node.intAttribute("is_causal", 0) != 0;
    bias.left = node.intAttribute("left_window_size", -1);
    bias.right = node.intAttribute("right_window_size", -1);
    bias.filled = intsOf(context, 6);
    if (!bias.filled.empty() && (std::cmp_not_equal(bias.filled.size(), q.batch) || context.has(4))) {
        return badNode(context, fmt::format("{} filled lengths for {} batches", bias.filled.size(), q.batch));
    }
    if (context.has(3)) {
        bias.mask = TRY(denseMask(context, bias.dims));
    }
    return plan;
}

/// The softmax of scores plus bias, 0 all over where nothing may be looked at.
void probabilities(const std::vector<double>& biased, bool hidden, std::span<double> out)
{
    const double largest = *std::ranges::max_element(biased);
    double sum = 0.0;
    for (std::size_t j = 0; j < out.size(); ++j) {
        out[j] = hidden || std::isinf(largest) ? 0.0 : std::exp(biased[j] - largest);
        sum += out[j];
    }
    for (double& value : out) {
        value = sum == 0.0 ? 0.0 : value / sum;
    }
}

/// Y, the keys and values with the cache before them, and the scores at the stage that qk_matmul_output_mode names.
Outputs attention(const KernelContext& context)
{
    const AttentionPlan plan = TRY(planOf(context));
    const std::int64_t mode = context.node.intAttribute("qk_matmul_output_mode", 0);
    const ElementType type = context.input(0).type();
    if (!isFloat(type)) {
        return notClaimed(context, fmt::format("elements of {}", longName(type)));
    }
    const Heads& q = plan.q;
    const std::int64_t keys = plan.k.length;
    const std::int64_t group = q.heads / plan.k.heads;
    std::vector<double> y(static_cast<std::size_t>(q.batch * q.heads * q.length * plan.v.size), 0.0);
    std::vector<double> shown(static_cast<std::size_t>(productOf(plan.bias.dims, 0, 4)));
    std::vector<double> scores(static_cast<std::size_t>(keys));
    std::vector<double> biased(scores.size());
    std::vector<double> weights(scores.size());
    for (std::int64_t line = 0; line < q.batch * q.heads * q.length && keys > 0; ++line) {
        const std::int64_t b = line / (q.heads * q.length);
        const std::int64_t h = line / q.length % q.heads;
        const std::int64_t i = line % q.length;
        bool hidden = true;
        for (std::int64_t j = 0; j < keys; ++j) {
            const double* query = q.row(b, h, i);
            const double* key = plan.k.row(b, h / group, j);
            double sum = 0.0;
            for (std::int64_t d = 0; d < q.size; ++d) {
                sum += query[d] * key[d];
            }
            const double score = sum * plan.scale;
            const double bias = plan.bias.at(b, h, i, j);
            const auto at = static_cast<std::size_t>(j);
            scores[at] = plan.softcap > 0.0 ? plan.softcap * std::tanh(score / plan.softcap) : score;
            biased[at] = scores[at] + bias;
            hidden = hidden && bias == never;
        }
        probabilities(biased, hidden, weights);
        std::ranges::copy(mode == 3 ? weights : mode == 2 ? biased : scores, shown.begin() + line * keys);
        double* out = y.data() + line * plan.v.size;
        for (std::int64_t j = 0; j < keys; ++j) {
            const double* value = plan.v.row(b, h / group, j);
            for (std::int64_t d = 0; d < plan.v.size; ++d) {
                out[d] += weights[static_cast<std::size_t>(j)] * value[d];
            }
        }
    }
    Tensor result = tensorOfDoubles(type, {q.batch, q.heads, q.length, plan.v.size}, y);
    if (context.input(0).rank() == 3) {
        const std::int64_t size = plan.v.size;
        result = stridedCopy(result, {q.batch, q.length, q.heads, size},
                             {q.heads * q.length * size, size, q.length * size, 1})
                     .reshaped({q.batch, q.length, q.heads * size});
    }
    std::vector<Tensor> outputs{std::move(result)};
    outputs.push_back(tensorOfDoubles(type, plan.k.dims(), plan.k.values));
    outputs.push_back(tensorOfDoubles(type, plan.v.dims(), plan.v.values));
    outputs.push_back(tensorOfDoubles(type, plan.bias.dims, shown));
    return outputs;
}

/// Turns pairs of elements by the angles whose cosines and sines are given for each position.
Outputs rotaryEmbedding(const KernelContext& context)
{
    const Heads x = TRY(headsOf(context, 0, "num_heads"));
    const ElementType type = context.input(0).type();
    const std::int64_t wished = context.node.intAttribute("rotary_embedding_dim", 0);
    const std::int64_t turned = wished > 0 ? wished : x.size;
    const std::int64_t half = turned / 2;
    const bool interleaved = context.node.intAttribute("interleaved", 0) != 0;
    const Tensor& cosines = context.input(1);
    const Tensor& sines = context.input(2);
    const bool byPosition = context.has(3);
    const std::int64_t rows = half > 0 ? static_cast<std::int64_t>(cosines.size()) / half : 0;
    std::vector<std::int64_t> positions = intsOf(context, 3);
    for (std::int64_t i = 0; !byPosition && i < x.batch * x.length; ++i) {
        positions.push_back(i);
    }
    const bool inRange = std::ranges::all_of(positions, [&](std::int64_t p) { return p >= 0 && p < rows; });
    if (!isFloat(type) || half < 1 || turned > x.size || cosines.dims() != sines.dims() || cosines.rank() < 2 ||
        cosines.dims().back() != half || std::cmp_not_equal(positions.size(), x.batch * x.length) || !inRange) {
        return badNode(context, fmt::format("caches {} and {} for {}", toText(cosines.dims()), toText(sines.dims()),
                                            toText(context.input(0).dims())));
    }
    const std::vector<double> c = cosines.toDoubles();
    const std::vector<double> s = sines.toDoubles();
    std::vector<double> y = x.values;
    for (std::int64_t line = 0; line < x.batch * x.heads * x.length; ++line) {
        const std::int64_t b = line / (x.heads * x.length);
        const std::int64_t row = positions[static_cast<std::size_t>(b * x.length + line % x.length)];
        for (std::int64_t d = 0; d < half; ++d) {
            const auto first = static_cast<std::size_t>(line * x.size + (interleaved ? 2 * d : d));
            const auto second = static_cast<std::size_t>(line * x.size + (interleaved ? 2 * d + 1 : d + half));
            const auto angle = static_cast<std::size_t>(row * half + d);
            y[first] = c[angle] * x.values[first] - s[angle] * x.values[second];
            y[second] = s[angle] * x.values[first] + c[angle] * x.values[second];
        }
    }
    Tensor result = tensorOfDoubles(type, x.dims(), y);
    if (context.input(0).rank() == 3) {
        result = stridedCopy(result, {x.batch, x.length, x.heads, x.size},
                             {x.heads * x.length * x.size, x.size, x.length * x.size, 1})
                     .reshaped(context.input(0).dims());
    }
    return one(std::move(result));
}

/// a * sigmoid(alpha * a) * b.
Outputs swiGlu(const KernelContext& context)
{
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    if (a.dims() != b.dims() || a.type() != b.type()) {
        return badNode(context, fmt::format("{} {} with {} {}", longName(a.type()), toText(a.dims()),
                                            longName(b.type()), toText(b.dims())));
    }
    Tensor y;
    dispatchFloat(a.type(), [&]<class T>(std::type_identity<T>) {
        const T alpha = static_cast<T>(context.node.floatAttribute("alpha", 1.0));
        TensorWriter<T> writer(a.dims());
        for (std::size_t i = 0; i < a.size(); ++i) {
            const T x = a.data<T>()[i];
            writer[i] = x * (T(1) / (T(1) + std::exp(-alpha * x))) * b.data<T>()[i];
        }
        y = std::move(writer).finish(a.type());
    });
    return y.valid() ? one(std::move(y)) : notClaimed(context, fmt::format("elements of {}", longName(a.type())));
}

constexpr auto rows = std::to_array<KernelRow>({
    {"Attention", "", attention},
    {"RotaryEmbedding", "", rotaryEmbedding},
    {"SwiGLU", "", swiGlu},
});

} // namespace

std::span<const KernelRow> attentionKernels()
{
    return rows;
}

} // namespace crease
