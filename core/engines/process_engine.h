// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/verify/engine.h"

#include <memory>
#include <string>
#include <vector>

namespace crease {

/// How an engine is started, as resources/engines/*.json says. In `argv` these are replaced: {python} (CREASE_PYTHON,
/// else python3), {script} (a script that ships with the program), {model}, {inputs}, {outputs}, {intermediates} (none
/// or integers). {inputs} holds input_K.pb and {outputs} gets output_K.pb and, for intermediates, value_K.pb (named in
/// the file) or values.npz; with manySets they hold folders test_data_set_N of those, and the engine is started once
/// for all samples. An engine may write {outputs}/version.txt.
struct EngineDescription {
    std::string name;
    std::string title;
    std::vector<std::string> argv;
    std::string script; // its text; empty where none is needed
    bool manySets = false;
    bool intermediates = false;
    double seconds = 600.0;
};

/// Errors (kind Usage) name the key that is missing, unknown or of the wrong type.
Result<EngineDescription> engineFromJson(const std::string& text);
/// The engines that ship with the program.
std::vector<EngineDescription> shippedEngines();
/// The shipped ones and those of `folders` (every *.json there); one of the same name replaces the shipped one.
Result<std::vector<EngineDescription>> allEngines(const std::vector<std::string>& folders);
/// Error (kind Usage) names the known ones. `seconds`: how long it may run; 0: as its description says.
Result<std::unique_ptr<Engine>> makeEngine(const std::string& name, const std::vector<std::string>& folders,
                                           double seconds = 0.0);
std::unique_ptr<Engine> makeEngine(EngineDescription description);

} // namespace crease
