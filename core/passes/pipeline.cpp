// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/pipeline.h"

#include "core/support/text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace crease {

namespace {

/// `first` makes the form that `then` looks for.
struct Dependency {
    std::string_view first;
    std::string_view then;
    std::string_view loss;
};

constexpr std::array dependencies{
    Dependency{"recognise", "fold-constants", "dequantized weights are evaluated to floats and their grids are lost"},
    Dependency{"recognise", "fold-weights", "no quantizer is known yet, so no weight becomes codes"},
    Dependency{"recognise", "propagate-grids", "no value lies on a grid yet"},
    Dependency{"recognise", "absorb-activations", "no quantizer is known yet that could take a clamp"},
    Dependency{"recognise", "tabulate", "no quantizer is known yet, so no region ends in one"},
    Dependency{"recognise", "lower", "no quantizer is known yet, so nothing becomes integer"},
    Dependency{"fold-constants", "fold-weights", "quantized weights that are computed from constants stay unfolded"},
    Dependency{"unshare", "fold-batch-norm", "a weight with several readers cannot take a scale of one of them"},
    Dependency{"fold-weights", "fold-batch-norm",
               "weights behind a quantizer are no codes yet, so no BatchNormalization or bias folds into them"},
    Dependency{"fold-weights", "lower", "weights behind a quantizer are no codes yet, so their layers stay in float"},
    Dependency{"fold-batch-norm", "propagate-grids",
               "a quantizer hoisted between a layer and its BatchNormalization blocks the fold"},
    Dependency{"fold-batch-norm", "lower", "layers with a BatchNormalization behind them stay apart from it"},
    Dependency{"fold-batch-norm", "quantize-bias", "biases are rounded before their scales are final"},
    Dependency{"fold-batch-norm", "absorb-activations", "a clamp behind a BatchNormalization is not reached"},
    Dependency{"absorb-activations", "lower", "a clamp before a quantizer stays a node of its own"},
    Dependency{"tabulate", "lower", "elementwise regions are lowered node by node and miss their table"},
    Dependency{"lower", "legalise", "there is nothing integer yet to make legal"},
    Dependency{"lower", "quantize-bias", "there is no accumulator yet whose bias could be rounded"},
    Dependency{"lower", "fuse", "there is nothing integer yet to fuse"},
    Dependency{"legalise", "quantize-bias", "biases are rounded before their scales are those of the target"},
    Dependency{"quantize-bias", "fuse", "a layer is not fused with a requantizer whose bias is not rounded"},
    Dependency{"fuse", "deduplicate", "equal requantizers are merged before each is fused with its layer"},
};

std::vector<std::string> passNames()
{
    std::vector<std::string> names;
    for (const PassInfo& pass : passCatalogue()) {
        names.emplace_back(pass.id);
    }
    return names;
}

Result<const PassInfo*> passNamed(const std::string& name)
{
    if (const PassInfo* found = findPass(name)) {
        return found;
    }
    Error error{ErrorKind::Usage, "unknown-pass",
                fmt::format("there is no pass '{}'{}", name, suggestion(name, passNames()))};
    error.value = name;
    return std::unexpected(std::move(error));
}

Result<std::vector<const PassInfo*>> passesOf(const Recipe& recipe)
{
    for (const std::string& off : recipe.passesOff) {
        TRY(passNamed(off));
    }
    std::vector<const PassInfo*> passes;
    const auto take = [&](const PassInfo* pass) {
        if (!recipe.passesOff.contains(std::string(pass->id))) {
            passes.push_back(pass);
        }
    };
    if (recipe.passes.empty()) {
        for (const PassInfo& pass : passCatalogue()) {
            take(&pass);
        }
        return passes;
    }
    for (const std::string& name : recipe.passes) {
        take(TRY(passNamed(name)));
    }
    return passes;
}

/// What a pass loses because a pass whose result it needs comes later in this list.
void reportOrder(const std::vector<const PassInfo*>& passes, std::size_t at, Diagnostics& diagnostics)
{
    const auto earlier = std::span(passes).first(at);
    const auto later = std::span(passes).subspan(at + 1);
    const auto holds = [](std::span<const PassInfo* const> list, std::string_view id) {
        return std::ranges::any_of(list, [id](const PassInfo* pass) { return pass->id == id; });
    };
    for (const Dependency& each : dependencies) {
        if (each.then == passes[at]->id && holds(later, each.first) && !holds(earlier, each.first)) {
            diagnostics.push_back({Severity::Warning,
                                   "pass-order",
                                   fmt::format("{} runs before {}: {}", each.then, each.first, each.loss),
                                   {},
                                   {}});
        }
    }
}

void reportUnknownSites(Trace& trace, const Recipe& recipe)
{
    if (trace.stages.empty()) {
        return;
    }
    std::set<std::string> unknown = recipe.sitesOff;
    std::vector<std::string> known;
    for (const Stage& stage : trace.stages) {
        for (const Rewrite& rewrite : stage.rewrites) {
            unknown.erase(rewrite.site);
            known.push_back(rewrite.site);
        }
    }
    for (const std::string& site : unknown) {
        trace.stages.back().diagnostics.push_back(
            {Severity::Warning,
             "site-not-found",
             fmt::format("the switched-off site '{}' does not occur{}", site, suggestion(site, known)),
             {},
             site});
    }
}

Result<void> runFrom(Trace& trace, const std::vector<const PassInfo*>& passes, const Recipe& recipe,
                     const Target& target, const Job& job,
                     const std::function<void(const Stage&, std::size_t index)>& onStage)
{
    PassContext context{target, {}, recipe.keepFloat};
    context.driver.switchedOff = recipe.sitesOff;
    context.driver.allowApproximate = recipe.allowApproximate;
    for (std::size_t at = trace.stages.size(); at < passes.size(); ++at) {
        TRY(job.check());
        job.report(static_cast<double>(at) / static_cast<double>(passes.size()), passes[at]->title);
        Stage stage = TRY(passes[at]->run(trace.final(), context, job));
        reportOrder(passes, at, stage.diagnostics);
        trace.stages.push_back(std::move(stage));
        if (onStage) {
            onStage(trace.stages.back(), at);
        }
    }
    reportUnknownSites(trace, recipe);
    job.report(1.0, "done");
    return {};
}

} // namespace

Result<Trace> runPipeline(const Graph& original, const Recipe& recipe, const Target& target, const Job& job,
                          const std::function<void(const Stage&, std::size_t index)>& onStage)
{
    Trace trace{original, {}};
    TRY(runFrom(trace, TRY(passesOf(recipe)), recipe, target, job, onStage));
    return trace;
}

Result<Trace> rerunPipeline(const Trace& trace, std::size_t from, const Recipe& recipe, const Target& target,
                            const Job& job, const std::function<void(const Stage&, std::size_t index)>& onStage)
{
    Trace again{trace.original, {}};
    const std::size_t kept = std::min(from, trace.stages.size());
    again.stages.assign(trace.stages.begin(), trace.stages.begin() + static_cast<std::ptrdiff_t>(kept));
    TRY(runFrom(again, TRY(passesOf(recipe)), recipe, target, job, onStage));
    return again;
}

} // namespace crease
