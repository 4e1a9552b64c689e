// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/support/job.h"
#include "core/tensor/tensor.h"

#include <map>
#include <string>
#include <vector>

namespace crease {

/// Which tensors beside the outputs an engine is to write: none, or those of integer types (codes).
enum class Intermediates { None, Integers };

struct EngineRun {
    std::vector<std::vector<Tensor>> outputs;                 // per sample, in the order of the file's outputs
    std::vector<std::map<std::string, Tensor>> intermediates; // per sample, by name; empty where the engine cannot
    std::string name;
    std::string version;
};

/// Another runtime. Implementations (core/engines) start it as a process.
class Engine {
public:
    virtual ~Engine() = default;
    virtual std::string name() const = 0;
    /// Runs a model file on samples (inputs in the order of the file's inputs). A missing, crashing or hanging engine
    /// is an error (kind Refused).
    virtual Result<EngineRun> run(const std::string& modelFile, const std::vector<std::vector<Tensor>>& samples,
                                  Intermediates intermediates, const Job& job) const = 0;
};

} // namespace crease
