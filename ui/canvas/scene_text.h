// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"
#include "ui/canvas/scene.h"

namespace crease {

/// What is written on nodes and edges.
QString opLabel(const Node& node);
/// Kernel of a convolution or pooling, shape of a matrix product's weight.
QString detailOf(const Graph& graph, const Node& node);
Precision precisionOf(const Value& value);
/// 0.0346 z0 · 32 scales · axis 0 · 32
QString gridText(const Grid& grid);
QString shapeText(const Value& value);
/// The grid of a value and how its badge is drawn; nothing where there is nothing to say.
std::optional<SceneBadge> badgeOf(const Graph& graph, ValueId value);
/// Of the constant weight of a linear op in integer form.
std::optional<SceneBadge> weightBadge(const Graph& graph, const Node& node);
std::vector<SceneFact> factsOf(const Graph& graph, const Node& node);

/// Whole names of all nodes: their own, that of their weight's tensor, else that of their first output.
QString nodeName(const Graph& graph, NodeId id);
/// A name without the op at its end, without a leading slash, and without `prefix`.
QString shortNodeName(const Graph& graph, NodeId id, const QString& prefix);
/// The path that nearly all names begin with, up to and with its last slash; may be empty.
QString commonPrefix(const std::vector<QString>& names);

} // namespace crease
