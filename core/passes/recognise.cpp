// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/recognise.h"

#include "core/passes/recognise_rules.h"

#include <algorithm>
#include <array>

namespace crease {

namespace {

/// Misses that say that the file itself is at fault, not that a form is unknown here.
bool isFault(std::string_view id)
{
    static constexpr std::array<std::string_view, 6> faults = {
        "bad-scale", "axis-length", "axis-out-of-range", "parameter-shapes", "scale-type", "storage-contradiction"};
    return std::ranges::find(faults, id) != faults.end();
}

std::vector<Rule> rulesOf(const RecogniseStatePtr& state)
{
    using Match = Outcome (*)(const Graph&, NodeId, RecogniseState&);
    const auto with = [&](Match match) {
        return [state, match](const Graph& graph, NodeId id) { return match(graph, id, *state); };
    };
    return {
        {"recognise/constant-codes", "P3", Fidelity::X, with(recogniseConstantCodes)},
        {"recognise/quantizer", "P1, P2", Fidelity::X, with(recogniseDequantizer)},
        {"recognise/integer-output", "P19", Fidelity::X, with(recogniseIntegerOutput)},
        {"recognise/qonnx-quant", "P36", Fidelity::X, with(recogniseQonnx)},
        {"recognise/shape-of-codes", "P28", Fidelity::X, recogniseShapeOfCodes},
        {"recognise/unsupported", "P35, P36", Fidelity::X, recogniseUnsupported},
    };
}

} // namespace

Result<Stage> runRecognise(const Graph& before, const PassContext& context, const Job& job)
{
    const auto state = std::make_shared<RecogniseState>(job);
    Stage stage = TRY(applyRules(before, "recognise", rulesOf(state), context.driver, job));
    stage.diagnostics.insert(stage.diagnostics.end(), state->findings.all().begin(), state->findings.all().end());
    for (const MissedSite& missed : stage.missed) {
        if (isFault(missed.miss.id)) {
            const std::string where =
                stage.after.contains(missed.miss.node) ? nodeLabel(stage.after, missed.miss.node) : "";
            stage.diagnostics.push_back({Severity::Error, missed.miss.id, missed.miss.text, where, {}});
        }
    }
    return stage;
}

} // namespace crease
