// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/program.h"
#include "core/support/parallel_for.h"
#include "tests/core/exec/kernel_runner.h"
#include "tests/support/graph_text.h"

#include <atomic>
#include <thread>

using namespace crease;
using namespace crease::test;

namespace {

Program programOf(const Graph& graph, ProgramOptions options = {})
{
    auto program = Program::create(graph, options);
    if (!program) {
        qFatal("%s", describe(program.error()).c_str());
    }
    return *program;
}

Doubles resultOf(const Program& program, const std::vector<Tensor>& inputs, const Observer& observer = {})
{
    const auto outputs = program.run(inputs, Job{}, observer);
    if (!outputs) {
        qWarning("%s", describe(outputs.error()).c_str());
        return {};
    }
    return outputs->front().toDoubles();
}

const char* const chain = R"(graph "g" ir 8 opset "" 13
input %x: f32[N]
const %one: f32[] = [1.0]
%a: f32[N] = Add(%x, %one)
%b: f32[N] = Neg(%a)
%y: f32[N] = Abs(%b)
output %y
)";

} // namespace

class TestProgram : public QObject {
    Q_OBJECT

private slots:
    void observersSeeEveryValueAndMayReplaceIt();
    void replacedConstantsAreFollowed();
    void deadTensorsAreFreed();
    void fileConstantsAreEvaluatedInFileTypes();
    void halfIsRoundedAfterEveryNode();
    void branches();
    void loops();
    void loopsWithoutIterations();
    void negative_endlessLoops();
    void exceptionsOfWorkersReachTheCaller();
    void scans();
    void severalThreadsAtOnce();
    void negative_inputs();
    void negative_noKernel();
    void negative_failingNodeIsNamed();
    void negative_missingInputsStringsAndSizes();
    void cancelling();
    void evaluateOneNode();
};

void TestProgram::observersSeeEveryValueAndMayReplaceIt()
{
    const Program program = programOf(graphOf(chain));
    std::vector<std::string> seen;
    const auto watch = [&](ValueId id, const Tensor& tensor) {
        seen.push_back(program.graph().value(id).name);
        return seen.back() == "b" ? floats({2}, {-7, 8}) : tensor;
    };
    QCOMPARE(resultOf(program, {floats({2}, {1, 2})}, watch), (Doubles{7, 8}));
    QCOMPARE(seen, (std::vector<std::string>{"x", "a", "b", "y"}));
    QCOMPARE(resultOf(program, {floats({2}, {1, 2})}), (Doubles{2, 3}));
}

void TestProgram::replacedConstantsAreFollowed()
{
    const Program program = programOf(graphOf(R"(graph "g" ir 8 opset "" 13
input %x: f32[2]
const %w: f32[2] = [1.0, 2.0]
%v: f32[2] = Neg(%w)
%u: f32[2] = Neg(%v)
%y: f32[2] = Mul(%x, %u)
output %y
)"));
    const auto replace = [&](ValueId id, const Tensor& tensor) {
        return program.graph().value(id).name == "v" ? floats({2}, {-10, -20}) : tensor;
    };
    const std::vector<Tensor> inputs{floats({2}, {1, 1})};
    QCOMPARE(resultOf(program, inputs), (Doubles{1, 2}));
    QCOMPARE(resultOf(program, inputs, replace), (Doubles{10, 20}));
    QCOMPARE(resultOf(program, inputs), (Doubles{1, 2}));
}

void TestProgram::deadTensorsAreFreed()
{
    const Program program = programOf(graphOf(chain));
    std::weak_ptr<const std::vector<float>> watched;
    bool aliveAtB = false;
    bool aliveAtY = true;
    const auto watch = [&](ValueId id, const Tensor& tensor) -> Tensor {
        const std::string& name = program.graph().value(id).name;
        if (name == "a") {
            auto owner = std::make_shared<const std::vector<float>>(2, 1.0F);
            watched = owner;
            const void* data = owner->data();
            return Tensor::view(ElementType::Float32, {2}, std::move(owner), data);
        }
        aliveAtB = name == "b" ? !watched.expired() : aliveAtB;
        aliveAtY = name == "y" ? !watched.expired() : aliveAtY;
        return tensor;
    };
    QCOMPARE(resultOf(program, {floats({2}, {0, 0})}, watch), (Doubles{1, 1}));
    QVERIFY(aliveAtB);
    QVERIFY(!aliveAtY);
}

/// architecture decision of the reference: 1/3 of the file is the float32 one, what is computed on is not rounded.
void TestProgram::fileConstantsAreEvaluatedInFileTypes()
{
    const Graph graph = graphOf(R"(graph "g" ir 8 opset "" 13
input %x: f32[]
const %one: f32[] = [1.0]
const %three: f32[] = [3.0]
const %code: s8[] = [1]
const %s: f32[] = [0.1]
%third: f32[] = Div(%one, %three)
%a: f32[] = Add(%x, %third)
%d: f32[] = DequantizeLinear(%code, %s)
%e: f32[] = Div(%d, %three)
%y: f32[] = Add(%a, %e)
output %a
output %e
output %y
)");
    const Program program = programOf(graph, {Precision::Exact});
    const auto outputs = program.run({Tensor::scalar(0.0F)}, Job{});
    VERIFY_RESULT(outputs);
    QCOMPARE((*outputs)[0].type(), ElementType::Float64);
    QCOMPARE((*outputs)[0].asDouble(0), static_cast<double>(1.0F / 3.0F));
    QCOMPARE((*outputs)[1].asDouble(0), static_cast<double>(0.1F) / 3.0);
    QCOMPARE((*outputs)[2].asDouble(0), static_cast<double>(1.0F / 3.0F) + static_cast<double>(0.1F) / 3.0);
}

void TestProgram::halfIsRoundedAfterEveryNode()
{
    const Graph graph = graphOf(R"(graph "g" ir 8 opset "" 13
input %x: f16[1]
input %z: f16[1]
%a: f16[1] = Add(%x, %z)
%y: f16[1] = Sub(%a, %x)
output %y
)");
    const auto half = [](float value) { return floats({1}, {value}).converted(ElementType::Float16); };
    QCOMPARE(resultOf(programOf(graph), {half(2048), half(1)}), (Doubles{0}));
    QCOMPARE(resultOf(programOf(graph, {Precision::Exact}), {half(2048), half(1)}), (Doubles{1}));
}

void TestProgram::branches()
{
    const Program program = programOf(graphOf(R"(graph "outer" ir 8 opset "" 13
input %c: b1[]
input %x: f32[2]
%w: f32[2] = Neg(%x)
%y: f32[2] = If(%c) {then_branch = {
    graph "then" ir 8 opset "" 13
    captured %w: f32[2]
    %o: f32[2] = Exp(%w)
    output %o
}, else_branch = {
    graph "else" ir 8 opset "" 13
    captured %w: f32[2]
    output %w
}} captures then_branch %w, else_branch %w
output %y
)"));
    QCOMPARE(resultOf(program, {Tensor::scalar(true), floats({2}, {0, 0})}), (Doubles{1, 1}));
    QCOMPARE(resultOf(program, {Tensor::scalar(false), floats({2}, {3, -4})}), (Doubles{-3, 4}));
}

namespace {

/// Doubles a value until the trip count or until it is over 100; collects the values.
const char* const doubling = R"(graph "outer" ir 8 opset "" 13
input %m: s64[]
input %x: f32[]
const %limit: f32[] = [100.0]
%last: f32[], %all: f32[*] = Loop(%m, _, %x) {body = {
    graph "body" ir 8 opset "" 13
    input %i: s64[]
    input %c: b1[]
    input %v: f32[]
    captured %limit: f32[]
    %w: f32[] = Add(%v, %v)
    %g: b1[] = Less(%w, %limit)
    %o: f32[] = Identity(%w)
    output %g
    output %w
    output %o
}} captures body %limit
output %last
output %all
)";

} // namespace

void TestProgram::loops()
{
    const Program program = programOf(graphOf(doubling));
    const auto three = program.run({Tensor::scalar<std::int64_t>(3), Tensor::scalar(1.0F)}, Job{});
    VERIFY_RESULT(three);
    QCOMPARE((*three)[0].toDoubles(), (Doubles{8}));
    QCOMPARE((*three)[1].toDoubles(), (Doubles{2, 4, 8}));
    const auto stopped = program.run({Tensor::scalar<std::int64_t>(99), Tensor::scalar(40.0F)}, Job{});
    VERIFY_RESULT(stopped);
    QCOMPARE((*stopped)[1].toDoubles(), (Doubles{80, 160}));
}

void TestProgram::loopsWithoutIterations()
{
    const Program program = programOf(graphOf(doubling));
    const auto none = program.run({Tensor::scalar<std::int64_t>(0), Tensor::scalar(5.0F)}, Job{});
    VERIFY_RESULT(none);
    QCOMPARE((*none)[0].toDoubles(), (Doubles{5}));
    QCOMPARE((*none)[1].dims(), (Dims{0}));
    // As in ONNX Runtime, and no loop without end.
    const auto negative = program.run({Tensor::scalar<std::int64_t>(-1), Tensor::scalar(5.0F)}, Job{});
    VERIFY_RESULT(negative);
    QCOMPARE((*negative)[0].toDoubles(), (Doubles{5}));
}

void TestProgram::negative_endlessLoops()
{
    const Program program = programOf(graphOf(R"(graph "outer" ir 8 opset "" 13
const %go: b1[] = [1]
const %one: f32[] = [1.0]
%last: f32[] = Loop(_, %go, %one) {body = {
    graph "body" ir 8 opset "" 13
    input %i: s64[]
    input %c: b1[]
    input %v: f32[]
    %d: b1[] = Identity(%c)
    %w: f32[] = Neg(%v)
    output %d
    output %w
}}
output %last
)"));
    std::stop_source source;
    source.request_stop();
    Job stopped;
    stopped.stop = source.get_token();
    const auto cancelled = program.run({}, stopped); // not run ahead: it would not get here
    QVERIFY(!cancelled);
    QCOMPARE(cancelled.error().kind, ErrorKind::Cancelled);
    const auto endless = program.run({}, Job{});
    QVERIFY(!endless);
    QCOMPARE(endless.error().id, std::string("unsupported-op"));
}

void TestProgram::exceptionsOfWorkersReachTheCaller()
{
    for (const int threads : {1, 4}) {
        std::atomic<int> done = 0;
        const auto body = [&](std::size_t i) {
            if (i == 3) {
                throw std::bad_alloc();
            }
            ++done;
        };
        QVERIFY_THROWS_EXCEPTION(std::bad_alloc, parallelFor(100, threads, body));
        done = 0;
        parallelFor(3, threads, body);
        QCOMPARE(done.load(), 3);
    }
}

void TestProgram::scans()
{
    const Program program = programOf(graphOf(R"(graph "outer" ir 8 opset "" 13
input %s: f32[2]
input %x: f32[2x3]
%last: f32[2], %all: f32[2x3] = Scan(%s, %x) {num_scan_inputs = 1, scan_input_axes = [1], scan_input_directions = [1], scan_output_axes = [1], body = {
    graph "body" ir 8 opset "" 13
    input %v: f32[2]
    input %e: f32[2]
    %w: f32[2] = Add(%v, %e)
    %o: f32[2] = Identity(%w)
    output %w
    output %o
}}
output %last
output %all
)"));
    const auto outputs = program.run({floats({2}, {0, 100}), floats({2, 3}, {1, 2, 3, 4, 5, 6})}, Job{});
    VERIFY_RESULT(outputs);
    QCOMPARE((*outputs)[0].toDoubles(), (Doubles{6, 115}));
    QCOMPARE((*outputs)[1].toDoubles(), (Doubles{3, 5, 6, 106, 111, 115}));
}

/// One program, prepared weights and all, used by several threads at once.
void TestProgram::severalThreadsAtOnce()
{
    const Program program = programOf(graphOf(R"(graph "g" ir 8 opset "" 13
input %x: f32[1x2]
const %w: f32[2x2] = [1.0, 2.0, 3.0, 4.0]
%h: f32[1x2] = MatMul(%x, %w)
%y: f32[1x2] = Relu(%h)
output %y
)"));
    std::atomic<int> wrong = 0;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] {
                for (int i = 0; i < 200; ++i) {
                    const auto x = static_cast<float>(t + i);
                    const auto outputs = program.run({floats({1, 2}, {x, 1})}, Job{});
                    const double wished = static_cast<double>(x) + 3.0;
                    wrong += outputs && outputs->front().asDouble(0) == wished ? 0 : 1;
                }
            });
        }
    }
    QCOMPARE(wrong.load(), 0);
}

void TestProgram::negative_inputs()
{
    const Program program = programOf(graphOf(R"(graph "g" ir 8 opset "" 13
input %x: f32[Nx3]
%y: f32[Nx3] = Relu(%x)
output %y
)"));
    const auto messageOf = [&](const std::vector<Tensor>& inputs) {
        const auto outputs = program.run(inputs, Job{});
        return outputs ? std::string() : describe(outputs.error());
    };
    QCOMPARE(messageOf({floats({5, 3}, std::vector<float>(15))}), std::string());
    QVERIFY(messageOf({floats({1, 4}, {1, 2, 3, 4})}).find("has the shape 1x4, not Nx3") != std::string::npos);
    QVERIFY(messageOf({doubles({1, 3}, {1, 2, 3})}).find("is float64, not float32") != std::string::npos);
    QVERIFY(messageOf({}).find("0 inputs are given, the graph has 1") != std::string::npos);
    QVERIFY(messageOf({Tensor{}}).find("missing") != std::string::npos);
}

void TestProgram::negative_noKernel()
{
    const auto program = Program::create(graphOf(R"(graph "g" ir 8 opset "" 13
input %x: f32[3]
%y: f32[3] = com.example.Thing(%x) "strange"
output %y
)"));
    QVERIFY(!program.has_value());
    QCOMPARE(program.error().kind, ErrorKind::Unsupported);
    QCOMPARE(program.error().node, std::string("strange"));
    QVERIFY(program.error().message.find("com.example.Thing") != std::string::npos);
}

void TestProgram::negative_failingNodeIsNamed()
{
    const Program program = programOf(graphOf(R"(graph "g" ir 8 opset "" 13
input %x: f32[?]
input %i: s64[1]
%y: f32[1] = Gather(%x, %i) "pick"
output %y
)"));
    const auto outputs = program.run({floats({2}, {1, 2}), ints(ElementType::Int64, {1}, {2})}, Job{});
    QVERIFY(!outputs.has_value());
    QCOMPARE(outputs.error().kind, ErrorKind::Input);
    QCOMPARE(outputs.error().node, std::string("pick"));
}

/// What a broken file may ask for is an error, not a crash.
void TestProgram::negative_missingInputsStringsAndSizes()
{
    const auto messageOf = [](const NodeCase& node) {
        const auto outputs = node.run();
        return outputs ? std::string() : outputs.error().message;
    };
    QCOMPARE(messageOf({.op = "Add", .inputs = {floats({1}, {1})}}), std::string("Add: input 1 is missing"));
    QCOMPARE(messageOf({.op = "Gather", .inputs = {floats({1}, {1}), Tensor{}}}),
             std::string("Gather: input 1 is missing"));
    const Tensor words = Tensor::strings({1}, {"a"});
    QCOMPARE(messageOf({.op = "Reshape", .inputs = {words, ints(ElementType::Int64, {1}, {1})}}),
             std::string("Reshape: elements of string"));
    QCOMPARE(messageOf({.op = "Identity", .inputs = {words}}), std::string());
    const Tensor huge = ints(ElementType::Int64, {2}, {std::int64_t{1} << 31, std::int64_t{1} << 31});
    QVERIFY(!messageOf({.op = "ConstantOfShape", .inputs = {huge}}).empty());
    QVERIFY(!messageOf({.op = "Tile", .inputs = {floats({1, 1}, {1}), huge}}).empty());
}

void TestProgram::cancelling()
{
    const Program program = programOf(graphOf(chain));
    std::stop_source source;
    source.request_stop();
    const auto outputs = program.run({floats({1}, {1})}, Job{source.get_token()});
    QVERIFY(!outputs.has_value());
    QCOMPARE(outputs.error().kind, ErrorKind::Cancelled);
}

void TestProgram::evaluateOneNode()
{
    const Graph graph = graphOf(chain);
    const Node& add = graph.node(graph.producer(graph.findValue("a")));
    const auto outputs =
        evaluateNode(graph, add, std::vector{floats({1}, {2}), floats({1}, {3})}, Precision::Exact, Job{});
    VERIFY_RESULT(outputs);
    QCOMPARE(outputs->front().type(), ElementType::Float64);
    QCOMPARE(outputs->front().toDoubles(), (Doubles{5}));
}

QTEST_GUILESS_MAIN(TestProgram)
#include "tst_program.moc"
