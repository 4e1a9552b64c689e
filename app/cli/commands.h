// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/console.h"
#include "app/cli/options.h"

#include <stop_token>

namespace crease::cli {

/// Each runs one subcommand and returns its exit code.
int runInfo(const Options& options, const Console& console, const std::stop_token& stop);
int runPasses(const Options& options, const Console& console);
int runFold(const Options& options, const Console& console, const std::stop_token& stop);
int runVerify(const Options& options, const Console& console, const std::stop_token& stop);
int runExplain(const Options& options, const Console& console, const std::stop_token& stop);
int runDiff(const Options& options, const Console& console, const std::stop_token& stop);
int runRun(const Options& options, const Console& console, const std::stop_token& stop);
int runCompletion(const Options& options, const Console& console);

} // namespace crease::cli
