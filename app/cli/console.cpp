// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/console.h"

#include "core/export/report_json.h"
#include "core/export/text_report.h"
#include "core/support/text.h"

#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <pthread.h>
#include <thread>
#include <unistd.h>

namespace crease::cli {

nlohmann::json errorObject(const Error& error)
{
    nlohmann::json object = jsonHead();
    object["error"] = toJson(error);
    return object;
}

namespace {

/// What was used is always said (interface.md, Samples).
bool isAboutSamples(const Diagnostic& entry)
{
    return entry.id.starts_with("sample-") || entry.id == "guessed-shape";
}

/// Nothing is thrown where a disk is full or a pipe closed; finish() tells of it.
void put(std::FILE* to, const std::string& text)
{
    [[maybe_unused]] const std::size_t written = std::fwrite(text.data(), 1, text.size(), to);
}

} // namespace

int exitCode(const Error& error)
{
    switch (error.kind) {
    case ErrorKind::Usage:
        return BadUsage;
    case ErrorKind::Input:
        return BadInput;
    case ErrorKind::Internal:
        return InternalFailure;
    case ErrorKind::Output:
        return BadOutput;
    case ErrorKind::Cancelled:
        return Interrupted;
    case ErrorKind::Refused:
    case ErrorKind::Unsupported:
        break;
    }
    return Failed;
}

Console::Console(bool json, bool quiet, bool verbose)
    : m_json(json), m_quiet(quiet), m_verbose(verbose), m_terminal(!quiet && isatty(STDERR_FILENO) != 0)
{
}

void Console::print(const std::string& text) const
{
    if (!m_json && !m_quiet) {
        endProgress();
        put(stdout, text);
        std::fflush(stdout);
    }
}

void Console::message(const std::string& text) const
{
    if (!m_quiet) {
        endProgress();
        put(stderr, text);
    }
}

void Console::error(const std::string& text) const
{
    endProgress();
    put(stderr, fmt::format("crease-cli: {}\n", printable(text)));
}

void Console::object(const nlohmann::json& object) const
{
    if (m_json) {
        endProgress();
        put(stdout, object.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    }
}

void Console::diagnostics(const Diagnostics& diagnostics) const
{
    Diagnostics shown;
    for (const Diagnostic& entry : diagnostics) {
        if (m_verbose || entry.severity != Severity::Info || isAboutSamples(entry)) {
            shown.push_back(entry);
        }
    }
    constexpr std::size_t most = 12;
    if (!m_verbose && shown.size() > most) {
        const std::size_t more = shown.size() - most;
        shown.resize(most);
        message(diagnosticsText(shown) + fmt::format("and {} more: see -v\n", more));
        return;
    }
    message(diagnosticsText(shown));
}

int Console::fail(const Error& error) const
{
    nlohmann::json result;
    const int code = failQuietly(error, result);
    object(result);
    return code;
}

int Console::failQuietly(const Error& error, nlohmann::json& object) const
{
    this->error(describe(error));
    object = errorObject(error);
    return exitCode(error);
}

int Console::finish(int code) const
{
    const bool flushed = std::fflush(stdout) == 0;
    if (flushed && std::ferror(stdout) == 0) {
        return code;
    }
    error("the results cannot be written to the standard output");
    return code == Done ? BadOutput : code;
}

void Console::progress(double fraction, std::string_view what) const
{
    if (m_terminal) {
        put(stderr, fmt::format("\r\033[K{} {:3.0f} %", printable(what), fraction * 100.0));
        std::fflush(stderr);
        m_line = true;
    }
}

void Console::endProgress() const
{
    if (m_line) {
        put(stderr, "\r\033[K");
        m_line = false;
    }
}

std::stop_token interruptToken()
{
    // Signals are taken by one thread that waits for them, so that no handler touches anything.
    static std::stop_source source;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::thread([signals] {
        int received = 0;
        sigwait(&signals, &received);
        source.request_stop();
        // A second one ends the process at once: the first may wait for a kernel to finish.
        sigwait(&signals, &received);
        _exit(Interrupted);
    }).detach();
    return source.get_token();
}

} // namespace crease::cli
