// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/engine_use.h"

#include "core/engines/process.h"
#include "core/engines/process_engine.h"

namespace crease::cli {

namespace {

Result<EngineVerification> compared(const Options& options, Folding& folding, const Job& job)
{
    const auto engine = TRY(makeEngine(options.engine, options.engineFolders, options.engineSeconds));
    if (folding.output) {
        return verifyEngine(*engine, folding.output->file, folding.trace.final(), *folding.samples, {}, job);
    }
    const TemporaryFolder folder = TRY(TemporaryFolder::create());
    const std::string file = (folder.path() / "folded.onnx").string();
    const ExportOptions how{.integerIo = folding.recipe.io};
    TRY(exportTrace(folding.trace, folding.recipe, folding.target, file, how, job));
    return verifyEngine(*engine, file, folding.trace.final(), *folding.samples, {}, job);
}

} // namespace

Result<std::vector<std::vector<Tensor>>> runEngine(const Options& options, const std::string& file,
                                                   const SampleSet& samples, const Job& job)
{
    const auto engine = TRY(makeEngine(options.engine, options.engineFolders, options.engineSeconds));
    EngineRun run = TRY(engine->run(file, samples.samples, Intermediates::None, job));
    return std::move(run.outputs);
}

Result<void> compareWithEngine(const Options& options, Folding& folding, const Job& job)
{
    if (!folding.samples) {
        folding.samples = TRY(resolveSamples(options, folding.model.graph, folding.notes, job));
    }
    auto result = compared(options, folding, job);
    if (result) {
        folding.engine = std::move(*result);
    } else if (result.error().kind == ErrorKind::Refused) {
        folding.engineError = std::move(result).error();
    } else {
        return std::unexpected(std::move(result).error());
    }
    return {};
}

} // namespace crease::cli
