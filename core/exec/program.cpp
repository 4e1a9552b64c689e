// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/program.h"

#include "core/exec/control_flow.h"
#include "core/exec/kernel_support.h"
#include "core/exec/run_kernel.h"
#include "core/ir/integer_nodes.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace crease {

namespace {

/// FileConstant: it follows from constants of the file without passing a dequantization.
enum class Known : std::uint8_t { No, FileConstant, Constant };

bool isQonnx(const Node& node)
{
    return node.op == "Quant" || node.op == "IntQuant" || node.op == "BipolarQuant";
}

bool isDequantization(const Node& node)
{
    return node.op == "DequantizeLinear" || node.op == nodes::dequantize || node.op == nodes::fakeQuant ||
           isQonnx(node);
}

/// Quantizers take a constant of the file in the file's type (kernel.h).
bool takesFileType(const Node& node)
{
    return isQonnx(node) ||
           (node.domain == nodes::domain && (node.op == nodes::fakeQuant || node.op == nodes::quantize));
}

Tensor inPrecision(const Tensor& tensor, Precision precision)
{
    return precision == Precision::Exact && tensor.valid() && isFloat(tensor.type())
               ? tensor.converted(ElementType::Float64)
               : tensor;
}

struct Step {
    NodeId id;
    const KernelRow* kernel = nullptr; // null: control flow
    std::map<std::string, Program, std::less<>> bodies{};
    std::unique_ptr<KernelCache> cache{};
    bool prepared = false;           // its outputs are constants
    std::vector<ValueId> lastUses{}; // read for the last time here, or never
};

/// The values of a run over the constants of its program.
class Environment {
public:
    Environment(const std::vector<Tensor>& constants, std::size_t count) : m_constants(&constants), m_own(count) {}

    const Tensor& operator[](ValueId id) const
    {
        const bool own = id.index < m_own.size() && m_own[id.index].valid();
        return own ? m_own[id.index] : (*m_constants)[id.index];
    }
    void put(ValueId id, Tensor tensor) { m_own[id.index] = std::move(tensor); }
    void release(ValueId id) { m_own[id.index] = {}; }

private:
    const std::vector<Tensor>* m_constants;
    std::vector<Tensor> m_own;
};

Error withNode(Error error, const Graph& graph, const Node& node)
{
    if (error.node.empty()) {
        error.node = kernelLabel(graph, node);
    }
    return error;
}

Error noKernel(const Graph& graph, const Node& node)
{
    const std::string name = node.domain.empty() ? node.op : node.domain + "." + node.op;
    Error error{ErrorKind::Unsupported, "unsupported-op", fmt::format("no kernel runs the op {}", name)};
    error.node = kernelLabel(graph, node);
    return error;
}

/// A program for each subgraph attribute of a control-flow node.
Result<std::map<std::string, Program, std::less<>>> bodiesOf(const Node& node, ProgramOptions options)
{
    options.checkShapes = false;
    std::map<std::string, Program, std::less<>> bodies;
    for (const auto& [name, attribute] : node.attributes) {
        if (const auto* body = std::get_if<GraphRef>(&attribute)) {
            bodies.emplace(name, TRY(Program::create(**body, options)));
        }
    }
    return bodies;
}

RunBody bodyRunner(const Node& node, const std::map<std::string, Program, std::less<>>& bodies,
                   std::span<const Tensor> captured, const Job& job)
{
    return [&node, &bodies, captured, &job](std::string_view name,
                                            const std::vector<Tensor>& inputs) -> Result<std::vector<Tensor>> {
        const auto found = bodies.find(name);
        if (found == bodies.end()) {
            return failure(ErrorKind::Input, "bad-node", fmt::format("{} has no subgraph {}", node.op, name));
        }
        std::vector<Tensor> all = inputs;
        for (const ValueId inner : found->second.graph().captured()) {
            const auto capture = std::ranges::find_if(node.captures, [&](const Capture& candidate) {
                return candidate.attribute == name && candidate.inner == inner;
            });
            if (capture == node.captures.end()) {
                return failure(ErrorKind::Internal, "bad-node",
                               fmt::format("{} has a captured value without an outer one", node.op));
            }
            all.push_back(captured[static_cast<std::size_t>(capture - node.captures.begin())]);
        }
        return found->second.run(all, job);
    };
}

bool loops(const Graph& graph);

/// Whether a Loop is in it: what may take for ever is run where it can be cancelled.
bool loops(const Node& node)
{
    return (node.domain.empty() && node.op == "Loop") || std::ranges::any_of(node.attributes, [](const auto& entry) {
               const auto* body = std::get_if<GraphRef>(&entry.second);
               return body != nullptr && loops(**body);
           });
}

bool loops(const Graph& graph)
{
    return std::ranges::any_of(graph.order(), [&](NodeId id) { return graph.contains(id) && loops(graph.node(id)); });
}

Result<void> checkInput(const Value& value, const Tensor& tensor, const ProgramOptions& options)
{
    const auto refuse = [&](std::string message) -> Result<void> {
        Error error{ErrorKind::Input, "input-mismatch", std::move(message)};
        error.value = value.name;
        return std::unexpected(std::move(error));
    };
    if (!tensor.valid()) {
        return refuse("the input is missing");
    }
    const bool exactFloat = options.precision == Precision::Exact && isFloat(value.type) && isFloat(tensor.type());
    if (value.type != ElementType::Undefined && tensor.type() != value.type && !exactFloat) {
        return refuse(fmt::format("the input is {}, not {}", longName(tensor.type()), longName(value.type)));
    }
    if (!options.checkShapes || !value.shape) {
        return {};
    }
    bool fits = value.shape->size() == tensor.rank();
    for (std::size_t i = 0; fits && i < tensor.rank(); ++i) {
        fits = !(*value.shape)[i].known() || (*value.shape)[i].value == tensor.dims()[i];
    }
    if (!fits) {
        return refuse(fmt::format("the input has the shape {}, not {}", toText(tensor.dims()), toText(*value.shape)));
    }
    return {};
}

} // namespace

struct Program::State {
    Graph graph;
    ProgramOptions options;
    std::vector<Step> steps;
    std::vector<Tensor> constants;     // by value; in the program's precision
    std::vector<Tensor> fileConstants; // in Exact, by value: float constants of the file in the file's type
    std::vector<Known> known;

    Result<void> prepare();
    void prepareStep(Step& step);
    void findLastUses();
    Result<std::vector<Tensor>> runStep(const Step& step, const Environment& values, Precision precision,
                                        const Job& job) const;
    Result<std::vector<Tensor>> run(const std::vector<Tensor>& inputs, const Job& job, const Observer& observer) const;
};

Result<std::vector<Tensor>> Program::State::runStep(const Step& step, const Environment& values, Precision precision,
                                                    const Job& job) const
{
    const Node& node = graph.node(step.id);
    std::vector<Tensor> inputs;
    inputs.reserve(node.inputs.size());
    for (const ValueId id : node.inputs) {
        const bool inFileType =
            id.valid() && takesFileType(node) && id.index < fileConstants.size() && fileConstants[id.index].valid();
        inputs.push_back(!id.valid() ? Tensor{} : inFileType ? fileConstants[id.index] : values[id]);
    }
    const KernelContext context{graph, node, inputs, precision, job, step.cache.get(), options.threads};
    Result<std::vector<Tensor>> outputs;
    if (step.kernel != nullptr) {
        outputs = runKernel(*step.kernel, context);
    } else {
        std::vector<Tensor> captured;
        for (const Capture& capture : node.captures) {
            captured.push_back(values[capture.outer]);
        }
        outputs = runControlFlow(context, bodyRunner(node, step.bodies, captured, job));
    }
    if (!outputs) {
        return std::unexpected(withNode(std::move(outputs).error(), graph, node));
    }
    if (outputs->size() < node.outputs.size()) {
        return std::unexpected(
            withNode({ErrorKind::Unsupported, "unsupported-op",
                      fmt::format("{} computes {} of the {} outputs", node.op, outputs->size(), node.outputs.size())},
                     graph, node));
    }
    return outputs;
}

/// Evaluates the node now where all that it reads is constant.
void Program::State::prepareStep(Step& step)
{
    const Node& node = graph.node(step.id);
    Known least = isDequantization(node) ? Known::Constant : Known::FileConstant;
    bool anyConstant = false;
    const auto read = [&](ValueId id) {
        if (!id.valid()) {
            return;
        }
        anyConstant = anyConstant || known[id.index] != Known::No;
        if (known[id.index] == Known::No) {
            least = Known::No;
        } else if (least == Known::FileConstant) {
            least = known[id.index];
        }
    };
    std::ranges::for_each(node.inputs, read);
    std::ranges::for_each(node.captures, [&](const Capture& capture) { read(capture.outer); });
    if (least == Known::No || (step.kernel == nullptr && loops(node))) {
        step.cache = anyConstant ? std::make_unique<KernelCache>() : nullptr;
        return;
    }
    // A file constant in Exact: evaluated in the file's types, then converted.
    const bool fileTypes = options.precision == Precision::Exact && least == Known::FileConstant;
    const Environment values(fileTypes ? fileConstants : constants, 0);
    const Job job;
    const auto outputs = runStep(step, values, fileTypes ? Precision::Float32 : options.precision, job);
    if (!outputs) {
        return; // run() fails there, if it gets there: the branch of an If that is not taken does not
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        const ValueId id = node.outputs[i];
        if (!id.valid()) {
            continue;
        }
        known[id.index] = least;
        constants[id.index] = inPrecision((*outputs)[i], options.precision);
        if (fileTypes) {
            fileConstants[id.index] = (*outputs)[i];
        }
    }
    step.prepared = true;
}

Result<void> Program::State::prepare()
{
    const std::size_t count = graph.valueCapacity();
    constants.resize(count);
    known.resize(count, Known::No);
    const bool exact = options.precision == Precision::Exact;
    if (exact) {
        fileConstants.resize(count);
    }
    for (const ValueId id : graph.values()) {
        const Value& value = graph.value(id);
        if (value.isConstant()) {
            known[id.index] = Known::FileConstant;
            constants[id.index] = inPrecision(value.constant, options.precision);
            if (exact) {
                fileConstants[id.index] = value.constant;
            }
        }
    }
    for (const NodeId id : graph.order()) {
        if (!graph.contains(id)) {
            continue;
        }
        const Node& node = graph.node(id);
        Step step{id, findKernel(graph, node)};
        if (step.kernel == nullptr && !isControlFlow(node)) {
            return std::unexpected(noKernel(graph, node));
        }
        if (step.kernel == nullptr) {
            step.bodies = TRY(bodiesOf(node, options));
        }
        prepareStep(step);
        steps.push_back(std::move(step));
    }
    findLastUses();
    return {};
}

void Program::State::findLastUses()
{
    std::vector<bool> seen(graph.valueCapacity(), false);
    for (const ValueId id : graph.outputs()) {
        seen[id.index] = true;
    }
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        const Node& node = graph.node(step->id);
        const auto note = [&](ValueId id) {
            if (id.valid() && !seen[id.index] && known[id.index] == Known::No) {
                seen[id.index] = true;
                step->lastUses.push_back(id);
            }
        };
        std::ranges::for_each(node.outputs, note);
        std::ranges::for_each(node.inputs, note);
        std::ranges::for_each(node.captures, [&](const Capture& capture) { note(capture.outer); });
    }
}

Result<std::vector<Tensor>> Program::State::run(const std::vector<Tensor>& inputs, const Job& job,
                                                const Observer& observer) const
{
    std::vector<ValueId> fed = graph.inputs();
    fed.insert(fed.end(), graph.captured().begin(), graph.captured().end());
    if (inputs.size() != fed.size()) {
        return failure(ErrorKind::Input, "input-mismatch",
                       fmt::format("{} inputs are given, the graph has {}", inputs.size(), fed.size()));
    }
    Environment values(constants, constants.size());
    std::vector<bool> changed(observer ? constants.size() : 0, false); // constants that the observer replaced
    const auto put = [&](ValueId id, Tensor tensor) {
        if (observer) {
            Tensor now = observer(id, tensor);
            changed[id.index] = known[id.index] != Known::No && now.raw() != constants[id.index].raw();
            tensor = std::move(now);
        }
        values.put(id, std::move(tensor));
    };
    for (std::size_t i = 0; i < fed.size(); ++i) {
        TRY(checkInput(graph.value(fed[i]), inputs[i], options));
        put(fed[i], inPrecision(inputs[i], options.precision));
    }
    for (const Step& step : steps) {
        if (step.prepared && !observer) {
            continue;
        }
        TRY(job.check());
        const Node& node = graph.node(step.id);
        const bool fresh = !step.prepared || std::ranges::any_of(node.inputs, [&](ValueId id) {
            return id.valid() && changed[id.index];
        });
        if (fresh) {
            std::vector<Tensor> outputs = TRY(runStep(step, values, options.precision, job));
            for (std::size_t i = 0; i < node.outputs.size(); ++i) {
                if (node.outputs[i].valid()) {
                    put(node.outputs[i], std::move(outputs[i]));
                }
            }
        } else {
            for (const ValueId id : node.outputs) {
                if (id.valid()) {
                    put(id, constants[id.index]);
                }
            }
        }
        for (const ValueId id : step.lastUses) {
            values.release(id);
        }
    }
    std::vector<Tensor> outputs;
    for (const ValueId id : graph.outputs()) {
        outputs.push_back(values[id]);
    }
    return outputs;
}

Result<Program> Program::create(Graph graph, const ProgramOptions& options)
{
    Program program;
    program.m_state = std::make_shared<State>();
    program.m_state->graph = std::move(graph);
    program.m_state->options = options;
    TRY(program.m_state->prepare());
    return program;
}

Result<std::vector<Tensor>> Program::run(const std::vector<Tensor>& inputs, const Job& job,
                                         const Observer& observer) const
{
    return m_state->run(inputs, job, observer);
}

const Graph& Program::graph() const
{
    return m_state->graph;
}

bool canEvaluate(const Graph& graph, const Node& node)
{
    return findKernel(graph, node) != nullptr || isControlFlow(node);
}

Result<std::vector<Tensor>> evaluateNode(const Graph& graph, const Node& node, std::span<const Tensor> inputs,
                                         Precision precision, const Job& job, std::span<const Tensor> captured)
{
    std::vector<Tensor> prepared;
    for (const Tensor& input : inputs) {
        prepared.push_back(takesFileType(node) ? input : inPrecision(input, precision));
    }
    const KernelContext context{graph, node, prepared, precision, job};
    if (const KernelRow* row = findKernel(graph, node)) {
        return runKernel(*row, context);
    }
    if (!isControlFlow(node)) {
        return std::unexpected(noKernel(graph, node));
    }
    if (captured.size() != node.captures.size()) {
        return failure(ErrorKind::Internal, "bad-node", fmt::format("{} needs the values it captures", node.op));
    }
    const auto bodies = TRY(bodiesOf(node, {precision, 1, false}));
    std::vector<Tensor> outer;
    for (const Tensor& tensor : captured) {
        outer.push_back(inPrecision(tensor, precision));
    }
    return runControlFlow(context, bodyRunner(node, bodies, outer, job));
}

} // namespace crease
