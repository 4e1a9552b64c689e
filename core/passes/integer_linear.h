// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace crease {

bool isLinearOp(std::string_view op); // Conv, ConvTranspose, Gemm, MatMul

/// Whether the node is a linear op of ai.onnx whose data and weight are codes.
bool isIntegerLinear(const Graph& graph, const Node& node);

/// The axis of the op's output that its weight's output channels lie on; nothing for a MatMul of unknown rank.
std::optional<int> outputChannelAxis(const Graph& graph, const Node& node);

/// The axis of the weight that output channels lie on: 0 of Conv, 1 of ConvTranspose, 0 or 1 of Gemm, the last of
/// MatMul.
int weightChannelAxis(const Graph& graph, const Node& node);

/// Output channels of an op with a constant weight.
std::size_t outputChannels(const Graph& graph, const Node& node);

/// The output channel that element `index` of the constant weight contributes to.
class WeightChannels {
public:
    WeightChannels(const Graph& graph, const Node& node);
    std::size_t channelOf(std::size_t index) const
    {
        const std::size_t along = index / m_inner % m_extent;
        return m_groupSize == 0 ? along : index / m_groupSize * m_extent + along;
    }

private:
    std::size_t m_inner = 1;     // elements behind the channel axis
    std::size_t m_extent = 1;    // of the channel axis
    std::size_t m_groupSize = 0; // ConvTranspose with groups: elements a group, else 0
};

/// s_x * s_w[c] of the inputs as they are: one, or one an output channel. Nothing where x is not per tensor, or where
/// the weight's axis is not that of the output channels.
std::optional<std::vector<double>> accumulatorScales(const Graph& graph, const Node& node);

/// Per output channel (one entry where the weight is no constant): the largest |sum of products| that any input codes
/// can give. Nothing where the number of products is unknown.
std::optional<std::vector<double>> accumulatorBounds(const Graph& graph, const Node& node);

} // namespace crease
