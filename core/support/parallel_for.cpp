// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace crease {

void parallelFor(std::size_t count, int threads, const std::function<void(std::size_t)>& body)
{
    const std::size_t workers = std::min<std::size_t>(count, static_cast<std::size_t>(std::max(threads, 1)));
    if (workers <= 1) {
        for (std::size_t i = 0; i < count; ++i) {
            body(i);
        }
        return;
    }
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr first; // std::bad_alloc and its like
    const auto work = [&] {
        try {
            for (std::size_t i = next++; i < count; i = next++) {
                body(i);
            }
        } catch (...) {
            next = count;
            const std::lock_guard lock(mutex);
            first = first ? first : std::current_exception();
        }
    };
    {
        std::vector<std::jthread> pool;
        for (std::size_t i = 1; i < workers; ++i) {
            pool.emplace_back(work);
        }
        work();
    }
    if (first) {
        std::rethrow_exception(first);
    }
}

} // namespace crease
