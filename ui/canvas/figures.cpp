// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/figures.h"

#include "ui/canvas/scene_builder.h"

#include <algorithm>

namespace crease {

namespace {

void raise(std::optional<double>& figure, double value)
{
    figure = std::max(figure.value_or(0), value);
}

} // namespace

std::shared_ptr<const std::unordered_map<std::uint64_t, SceneFigures>>
figuresOf(const Trace& trace, const Verification& verification, std::size_t stage)
{
    auto figures = std::make_shared<std::unordered_map<std::uint64_t, SceneFigures>>();
    const Graph& final = trace.final();
    for (const TensorReport& tensor : verification.tensors) {
        const NodeId producer = final.contains(tensor.value) ? final.producer(tensor.value) : NodeId{};
        if (!final.contains(producer))
            continue;
        const Metrics& metrics = tensor.accumulated;
        for (NodeId node : counterparts(trace, producer, trace.stages.size(), stage)) {
            SceneFigures& own = (*figures)[sceneId(node)];
            if (metrics.counts.compared() > 0)
                raise(own.error, static_cast<double>(metrics.counts.maxSteps));
            if (metrics.counts.compared() > 0 && metrics.elements > 0)
                raise(own.saturation, static_cast<double>(metrics.saturated) / static_cast<double>(metrics.elements));
        }
    }
    return figures;
}

} // namespace crease
