// SPDX-License-Identifier: MIT
#pragma once

#include "ui/layout/protocol/layout_protocol.h"

#include <vector>

namespace layout_worker {

struct Segment {
    layout_protocol::SegmentHead head;
    std::vector<layout_protocol::Node> nodes;
    std::vector<layout_protocol::Edge> edges;
};

/// Lays out segments with dot, one after the other, in one Graphviz context.
class DotLayout {
public:
    DotLayout();
    ~DotLayout();
    DotLayout(const DotLayout&) = delete;
    DotLayout& operator=(const DotLayout&) = delete;

    /// Centres with y down; false when dot refuses.
    bool run(const Segment& segment, std::vector<layout_protocol::Place>& places);

private:
    void* m_context;
};

} // namespace layout_worker
