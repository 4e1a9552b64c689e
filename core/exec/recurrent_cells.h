// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/kernel.h"

#include <functional>

namespace crease {

enum class RecurrentKind { Rnn, Gru, Lstm };

struct RecurrentSizes {
    std::size_t steps = 0;
    std::size_t batch = 0;
    std::size_t input = 0;
    std::size_t hidden = 0;
    std::size_t directions = 1;
    std::size_t gates = 1;
    bool batchFirst = false; // layout 1
    bool reverse = false;
};

/// Of one direction.
struct RecurrentWeights {
    std::span<const double> w;         // [gates * hidden][input]
    std::span<const double> r;         // [gates * hidden][hidden]
    std::span<const double> bias;      // of w, then of r
    std::span<const double> peepholes; // i, o, f; LSTM only
};

/// One step of one sequence: takes an input and updates the hidden state (and the cell of an LSTM) in place. Computed
/// in double.
struct RecurrentCell {
    std::function<void(std::span<const double> x, std::span<double> hidden, std::span<double> cell)> step;
};

Result<RecurrentCell> makeCell(const KernelContext& context, RecurrentKind kind, const RecurrentSizes& sizes,
                               const RecurrentWeights& weights, std::size_t direction);

} // namespace crease
