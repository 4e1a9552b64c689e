// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/support/result.h"

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace crease {

/// What a long core function needs from its caller: whether to stop, where to tell progress, how much it may use.
struct Job {
    std::stop_token stop{};
    std::function<void(double fraction, std::string_view what)> progress{};
    int threads = 1;
    std::size_t memoryLimit = 0; // bytes; 0: no limit

    bool cancelled() const { return stop.stop_requested(); }

    void report(double fraction, std::string_view what) const
    {
        if (progress) {
            progress(fraction, what);
        }
    }

    /// An error of kind Cancelled once a stop was requested; poll once a node, pass or sample.
    Result<void> check() const
    {
        if (cancelled()) {
            return failure(ErrorKind::Cancelled, "cancelled", "cancelled");
        }
        return {};
    }
};

} // namespace crease
