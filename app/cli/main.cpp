// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/session.h"
#include "core/export/version.h"
#include "core/support/text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <new>
#include <nlohmann/json.hpp>
#include <string>

using namespace crease::cli;

namespace {

void addCommon(CLI::App& command, Options& options)
{
    command.add_flag("--json", options.json,
                     "One JSON object on stdout, messages on stderr; of several models: \"models\", a list of their "
                     "objects, \"summary\" and the first \"error\"");
    command.add_flag("-q,--quiet", options.quiet, "Errors only");
    command.add_flag("-v,--verbose", options.verbose, "More detail");
    command.add_option("--threads", options.threads, "Threads to use (default: all cores)");
    command.add_option("--memory-limit", options.memoryLimit, "Memory to use, as 4G (default: half of the machine's)");
    command.add_option("--max-file", options.maxFile, "Largest model file to read (default: 8G)");
    command.add_option("--max-tensor", options.maxTensor, "Largest tensor that is not external (default: 2G)");
}

void addModels(CLI::App& command, Options& options, bool several)
{
    if (several) {
        command.add_option("MODEL", options.models, "ONNX files")->required();
    } else {
        command.add_option("MODEL", options.model, "An ONNX file")->required();
    }
}

void addSamples(CLI::App& command, Options& options)
{
    command.add_option(
        "--samples", options.samples,
        "A folder with input_K.pb or test_data_set_N, an .npz (arrays by input name, and labels), .npy, .pb or raw "
        "file; pictures are not read: save their preprocessed pixels as .npz");
    command.add_option("--raw-type", options.rawType, "Element type of a raw file, as float32");
    command.add_option("--random", options.random, "So many random samples (default: 4)")
        ->check(CLI::Range(1, 1000000));
    command.add_option("--seed", options.seed, "Seed of random samples")->capture_default_str();
    command.add_option("--limit", options.limit, "Use at most so many samples")->check(CLI::Range(1, 100000000));
    command
        .add_option("--shape", options.shapes, "NAME=1x3x224x224 for an input with free dimensions (may be repeated)")
        ->allow_extra_args(false);
    command.add_option("--max-expansion", options.maxExpansion, "Largest expansion of an .npz")->capture_default_str();
}

void addRecipe(CLI::App& command, Options& options)
{
    command.add_option("--target", options.target,
                       "Where the model is to run: see crease-cli passes --targets (default: onnxruntime-qoperator)");
    command.add_option("--recipe", options.recipe, "A recipe that the window or --save-recipe wrote");
    command.add_option("--io", options.io, "Borders of the written model")->check(CLI::IsMember({"float", "integer"}));
    command.add_option("--keep-float", options.keepFloat, "A node that stays in float (may be repeated)")
        ->allow_extra_args(false);
    command.add_option("--without-pass", options.passesOff, "A pass to switch off (may be repeated)")
        ->allow_extra_args(false);
    command.add_option("--without-site", options.sitesOff, "A site to switch off, as RULE@VALUE (may be repeated)")
        ->allow_extra_args(false);
    command.add_flag("--require-integer", options.requireInteger, "Exit 1 where anything stays in float");
    command.add_flag("--allow-approximate", options.allowApproximate, "Admit rewrites of class A");
}

using Action = std::function<int(const Options&, const Console&, const std::stop_token&)>;

CLI::App* addCommand(CLI::App& app, Options& options, Action& action, const std::string& name,
                     const std::string& summary, const std::string& examples, Action run)
{
    CLI::App* command = app.add_subcommand(name, summary);
    command->footer("Examples:\n" + examples);
    addCommon(*command, options);
    command->callback([&action, run = std::move(run)] { action = run; });
    return command;
}

void addCommands(CLI::App& app, Options& options, Action& action)
{
    CLI::App* info =
        addCommand(app, options, action, "info", "What is in the file: ops, dialect, quantizers, opsets, sizes",
                   "  crease-cli info model.onnx\n  crease-cli info --json a.onnx b.onnx", runInfo);
    addModels(*info, options, true);

    CLI::App* passes = addCommand(
        app, options, action, "passes", "The passes in their order, or the targets",
        "  crease-cli passes\n  crease-cli passes --targets",
        [](const Options& given, const Console& console, const std::stop_token&) { return runPasses(given, console); });
    passes->add_flag("--targets", options.listTargets, "List targets");

    CLI::App* fold = addCommand(app, options, action, "fold", "Fold to integers, prove it, and write the model",
                                "  crease-cli fold model.onnx -o model.int8.onnx\n  crease-cli fold model.onnx -o "
                                "out.onnx --samples test.npz --target onnxruntime-qdq\n"
                                "  crease-cli fold a.onnx b.onnx -o folder --random 16",
                                runFold);
    addModels(*fold, options, true);
    addSamples(*fold, options);
    addRecipe(*fold, options);
    fold->add_option(
        "-o,--output", options.output,
        "The file to write, or a folder that exists (always for several models): there it gets the model's "
        "file name");
    fold->add_option("--report", options.report, "Write the JSON report here as well");
    fold->add_option("--save-recipe", options.saveRecipe, "Write the recipe that was used");
    fold->add_option("--engine", options.engine, "Compare the written file in this engine with Crease's own results");
    fold->add_flag("--no-verify", options.noVerify, "Leave the certificate at not checked");
    fold->add_flag("--no-stages", options.noStages, "Certify the whole fold only, not each pass");
    fold->add_flag("--dry-run", options.dryRun, "Write nothing");
    fold->add_flag("--force", options.force, "Replace an existing file that Crease did not write");

    CLI::App* verify =
        addCommand(app, options, action, "verify", "Fold in memory and certify each pass; or compare two files",
                   "  crease-cli verify model.onnx --samples test.npz\n  crease-cli verify model.onnx --against "
                   "other.onnx --random 8",
                   runVerify);
    addModels(*verify, options, true);
    addSamples(*verify, options);
    addRecipe(*verify, options);
    verify->add_option("--against", options.against, "Compare with this file instead of folding");
    verify->add_option("--engine", options.engine,
                       "Also write the folded model to a temporary file and compare this engine's results on it");
    verify->add_option("--layers", options.layers, "Show so many layers, the worst first");
    verify->add_flag("--no-stages", options.noStages, "Certify the whole fold only, not each pass");

    CLI::App* explain =
        addCommand(app, options, action, "explain", "Why each quantizer was folded or not",
                   "  crease-cli explain model.onnx\n  crease-cli explain model.onnx /block2/Add", runExplain);
    explain->add_option("MODEL", options.model, "An ONNX file")->required();
    explain->add_option("NODE", options.node, "Only what this node or quantizer met");
    addRecipe(*explain, options);

    CLI::App* diff = addCommand(app, options, action, "diff", "The graph's text diff of one pass or of the whole fold",
                                "  crease-cli diff model.onnx --pass fold-batch-norm", runDiff);
    addModels(*diff, options, false);
    addRecipe(*diff, options);
    diff->add_option("--pass", options.pass, "One pass only");

    CLI::App* run = addCommand(app, options, action, "run", "Evaluate on samples and write the outputs",
                               "  crease-cli run model.onnx --samples test.npz -o outputs.npz\n  crease-cli run "
                               "model.onnx --random 4 --engine onnxruntime",
                               runRun);
    addModels(*run, options, false);
    addSamples(*run, options);
    run->add_option("-o,--output", options.output, "The .npz to write");
    run->add_option("--engine", options.engine, "Run in this engine instead");
    run->add_flag("--force", options.force, "Replace an existing file that Crease did not write");
    for (CLI::App* command : {fold, verify, run}) {
        command
            ->add_option(
                "--engines", options.engineFolders,
                "A folder with engine descriptions (*.json) of your own (may be repeated; shipped: onnxruntime, "
                "onnxruntime-all)")
            ->allow_extra_args(false);
        command
            ->add_option("--engine-seconds", options.engineSeconds,
                         "How long an engine may run (default: what its description says; the shipped ones 600)")
            ->check(CLI::PositiveNumber);
    }

    CLI::App* completion =
        addCommand(app, options, action, "completion", "A completion script for a shell",
                   "  crease-cli completion bash > ~/.local/share/bash-completion/completions/crease-cli",
                   [](const Options& given, const Console& console, const std::stop_token&) {
                       return runCompletion(given, console);
                   });
    completion->add_option("SHELL", options.shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

} // namespace

int main(int argc, char** argv)
{
    const std::stop_token stop = interruptToken();
    CLI::App app{"Crease folds fake-quantized networks to integers, one proven pass at a time.", "crease-cli"};
    app.set_version_flag("--version", std::string(crease::creaseVersion()));
    app.require_subcommand(1);
    app.footer(
        "Exit status: 0 done and certified as asked; 1 a certificate fails or a quantizer that had to fold did not;\n"
        "2 bad usage; 3 the input cannot be read; 4 an internal check failed; 5 the output cannot be written; 130 "
        "cancelled.");
    Options options;
    Action action;
    addCommands(app, options, action);
    const bool isJson =
        std::any_of(argv + 1, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) {
        names.push_back(command->get_name());
    }
    if (argc > 1 && argv[1][0] != '-' && std::ranges::find(names, argv[1]) == names.end()) {
        return Console(isJson, false, false)
            .fail({crease::ErrorKind::Usage, "unknown-command",
                   fmt::format("there is no command '{}'{} (those are {})", argv[1], crease::suggestion(argv[1], names),
                               fmt::join(names, ", "))});
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int code = app.exit(error);
        if (code != 0 && isJson) {
            Console(true, true, false).object(errorObject({crease::ErrorKind::Usage, "bad-usage", error.what()}));
        }
        return code == 0 ? Done : BadUsage;
    }
    if (!options.model.empty()) {
        options.models = {options.model};
    }
    const Console console(options.json, options.quiet, options.verbose);
    if (const auto checked = checkOptions(options); !checked) {
        return console.fail(checked.error());
    }
    try {
        return console.finish(action(options, console, stop));
    } catch (const std::bad_alloc&) {
        return console.fail(
            {crease::ErrorKind::Refused, "out-of-memory",
             "there is not enough memory for this; use fewer or smaller samples (--limit), or a smaller model"});
    }
}
