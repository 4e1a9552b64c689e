// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/layout/worker_pool.h"

#include "ui/layout/worker_message.h"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <mutex>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace crease::layout {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBatch = 16;
constexpr int kRestarts = 8;

/// One process, spoken to over a socket pair that is its stdin and stdout.
class Worker {
public:
    Worker() = default;
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker() { stop(); }

    bool start(const std::string& executable)
    {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            return false;
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        std::string name = executable;
        char* arguments[] = {name.data(), nullptr};
        const int failed = posix_spawn(&m_process, executable.c_str(), &actions, nullptr, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
        close(ends[1]);
        if (failed != 0) {
            close(ends[0]);
            m_process = -1;
            return false;
        }
        m_socket = ends[0];
        layouts = 0;
        m_input.clear();
        return true;
    }

    void stop()
    {
        if (m_process < 0)
            return;
        close(m_socket);
        kill(m_process, SIGKILL);
        while (waitpid(m_process, nullptr, 0) < 0 && errno == EINTR) {
        }
        m_process = -1;
        m_socket = -1;
    }

    bool running() const { return m_process >= 0; }
    int socket() const { return m_socket; }

    bool send(const std::string& message)
    {
        std::size_t sent = 0;
        while (sent < message.size()) {
            const ssize_t n = ::send(m_socket, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                return false;
            sent += static_cast<std::size_t>(n);
        }
        return true;
    }

    /// Reads what is there; false at the end of the stream.
    bool receive()
    {
        char buffer[65536];
        const ssize_t n = recv(m_socket, buffer, sizeof buffer, MSG_DONTWAIT);
        if (n < 0)
            return errno == EINTR || errno == EAGAIN;
        if (n == 0)
            return false;
        m_input.append(buffer, static_cast<std::size_t>(n));
        return true;
    }

    std::optional<std::string> message() { return takeMessage(m_input); }

    int layouts = 0;
    std::vector<std::size_t> batch;
    std::size_t answered = 0;
    Clock::time_point deadline;

private:
    pid_t m_process = -1;
    int m_socket = -1;
    std::string m_input;
};

} // namespace

struct WorkerPool::Impl {
    std::string executable;
    Limits limits;
    mutable std::mutex mutex;
    std::vector<Worker> workers;
    Statistics statistics;

    Impl(std::string path, Limits l)
        : executable(std::move(path)), limits(l), workers(static_cast<std::size_t>(std::max(1, l.workers)))
    {
    }

    bool ensureRunning(Worker& worker)
    {
        if (worker.running() && worker.layouts >= limits.layoutsPerWorker)
            worker.stop();
        if (worker.running())
            return true;
        if (!worker.start(executable))
            return false;
        ++statistics.started;
        return true;
    }
};

WorkerPool::WorkerPool(std::string executable, Limits limits)
    : m_impl(std::make_unique<Impl>(std::move(executable), limits))
{
}

WorkerPool::~WorkerPool() = default;

WorkerPool::Statistics WorkerPool::statistics() const
{
    const std::scoped_lock lock(m_impl->mutex);
    return m_impl->statistics;
}

std::vector<std::optional<SegmentPlacement>> WorkerPool::place(const std::vector<const SegmentGraph*>& segments,
                                                               const Metrics& metrics, const std::stop_token& stop)
{
    const std::scoped_lock lock(m_impl->mutex);
    std::vector<std::optional<SegmentPlacement>> placements(segments.size());
    std::deque<std::size_t> queue;
    for (std::size_t s = 0; s < segments.size(); ++s)
        queue.push_back(s);
    int restarts = 0;

    const auto lost = [&](Worker& worker) {
        worker.stop();
        ++m_impl->statistics.failed;
        for (std::size_t i = worker.batch.size(); i-- > worker.answered + 1;)
            queue.push_front(worker.batch[i]);
        worker.batch.clear();
        worker.answered = 0;
        ++restarts;
    };

    while (!stop.stop_requested()) {
        std::vector<pollfd> polled;
        std::vector<Worker*> busy;
        auto next = Clock::time_point::max();
        for (Worker& worker : m_impl->workers) {
            if (worker.batch.empty() && !queue.empty() && restarts <= kRestarts && m_impl->ensureRunning(worker)) {
                std::vector<const SegmentGraph*> graphs;
                while (!queue.empty() && graphs.size() < kBatch) {
                    graphs.push_back(segments[queue.front()]);
                    worker.batch.push_back(queue.front());
                    queue.pop_front();
                }
                worker.answered = 0;
                worker.deadline = Clock::now() + m_impl->limits.segmentTime;
                if (!worker.send(encodeRequest(graphs, metrics))) {
                    lost(worker);
                    continue;
                }
            }
            if (worker.batch.empty())
                continue;
            polled.push_back({worker.socket(), POLLIN, 0});
            busy.push_back(&worker);
            next = std::min(next, worker.deadline);
        }
        if (busy.empty()) {
            if (queue.empty() || restarts > kRestarts || m_impl->statistics.started == 0)
                break;
            if (!m_impl->workers.front().running() && !m_impl->ensureRunning(m_impl->workers.front()))
                break;
            continue;
        }
        const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(next - Clock::now()).count();
        poll(polled.data(), polled.size(), static_cast<int>(std::clamp<long long>(wait + 1, 0, 50)));
        for (std::size_t i = 0; i < busy.size(); ++i) {
            Worker& worker = *busy[i];
            if (polled[i].revents != 0 && !worker.receive()) {
                lost(worker);
                continue;
            }
            bool broken = false;
            while (!worker.batch.empty() && !broken) {
                const auto message = worker.message();
                if (!message)
                    break;
                const std::size_t s = worker.batch[worker.answered];
                const Answer answer = decodeAnswer(*message, *segments[s]);
                if (answer.malformed || answer.segment != worker.answered) {
                    broken = true;
                    break;
                }
                placements[s] = answer.placement;
                ++(answer.placement ? m_impl->statistics.laidOut : m_impl->statistics.failed);
                ++worker.layouts;
                worker.deadline = Clock::now() + m_impl->limits.segmentTime;
                if (++worker.answered == worker.batch.size())
                    worker.batch.clear();
            }
            if (broken || (!worker.batch.empty() && Clock::now() > worker.deadline))
                lost(worker);
        }
    }
    for (Worker& worker : m_impl->workers) {
        if (!worker.batch.empty()) {
            worker.batch.clear();
            worker.stop();
        }
    }
    return placements;
}

std::string findWorker(const std::string& programFolder)
{
    for (const char* folder : {"/", "/../libexec/crease/", "/../lib/crease/", "/../bin/"}) {
        std::string path = programFolder + folder + "crease-layout-worker";
        if (access(path.c_str(), X_OK) == 0)
            return path;
    }
    return {};
}

} // namespace crease::layout
