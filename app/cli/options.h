// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace crease::cli {

/// What the command line says, before it means anything.
struct Options {
    // all commands
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    int threads = 0;         // 0: all cores
    std::string memoryLimit; // "": half of the machine's
    std::string maxFile;     // "": 8 GiB
    std::string maxTensor;   // "": 2 GiB
    std::vector<std::string> models;
    std::string model; // of a command that takes one

    // samples
    std::string samples;
    std::string rawType;
    std::size_t random = 0;
    std::uint64_t seed = 1;
    std::size_t limit = 0;
    std::vector<std::string> shapes;
    double maxExpansion = 64.0;

    // recipe
    std::string target;
    std::string recipe;
    std::string io;
    std::vector<std::string> keepFloat;
    std::vector<std::string> passesOff;
    std::vector<std::string> sitesOff;
    bool requireInteger = false;
    bool allowApproximate = false;

    // fold, verify, explain, diff, run
    std::string output;
    std::string report;
    std::string saveRecipe;
    std::string against;
    std::string engine;
    std::vector<std::string> engineFolders;
    double engineSeconds = 0.0; // 0: as the engine's description says
    std::string node;
    std::string pass;
    bool noVerify = false;
    bool noStages = false;
    bool dryRun = false;
    bool force = false;
    std::size_t layers = 0;
    bool listTargets = false;
    std::string shell;
};

} // namespace crease::cli
