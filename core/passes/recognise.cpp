// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/recognise.h"

#include "core/passes/recognise_rules.h"

#include <algorithm>

namespace crease {

namespace {

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
        if (isFaultOfFile(missed.miss.id)) {
            const std::string where =
                stage.after.contains(missed.miss.node) ? nodeLabel(stage.after, missed.miss.node) : "";
            stage.diagnostics.push_back({Severity::Error, missed.miss.id, missed.miss.text, where, {}});
        }
    }
    return stage;
}

} // namespace crease
