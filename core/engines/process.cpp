// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/process.h"

#include "core/support/text.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

extern char** environ;

namespace crease {

namespace {

/// posix_spawn's settings, freed at the end of the scope.
struct SpawnSettings {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;

    SpawnSettings()
    {
        posix_spawn_file_actions_init(&files);
        posix_spawnattr_init(&attributes);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;
    ~SpawnSettings()
    {
        posix_spawn_file_actions_destroy(&files);
        posix_spawnattr_destroy(&attributes);
    }
};

std::string lastLineOf(const std::filesystem::path& log)
{
    std::ifstream stream(log, std::ios::binary);
    std::string line;
    std::string last;
    while (std::getline(stream, line)) {
        if (line.find_first_not_of(" \t\r") != std::string::npos) {
            last = line.substr(0, 500);
        }
    }
    return printable(last);
}

/// Kills the process group and waits for its leader.
void killGroup(pid_t leader)
{
    kill(-leader, SIGKILL);
    int status = 0;
    while (waitpid(leader, &status, 0) < 0 && errno == EINTR) {
    }
}

} // namespace

Result<TemporaryFolder> TemporaryFolder::create()
{
    std::error_code code;
    const auto base = std::filesystem::temp_directory_path(code);
    std::string name = ((code ? std::filesystem::path("/tmp") : base) / "crease-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        return failure(ErrorKind::Output, "temporary-folder",
                       fmt::format("no temporary folder can be made in {}: {}", base.string(), std::strerror(errno)));
    }
    return TemporaryFolder(std::filesystem::path(name));
}

TemporaryFolder::~TemporaryFolder()
{
    if (!m_path.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
}

Result<ProcessEnd> runProcess(const std::vector<std::string>& argv, const std::filesystem::path& log, double seconds,
                              const Job& job)
{
    SpawnSettings settings;
    posix_spawn_file_actions_addopen(&settings.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&settings.files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&settings.files, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&settings.attributes, 0);

    std::vector<std::string> copies = argv;
    std::vector<char*> arguments;
    for (std::string& argument : copies) {
        arguments.push_back(argument.data());
    }
    arguments.push_back(nullptr);

    pid_t child = 0;
    const int error =
        posix_spawnp(&child, arguments[0], &settings.files, &settings.attributes, arguments.data(), environ);
    if (error != 0) {
        return failure(ErrorKind::Refused, "engine-missing",
                       fmt::format("'{}' cannot be started: {}", printable(argv[0]), std::strerror(error)));
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    auto pause = std::chrono::milliseconds(2);
    int status = 0;
    while (true) {
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) {
            break;
        }
        if (ended < 0 && errno != EINTR) {
            return failure(ErrorKind::Internal, "engine-wait",
                           fmt::format("'{}' cannot be waited for: {}", printable(argv[0]), std::strerror(errno)));
        }
        if (job.cancelled()) {
            killGroup(child);
            return failure(ErrorKind::Cancelled, "cancelled", "cancelled");
        }
        if (std::chrono::steady_clock::now() >= deadline) {
            killGroup(child);
            return failure(ErrorKind::Refused, "engine-timeout",
                           fmt::format("'{}' was still running after {} s and was ended", printable(argv[0]), seconds));
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::milliseconds(50));
    }
    kill(-child, SIGKILL); // what it left behind in its group
    ProcessEnd end;
    end.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.lastLine = lastLineOf(log);
    return end;
}

} // namespace crease
