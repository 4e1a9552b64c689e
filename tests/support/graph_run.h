// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/program.h"
#include "tests/support/graph_text.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace crease::test {

/// The outputs of a graph in exact arithmetic, all elements in a row. Fails the test program where it does not run.
inline std::vector<double> evaluate(const Graph& graph, const std::vector<Tensor>& inputs)
{
    auto program = Program::create(graph, ProgramOptions{.precision = Precision::Exact});
    if (!program) {
        qFatal("%s", describe(program.error()).c_str());
    }
    auto outputs = program->run(inputs, Job{});
    if (!outputs) {
        qFatal("%s", describe(outputs.error()).c_str());
    }
    std::vector<double> all;
    for (const Tensor& output : *outputs) {
        const std::vector<double> values = output.toDoubles();
        all.insert(all.end(), values.begin(), values.end());
    }
    return all;
}

/// Normal numbers for float inputs, codes of the whole type for integer ones; free dimensions are 2.
inline std::vector<Tensor> randomInputs(const Graph& graph, unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<Tensor> inputs;
    for (const ValueId id : graph.inputs()) {
        const Value& value = graph.value(id);
        Dims dims;
        for (const Dim& dim : value.shape.value_or(Shape{})) {
            dims.push_back(dim.known() ? dim.value : 2);
        }
        const auto count = static_cast<std::size_t>(elementCount(dims).value());
        if (isInteger(value.type)) {
            std::uniform_int_distribution<std::int64_t> codes(std::max<std::int64_t>(lowest(value.type), -1000),
                                                              std::min<std::int64_t>(highest(value.type), 1000));
            std::vector<std::int64_t> integers(count);
            std::ranges::generate(integers, [&] { return codes(random); });
            inputs.push_back(tensorOfInts(value.type, dims, integers));
            continue;
        }
        std::normal_distribution<double> normal(0.0, 1.0);
        std::vector<double> reals(count);
        std::ranges::generate(reals, [&] { return normal(random); });
        inputs.push_back(tensorOfDoubles(value.type, dims, reals));
    }
    return inputs;
}

/// The largest difference of two results, relative to the largest element; infinite where one is not finite.
inline double difference(const std::vector<double>& a, const std::vector<double>& b)
{
    double worst = a.size() == b.size() ? 0.0 : HUGE_VAL;
    double range = 1e-30;
    for (const double each : a) {
        range = std::max(range, std::abs(each));
    }
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        const double apart = std::abs(a[i] - b[i]) / range;
        worst = std::isfinite(apart) ? std::max(worst, apart) : HUGE_VAL;
    }
    return worst;
}

} // namespace crease::test

/// Both graphs give the same numbers in exact arithmetic, on random inputs.
#define SAME_NUMBERS(before, after)                                                                                    \
    do {                                                                                                               \
        const auto inputs_ = ::crease::test::randomInputs(before, 1);                                                  \
        const double apart_ = ::crease::test::difference(::crease::test::evaluate(before, inputs_),                    \
                                                         ::crease::test::evaluate(after, inputs_));                    \
        QVERIFY2(apart_ < 1e-9, qPrintable(QString::number(apart_)));                                                  \
    } while (false)
