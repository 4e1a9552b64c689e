// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/support/diagnostic.h"
#include "core/support/job.h"
#include "core/support/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace crease::cli {

enum ExitCode {
    Done = 0,
    Failed = 1,
    BadUsage = 2,
    BadInput = 3,
    InternalFailure = 4,
    BadOutput = 5,
    Interrupted = 130
};

int exitCode(const Error& error);

/// Text on stdout, or with --json one object there and everything else on stderr.
class Console {
public:
    Console(bool json, bool quiet, bool verbose);

    bool json() const { return m_json; }
    bool verbose() const { return m_verbose; }

    void print(const std::string& text) const;   // not under --json or --quiet
    void message(const std::string& text) const; // stderr; not under --quiet
    void error(const std::string& text) const;   // stderr, --quiet or not
    void object(const nlohmann::json& object) const;
    void diagnostics(
        const Diagnostics& diagnostics) const; // warnings, errors, what was done to samples; infos with --verbose
    /// Says an error as one line on stderr and, under --json, as an object with "error"; returns its exit code.
    int fail(const Error& error) const;
    /// The same, but the object goes to `object`, for a list of several models.
    int failQuietly(const Error& error, nlohmann::json& object) const;

    /// The exit code at the end: `code`, or 5 where the standard output took not all of it.
    int finish(int code) const;

    /// Shows "what  42 %" on a terminal while it runs; nothing elsewhere.
    void progress(double fraction, std::string_view what) const;
    void endProgress() const;

private:
    bool m_json;
    bool m_quiet;
    bool m_verbose;
    bool m_terminal;
    mutable bool m_line = false;
};

/// What --json prints on a failure.
nlohmann::json errorObject(const Error& error);

/// A stop token that Ctrl-C and SIGTERM trigger. Call once, first thing in main.
std::stop_token interruptToken();

} // namespace crease::cli
