// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace crease {

/// What `crease --draw` was asked for.
struct DrawRequest {
    std::string model;
    std::string output;
    std::string stage;
    std::string diff;
    std::string theme = "light";
    std::string around;
    std::string size;
    std::string target;
    bool lens = false;
    bool force = false;
};

/// Opens, folds, lays out and draws; says an error in one line. Returns the exit code.
int drawToFile(const DrawRequest& request);

} // namespace crease
