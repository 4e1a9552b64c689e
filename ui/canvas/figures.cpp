// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/figures.h"

#include "ui/canvas/scene_builder.h"
#include "ui/document/node_marks.h"

#include <algorithm>

namespace crease {

namespace {

using Figures = std::unordered_map<std::uint64_t, SceneFigures>;

void raise(std::optional<double>& figure, const std::optional<double>& value)
{
    if (value)
        figure = std::max(figure.value_or(0), *value);
}

void raise(SceneFigures& figures, const SceneFigures& by)
{
    raise(figures.error, by.error);
    raise(figures.saturation, by.saturation);
}

/// Of the nodes of the final graph, by the tensors that they make.
Figures finalFigures(const Graph& final, const Verification& verification)
{
    Figures figures;
    for (const TensorReport& tensor : verification.tensors) {
        const NodeId producer = final.contains(tensor.value) ? final.producer(tensor.value) : NodeId{};
        if (!final.contains(producer))
            continue;
        const Metrics& metrics = tensor.accumulated;
        SceneFigures own;
        if (metrics.counts.compared() > 0)
            own.error = static_cast<double>(metrics.counts.maxSteps);
        if (metrics.counts.compared() > 0 && metrics.elements > 0)
            own.saturation = static_cast<double>(metrics.saturated) / static_cast<double>(metrics.elements);
        raise(figures[sceneId(producer)], own);
    }
    return figures;
}

/// One stage back: to the nodes that kept their id and to those that the others came from.
Figures stageBefore(const Figures& after, const Stage& stage, const Graph& before)
{
    Figures figures;
    for (const auto& [id, own] : after) {
        if (before.contains(*nodeOf(id)))
            raise(figures[id], own);
    }
    for (const NodeOrigin& origin : stage.origins) {
        const auto known = after.find(sceneId(origin.after));
        if (known != after.end() && before.contains(origin.before))
            raise(figures[sceneId(origin.before)], known->second);
    }
    return figures;
}

} // namespace

std::shared_ptr<const std::unordered_map<std::uint64_t, SceneFigures>>
figuresOf(const Trace& trace, const Verification& verification, std::size_t stage)
{
    auto figures = std::make_shared<Figures>(finalFigures(trace.final(), verification));
    for (std::size_t at = trace.stages.size(); at > stage; --at)
        *figures = stageBefore(*figures, trace.stages[at - 1], trace.graph(at - 1));
    for (const auto& [index, mark] : nodeMarks(trace, verification, stage)) {
        SceneFigures& own = (*figures)[sceneId(NodeId{index})];
        own.mark = certificateIcon(mark.verdict);
        own.says = markText(mark);
    }
    return figures;
}

} // namespace crease
