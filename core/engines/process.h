// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/support/job.h"

#include <filesystem>
#include <string>
#include <vector>

namespace crease {

/// A folder below the system's temporary one, removed with all it holds when this goes.
class TemporaryFolder {
public:
    static Result<TemporaryFolder> create();
    TemporaryFolder(TemporaryFolder&& other) noexcept : m_path(std::exchange(other.m_path, {})) {}
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;
    ~TemporaryFolder();
    const std::filesystem::path& path() const { return m_path; }

private:
    explicit TemporaryFolder(std::filesystem::path path) : m_path(std::move(path)) {}
    std::filesystem::path m_path;
};

struct ProcessEnd {
    int exitCode = 0;
    int signal = 0;       // it was ended by, or 0
    std::string lastLine; // that it wrote
};

/// Runs a program to its end, with nothing to read and what it writes kept in `log`. The program and all that it
/// started are killed when the job is cancelled or `seconds` have passed. Errors: kind Refused (engine-missing,
/// engine-timeout), Cancelled.
Result<ProcessEnd> runProcess(const std::vector<std::string>& argv, const std::filesystem::path& log, double seconds,
                              const Job& job);

} // namespace crease
