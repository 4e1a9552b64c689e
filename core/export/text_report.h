// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/report_json.h"

#include <string>

namespace crease {

/// One line: exact on 500 samples, 37 tensors · within one step: 1,405 of 2,304,000 codes (1,400 bias, 5 ties).
std::string sentence(const Certificate& certificate);

/// The one-screen account after a fold: what was folded, size and MACs before and after, how exact, why it is not fully
/// integer.
std::string accountText(const FoldOutcome& outcome);

/// One line a pass: rewrites, nodes before and after, certificate.
std::string stagesText(const FoldOutcome& outcome);

/// One line: accuracy before and after, on how many, and how many answers changed.
std::string accuracyText(const Accuracy& accuracy);

std::string modelText(const ImportedModel& model);

/// The worst layers first.
std::string tensorsText(const Verification& verification, std::size_t count);

/// Every quantizer with its site or its reason; one only where `node` names it, its output or its consumer.
/// Of every quantizer and island, or of those that `node` names or is the reason of: empty where there is none.
std::string explainText(const FoldOutcome& outcome, const std::string& node);

std::string diagnosticsText(const Diagnostics& diagnostics);

} // namespace crease
