// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/kernel_families.h"
#include "core/exec/kernel_support.h"
#include "core/exec/recurrent_cells.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace crease {

namespace {

using Outputs = Result<std::vector<Tensor>>;

/// What the op leaves after all steps, in the order of the file's layout 0: [steps][directions][batch][hidden].
struct Sequence {
    RecurrentSizes sizes;
    std::vector<double> all;
    std::vector<double> lastHidden; // [directions][batch][hidden]
    std::vector<double> lastCell;
};

Result<RecurrentSizes> sizesOf(const KernelContext& context, std::size_t gates)
{
    const Tensor& x = context.input(0);
    const Tensor& w = context.input(1);
    const Tensor& r = context.input(2);
    if (x.rank() != 3 || w.rank() != 3 || r.rank() != 3) {
        return badNode(context,
                       fmt::format("shapes {}, {} and {}", toText(x.dims()), toText(w.dims()), toText(r.dims())));
    }
    const std::string direction = context.node.stringAttribute("direction", "forward");
    const bool batchFirst = context.node.intAttribute("layout", 0) == 1;
    RecurrentSizes sizes;
    sizes.steps = static_cast<std::size_t>(x.dims()[batchFirst ? 1 : 0]);
    sizes.batch = static_cast<std::size_t>(x.dims()[batchFirst ? 0 : 1]);
    sizes.input = static_cast<std::size_t>(x.dims()[2]);
    sizes.hidden = static_cast<std::size_t>(r.dims()[2]);
    sizes.directions = direction == "bidirectional" ? 2 : 1;
    sizes.gates = gates;
    sizes.batchFirst = batchFirst;
    sizes.reverse = direction == "reverse";
    const auto rows = static_cast<std::int64_t>(gates * sizes.hidden);
    const auto directions = static_cast<std::int64_t>(sizes.directions);
    if (w.dims() != Dims{directions, rows, x.dims()[2]} || r.dims() != Dims{directions, rows, r.dims()[2]}) {
        return badNode(context, fmt::format("weights {} and {} for {} hidden units in {} directions", toText(w.dims()),
                                            toText(r.dims()), sizes.hidden, directions));
    }
    return sizes;
}

/// An optional input as doubles: absent ones are zero.
Result<std::vector<double>> optionalInput(const KernelContext& context, std::size_t slot, std::size_t count)
{
    if (!context.has(slot)) {
        return std::vector<double>(count, 0.0);
    }
    if (context.input(slot).size() != count) {
        return badNode(context,
                       fmt::format("input {} has {} elements, not {}", slot, context.input(slot).size(), count));
    }
    return context.input(slot).toDoubles();
}

/// [directions][batch][hidden] from the layout of the file, or back.
std::vector<double> statesMoved(const std::vector<double>& from, const RecurrentSizes& sizes, bool toFile)
{
    if (!sizes.batchFirst) {
        return from;
    }
    std::vector<double> to(from.size());
    for (std::size_t d = 0; d < sizes.directions; ++d) {
        for (std::size_t b = 0; b < sizes.batch; ++b) {
            const std::size_t ours = (d * sizes.batch + b) * sizes.hidden;
            const std::size_t file = (b * sizes.directions + d) * sizes.hidden;
            std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(toFile ? ours : file), sizes.hidden,
                        to.begin() + static_cast<std::ptrdiff_t>(toFile ? file : ours));
        }
    }
    return to;
}

/// The step that a direction takes as its n-th for a sequence of this length: backwards from the sequence's end.
std::size_t stepAt(std::size_t n, std::size_t length, bool backward)
{
    return backward ? length - 1 - n : n;
}

Result<Sequence> runSequence(const KernelContext& context, RecurrentKind kind, std::size_t gates)
{
    Sequence sequence;
    sequence.sizes = TRY(sizesOf(context, gates));
    const RecurrentSizes& sizes = sequence.sizes;
    const std::size_t states = sizes.directions * sizes.batch * sizes.hidden;
    const std::size_t rows = gates * sizes.hidden;
    const std::vector<double> x = context.input(0).toDoubles();
    const std::vector<double> bias = TRY(optionalInput(context, 3, sizes.directions * 2 * rows));
    sequence.lastHidden = statesMoved(TRY(optionalInput(context, 5, states)), sizes, false);
    const bool lstm = kind == RecurrentKind::Lstm;
    sequence.lastCell =
        lstm ? statesMoved(TRY(optionalInput(context, 6, states)), sizes, false) : std::vector<double>{};
    const std::vector<double> peepholes =
        lstm ? TRY(optionalInput(context, 7, sizes.directions * 3 * sizes.hidden)) : std::vector<double>{};
    std::vector<std::int64_t> lengths =
        intsOf(context, 4, std::vector<std::int64_t>(sizes.batch, static_cast<std::int64_t>(sizes.steps)));
    if (lengths.size() != sizes.batch ||
        std::ranges::any_of(lengths, [&](std::int64_t n) { return n < 0 || std::cmp_greater(n, sizes.steps); })) {
        return badNode(context, "sequence lengths that do not fit the input");
    }
    const std::vector<double> w = context.input(1).toDoubles();
    const std::vector<double> r = context.input(2).toDoubles();
    sequence.all.assign(sizes.steps * states, 0.0);
    for (std::size_t d = 0; d < sizes.directions; ++d) {
        RecurrentWeights weights{std::span(w).subspan(d * rows * sizes.input, rows * sizes.input),
                                 std::span(r).subspan(d * rows * sizes.hidden, rows * sizes.hidden),
                                 std::span(bias).subspan(d * 2 * rows, 2 * rows),
                                 lstm ? std::span(peepholes).subspan(d * 3 * sizes.hidden, 3 * sizes.hidden)
                                      : std::span<const double>{}};
        const RecurrentCell cell = TRY(makeCell(context, kind, sizes, weights, d));
        const bool backward = sizes.reverse || d == 1;
        for (std::size_t b = 0; b < sizes.batch; ++b) {
            TRY(context.job.check());
            const std::size_t state = (d * sizes.batch + b) * sizes.hidden;
            const std::span hidden = std::span(sequence.lastHidden).subspan(state, sizes.hidden);
            const std::span memory =
                lstm ? std::span(sequence.lastCell).subspan(state, sizes.hidden) : std::span<double>{};
            const auto length = static_cast<std::size_t>(lengths[b]);
            for (std::size_t n = 0; n < length; ++n) {
                const std::size_t t = stepAt(n, length, backward);
                const std::size_t at = sizes.batchFirst ? b * sizes.steps + t : t * sizes.batch + b;
                cell.step(std::span(x).subspan(at * sizes.input, sizes.input), hidden, memory);
                std::ranges::copy(hidden, sequence.all.begin() + static_cast<std::ptrdiff_t>(t * states + state));
            }
        }
    }
    return sequence;
}

/// Y in the layout of the file.
std::vector<double> allMoved(const Sequence& sequence)
{
    const RecurrentSizes& sizes = sequence.sizes;
    if (!sizes.batchFirst) {
        return sequence.all;
    }
    std::vector<double> to;
    for (std::size_t b = 0; b < sizes.batch; ++b) {
        for (std::size_t t = 0; t < sizes.steps; ++t) {
            for (std::size_t d = 0; d < sizes.directions; ++d) {
                const std::size_t from = ((t * sizes.directions + d) * sizes.batch + b) * sizes.hidden;
                to.insert(to.end(), sequence.all.begin() + static_cast<std::ptrdiff_t>(from),
                          sequence.all.begin() + static_cast<std::ptrdiff_t>(from + sizes.hidden));
            }
        }
    }
    return to;
}

template <RecurrentKind kind, std::size_t gates>
Outputs recurrent(const KernelContext& context)
{
    const ElementType type = context.input(0).type();
    if (!isFloat(type)) {
        return notClaimed(context, fmt::format("elements of {}", longName(type)));
    }
    const Sequence sequence = TRY((runSequence(context, kind, gates)));
    const RecurrentSizes& sizes = sequence.sizes;
    const auto [steps, directions, batch, hidden] =
        std::array{static_cast<std::int64_t>(sizes.steps), static_cast<std::int64_t>(sizes.directions),
                   static_cast<std::int64_t>(sizes.batch), static_cast<std::int64_t>(sizes.hidden)};
    const Dims all = sizes.batchFirst ? Dims{batch, steps, directions, hidden} : Dims{steps, directions, batch, hidden};
    const Dims last = sizes.batchFirst ? Dims{batch, directions, hidden} : Dims{directions, batch, hidden};
    std::vector<Tensor> outputs;
    outputs.push_back(tensorOfDoubles(type, all, allMoved(sequence)));
    outputs.push_back(tensorOfDoubles(type, last, statesMoved(sequence.lastHidden, sizes, true)));
    if (kind == RecurrentKind::Lstm) {
        outputs.push_back(tensorOfDoubles(type, last, statesMoved(sequence.lastCell, sizes, true)));
    }
    return outputs;
}

constexpr auto rows = std::to_array<KernelRow>({
    {"RNN", "", recurrent<RecurrentKind::Rnn, 1>},
    {"GRU", "", recurrent<RecurrentKind::Gru, 3>},
    {"LSTM", "", recurrent<RecurrentKind::Lstm, 4>},
});

} // namespace

std::span<const KernelRow> recurrentKernels()
{
    return rows;
}

} // namespace crease
