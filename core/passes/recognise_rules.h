// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/quantizer_params.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace crease {

/// What the rules of one run of recognise share: they hold no state of the graph.
struct RecogniseState {
    explicit RecogniseState(const Job& job) : constants(job) {}
    ConstantResolver constants;
    Findings findings;
};
using RecogniseStatePtr = std::shared_ptr<RecogniseState>;

/// Anchored at a DequantizeLinear: everything between it and where its codes come from.
Outcome recogniseDequantizer(const Graph& graph, NodeId id, RecogniseState& state);

/// Anchored at a DequantizeLinear of constant codes (a weight or bias).
Outcome recogniseConstantCodes(const Graph& graph, NodeId id, RecogniseState& state);

/// Whether a QuantizeLinear of the file makes the codes, be it of a constant.
bool isQuantizedHere(const Graph& graph, ValueId codes);
/// The dequantizer of codes that are worth `tensor`, however they are computed.
Outcome constantCodes(const Graph& graph, NodeId id, const Tensor& tensor, RecogniseState& state);

/// Anchored at a QuantizeLinear whose codes reach a graph output.
Outcome recogniseIntegerOutput(const Graph& graph, NodeId id, RecogniseState& state);

/// Anchored at a Quant or IntQuant of QONNX.
Outcome recogniseQonnx(const Graph& graph, NodeId id, RecogniseState& state);

/// Anchored at a Shape of codes: asks for that of what was quantized, so that no quantizer is kept for its shape.
Outcome recogniseShapeOfCodes(const Graph& graph, NodeId id);

/// Anchored at a quantizer of a dialect that is known by name only: always a miss.
Outcome recogniseUnsupported(const Graph& graph, NodeId id);

/// Data movement on codes that is the same movement on the numbers that they stand for; its data is input 0 (every
/// input of a Concat).
bool movesCodes(const Node& node);

/// A reader of these integer codes, also behind data movement, that is no dequantizer.
std::optional<NodeId> foreignReader(const Graph& graph, ValueId codes);

/// The codes of a float weight where the channels of scale 0 whose weights are all 0 get the zero point as code: 0 / 0
/// is whatever the kernel makes of it.
Tensor deadCodes(const Graph& graph, NodeId id, const QuantizerParams& params, const Tensor& codes,
                 RecogniseState& state);

/// The bounds of an integer Clip, or of a Relu on codes, or nothing where they are no constants.
struct CodeBounds {
    std::int64_t lo = INT64_MIN;
    std::int64_t hi = INT64_MAX;
};
std::optional<CodeBounds> codeBounds(const Graph& graph, const Node& node, ConstantResolver& constants);

} // namespace crease
