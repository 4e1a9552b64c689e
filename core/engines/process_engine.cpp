// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/process_engine.h"

#include "core/engines/process.h"
#include "core/onnx/tensor_proto.h"
#include "core/samples/npz.h"
#include "core/support/text.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>

namespace crease {

namespace {

namespace fs = std::filesystem;

constexpr double maxExpansion = 1024.0; // codes may be all alike, and the file is the engine's

std::string python()
{
    const char* chosen = std::getenv("CREASE_PYTHON");
    return chosen != nullptr && *chosen != '\0' ? chosen : "python3";
}

std::string replaced(std::string text, std::string_view what, const std::string& by)
{
    const std::size_t at = text.find(what);
    return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

Result<void> writeFile(const fs::path& path, const std::string& bytes)
{
    std::ofstream stream(path, std::ios::binary);
    stream << bytes;
    stream.flush();
    if (!stream) {
        return std::unexpected(Error{ErrorKind::Output, "engine-input", "the file cannot be written", path.string()});
    }
    return {};
}

Result<std::string> readFile(const fs::path& path)
{
    std::ifstream stream(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    if (!stream) {
        return std::unexpected(Error{ErrorKind::Refused, "engine-outputs", "the file cannot be read", path.string()});
    }
    return bytes;
}

class ProcessEngine : public Engine {
public:
    explicit ProcessEngine(EngineDescription description) : m_description(std::move(description)) {}

    std::string name() const override { return m_description.name; }

    Result<EngineRun> run(const std::string& modelFile, const std::vector<std::vector<Tensor>>& samples,
                          Intermediates intermediates, const Job& job) const override
    {
        const TemporaryFolder folder = TRY(TemporaryFolder::create());
        const fs::path script = folder.path() / "engine.py";
        if (!m_description.script.empty()) {
            TRY(writeFile(script, m_description.script));
        }
        EngineRun run;
        run.name = m_description.name;
        const std::size_t each = m_description.manySets ? std::max<std::size_t>(samples.size(), 1) : 1;
        for (std::size_t first = 0; first < samples.size(); first += each) {
            const fs::path inputs = folder.path() / fmt::format("inputs_{}", first);
            const fs::path outputs = folder.path() / fmt::format("outputs_{}", first);
            std::error_code ignored; // writing there says what is wrong
            fs::create_directories(inputs, ignored);
            fs::create_directories(outputs, ignored);
            for (std::size_t k = first; k < std::min(first + each, samples.size()); ++k) {
                TRY(job.check());
                TRY(writeSample(setFolder(inputs, k), samples[k]));
            }
            TRY(start(modelFile, script, inputs, outputs, intermediates, job));
            for (std::size_t k = first; k < std::min(first + each, samples.size()); ++k) {
                TRY(readSample(setFolder(outputs, k), run, job));
            }
            if (std::ifstream version(outputs / "version.txt"); version) {
                std::getline(version, run.version);
            }
            fs::remove_all(inputs, ignored);
            fs::remove_all(outputs, ignored);
        }
        return run;
    }

private:
    fs::path setFolder(const fs::path& base, std::size_t sample) const
    {
        return m_description.manySets ? base / fmt::format("test_data_set_{}", sample) : base;
    }

    static Result<void> writeSample(const fs::path& folder, const std::vector<Tensor>& inputs)
    {
        std::error_code ignored;
        fs::create_directories(folder, ignored);
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            TRY(writeFile(folder / fmt::format("input_{}.pb", k), tensorToProtoBytes("", inputs[k])));
        }
        return {};
    }

    Result<void> start(const std::string& modelFile, const fs::path& script, const fs::path& inputs,
                       const fs::path& outputs, Intermediates intermediates, const Job& job) const
    {
        std::vector<std::string> argv;
        for (std::string argument : m_description.argv) {
            argument = replaced(std::move(argument), "{python}", python());
            argument = replaced(std::move(argument), "{script}", script.string());
            argument = replaced(std::move(argument), "{model}", modelFile);
            argument = replaced(std::move(argument), "{inputs}", inputs.string());
            argument = replaced(std::move(argument), "{outputs}", outputs.string());
            argument = replaced(std::move(argument), "{intermediates}",
                                intermediates == Intermediates::Integers ? "integers" : "none");
            argv.push_back(std::move(argument));
        }
        auto end = runProcess(argv, inputs.parent_path() / "log", m_description.seconds, job);
        if (!end) {
            if (end.error().kind != ErrorKind::Cancelled) {
                end.error().message = fmt::format(
                    "engine {}: {}{}", m_description.name, end.error().message,
                    end.error().id == "engine-timeout" ? " (crease-cli --engine-seconds gives it longer)" : "");
            }
            return std::unexpected(end.error());
        }
        if (end->signal != 0) {
            return failure(ErrorKind::Refused, "engine-crashed",
                           fmt::format("engine {}: it crashed with signal {}{}", m_description.name, end->signal,
                                       end->lastLine.empty() ? "" : " (" + end->lastLine + ")"));
        }
        if (end->exitCode == 127 && end->lastLine.empty()) {
            return failure(ErrorKind::Refused, "engine-missing",
                           fmt::format("engine {}: '{}' cannot be started", m_description.name, printable(argv[0])));
        }
        if (end->exitCode != 0) {
            return failure(ErrorKind::Refused, "engine-failed",
                           fmt::format("engine {}: {}", m_description.name,
                                       end->lastLine.empty() ? fmt::format("it ended with status {}", end->exitCode)
                                                             : end->lastLine));
        }
        return {};
    }

    Result<void> readSample(const fs::path& folder, EngineRun& run, const Job& job) const
    {
        run.outputs.emplace_back();
        std::error_code ignored;
        for (std::size_t k = 0; fs::exists(folder / fmt::format("output_{}.pb", k), ignored); ++k) {
            auto output = TRY(readTensor(folder / fmt::format("output_{}.pb", k)));
            run.outputs.back().push_back(std::move(output.tensor));
        }
        if (run.outputs.back().empty()) {
            return failure(ErrorKind::Refused, "engine-outputs",
                           fmt::format("engine {}: it wrote no output_0.pb", m_description.name));
        }
        run.intermediates.emplace_back();
        for (std::size_t k = 0; fs::exists(folder / fmt::format("value_{}.pb", k), ignored); ++k) {
            auto value = TRY(readTensor(folder / fmt::format("value_{}.pb", k)));
            run.intermediates.back().emplace(std::move(value.name), std::move(value.tensor));
        }
        if (const fs::path packed = folder / "values.npz"; fs::exists(packed, ignored)) {
            auto values = readNpz(packed.string(), maxExpansion, job);
            if (!values) {
                return badOutput("values.npz", values.error());
            }
            for (auto& [name, tensor] : *values) {
                run.intermediates.back().emplace(std::move(name), std::move(tensor));
            }
        }
        return {};
    }

    Result<NamedTensor> readTensor(const fs::path& path) const
    {
        auto tensor = tensorFromProtoBytes(TRY(readFile(path)));
        if (!tensor) {
            return badOutput(path.filename().string(), tensor.error());
        }
        return tensor;
    }

    std::unexpected<Error> badOutput(const std::string& file, const Error& error) const
    {
        return failure(ErrorKind::Refused, "engine-outputs",
                       fmt::format("engine {}: {}: {}", m_description.name, file, error.message));
    }

    EngineDescription m_description;
};

} // namespace

std::unique_ptr<Engine> makeEngine(EngineDescription description)
{
    return std::make_unique<ProcessEngine>(std::move(description));
}

Result<std::unique_ptr<Engine>> makeEngine(const std::string& name, const std::vector<std::string>& folders,
                                           double seconds)
{
    std::string known;
    for (EngineDescription& description : TRY(allEngines(folders))) {
        if (description.name == name) {
            description.seconds = seconds > 0.0 ? seconds : description.seconds;
            return makeEngine(std::move(description));
        }
        known += (known.empty() ? "" : ", ") + description.name;
    }
    return failure(ErrorKind::Usage, "unknown-engine",
                   fmt::format("there is no engine '{}' (known: {})", printable(name), known));
}

} // namespace crease
