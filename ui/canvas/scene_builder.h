// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/trace.h"
#include "ui/canvas/picture.h"

namespace crease {

/// Nodes that stay in float in the end, by name, and why.
struct IslandNames {
    std::vector<std::string> nodes;
    std::string reason;
};

/// Which stage of a trace, and what it is compared with. Stages are numbered as in Trace::graph.
struct SceneRequest {
    std::size_t stage = 0;
    /// An earlier stage: what came and changed since is marked.
    std::optional<std::size_t> since;
    /// A later stage: what is gone by then is marked. Where it is the next one, its sites and near-misses are shown.
    std::optional<std::size_t> until;
    /// Shown from the stage on that has integer ops.
    std::vector<IslandNames> islands;
};

Scene buildScene(const Trace& trace, const SceneRequest& request);

/// The id that a node of a graph has in scenes, and back; nothing for the boxes of inputs and outputs.
std::uint64_t sceneId(NodeId node);
std::optional<NodeId> nodeOf(std::uint64_t sceneId);
/// The boxes of the graph's inputs and outputs, by position.
std::uint64_t sceneInputId(std::size_t position);
std::uint64_t sceneOutputId(std::size_t position);

/// Where the new nodes of stage `to` (> 0) came from in the stage before.
std::vector<layout::Origin> originsOf(const Trace& trace, std::size_t to);

/// The place of everything at every stage: untouched nodes stand still from stage to stage. `known` are the layouts of
/// the first stages, from an earlier call on a trace that shares them. Ends early where it is stopped.
std::vector<layout::LayoutPtr> layoutStages(const Trace& trace, std::vector<layout::LayoutPtr> known,
                                            const layout::Options& options);

/// Two stages for the panes; layouts as from layoutStages.
struct StagePictures {
    PicturePtr before;
    PicturePtr after;
};
StagePictures stagePictures(const Trace& trace, const std::vector<layout::LayoutPtr>& layouts, std::size_t from,
                            std::size_t to, const std::vector<IslandNames>& islands = {});

/// One stage alone, without marks.
PicturePtr stagePicture(const Trace& trace, const std::vector<layout::LayoutPtr>& layouts, std::size_t stage,
                        const std::vector<IslandNames>& islands = {});

/// Scene ids of the counterparts of a node, for the linked hover of the panes; inputs and outputs are their own.
std::vector<std::uint64_t> sceneCounterparts(const Trace& trace, std::uint64_t id, std::size_t from, std::size_t to);

} // namespace crease
