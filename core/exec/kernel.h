// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "core/support/job.h"
#include "core/support/result.h"
#include "core/tensor/tensor.h"

#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace crease {

/// Float32: as the file says, in the file's float types (float16 computes in float and rounds).
/// Exact: every float tensor is float64 (constants converted exactly): the reference of architecture.md decision 10.
enum class Precision { Float32, Exact };

/// What a kernel prepared from a constant input (packed weights, sums of rows), kept for the next runs of one node of
/// a Program. May be used from several threads at once.
class KernelCache {
public:
    /// What `make` made of `source`: made again where `source` is another tensor than the last time.
    template <class T, class Make>
    std::shared_ptr<const T> get(const Tensor& source, Make&& make)
    {
        const std::lock_guard lock(m_mutex);
        if (m_value == nullptr || m_source.raw() != source.raw() || m_source.type() != source.type()) {
            m_value = std::make_shared<const T>(make());
            m_source = source;
        }
        return std::static_pointer_cast<const T>(m_value);
    }

private:
    std::mutex m_mutex;
    Tensor m_source;
    std::shared_ptr<const void> m_value;
};

/// What a kernel sees. inputs[i] is no tensor where the input is absent. In Precision::Exact float inputs are float64,
/// with one exception: a quantizer (FakeQuant, Quantize, Quant) of a constant of the file sees it in the file's own
/// type, and decides its codes with the file's arithmetic (float32 division), while its float outputs are float64 as
/// ever.
struct KernelContext {
    const Graph& graph; // for the grids of the node's inputs and outputs (integer form)
    const Node& node;
    std::span<const Tensor> inputs;
    Precision precision = Precision::Float32;
    const Job& job;
    KernelCache* cache = nullptr; // null for one-off evaluation and where no input is constant: use cached()
    int threads = 1;

    bool has(std::size_t slot) const { return slot < inputs.size() && inputs[slot].valid(); }
    const Tensor& input(std::size_t slot) const { return inputs[slot]; }
    bool exact() const { return precision == Precision::Exact; }

    /// `make()` through the cache where there is one. One object a node: do not ask for two different T.
    template <class T, class Make>
    std::shared_ptr<const T> cached(const Tensor& source, Make&& make) const
    {
        return cache != nullptr ? cache->get<T>(source, std::forward<Make>(make))
                                : std::make_shared<const T>(std::forward<Make>(make)());
    }
};

/// Pure: the outputs depend on the context alone. Errors: kind Unsupported (type or form not claimed), Input (bad
/// shapes).
using Kernel = Result<std::vector<Tensor>> (*)(const KernelContext&);

/// AsIs: the kernel takes float16 and bfloat16 (data movement, Cast). ThroughFloat: float16 and bfloat16 inputs reach
/// it as float32 and its float32 outputs are rounded to the type of the first such input.
enum class HalfTypes { AsIs, ThroughFloat };

struct KernelRow {
    std::string_view op;
    std::string_view domain;
    Kernel kernel;
    HalfTypes half = HalfTypes::ThroughFloat;
};

/// The kernel of a node, by op and domain and by whether its inputs carry codes; null where there is none.
const KernelRow* findKernel(const Graph& graph, const Node& node);

/// Whether the evaluator can run the node: it has a kernel or is If, Loop or Scan.
bool canEvaluate(const Graph& graph, const Node& node);

/// Evaluates one node on constant inputs (constant folding); a node with captures needs their values through
/// `captured`, in the order of node.captures.
Result<std::vector<Tensor>> evaluateNode(const Graph& graph, const Node& node, std::span<const Tensor> inputs,
                                         Precision precision, const Job& job, std::span<const Tensor> captured = {});

} // namespace crease
