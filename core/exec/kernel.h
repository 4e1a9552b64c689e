// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/support/job.h"
#include "core/support/result.h"
#include "core/tensor/tensor.h"

#include <any>
#include <memory>
#include <span>
#include <vector>

namespace crease {

/// Float32: as the file says, in the file's float types (float16 computes in float and rounds).
/// Exact: every float tensor is float64 (constants converted exactly): the reference of architecture.md decision 10.
enum class Precision { Float32, Exact };

/// What a kernel sees. inputs[i] is no tensor where the input is absent. In Precision::Exact float inputs are float64.
struct KernelContext {
    const Graph& graph; // for the grids of the node's inputs and outputs (integer form)
    const Node& node;
    std::span<const Tensor> inputs;
    Precision precision = Precision::Float32;
    const Job& job;
    std::any* cache = nullptr; // one a node and Program, for prepared weights; null for one-off evaluation. Guard:
                               // kernels of one node may run on several threads
    int threads = 1;
};

/// Pure: the outputs depend on the context alone. Errors: kind Unsupported (type or form not claimed), Input (bad
/// shapes).
using Kernel = Result<std::vector<Tensor>> (*)(const KernelContext&);

struct KernelRow {
    std::string_view op;
    std::string_view domain;
    Kernel kernel;
};

/// The kernel of a node, by op and domain and by whether its inputs carry codes; null where there is none.
Kernel findKernel(const Graph& graph, const Node& node);

/// Evaluates one node on constant inputs (constant folding).
Result<std::vector<Tensor>> evaluateNode(const Graph& graph, const Node& node, std::span<const Tensor> inputs,
                                         Precision precision, const Job& job);

} // namespace crease
