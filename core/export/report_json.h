// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/exporter.h"
#include "core/onnx/importer.h"
#include "core/passes/report.h"
#include "core/rewrite/trace.h"
#include "core/tensor/sample_set.h"
#include "core/verify/verify.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace crease {

/// Everything that a fold or verify knows, for the reports; absent parts are left out of them.
struct FoldOutcome {
    const ImportedModel* model = nullptr;
    std::string target;
    const Trace* trace = nullptr;
    const FoldReport* report = nullptr;
    const SampleSet* samples = nullptr;
    const Verification* verification = nullptr;
    const ExportResult* output = nullptr;
    const Diagnostics* notes = nullptr;         // of passes and samples
    const EngineVerification* engine = nullptr; // the written file in another runtime against Crease's own results
};

/// The objects of interface.md, "What --json prints". NaN and infinities become null.
nlohmann::json jsonHead(); // schema, crease
nlohmann::json toJson(const Diagnostics& diagnostics);
nlohmann::json toJson(const Certificate& certificate);
nlohmann::json toJson(const Metrics& metrics);
nlohmann::json toJson(const Accuracy& accuracy);
nlohmann::json toJson(const Error& error);
nlohmann::json modelJson(const ImportedModel& model);
nlohmann::json stagesJson(const Trace& trace, const Verification* verification);
nlohmann::json quantizersJson(const FoldReport& report);
nlohmann::json islandsJson(const FoldReport& report);
nlohmann::json tensorsJson(const Verification& verification);
nlohmann::json outcomeJson(const FoldOutcome& outcome); // of fold and verify
nlohmann::json diffJson(const Trace& trace, std::size_t from, std::size_t to);

} // namespace crease
