// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/layout/segment_graph.h"

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>

namespace crease::layout {

/// Copies of crease-layout-worker that lay out segments with dot. A worker that crashes or takes too long for a segment
/// is killed and replaced, and that segment comes back empty. place() may be called from any thread, one at a time
/// runs.
class WorkerPool {
public:
    struct Limits {
        int workers = 2;
        int layoutsPerWorker = 1000;
        std::chrono::milliseconds segmentTime{2000};
    };
    struct Statistics {
        std::size_t laidOut = 0;
        std::size_t failed = 0;
        std::size_t started = 0;
    };

    WorkerPool(std::string executable, Limits limits);
    explicit WorkerPool(std::string executable) : WorkerPool(std::move(executable), Limits{}) {}
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    std::vector<std::optional<SegmentPlacement>> place(const std::vector<const SegmentGraph*>& segments,
                                                       const Metrics& metrics, const std::stop_token& stop);
    Statistics statistics() const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// Where crease-layout-worker is, seen from the folder of the running program: beside it, in the build tree, or
/// installed; empty where it is missing.
std::string findWorker(const std::string& programFolder);

} // namespace crease::layout
