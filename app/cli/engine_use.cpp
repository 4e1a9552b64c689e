// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/engine_use.h"

#include "core/engines/process_engine.h"

namespace crease::cli {

Result<std::vector<std::vector<Tensor>>> runEngine(const Options& options, const std::string& file,
                                                   const SampleSet& samples, const Job& job)
{
    const auto engine = TRY(makeEngine(options.engine, options.engineFolders));
    EngineRun run = TRY(engine->run(file, samples.samples, Intermediates::None, job));
    return std::move(run.outputs);
}

Result<void> compareWithEngine(const Options& options, Folding& folding, const Job& job)
{
    if (!folding.output) {
        return failure(ErrorKind::Usage, "engine-without-file",
                       "--engine compares the written file: it needs -o, not --dry-run");
    }
    if (!folding.samples) {
        folding.samples = TRY(resolveSamples(options, folding.model.graph, folding.notes, job));
    }
    const auto engine = TRY(makeEngine(options.engine, options.engineFolders));
    folding.engine = TRY(verifyEngine(*engine, folding.output->file, folding.trace.final(), *folding.samples, {}, job));
    return {};
}

} // namespace crease::cli
