// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/program.h"
#include "core/verify/verify.h"
#include "tests/support/graph_text.h"

#include <functional>

using namespace crease;
using crease::test::graphOf;

namespace {

constexpr auto network = R"(graph "g" ir 8 opset "" 13
input %x: f32[1x4]
const %s: f32[] = [0.5]
const %z: s8[] = [3]
const %s2: f32[] = [0.25]
%q: s8[1x4] = QuantizeLinear(%x, %s, %z)
%d: f32[1x4] = DequantizeLinear(%q, %s, %z)
%a: f32[1x4] = Abs(%d)
%q2: s8[1x4] = QuantizeLinear(%a, %s2, %z)
%y: f32[1x4] = DequantizeLinear(%q2, %s2, %z)
output %y
)";

/// Evaluates the network itself, changing what `change` says on the way.
class FakeEngine : public Engine {
public:
    using Change = std::function<Tensor(const std::string& name, const Tensor& tensor)>;

    explicit FakeEngine(Change change, bool codes = true) : m_change(std::move(change)), m_codes(codes) {}
    std::string name() const override { return "fake"; }
    Result<EngineRun> run(const std::string&, const std::vector<std::vector<Tensor>>& samples,
                          Intermediates intermediates, const Job& job) const override
    {
        const Graph graph = graphOf(network);
        const Program program = TRY(Program::create(graph, {}));
        EngineRun run;
        run.name = "fake";
        run.version = "1";
        for (const auto& sample : samples) {
            run.intermediates.emplace_back();
            auto outputs = TRY(program.run(sample, job, [&](ValueId id, const Tensor& tensor) {
                const std::string& name = graph.value(id).name;
                const Tensor changed = m_change(name, tensor);
                if (m_codes && intermediates == Intermediates::Integers && name.starts_with("q")) {
                    run.intermediates.back().emplace(name, changed);
                }
                return changed;
            }));
            run.outputs.push_back(std::move(outputs));
        }
        return run;
    }

private:
    Change m_change;
    bool m_codes;
};

/// Adds `steps` to the first code of the value.
FakeEngine::Change shifted(const std::string& which, int steps)
{
    return [which, steps](const std::string& name, const Tensor& tensor) {
        if (name != which) {
            return tensor;
        }
        std::vector<std::int64_t> codes = tensor.toInts();
        codes[0] += steps;
        return tensorOfInts(tensor.type(), tensor.dims(), codes);
    };
}

SampleSet samples()
{
    SampleSet set;
    for (const float first : {1.0F, 2.0F, -3.0F}) {
        set.samples.push_back({Tensor::of<float>({1, 4}, {first, 0.3F, -7.0F, 20.0F})});
    }
    return set;
}

EngineVerification verified(const Engine& engine)
{
    auto result = verifyEngine(engine, "m.onnx", graphOf(network), samples(), {}, {});
    if (!result) {
        qFatal("%s", describe(result.error()).c_str());
    }
    return std::move(*result);
}

Tensor unchanged(const std::string&, const Tensor& tensor)
{
    return tensor;
}

} // namespace

class TestVerifyEngine : public QObject {
    Q_OBJECT

private slots:
    void an_equal_engine_is_exact()
    {
        const EngineVerification result = verified(FakeEngine(unchanged));
        QCOMPARE(result.certificate.verdict, Verdict::Exact);
        QCOMPARE(result.certificate.tensors, 3); // q, q2, y
        QCOMPARE(result.certificate.samples, 3);
        QCOMPARE(result.certificate.counts.offBy[0], 3 * 3 * 4);
        QCOMPARE(result.version, std::string("1"));
    }

    void a_step_is_the_engines_own_arithmetic_and_counts_once()
    {
        // q is off by one: what follows from it is fed to ours as well, and is no further difference
        const EngineVerification result = verified(FakeEngine(shifted("q", 1)));
        QCOMPARE(result.certificate.verdict, Verdict::WithinSteps);
        QCOMPARE(result.certificate.counts.runtime, 3);
        QCOMPARE(result.certificate.counts.unexplained, 0);
    }

    void negative_two_steps_are_unexplained()
    {
        const EngineVerification result = verified(FakeEngine(shifted("q2", 2)));
        QCOMPARE(result.certificate.verdict, Verdict::Failed);
        QCOMPARE(result.certificate.counts.unexplained, 3);
        QVERIFY(result.certificate.note.find("q2") != std::string::npos);
    }

    void an_engine_without_codes_is_judged_by_its_outputs()
    {
        QCOMPARE(verified(FakeEngine(unchanged, false)).certificate.verdict, Verdict::Exact);
        QCOMPARE(verified(FakeEngine(unchanged, false)).certificate.tensors, 1);
        const EngineVerification step = verified(FakeEngine(shifted("q2", 1), false));
        QCOMPARE(step.certificate.verdict, Verdict::WithinSteps);
        QCOMPARE(step.certificate.counts.runtime, 3);
        QCOMPARE(verified(FakeEngine(shifted("q2", 2), false)).certificate.verdict, Verdict::Failed);
    }

    void negative_an_output_of_another_shape_fails()
    {
        class Short : public FakeEngine {
        public:
            using FakeEngine::FakeEngine;
            Result<EngineRun> run(const std::string& file, const std::vector<std::vector<Tensor>>& set,
                                  Intermediates intermediates, const Job& job) const override
            {
                EngineRun run = TRY(FakeEngine::run(file, set, intermediates, job));
                for (auto& outputs : run.outputs) {
                    outputs[0] = Tensor::of<float>({1, 1}, {0.0F});
                }
                return run;
            }
        };
        QCOMPARE(verified(Short(unchanged)).certificate.verdict, Verdict::Failed);
    }

    void accuracy_of_both()
    {
        SampleSet set = samples();
        set.labels = {{3}, {3}, {3}};
        const auto result = verifyEngine(FakeEngine(shifted("q2", -120)), "m.onnx", graphOf(network), set, {}, {});
        VERIFY_RESULT(result);
        QVERIFY(result->accuracy.has_value());
        QCOMPARE(result->accuracy->correctBefore, 3);
        QCOMPARE(result->accuracy->count, 3);
    }

    void without_samples_nothing_is_checked()
    {
        const auto result = verifyEngine(FakeEngine(unchanged), "m.onnx", graphOf(network), {}, {}, {});
        VERIFY_RESULT(result);
        QCOMPARE(result->certificate.verdict, Verdict::NotChecked);
    }
};

QTEST_APPLESS_MAIN(TestVerifyEngine)
#include "tst_verify_engine.moc"
