// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/kernel.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace crease {

struct ProgramOptions {
    Precision precision = Precision::Float32;
    int threads = 1;         // inside one run
    bool checkShapes = true; // inputs against the declared shapes
};

/// Called after each node for each output (and for graph inputs and captured values first); the returned tensor goes
/// on. Return the given one to observe only. Values inside of subgraphs are not observed.
using Observer = std::function<Tensor(ValueId, const Tensor&)>;

/// A graph made ready for many runs: constants converted, constant nodes evaluated and weights packed once, last uses
/// known, dead tensors freed as it runs. Immutable after create(); run() may be called from several threads at once.
/// Float sums have a fixed order for any thread count.
class Program {
public:
    /// Fails (kind Unsupported) naming the first node that has no kernel.
    static Result<Program> create(Graph graph, const ProgramOptions& options = {});

    /// `inputs` in the order of graph.inputs(), then those of graph.captured(). Returns the graph's outputs (in Exact,
    /// float outputs are float64).
    Result<std::vector<Tensor>> run(const std::vector<Tensor>& inputs, const Job& job,
                                    const Observer& observer = {}) const;

    const Graph& graph() const;

private:
    struct State;
    std::shared_ptr<State> m_state;
};

} // namespace crease
